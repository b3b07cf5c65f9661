"""The link partner of an RCLINK: a second one in software (ref_model/rclink/endpoint), link with faults.

What the DUT sends goes to the endpoint in the time step of its last beat, what the endpoint sends goes to the
MAC input of the DUT. Faults are those of tb/partner/faults.py; NAK and RNR are left to the endpoint.
"""

from __future__ import annotations

import heapq
import random
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ref_model.errors import UserError
from ref_model.events import FrameOut
from ref_model.rclink import frames, ports
from ref_model.rclink.endpoint import Endpoint
from ref_model.wire import IPv4
from ref_model.wire.rclink import ACK_SYNDROME, Frame, FrameLayout, ParseError, build, parse, recompute
from tb.agents.mac import FrameAgent
from tb.agents.pins import now_ps
from tb.host.rclink_settings import Change
from tb.partner.faults import Action, Direction, Fault, FaultEngine, Outcome, replace_field
from tb.partner.timer import Alarm

#: Credits of the endpoint's own MAC: it never runs out.
UNLIMITED = 1 << 60
PSN_MASK = 4095
#: Queue pair of frames that name none (TYPE2, TYPE3, LITE) in faults.
NO_QP = -1


class RclinkCodec:
    """Frames by the layout that holds when they are looked at; without RH there is PSN -1 and opcode -1."""

    def __init__(self, layout: Callable[[], FrameLayout | None]) -> None:
        self._layout = layout

    def frame(self, data: bytes) -> Frame | None:
        """The frame, None if it is none of this layout."""
        layout = self._layout()
        if layout is None:
            return None
        try:
            return parse(data, layout)
        except ParseError:
            return None

    def facts(self, data: bytes) -> tuple[int, int] | None:
        """PSN and opcode of the RH."""
        frame = self.frame(data)
        if frame is None:
            return None
        return (-1, -1) if frame.rh is None else (frame.rh.psn, int(frame.rh.opcode))

    def marked(self, data: bytes) -> bytes:
        """ECN set to "congestion experienced"; frames without IP stay as they are."""

        def mark(frame: Frame) -> None:
            if isinstance(frame.ip, IPv4):
                frame.ip.tos |= 3

        return self.edited(data, mark)

    def changed(self, data: bytes, path: str, value: int | bytes) -> bytes:
        """``path`` is ``header.field`` (``rh.pkey``) or a field of the frame itself."""
        return self.edited(data, lambda frame: replace_field(frame, path, value))

    def edited(self, data: bytes, edit: Callable[[Frame], None]) -> bytes:
        """The frame after ``edit``, check sums and lengths computed anew; UserError if it cannot be read."""
        layout, frame = self._layout(), self.frame(data)
        if layout is None or frame is None:
            raise UserError("a frame that cannot be read cannot be edited")
        changed = recompute(frame)
        edit(changed)
        return build(changed, layout)


