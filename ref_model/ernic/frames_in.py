"""Frames into the DUT: validation, and what each calls for (requirements section 9 and others)."""

from __future__ import annotations

from ref_model.ernic.config import QpConfig
from ref_model.ernic.context import GRANTED, OUTPUT
from ref_model.ernic.errors import BadFrame
from ref_model.ernic.headers import RESPONSES
from ref_model.ernic.interrupts import VALIDATION
from ref_model.ernic.management import QP1
from ref_model.ernic.overrides import Overrides
from ref_model.ernic.pass_through import PassThrough
from ref_model.ernic.pause import Class, FlowControl
from ref_model.ernic.qp import Qp
from ref_model.ernic.queue_pairs import QueuePairs
from ref_model.ernic.requester import FATAL_NAKS
from ref_model.ernic.response_errors import known_syndrome
from ref_model.ernic.shared import Shared
from ref_model.ernic.validation import (
    LENGTHS,
    QP_DEAD,
    Fault,
    certain,
    congestion_experienced,
    device_faults,
    parse_faults,
    possible_syndromes,
    qp_faults,
    suspicion,
    syndrome_bits,
)
from ref_model.events import FrameIn
from ref_model.wire import INFO, Frame, ParseError, opcodes, parse_shared

OTHER_RX, HOST_TX = "non_roce_rx", "non_roce_tx"

#: Rules of frames whose form is broken.
MALFORMED = frozenset({"ERN-231", "ERN-232/drop", "ERN-107"})


