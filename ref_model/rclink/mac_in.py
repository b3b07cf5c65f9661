"""Frames from the MAC: classification and the checks before a frame counts (sections 2, 3, 10 and 12.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ref_model.events import FrameIn
from ref_model.rclink import ports
from ref_model.rclink.config import Flow
from ref_model.rclink.incoming import Request
from ref_model.rclink.messages import RX_DISABLED, TYPE2_RX_OVERSIZE
from ref_model.rclink.sending import RNR, SEQUENCE
from ref_model.wire.rclink import (
    Frame,
    Kind,
    Leaf,
    Opcode,
    ParseError,
    Reason,
    classify,
    congestion_marked,
    lite_qpid,
)
from ref_model.wire.rclink import parse as parse_frame
from ref_model.wire.rclink.afh import COMPACT
from ref_model.wire.rclink.rh import KIND_BITS, NAK, RNR_NAK

if TYPE_CHECKING:
    from ref_model.rclink.client import Client
    from ref_model.rclink.nonr import RawEthernet
    from ref_model.rclink.notices import CnpFilter
    from ref_model.rclink.qp import Qp, Shared
    from ref_model.wire import IPv4

SOURCE_BITS = 0x3FF
#: First bit on the wire of a whole destination address: a group, not one station.
GROUP_BIT = 1 << 40
#: Rules that send a frame to TYPE3, where it is not the usual one.
LEAF_RULES = {Leaf.IP_NOT_UDP: "RCL-026", Leaf.IP_OPTIONS: "RCL-026", Leaf.LITE_OTHER: "RCL-106"}
TIMER_BITS = 0x1F
#: Low bits of a traffic class, which mark congestion.
ECN_BITS = 2


class MacIn:
    """Takes each received frame for what it is."""

    def __init__(self, shared: Shared, client: Client, cnp_filter: CnpFilter, raw: RawEthernet) -> None:
        self._ctx = shared.ctx
        self._shared = shared
        self._client = client
        self._filter = cnp_filter
        self._raw = raw

        self.reset()

    def reset(self) -> None:
        """No frame was cut."""
        self._behind_cut = False

    def cut(self) -> None:
        """A frame was given up: nothing is left of it, and the next one is taken for itself."""
        self._behind_cut = True

    def frame(self, event: FrameIn) -> None:
        """A whole frame came."""
        ctx = self._ctx
        behind_cut, self._behind_cut = self._behind_cut, False
        layout = ctx.device.layout
        error = event.user[0] if event.user else int(not event.good)
        if layout is None:
            self._raw.rx.received(event, error, "RCL-025")
            return
        sure = True
        try:
            frame = parse_frame(event.data, layout)
        except ParseError as problem:
            frame = problem.partial
            self._malformed(event, frame, problem.reason, error)
            return
        if frame.kind is Kind.TYPE3:
            leaf = classify(event.data, layout).leaf
            self._raw.rx.received(event, error, "RCL-036" if behind_cut else LEAF_RULES.get(leaf, "RCL-025"))
            return
        if error:
            ctx.refuse(frame.payload, "RCL-029", "the MAC found it damaged")
            self._note_refusal(frame, "RCL-029")
            return
        if frame.ip_checksum_ok is False:
            sure = False
        if frame.kind is Kind.TYPE2:
            self._type2(event, frame, sure, "RCL-036" if behind_cut else "")
        elif not self._for_us(frame):
            ctx.refuse(frame.payload, "RCL-028", "another destination address")
            self._note_refusal(frame, "RCL-028")
        elif ctx.device.lite:
            self._lite(frame)
        else:
            self._type1(event, frame, sure)

    def _malformed(self, event: FrameIn, frame: Frame, reason: Reason, error: int) -> None:
        """A TYPE1 or TYPE2 frame whose parts do not fit together; wrong IP lengths may be ignored."""
        ctx = self._ctx
        if error:
            ctx.refuse(frame.payload, "RCL-029", "the MAC found it damaged")
        elif frame.kind is Kind.TYPE1 and reason not in (Reason.IP_LENGTH, Reason.UDP_LENGTH):
            ctx.refuse(frame.payload, "RCL-032", f"malformed: {reason.value}")
            self._note_refusal(frame, "RCL-032")
        elif frame.kind is Kind.TYPE1 and frame.rh is not None and frame.rh.opcode != Opcode.REQUEST:
            ctx.rules.inconclusive("an acknowledgement whose IP or UDP length is wrong")
        elif frame.kind is Kind.TYPE1 and frame.rh is not None and self._for_us(frame):
            self._type1(event, frame, sure=False)
        elif frame.kind is Kind.TYPE2:
            self._type2(event, frame, sure=False)

    def _note_refusal(self, frame: Frame, rule: str) -> None:
        """Remember at the queue pair it names which rule forbids to answer."""
        if frame.rh is not None:
            qp = self._shared.qps.get(frame.rh.dest_qp)
            if qp is not None:
                qp.refused_rule = rule
                self._ctx.rules.tempt(rule, ("answers", qp.number))

    def _for_us(self, frame: Frame) -> bool:
        """Destination address: 16 bits in GEN2 and LITE, else all 48."""
        assert frame.addresses is not None
        own = self._ctx.device.mac
        return frame.addresses.dst == (own & 0xFFFF if frame.format in COMPACT else own)

    # -- TYPE2 and LITE ---------------------------------------------------------------------------

    def _type2(self, event: FrameIn, frame: Frame, sure: bool, rule: str = "") -> None:
        ctx = self._ctx
        assert frame.addresses is not None
        if len(frame.payload) > ctx.device.type2_len:
            if sure:
                ctx.messages.owe(TYPE2_RX_OVERSIZE, None, ctx.now)
            else:
                ctx.messages.owe(TYPE2_RX_OVERSIZE, None, ctx.now, sure=False)
            ctx.refuse(frame.payload, "RCL-121", "a TYPE2 frame that is too long")
            return
        usual = "RCL-106" if ctx.device.lite else "RCL-027" if frame.vlan is not None else "RCL-025"
        if usual == "RCL-025" and not frame.addresses.dst & GROUP_BIT and not self._for_us(frame):
            usual = "RCL-028"
        elif usual == "RCL-025":
            usual = self._tolerance(frame) or usual
        source = frame.addresses.src & SOURCE_BITS
        self._client.arrive(frame.payload, source, 0, ports.ETYPE_TYPE2, rule or usual, sure)

    def _lite(self, frame: Frame) -> None:
        ctx = self._ctx
        device = ctx.device
        assert frame.addresses is not None and frame.bank is not None and device.layout is not None
        exact = frame.traffic_class == device.layout.bank_tcs[frame.bank]
        qp_bits = (self._shared.values.qp_count - 1).bit_length()
        number = lite_qpid(frame.addresses.src, frame.bank, device.bank_bits, qp_bits)
        source = frame.addresses.src & SOURCE_BITS
        rule = "RCL-105" if exact else "RCL-106"  # its low two bits do not count
        self._client.arrive(frame.payload, source, number, ports.ETYPE_TYPE1, rule)
        ctx.rules.tempt("RCL-107", "mac_tx")

    # -- TYPE1 ------------------------------------------------------------------------------------

    def _type1(self, event: FrameIn, frame: Frame, sure: bool) -> None:
        ctx = self._ctx
        rh = frame.rh
        assert rh is not None and frame.addresses is not None
        qp = self._shared.qp(rh.dest_qp)
        if rh.opcode == Opcode.RESERVED:
            ctx.refuse(frame.payload, "RCL-031", "reserved opcode")
            self._note_refusal(frame, "RCL-031")
            if qp is None or not qp.config.enabled:
                ctx.messages.owe(RX_DISABLED, None, ctx.now, sure=False)
            return
        if qp is None:
            ctx.messages.owe(RX_DISABLED, None, ctx.now)
            ctx.refuse(frame.payload, "RCL-033", "a queue pair the build does not have")
            return
        qp.scope.note(ctx.now, "in", frame)
        if qp.moving():
            sure = False
        if not qp.config.enabled and sure:
            ctx.messages.owe(RX_DISABLED, qp.number, ctx.now)
            self._refuse(qp, frame, "RCL-033", "its queue pair is disabled")
            return
        if rh.pkey != qp.config.key_rx and sure:
            self._refuse(qp, frame, "RCL-030", "another key")
            return
        if frame.icrc_ok is False and ctx.knobs["ICRC_CHECK"] == "on":
            self._refuse(qp, frame, "RCL-032", "its ICRC is wrong")
            return
        if frame.icrc_ok is False:
            ctx.rules.observe("RCL-032")
            sure = False
        if rh.opcode == Opcode.REQUEST:
            self._request(event, qp, frame, sure)
        elif not sure:
            ctx.rules.inconclusive("an acknowledgement or CNP that may be taken or dropped")
        elif rh.opcode == Opcode.CNP:
            self._filter.received(qp, event.begin, event.settled, self._tolerance(frame))
            qp.notices.cleared(event.settled)
        else:
            self._answer(event, qp, frame)

    def _refuse(self, qp: Qp, frame: Frame, rule: str, why: str) -> None:
        ctx = self._ctx
        qp.refused_rule = rule
        ctx.refuse(frame.payload, rule, why)
        ctx.rules.tempt(rule, ("answers", qp.number))

    def _request(self, event: FrameIn, qp: Qp, frame: Frame, sure: bool) -> None:
        ctx, buffers = self._ctx, self._shared.buffers
        device, rh = ctx.device, frame.rh
        assert rh is not None and frame.addresses is not None and device.layout is not None
        clock = ctx.clock_at(event.settled)
        if congestion_marked(frame, device.layout):
            if sure:
                qp.notices.marked(clock)
            else:
                ctx.rules.inconclusive("a congestion mark on a request that may be taken or dropped")
        stop: bool | None = False
        if device.stop_rnr >> qp.bank & 1 and qp.bank < Flow.ACK:
            stop = buffers.stop_is(qp.bank)
        qp.refused_rule = ""
        source = frame.addresses.src & SOURCE_BITS
        rule, ip = self._tolerance(frame) or "RCL-039", frame.ip
        if rule != "RCL-136" and frame.vlan is not None:
            rule = "RCL-027"
        elif rule == "RCL-039" and device.layout.icrc and ip is not None and self._changed_on_its_way(ip):
            rule = "RCL-032"
        stamp = rh.timestamp
        qp.responder.take(Request(rh.psn, frame.payload, rh.fack, stamp, source, clock, sure, rule, stop))

    def _tolerance(self, frame: Frame) -> str:
        """Rule by which a frame has to be taken though something in it is unusual; '' if nothing is."""
        layout = self._ctx.device.layout
        assert layout is not None
        if frame.trailer:
            return "RCL-136"
        if frame.udp is not None and frame.udp.checksum != layout.udp_csum:
            return "RCL-014/rx"
        return ""

    def _changed_on_its_way(self, ip: IPv4) -> bool:
        """Return whether fields that the ICRC leaves out are not as this side would send them."""
        device = self._ctx.device
        return ip.ttl != device.ttl or all((ip.tos ^ tc) >> ECN_BITS for tc in device.classes)

    def _answer(self, event: FrameIn, qp: Qp, frame: Frame) -> None:
        rh = frame.rh
        assert rh is not None
        code = rh.code or 0
        kind = code & KIND_BITS
        if kind not in (0, NAK, RNR_NAK):
            self._ctx.rules.inconclusive("an acknowledgement with a reserved syndrome")
            return
        name = {NAK: SEQUENCE, RNR_NAK: RNR}.get(kind, "")
        echo = rh.timestamp if rh.ts_en else None
        taken = self._tolerance(frame)
        qp.requester.answered(rh.psn, name, code & TIMER_BITS, echo, event.begin, event.settled, taken)
