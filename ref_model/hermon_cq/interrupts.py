"""Interrupts of event queues: when a line may rise, and when it has to."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field

from ref_model.deadlines import Must
from ref_model.events import SideBand
from ref_model.hermon_cq.arm_states import ahead
from ref_model.hermon_cq.shared import Context
from ref_model.rules import Scope


@dataclass(slots=True)
class Arming:
    """One request for an interrupt with the consumer index it came with."""

    ci: int
    issued: int
    again: bool  #: by a doorbell, not by the set-up


@dataclass(slots=True)
class EventQueue:
    """One EQ; ``pi`` counts EQEs whose write has begun, ``done`` those that are complete."""

    number: int
    scope: Scope = field(init=False)
    valid: bool = False
    base: int = 0
    log_size: int = 1
    always: bool = False
    pi: int = 0
    done: int = 0
    completed: int = 0  #: when (ps) the newest EQE was complete
    updated: int = 0  #: when (ps) the latest doorbell came, 0 if it asked for an interrupt
    cis: deque[tuple[int, int]] = field(default_factory=lambda: deque([(0, 0)], 16))
    armings: deque[Arming] = field(default_factory=lambda: deque(maxlen=16))
    irq: int = 0
    fired: bool = False
    duty: Must | None = None

    def __post_init__(self) -> None:
        self.scope = Scope(f"EQ {self.number}")

    @property
    def size(self) -> int:
        """Entries."""
        return 1 << self.log_size

    @property
    def ci(self) -> int:
        """Newest consumer index."""
        return self.cis[-1][1]

    @property
    def rung(self) -> bool:
        """Whether its doorbell was rung since it is valid."""
        return self.cis[-1][0] > 0

    def states(self) -> set[int]:
        """Values of EQ_ST.st at rest."""
        if self.always:
            return {0xB}
        if self.armings:
            return {0x9}
        return {0xA} if self.fired else {0}

    @property
    def room(self) -> int:
        """Entries that are free by the newest consumer index."""
        return self.size - ahead(self.pi, self.ci)


class Interrupts:
    """Judges the interrupt lines."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._lines = 0

    def reset(self) -> None:
        """All lines are low."""
        self._lines = 0

    def changed(self, event: SideBand, queues: Iterable[EventQueue]) -> None:
        """The interrupt lines changed."""
        value = event.values[0]
        changed, self._lines = value ^ self._lines, value
        for queue in queues:
            if changed >> queue.number & 1:
                queue.irq = value >> queue.number & 1
                if queue.irq:
                    self._raised(queue, event.begin)

    def _raised(self, queue: EventQueue, begin: int) -> None:
        ctx, rules = self._ctx, self._ctx.rules
        if not queue.valid:
            rules.fail("HCQ-102/unarmed", "irq low", "irq high", "the EQ is not in use", queue.scope)
            return
        unread = any(ahead(queue.done, ci) > 0 for _, ci in queue.cis)
        armings = queue.armings
        served = next((n for n, arming in enumerate(armings) if ahead(queue.done, arming.ci) > 0), None)
        if queue.always:
            if not unread:
                self._too_early(queue)
                return
        elif served is None:
            if not queue.armings:
                rule = "HCQ-103/index" if queue.updated > queue.completed else "HCQ-102/unarmed"
                rules.fail(rule, "irq low", "irq high", "the EQ is not armed", queue.scope)
            else:
                self._too_early(queue)
            return
        else:
            queue.fired = True
            for _ in range(served + 1):
                armings.popleft()
        rules.met("HCQ-102/order", "interrupt behind its EQE", queue.scope)
        rules.alive(("irq", queue.number))
        if queue.duty is not None:
            ctx.deadlines.meet(queue.duty)
            queue.duty = None
        if not queue.armings and not queue.always:
            rules.tempt("HCQ-102/unarmed", ("irq", queue.number))

    def _too_early(self, queue: EventQueue) -> None:
        rules = self._ctx.rules
        why = f"{queue.done} EQEs are complete, consumer index {queue.ci}"
        armed = queue.armings[-1] if queue.armings else None
        just_armed = armed is not None and self._ctx.now - armed.issued <= self._ctx.config.doorbell
        if queue.pi > queue.done or not just_armed:
            rules.fail("HCQ-102/order", "irq behind the EQE", "irq before it", why, queue.scope)
        else:
            rules.fail("HCQ-103/index", "irq low", "irq high", why, queue.scope)

    def owe(self, queue: EventQueue) -> None:
        """An interrupt is owed if the EQ is armed with a complete EQE unread."""
        ctx = self._ctx
        if queue.duty is not None and queue.duty.open:
            return
        newest = queue.armings[-1] if queue.armings else None
        if queue.always:
            ready, again = ahead(queue.done, queue.ci) > 0 and not queue.irq, False
        else:
            ready = newest is not None and ahead(queue.done, newest.ci) > 0
            again = newest is not None and newest.again and queue.pi == queue.done
        if not ready:
            return
        rule = "HCQ-103/again" if again else "HCQ-102/raised"
        deadline = ctx.rules.now + ctx.config.event + ctx.config.doorbell
        duty = ctx.deadlines.must(rule, "irq high", "armed with an EQE unread", queue.scope, deadline)
        queue.duty = duty
        if queue.irq:
            # A level that never fell still interrupts: nothing shows whether it was raised again.
            ctx.deadlines.call_at(deadline - 1, lambda: self._still_high(queue, duty))

    def _still_high(self, queue: EventQueue, duty: Must) -> None:
        if duty.open and queue.irq:
            self._ctx.deadlines.void(duty)
            if queue.duty is duty:
                queue.duty = None
                queue.armings.clear()