class FramesIn:
    """Takes each frame to its queue pair, to those that watch over drops, or to the pass-through."""

    def __init__(
        self,
        shared: Shared,
        qps: QueuePairs,
        overrides: Overrides,
        flow: FlowControl,
        passing: PassThrough,
    ) -> None:
        """No frame has come yet."""
        self._shared = shared
        self._ctx = shared.ctx
        self._rules = shared.ctx.rules
        self._qps = qps
        self._overrides = overrides
        self._flow = flow
        self._passing = passing
        self._free = -self._ctx.timing.period * 2  # last beat at the input

    def frame(self, event: FrameIn) -> None:
        """Judge what ``event`` calls for."""
        if event.port == HOST_TX:
            self._passing.from_host(event)
            return
        close_behind = event.begin - self._free <= self._ctx.timing.period
        self._free = event.settled
        device = self._shared.device()
        if event.port == OTHER_RX:
            self._passing.from_mac(event, device.enabled)
            return
        fits = self._flow.arrived(Class.ROCE, event.settled, len(event.data))
        if not device.enabled:
            self._meets_disabled(event)
            return
        if self._shared.unprogrammed():
            return
        self._shared.counters.add("all", int(fits), 1)
        frame, qp, faults = self._validated(event)
        number = -1 if frame.bth is None else frame.bth.dest_qp
        if faults == [QP_DEAD] and qp is not None and qp.racing:
            self._racing(qp, frame)
            return
        if self._qps.recorded(number):
            return
        self._shared.response_errors.heard(frame, not faults)
        if faults:
            self._dropped(faults, frame, qp, fits)
            if qp is not None and qp.management is not None:
                qp.management.dropped(event.data, qp.refresh()[0], faults[0].rule, faults[0].why)
        elif not fits:
            self._rules.inconclusive("a good frame that the DUT may have had no room for")
        else:
            assert qp is not None
            self._good(qp, frame, event, close_behind)

    def _validated(self, event: FrameIn) -> tuple[Frame, Qp | None, list[Fault]]:
        """Return the frame as far as it can be read, the queue pair it names, and what is wrong with it."""
        device, knobs = self._shared.device(), self._ctx.knobs
        try:
            frame = parse_shared(event.data)
            faults = device_faults(frame, event.good, device)
        except ParseError as error:
            frame = error.partial
            faults = [*parse_faults(error), *(device_faults(frame, event.good, device) if frame.ip else [])]
        number = frame.bth.dest_qp if frame.bth is not None else -1
        qp = self._qps.at(number)
        if frame.bth is not None and frame.ip is not None:
            conn = qp.refresh()[0] if qp is not None else None
            faults += qp_faults(frame, number, conn, device, qp is not None and qp.dead, knobs)
        return frame, qp, [fault for fault in faults if fault.knob is None or knobs[fault.knob] != "off"]

    def _good(self, qp: Qp, frame: Frame, event: FrameIn, close_behind: bool) -> None:
        """A frame without a fault; ``close_behind``: right behind the one before."""
        qp.scope.note(event.begin, "in", frame)
        if qp.management is not None:
            qp.management.receive(frame, event.data, qp.refresh()[0], event.begin)
            if congestion_experienced(frame):  # whether a MAD is a request of QP1 in this sense is open
                self._shared.interrupts.bank("CNP", QP1, sure=False)
            return
        if close_behind:
            self._rules.tempt("ERN-235", (qp.scope.name, "ack"))
        special = suspicion(
            frame, qp.first_frame, self._shared.regions, qp.responder.answers.revived, close_behind
        )
        self._shared.errors.accepted(special)
        if qp.first_frame is None:
            qp.first_frame = frame
        if _foreign(frame, qp.first_frame, qp.refresh()[0]):
            self._qps.release(qp, "ERN-111")
            return
        self._overrides.forget(qp)
        self._accepted(qp, frame, event)

    # -- frames that are dropped, or may be ---------------------------------------------------------

    def _meets_disabled(self, event: FrameIn) -> None:
        """A RoCE frame came while XRNICCONF[0] = 0: what it does is open, to its QP and to what all share."""
        self._rules.observe("ERN-111")
        self._rules.tempt("ERN-247", (None, "tx"))
        try:
            bth = parse_shared(event.data).bth
        except ParseError as error:
            bth = error.partial.bth
        qp = None if bth is None else self._qps.get(bth.dest_qp)
        if qp is not None and qp.refresh()[0].enabled:
            self._qps.release(qp, "ERN-111")
        self._shared.let_go()

    def _racing(self, qp: Qp, frame: Frame) -> None:
        """A good frame meets a QP that is turning fatal by itself: dropped or handled, nobody can tell."""
        bth, aeth = frame.bth, frame.aeth
        assert bth is not None
        info = INFO.get(bth.opcode)
        if info is not None and info.kind == "read_resp":
            self._doubtful_response()
            qp.requester.responses.take_late(frame)
            return
        if bth.opcode != opcodes.ACKNOWLEDGE or aeth is None:
            self._rules.inconclusive("a frame for a QP that is just turning fatal by itself")
            return
        self._shared.counters.add("in_ack", 0, 1)
        self._shared.counters.add("dropped", 0, 1)
        self._shared.counters.last_in_known = False
        if aeth.syndrome >> 5 == 0:
            qp.requester.acknowledge_late(bth.psn)

    def _dropped(self, faults: list[Fault], frame: Frame, qp: Qp | None, fits: bool) -> None:
        """A frame with ``faults``; ``fits`` False: it may have been lost before anybody looked at it."""
        rules, device = self._rules, self._shared.device()
        if not certain(faults, self._ctx.knobs):
            rules.inconclusive(f"a frame whose handling is left open: {faults[0].why}")
            return
        faults = list(dict.fromkeys(faults))
        fault = faults[0]
        if not fits:
            rules.tempt("ERN-235", GRANTED)
        counted = fits and all(entry.counted for entry in faults)
        low = int(counted)
        self._shared.counters.add("invalid", low, 1)
        self._shared.counters.add("dropped", low, 1)
        self._shared.interrupts.raise_bit(VALIDATION, sure=counted)
        heard = qp is not None and qp.refresh()[0].enabled and not qp.dead
        path = (qp.scope.name, "rx") if qp is not None and heard else OUTPUT
        if qp is not None and qp.dead:
            rules.tempt("ERN-134", OUTPUT)
            if frame.bth is not None and frame.bth.opcode == opcodes.CNP:
                self._shared.counters.add("in_cnp", 0, 1)
        rules.tempt(fault.rule, path)
        rules.tempt("ERN-110", path)
        if LENGTHS in faults:
            rules.tempt("ERN-232/containment", GRANTED)
        if fault.rule in MALFORMED:
            rules.tempt("ERN-234", path)
            if self._ctx.mangled is None:
                self._ctx.mangled = self._ctx.now
        if device.log_all_errors:
            syndrome, further = syndrome_bits(faults)
            may = possible_syndromes(faults, frame, device)
            blank = any(not entry.syndrome for entry in faults)
            self._shared.errors.expect(
                BadFrame(
                    "ERN-151",
                    fault.why,
                    sure=counted,
                    syndrome=syndrome,
                    further=further,
                    may=may,
                    blank=blank,
                )
            )
        else:
            rules.tempt("ERN-152", path)
        self._shared.counters.last_in_known = False
        if (
            qp is not None
            and qp.refresh()[0].enabled
            and frame.ip is not None
            and congestion_experienced(frame)
        ):
            self._shared.interrupts.bank("CNP", qp.number, sure=False)
        if qp is not None and frame.bth is not None:
            qp.responder.dropped(frame, qp.refresh()[0], fault.rule, fault.why)

    # -- frames that are accepted -------------------------------------------------------------------

    def _accepted(self, qp: Qp, frame: Frame, event: FrameIn) -> None:
        bth = frame.bth
        assert bth is not None
        conn, device = qp.refresh()
        info = INFO.get(bth.opcode)
        if info is not None and info.kind == "cnp":
            self._shared.counters.add("in_cnp")
            qp.requester.congested(event.settled)
            qp.responder.received.refuse(bth.psn, "ERN-201")
            # whether a CNP counts as the last accepted frame is open
            self._shared.counters.last_in_known = False
            self._rules.tempt("ERN-201", (qp.scope.name, "rx"))
            qp.responder.answers.stands("ERN-201")
        marked = congestion_experienced(frame)
        if info is not None and info.kind in RESPONSES | {"cnp"}:
            if marked:
                self._shared.interrupts.bank("CNP", qp.number, sure=False)
            if info.kind != "cnp":
                self._answer(qp, frame, event.settled)
            return
        if frame.trailer:
            self._rules.tempt("ERN-233", (qp.scope.name, "rx"))
        expected = qp.responder.received.expected
        qp.responder.request(frame, conn, device, event.begin)
        if qp.responder.received.lost:
            self._qps.release(qp, "ERN-028")
            return
        if marked:  # a request that is refused, repeated or undecided yet may leave the mark unnoticed
            self._shared.interrupts.bank("CNP", qp.number, sure=qp.responder.received.expected != expected)
            self._rules.tempt("ERN-199", OUTPUT)

    def _answer(self, qp: Qp, frame: Frame, now: int) -> None:
        """An ACK, NAK or READ response for a QP of the DUT."""
        bth, aeth = frame.bth, frame.aeth
        assert bth is not None
        conn, device = qp.refresh()
        if bth.opcode != opcodes.ACKNOWLEDGE or aeth is None:
            if qp.requester.responses.take(frame, conn, device, now):
                self._shared.counters.add("in_read_response")
                self._shared.counters.last_in = (bth.opcode, bth.psn & 0xFFF, qp.number)
                self._shared.counters.last_in_known = True
            else:
                self._doubtful_response()
            return
        self._shared.counters.last_in = (bth.opcode, bth.psn & 0xFFF, qp.number)
        self._shared.counters.last_in_known = True
        if aeth.syndrome >> 5 == 0:
            known = qp.requester.acknowledge(bth.psn, aeth.syndrome & 0x1F, conn, device, now)
            self._shared.counters.add("in_ack", int(known), 1)
            if not known or frame.payload:
                self._shared.response_errors.stale()
                self._loosely_dropped()
            return
        if not known_syndrome(aeth.syndrome):
            self._loosely_dropped()
        known = qp.requester.nak(bth.psn, aeth.syndrome, conn, device, now)
        self._shared.counters.add("in_ack", 0, 1)
        self._shared.counters.add("in_nak", int(known and aeth.syndrome >> 5 == 3), 1)
        if known and aeth.syndrome in FATAL_NAKS:
            qp.fatal_nak(aeth.syndrome)

    def _loosely_dropped(self) -> None:
        """A response answers nothing or is malformed: whether it counts as invalid or dropped is open."""
        self._shared.counters.add("invalid", 0, 1)
        self._shared.counters.add("dropped", 0, 1)
        self._shared.interrupts.raise_bit(VALIDATION, sure=False)
        self._shared.errors.expect(BadFrame("ERN-151", "a response that answers nothing"))

    def _doubtful_response(self) -> None:
        """A READ response the DUT need not take: what it counts for is open."""
        self._shared.counters.add("in_read_response", 0, 1)
        self._shared.counters.add("invalid", 0, 1)
        self._shared.counters.add("dropped", 0, 1)
        self._shared.interrupts.raise_bit(VALIDATION, sure=False)
        self._shared.counters.last_in_known = False


def _foreign(frame: Frame, first: Frame, conn: QpConfig) -> bool:
    """Return whether a good frame comes from elsewhere: not the programmed peer, or another UDP port.

    The port is that of the ``first`` frame; no register names it.
    """
    assert frame.ip is not None and frame.udp is not None and first.udp is not None
    source = (frame.eth.src, frame.ip.src, frame.udp.src)
    return source != (conn.dst_mac, conn.dst_ip, first.udp.src)
