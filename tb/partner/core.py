"""The link partner: endpoints for all queue pairs of the DUT, fault rules, timers. Knows no simulator."""

from __future__ import annotations

import heapq
import random
from collections.abc import Callable
from dataclasses import dataclass

from ref_model.errors import UserError
from ref_model.rocev2.endpoint import Endpoint, EndpointConfig
from ref_model.wire import INFO, Frame, ParseError, build, parse, parse_shared
from tb.partner.faults import Action, Direction, Fault, FaultEngine, Outcome
from tb.partner.legality import Checker
from tb.partner.management import ManagementPort

REQUESTS = frozenset({"send", "write", "read_req", "atomic"})
"""Kinds of packets a NAK can answer."""

Transmit = Callable[[bytes, bool], None]


@dataclass(frozen=True, slots=True)
class _Later:
    direction: Direction
    qp: int
    data: bytes
    only_if_waiting: bool = False


class PartnerCore:
    """Endpoints keyed by the DUT's queue pair number.

    ``transmit(data, good)`` puts a frame on the DUT's RoCE input; ``now()`` is the time in picoseconds;
    ``wake_at(time)`` asks for a call of ``tick`` at that time or earlier. ``checker`` watches what the
    partner sends; ``unclaimed`` counts RoCE frames of the DUT that no endpoint owns.
    """

    def __init__(
        self,
        transmit: Transmit,
        now: Callable[[], int],
        wake_at: Callable[[int], None],
        rng: random.Random,
        checker: Checker,
    ) -> None:
        """Start without endpoints and without faults."""
        self.endpoints: dict[int, Endpoint] = {}
        self.faults = FaultEngine(rng)
        self.checker = checker
        self.unclaimed = 0
        self.management = ManagementPort()
        self.frames_to_dut = 0
        self.frames_from_dut = 0
        self._transmit = transmit
        self._now = now
        self._wake_at = wake_at
        self._by_number: dict[int, int] = {}
        self._later: list[tuple[int, int, _Later]] = []
        self._timers: list[tuple[int, int]] = []
        self._due: dict[int, int] = {}
        self._sequence = 0

    @property
    def idle(self) -> bool:
        """True when no endpoint waits for anything and no frame is held back."""
        return not self._later and all(
            endpoint.idle or endpoint.failed for endpoint in self.endpoints.values()
        )

    def connect(self, qp: int, config: EndpointConfig) -> Endpoint:
        """Create the peer of DUT queue pair ``qp``; raises UserError when its own number is taken."""
        if config.qp in self._by_number and self._by_number[config.qp] != qp:
            raise UserError(
                f"partner: queue pair number {config.qp:#x} is used for DUT QP {self._by_number[config.qp]}"
            )
        self.disconnect(qp)
        endpoint = self.endpoints[qp] = Endpoint(config)
        self._by_number[config.qp] = qp
        self.checker.open(qp, config.first_psn, config.pmtu)
        return endpoint

    def disconnect(self, qp: int) -> None:
        """Forget the peer of DUT queue pair ``qp``; its frames are unclaimed from now on."""
        endpoint = self.endpoints.pop(qp, None)
        if endpoint is not None:
            self._by_number.pop(endpoint.config.qp, None)
            self._due.pop(qp, None)

    def reset(self) -> None:
        """Forget all endpoints and all frames under way (faults stay)."""
        for qp in list(self.endpoints):
            self.disconnect(qp)
        self._later.clear()

    def add_faults(self, *faults: Fault) -> None:
        """Declare misbehaviour."""
        self.faults.add(*faults)

    def clear_faults(self) -> None:
        """Withdraw all rules and hand on what they hold."""
        self.faults.rules.clear()
        self.release()

    def release(self, fault: Fault | None = None) -> None:
        """Hand on the frames a HOLD fault (or all of them) keeps."""
        for direction, qp, data in self.faults.release(fault):
            self._hand_on(direction, qp, data)
        self.service()

    def inject(self, frame: Frame | bytes, good: bool = True) -> None:
        """Send any frame to the DUT as it is, legal or not; ``good`` False ends it with tuser 0."""
        self._send(frame if isinstance(frame, bytes) else build(frame), good)

    def notify(self, qp: int, frame: Frame) -> None:
        """Send a management datagram or a CNP to DUT queue pair ``qp``; the checker wants it to be legal."""
        data = build(frame)
        self.checker.sending(qp, data)
        self._send(data, True)

    def from_dut(self, data: bytes) -> None:
        """A whole frame left the DUT's MAC output."""
        found = self._owner(data)
        if found is None:
            return
        qp, frame = found
        self.frames_from_dut += 1
        if self.faults.silent:
            self._hand_on(Direction.FROM_DUT, qp, data, frame)
        else:
            outcome = self.faults.apply(Direction.FROM_DUT, qp, data)
            if outcome.syndrome is not None:
                self._heard(qp, frame)
                self._refuse(qp, data, outcome.syndrome)
            self._schedule(Direction.FROM_DUT, qp, outcome, (data, frame))
        self._serve(qp)
        self._ask_for_wake()

    def service(self) -> None:
        """Let every endpoint send what it has to send now, and ask to be woken for what comes later."""
        for qp in list(self.endpoints):
            self._serve(qp)
        self._ask_for_wake()

    def tick(self) -> None:
        """Time has passed: hand on delayed frames, run the timers that are due."""
        now = self._now()
        while self._later and self._later[0][0] <= now:
            entry = heapq.heappop(self._later)[2]
            data: bytes | None = entry.data
            if entry.only_if_waiting:
                data = self.faults.overdue(entry.direction, entry.qp)
            if data is not None:
                self._hand_on(entry.direction, entry.qp, data)
                self._serve(entry.qp)
        while self._timers and self._timers[0][0] <= now:
            time, qp = heapq.heappop(self._timers)
            if self._due.get(qp) == time:
                del self._due[qp]
                self._serve(qp)
        self._ask_for_wake()

    def _serve(self, qp: int) -> None:
        """Send what one endpoint has to send now and note when it wants to be asked again."""
        endpoint = self.endpoints.get(qp)
        if endpoint is None:
            return
        for data in endpoint.poll(self._now()):
            self.checker.sending(qp, data)
            if self.faults.silent:
                self._send(data, True)
            else:
                self._schedule(Direction.TO_DUT, qp, self.faults.apply(Direction.TO_DUT, qp, data))
        deadline = endpoint.next_deadline()
        if deadline is None:
            self._due.pop(qp, None)
        elif self._due.get(qp) != deadline:
            self._due[qp] = deadline
            heapq.heappush(self._timers, (deadline, qp))

    def _ask_for_wake(self) -> None:
        while self._timers and self._due.get(self._timers[0][1]) != self._timers[0][0]:
            heapq.heappop(self._timers)  # overtaken by a newer deadline
        times: list[int] = []
        if self._timers:
            times.append(self._timers[0][0])
        if self._later:
            times.append(self._later[0][0])
        if times:
            self._wake_at(min(times))

    def _owner(self, data: bytes) -> tuple[int, Frame] | None:
        """DUT queue pair a frame from the DUT belongs to, and the frame; None for others, counted."""
        try:
            frame = parse_shared(data)
        except ParseError:
            self.unclaimed += 1
            return None
        if frame.bth is None:
            return None
        if self.management.take(frame):
            return None
        qp = self._by_number.get(frame.bth.dest_qp)
        if qp is None:
            self.unclaimed += 1
            return None
        return qp, frame

    def _refuse(self, qp: int, data: bytes, syndrome: int) -> None:
        """Answer a request with a NAK, but only the one the endpoint expects: others are ahead or repeated
        anyway.
        """
        endpoint, bth = self.endpoints[qp], parse(data).bth
        info = INFO.get(bth.opcode) if bth is not None else None
        request = info is not None and info.kind in REQUESTS
        if bth is not None and request and bth.psn == endpoint.responder.expected_psn:
            endpoint.refuse(self._now(), syndrome)
        else:
            endpoint.receive(self._now(), data)

    def _schedule(
        self, direction: Direction, qp: int, outcome: Outcome, known: tuple[bytes, Frame] | None = None
    ) -> None:
        """Hand on what a fault left of a frame, now or later; ``known``: the frame as parsed before."""
        now = self._now()
        for passed in outcome.frames:
            if passed.delay_ps:
                self._push(now + passed.delay_ps, _Later(direction, qp, passed.data))
            else:
                frame = known[1] if known is not None and passed.data is known[0] else None
                self._hand_on(direction, qp, passed.data, frame)
        fault = outcome.fault
        if fault is not None and fault.action is Action.REORDER and not outcome.frames:
            self._push(now + fault.delay_ps, _Later(direction, qp, b"", only_if_waiting=True))

    def _push(self, time: int, entry: _Later) -> None:
        heapq.heappush(self._later, (time, self._sequence, entry))
        self._sequence += 1

    def _hand_on(self, direction: Direction, qp: int, data: bytes, frame: Frame | None = None) -> None:
        if direction is Direction.TO_DUT:
            self._send(data, True)
            return
        endpoint = self.endpoints.get(qp)
        if endpoint is None:
            return
        if frame is None:
            try:
                frame = parse(data)
            except ParseError:
                endpoint.receive(self._now(), data)
                return
        self._heard(qp, frame)
        endpoint.receive_frame(self._now(), frame)

    def _heard(self, qp: int, frame: Frame) -> None:
        if frame.bth is not None:
            length = frame.reth.length if frame.reth is not None else 0
            self.checker.heard(qp, frame.bth.opcode, frame.bth.psn, length)

    def _send(self, data: bytes, good: bool) -> None:
        self.frames_to_dut += 1
        self._transmit(data, good)
