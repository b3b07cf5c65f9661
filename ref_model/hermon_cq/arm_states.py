"""Request, sequence number and event of one CQ as a set of possible states.

Doorbells that overlap with CQEs, commands or each other may take effect in either order. Each order that is
still possible is one :class:`State`; an output drops those that contradict it. Counters are unwrapped here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from ref_model.hermon_cq.config import Choices
from ref_model.hermon_cq.ports import ANY, ARM_N, SOLICITED

MASK, HALF = 0xFFFFFF, 1 << 23
#: Value of st by the kind of the waiting request.
SHOWN = {ANY: 0x9, SOLICITED: 0x6}
FIRED = 0xA
#: Events of one CQ that may be under way at once: software that waits for an event before it asks again
#: causes one.
_MOST_DUE = 2
#: From so many states on those that differ in counters only are taken together.
_MANY = 24
#: A sequence number two or more ahead is recorded only.
_NEXT = (0, 1)


def ahead(a: int, b: int) -> int:
    """Return a - b as a signed number of 24 bits."""
    return ((a - b + HALF) & MASK) - HALF


@dataclass(frozen=True, slots=True)
class Doorbell:
    """One CQ doorbell; ``certain``: it has to be taken, else nothing says whether it is."""

    kind: int
    sn: int
    param: int
    certain: bool = True
    halves: bool = False


class Armed(NamedTuple):
    """A waiting request; ``free``: nothing says when it fires.

    ``since``: producer counter when it was made; ``ripe``: the same when it may first have fired, -1 before.
    """

    kind: int
    sn: int
    target: int
    since: int
    free: bool = False
    ripe: int = -1
    ripe_tick: int = 0


class State(NamedTuple):
    """One possibility. ``due``: events fired and not written; ``step``: doorbells that took effect.

    ``low``, ``high``: producer counter at the latest fire lies between these; the same for ticks.
    """

    armed: Armed | None = None
    done: int = 0
    due: int = 0
    step: int = 0
    low: int = 0
    high: int = 0
    low_tick: int = 0
    high_tick: int = 0
    ever: bool = False

    @property
    def shown(self) -> int | None:
        """Value of st; None: not judged (Arm-N, never armed)."""
        if self.armed is not None:
            return None if self.armed.free else SHOWN.get(self.armed.kind)
        return FIRED if self.ever else None


@dataclass(slots=True)
class Moderation:
    """Limits that may hold: all during and after a change until the next event, else one."""

    limits: list[tuple[int, int]]
    changed: bool = True  #: the first event after creation or a change has latitude of one CQE

    def change(self, count: int, period: int) -> None:
        """MODIFY_CQ may have set new limits."""
        if (count, period) not in self.limits:
            self.limits.append((count, period))
        self.changed = True

    def settle(self) -> None:
        """An event was written: from here on the newest limits hold."""
        del self.limits[:-1]
        self.changed = False

    @property
    def off(self) -> bool:
        """Whether nothing delays an event."""
        return self.limits == [(0, 0)]


@dataclass(slots=True)
class Counted:
    """What the fire conditions look at."""

    pi: int  #: CQEs that are complete
    seen: int  #: of these, up to the newest one that may make the DUT look
    sure: int  #: of these, up to the newest one that certainly makes the DUT look
    solicited: int | None = None  #: index of the newest solicited CQE
    tick: int = 0
    waiting_tick: int | None = None  #: tick at which a request certainly was ready but for moderation
    size: int = 1
    start: int = 0


@dataclass(slots=True)
class Arm:
    """All possible states of one CQ."""

    choices: Choices
    counted: Counted
    moderation: Moderation
    queue: list[Doorbell] = field(default_factory=list)
    states: set[State] = field(default_factory=set)
    dropped: Callable[[], bool] = lambda: False  #: whether an event may vanish (unusable or full EQ)
    dead: bool = False  #: the CQ is in error: doorbells may be ignored
    forgotten: int = 0  #: doorbells that took effect in every state

    def __post_init__(self) -> None:
        start = self.counted.start
        self.states = {State(low=start, high=start, low_tick=self.counted.tick, high_tick=self.counted.tick)}

    # -- what may happen ----------------------------------------------------------------------------

    def spread(self) -> None:
        """Add every state that can be reached by now."""
        seen: set[State] = set()
        todo = [self._ripened(state) for state in self.states]
        while todo:
            state = todo.pop()
            if state not in seen:
                seen.add(state)
                todo += [self._ripened(other) for other in self._steps(state)]
        self.states = _widened(seen) if len(seen) > _MANY else seen

    def _steps(self, state: State) -> Iterator[State]:
        if state.step < len(self.queue):
            yield from self.taken(state)
        if state.armed is not None and state.armed.ripe >= 0:
            fired = self._fired(state)
            yield fired  # a second fire before the first EQE may be merged with it, or not
            if 0 < state.due < _MOST_DUE:
                yield fired._replace(due=state.due + 1)
        if state.due and self.dropped():
            yield state._replace(due=state.due - 1)

    def taken(self, state: State) -> Iterator[State]:
        """States behind the next doorbell of ``state``."""
        bell = self.queue[state.step]
        state = state._replace(step=state.step + 1)
        stale = bell.sn == state.done
        jump = (bell.sn - state.done) & 3 not in _NEXT
        first = not state.ever and bell.sn == 0
        may_ignore = not bell.certain or self.dead or first or jump
        if stale and self.choices.may("SN_MODE", "gate"):
            may_ignore = True
            if self.choices.sure("SN_MODE", "gate") and not first:
                yield state
                return
        if may_ignore or ahead(self.counted.pi, bell.param) > self.counted.size:
            yield state
        yield from self._armed(state, bell)

    def _armed(self, state: State, bell: Doorbell) -> Iterator[State]:
        counted = self.counted
        index = counted.pi - ahead(counted.pi, bell.param)
        fresh = Armed(bell.kind, bell.sn, index, counted.pi)
        if bell.kind == ARM_N:
            if index < counted.pi:
                if self.choices.may("ARMN_PASSED", "fire"):
                    yield state._replace(armed=fresh)
                if self.choices.may("ARMN_PASSED", "wait"):
                    yield state._replace(armed=fresh._replace(target=index + MASK + 1))
                return
        elif not counted.pi - counted.size <= index <= counted.pi:
            fresh = fresh._replace(free=True)
        waiting = state.armed
        if waiting is not None and waiting.sn == bell.sn and waiting.kind != bell.kind:
            if ARM_N in (waiting.kind, bell.kind):
                fresh = fresh._replace(free=True)
            elif waiting.kind == ANY:  # the same request: any stays any; or a new one replaces it
                yield state._replace(armed=fresh._replace(kind=ANY))
        yield state._replace(armed=fresh)

    def _ripened(self, state: State) -> State:
        """Note when the request of ``state`` may first have fired."""
        armed = state.armed
        if armed is None or armed.ripe >= 0 or not (self._may_meet(state, armed) and self._may_pass(state)):
            return state
        return state._replace(armed=armed._replace(ripe=self.counted.pi, ripe_tick=self.counted.tick))

    def _fired(self, state: State) -> State:
        assert state.armed is not None
        armed, counted = state.armed, self.counted
        return state._replace(
            armed=None,
            done=armed.sn,
            due=max(state.due, 1),
            low=armed.ripe,
            high=counted.pi,
            low_tick=armed.ripe_tick,
            high_tick=counted.tick,
            ever=True,
        )

    def _may_meet(self, state: State, armed: Armed) -> bool:
        counted = self.counted
        if armed.free:
            return True
        if armed.kind == SOLICITED:
            newest = -1 if counted.solicited is None else counted.solicited + 1
        else:
            newest = max(counted.seen, armed.since)
        if newest <= armed.target:
            return False
        return armed.kind == ARM_N or self.choices.may("ARM_RULE", "R1") or newest > state.low

    def _may_pass(self, state: State) -> bool:
        """Whether moderation may let the event go."""
        counted = self.counted
        slack = 1 if self.moderation.changed else 0
        solicited = (
            not self.choices.sure("SOL_BREAKS_MOD", 0)
            and counted.solicited is not None
            and counted.solicited >= state.low
        )
        for count, period in self.moderation.limits:
            if solicited or not count or (period and not state.ever):
                return True
            if counted.pi - state.low >= count - slack:
                return True
            if period and counted.tick - state.low_tick + 1 >= period:
                return True
        return False

    # -- what has to happen -------------------------------------------------------------------------

    def owes(self, moderated: bool = True) -> bool:
        """Whether an event is owed in every state, whatever order doorbells and CQEs take.

        ``moderated`` False: but for moderation.
        """
        return all(self._owes(state, moderated) for state in self.states)

    def _owes(self, state: State, moderated: bool) -> bool:
        if state.due:
            return True
        if state.step < len(self.queue):
            bell = self.queue[state.step]
            followed = all(self._owes(other, moderated) for other in self.taken(state))
            return followed and (bell.certain or self._owes(state._replace(step=state.step + 1), moderated))
        armed = state.armed
        if armed is None or armed.free or not self._must_meet(state, armed):
            return False
        return not moderated or self._must_pass(state, armed)

    def _must_meet(self, state: State, armed: Armed) -> bool:
        counted = self.counted
        if armed.kind == SOLICITED:
            newest = counted.solicited
            if newest is None or not (newest > armed.target or newest >= max(armed.since, armed.target)):
                return False
            newest += 1
        else:
            newest = max(counted.sure, armed.since)
            if newest <= armed.target:
                return False
        return armed.kind == ARM_N or self.choices.sure("ARM_RULE", "R1") or newest > self._covered(state)

    def _covered(self, state: State) -> int:
        return state.high if state.ever else self.counted.start

    def _must_pass(self, state: State, armed: Armed) -> bool:
        counted = self.counted
        slack = 1 if self.moderation.changed else 0
        for count, period in self.moderation.limits:
            if not count and not period:
                continue
            if count and counted.pi - max(state.high, armed.since) >= count + slack:
                continue
            since = counted.waiting_tick
            if period and since is not None and counted.tick - since > period:
                continue
            return False
        return True

    def discarded(self) -> bool:
        """At rest with no EQ to write to: events that were due are gone; returns whether there was one."""
        self.spread()
        found = False
        states = set()
        for state in self.states:
            left = state._replace(due=0)
            if left.armed is not None and left.armed.ripe >= 0 and self._owes(left, True):
                left = self._fired(left)._replace(due=0)
            found = found or left != state
            states.add(left)
        self.states = states
        return found

    # -- what was seen ------------------------------------------------------------------------------

    def written(self) -> bool:
        """A completion EQE was written; returns whether that was possible."""
        counted = self.counted
        states = {
            state._replace(due=state.due - 1, high=counted.pi, high_tick=counted.tick)
            for state in self.states
            if state.due
        }
        if not states:
            return False
        self.states = states
        self.moderation.settle()
        return True

    def ring(self, bell: Doorbell) -> int:
        """``bell`` was rung; returns its number."""
        self.queue.append(bell)
        return self.forgotten + len(self.queue) - 1

    def finished(self, number: int) -> None:
        """Doorbell ``number`` and those before have taken effect by now, or never will."""
        left = {state for state in self.states if state.step + self.forgotten > number}
        self.states = left or self.states
        done = min(state.step for state in self.states)
        del self.queue[:done]
        self.states = {state._replace(step=state.step - done) for state in self.states}
        self.forgotten += done

    def covered(self) -> bool:
        """Whether the latest event certainly covered all CQEs."""
        return all(state.ever and self.counted.pi <= state.low for state in self.states)

    @property
    def waits(self) -> bool:
        """Whether a request may wait, a doorbell or an event be under way."""
        return any(state.armed or state.due or state.step < len(self.queue) for state in self.states)

    def shown(self) -> set[int | None]:
        """Values of st that are possible."""
        return {state.shown for state in self.states}


def _widened(states: set[State]) -> set[State]:
    """Take states together that differ in counters only: what one allows is allowed, what all demand owed."""
    groups: dict[State, State] = {}
    for state in states:
        armed = state.armed
        plain = None if armed is None else armed._replace(since=0, ripe=-1, ripe_tick=0)
        key = State(plain, state.done, state.due, state.step, ever=state.ever)
        other = groups.get(key)
        groups[key] = state if other is None else _hull(state, other)
    return set(groups.values())


def _hull(one: State, two: State) -> State:
    armed = one.armed
    if armed is not None and two.armed is not None:
        ripe = [entry for entry in (armed, two.armed) if entry.ripe >= 0]
        armed = armed._replace(
            since=max(armed.since, two.armed.since),
            ripe=min((entry.ripe for entry in ripe), default=-1),
            ripe_tick=min((entry.ripe_tick for entry in ripe), default=0),
        )
    return one._replace(
        armed=armed,
        low=min(one.low, two.low),
        high=max(one.high, two.high),
        low_tick=min(one.low_tick, two.low_tick),
        high_tick=max(one.high_tick, two.high_tick),
    )