class RclinkPartner:
    """Endpoint, faults and raw injection on the MAC port of one DUT."""

    def __init__(
        self,
        mac: FrameAgent,
        knobs: Mapping[str, Any],
        period_ps: int,
        rng: random.Random,
        off_edge: Callable[[int], int],
    ) -> None:
        """``knobs``: parameters of spec/rclink; ``off_edge`` moves a time away from the clock edges."""
        self._mac = mac
        self._knobs = dict(knobs)
        self._period = period_ps
        self._alarm = Alarm(self._tick, off_edge)
        self._later: list[tuple[int, int, Direction, bytes | None, int]] = []
        self._sequence = 0
        self.codec = RclinkCodec(lambda: self.endpoint.device.layout)
        self.faults = FaultEngine(rng, self.codec)
        self.reset()
        mac.on_frame_out.append(self._frame_out)

    def reset(self) -> None:
        """A fresh endpoint; frames under way are lost, faults stay."""
        self.endpoint = Endpoint(self._knobs, self._period)
        self.endpoint.mac_credits = UNLIMITED
        self._later.clear()

    @property
    def idle(self) -> bool:
        """Whether no frame is held back and nothing is left to send; fatal queue pairs send nothing."""
        sender, receiver = self.endpoint.sender, self.endpoint.receiver
        open_slots = any(not sender.line(slot.qp).fatal for slot in sender.slots.values())
        waiting = open_slots or receiver.answers or receiver.merged or receiver.cnps or self.endpoint.type2
        return not self._later and not waiting

    def program(self, changes: Iterable[Change]) -> None:
        """Write registers of the endpoint."""
        values = self.endpoint.values
        for change in changes:
            if change.qp is not None:
                self.endpoint.write(values.address("QP_ID_SET"), change.qp)
            word = values.word(change.register, change.qp or 0)
            for name, value in change.fields.items():
                entry = values.entry(change.register, name)
                word = (word & ~entry.mask) | value << entry.lsb
            self.endpoint.write(values.address(change.register), word)

    # -- traffic ----------------------------------------------------------------------------------

    def send(self, qp: int, payload: bytes, fack: bool = False) -> None:
        """A TYPE1 packet of queue pair ``qp`` of the endpoint."""
        self._advance()
        self.endpoint.send(qp, payload, fack)
        self._serve()

    @property
    def has_slot(self) -> bool:
        """Whether the endpoint would take another TYPE1 packet."""
        return len(self.endpoint.sender.slots) < self.endpoint.slots

    def multicast(self, group: int, payload: bytes) -> None:
        """A TYPE2 packet of the endpoint."""
        self._advance()
        self.endpoint.multicast(group, payload)
        self._serve()

    def inject(self, frame: Frame | bytes, error: int = 0) -> None:
        """Send any frame to the DUT as it is; ``error`` of the MAC: [0] FCS, [1] length."""
        data = self.bytes_of(frame) if isinstance(frame, Frame) else frame
        self._mac.send_nowait(data, user=(error,))

    def bytes_of(self, frame: Frame) -> bytes:
        """The bytes of a frame in the format of the endpoint."""
        layout = self.endpoint.device.layout
        assert layout is not None, "no format is enabled"
        return build(frame, layout)

    def free(self, qp: int) -> int:
        """Give up the packets of a queue pair of the endpoint; returns the PSN to begin with anew."""
        self.endpoint.sender.flush(qp)
        return (self.endpoint.sender.line(qp).psn + 1) & PSN_MASK

    # -- single frames ----------------------------------------------------------------------------

    def request_frame(self, qp: int, payload: bytes) -> Frame:
        """The request the endpoint would send next for ``payload``; its state does not move."""
        config = self.endpoint.qp_config(qp)
        assert config is not None
        psn = self.endpoint.sender.line(qp).psn
        return frames.request(self.endpoint.device, config, qp, psn, False, 0, payload)

    def type2_frame(self, group: int, payload: bytes) -> Frame:
        """A TYPE2 frame of the endpoint."""
        return frames.multicast(self.endpoint.device, group, payload)

    def notify(self, qp: int) -> None:
        """Send a CNP of a queue pair of the endpoint."""
        config = self.endpoint.qp_config(qp)
        assert config is not None
        self._pass(Direction.TO_DUT, self.bytes_of(frames.notification(self.endpoint.device, config)))

    def answer(self, qp: int, ahead: int, syndrome: int = ACK_SYNDROME) -> None:
        """Inject an ACK of the request, or a NAK, ``ahead`` of the PSN the endpoint expects next."""
        config = self.endpoint.qp_config(qp)
        assert config is not None
        receiver = self.endpoint.receiver
        beyond = receiver.beyond if syndrome == ACK_SYNDROME else 0
        psn = (receiver.channel(qp).expected + ahead + beyond) & PSN_MASK
        self.inject(frames.answer(self.endpoint.device, config, psn, syndrome, None))

    # -- faults -----------------------------------------------------------------------------------

    def add_faults(self, *faults: Fault) -> None:
        """Declare misbehaviour; UserError for actions that answer in place of the endpoint."""
        for fault in faults:
            if fault.action in (Action.NAK, Action.RNR):
                raise UserError(f"fault {fault.action.value}: not for this partner, which answers itself")
        self.faults.add(*faults)

    def clear_faults(self) -> None:
        """Withdraw all rules and hand on what they hold."""
        self.faults.rules.clear()
        self.release()

    def release(self, fault: Fault | None = None) -> None:
        """Hand on the frames a HOLD fault (or all of them) keeps."""
        for direction, _, data in self.faults.release(fault):
            self._hand_on(direction, data)
        self._serve()

    def stop(self) -> None:
        """Cancel the timer (end of test)."""
        self._alarm.stop()

    # -- inside -----------------------------------------------------------------------------------

    def _frame_out(self, event: FrameOut) -> None:
        if event.port == ports.MAC_TX:
            self._advance()
            self._pass(Direction.FROM_DUT, event.data)
            self._serve()

    def _tick(self) -> None:
        self._advance()
        self._serve()

    def _pass(self, direction: Direction, data: bytes) -> None:
        """Apply the faults to a frame and hand on what is left."""
        if self.faults.silent:
            self._hand_on(direction, data)
        else:
            number = self._qp_of(direction, data)
            self._schedule(direction, number, self.faults.apply(direction, number, data))

    def _qp_of(self, direction: Direction, data: bytes) -> int:
        """Queue pair of the DUT a frame belongs to; the endpoint's own number towards the DUT's."""
        frame = self.codec.frame(data)
        if frame is None or frame.rh is None:
            return NO_QP
        if direction is Direction.TO_DUT:
            return frame.rh.dest_qp
        config = self.endpoint.qp_config(frame.rh.dest_qp)
        return NO_QP if config is None else config.dest_qp

    def _schedule(self, direction: Direction, qp: int, outcome: Outcome) -> None:
        for passed in outcome.frames:
            if passed.delay_ps:
                self._push(passed.delay_ps, direction, passed.data, qp)
            else:
                self._hand_on(direction, passed.data)
        fault = outcome.fault
        if fault is not None and fault.action is Action.REORDER and not outcome.frames:
            self._push(fault.delay_ps, direction, None, qp)

    def _push(self, delay_ps: int, direction: Direction, data: bytes | None, qp: int) -> None:
        """Hand on ``data`` later; None: what then still waits to be overtaken."""
        heapq.heappush(self._later, (now_ps() + delay_ps, self._sequence, direction, data, qp))
        self._sequence += 1

    def _hand_on(self, direction: Direction, data: bytes) -> None:
        if direction is Direction.TO_DUT:
            self._mac.send_nowait(data, user=(0,))
        else:
            self.endpoint.receive(data)

    def _advance(self) -> None:
        """Bring the endpoint to now, and hand on what was delayed until now."""
        now = now_ps()
        self._take(now)
        while self._later and self._later[0][0] <= now:
            _, _, direction, data, qp = heapq.heappop(self._later)
            late = self.faults.overdue(direction, qp) if data is None else data
            if late is not None:
                self._hand_on(direction, late)

    def _take(self, now: int) -> None:
        """Send what the endpoint shows up to ``now``."""
        for event in self.endpoint.advance(now):
            if isinstance(event, FrameOut) and event.port == ports.MAC_TX:
                self._pass(Direction.TO_DUT, event.data)

    def _serve(self) -> None:
        """Let the endpoint act on what it was just given, and ask to be woken for what comes later."""
        now = now_ps()
        self._take(now)
        times = [self._later[0][0]] if self._later else []
        due = self.endpoint.next_time()
        if due is not None:
            times.append(max(due, now + self._period))
        if times:
            self._alarm.at(min(times))
