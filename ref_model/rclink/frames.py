"""Frames the DUT has to send, and which rule each of their fields belongs to (sections 3 and 5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ref_model.rclink.config import Device, Flow, QpConfig
from ref_model.wire import IPv4, Udp, Vlan
from ref_model.wire.rclink import Addresses, Format, Frame, Kind, Opcode, Rh, build, diff, lite_source
from ref_model.wire.rclink.afh import COMPACT
from ref_model.wire.rclink.layout import ICRC_BYTES, RH_BYTES

if TYPE_CHECKING:
    from ref_model.rclink.context import Context

ROCE_PORT = 4791
DONT_FRAGMENT = 0x4000
#: Payload bytes that may stand in the addresses of compact frames.
SIX = 6


@dataclass(frozen=True, slots=True)
class Side:
    """Words beside a frame on TX2MAC, in the order of ``ports.FRAMES``."""

    vcid: int
    cbfc_vcid: int
    hdr_type: int
    multicast: int
    vlan_en: int
    fcs: int
    err: int


def side_of(device: Device, flow: Flow) -> Side:
    """Return what has to stand beside a frame of ``flow`` (TYPE1 and TYPE2)."""
    assert device.layout is not None
    vc = device.vcs[flow]
    form = device.layout.format
    return Side(vc, 1 << vc, int(form), int(flow is Flow.TYPE2), int(device.tagged), 1, 0)


def _envelope(device: Device, flow: Flow, kind: Kind, dest_mac: int, dest_ip: int, udp: Udp) -> Frame:
    """A frame of ``flow`` with addresses, tag, IP and UDP as far as its format has them."""
    layout = device.layout
    assert layout is not None
    form = layout.format
    tc = device.classes[flow]
    compact = form in COMPACT
    source, with_tc = device.mac, compact or (form is Format.GEN1 and layout.gen1_tc)
    if compact:
        dest_mac, source = dest_mac & 0xFFFF, source & 0xFFFF
    elif with_tc:
        source &= 0xFF_FFFF_FFFF
    frame = Frame(kind, form, Addresses(dest_mac, source, tc if with_tc else None))
    if device.tagged:
        frame.vlan = Vlan(device.priority(flow) << 13 | device.cfi << 12 | device.vid, device.tpid)
    if form is Format.STANDARD:
        frame.ip = IPv4(
            src=device.ip, dst=dest_ip, tos=tc, ident=device.ip_id, frag=DONT_FRAGMENT, ttl=device.ttl
        )
        frame.udp = udp
    return frame


def _type1(device: Device, qp: QpConfig, flow: Flow, rh: Rh | None) -> Frame:
    udp = Udp(src=qp.udp_source, dst=ROCE_PORT, checksum=None)
    frame = _envelope(device, flow, Kind.TYPE1, qp.dest_mac, qp.dest_ip, udp)
    frame.rh = rh
    return frame


def request(
    device: Device, qp: QpConfig, number: int, psn: int, fack: bool, timestamp: int, payload: bytes
) -> Frame:
    """A TYPE1 request of queue pair ``number``; in LITE mode without a transport header."""
    flow = device.bank(number)
    if device.lite:
        frame = _type1(device, qp, flow, None)
        assert frame.addresses is not None and device.layout is not None
        frame.addresses.src = lite_source(device.layout, device.mac, qp.dest_qp, number, device.bank_bits)
    else:
        rh = Rh(Opcode.REQUEST, qp.dest_qp, psn, qp.key_tx, timestamp=timestamp, ts_en=True, fack=fack)
        frame = _type1(device, qp, flow, rh)
    frame.payload = payload
    return frame


def answer(device: Device, qp: QpConfig, psn: int, syndrome: int, timestamp: int | None) -> Frame:
    """An ACK, NAK or RNR NAK; ``timestamp`` None: it has none."""
    rh = Rh(Opcode.ACK, qp.dest_qp, psn, qp.key_tx, code=syndrome, pad=0)
    if timestamp is not None:
        rh.ts_en, rh.timestamp = True, timestamp
    return _type1(device, qp, Flow.ACK, rh)


def notification(device: Device, qp: QpConfig) -> Frame:
    """A CNP."""
    return _type1(device, qp, Flow.ACK, Rh(Opcode.CNP, qp.dest_qp, 0, qp.key_tx, code=0, pad=0))


def multicast(device: Device, group: int, payload: bytes, rh: Rh | None = None) -> Frame:
    """A TYPE2 frame to ``group``; ``rh``: its transport header, where the layout has one (content open)."""
    udp = Udp(src=device.type2_udp[0], dst=device.type2_udp[1], checksum=None)
    frame = _envelope(device, Flow.TYPE2, Kind.TYPE2, device.type2_addresses[group], device.type2_ip, udp)
    assert device.layout is not None
    if device.layout.type2_has_rh and not device.lite:
        frame.rh = rh or Rh(Opcode.REQUEST, 0, 0, 0)
    frame.payload = payload
    return frame


#: Rules by field where the kind of the frame does not matter.
_FIELD_RULES = {
    "addresses.key_words": "RCL-006",
    "addresses.spare": "RCL-007",
    "vlan.tpid": "RCL-002",
    "ip.src": "RCL-130",
    "ip.dst": "RCL-130",
    "ip.tos": "RCL-011",
    "ip.total_length": "RCL-012",
    "udp.length": "RCL-012",
    "udp.src": "RCL-013",
    "udp.dst": "RCL-013",
    "udp.checksum": "RCL-014/tx",
    "rh.dest_qp": "RCL-131",
    "rh.pkey": "RCL-131",
    "rh.fack": "RCL-020",
    "rh.pad": "RCL-017/count",
    "icrc": "RCL-021/value",
    "trailer": "RCL-021/present",
    "ethertype": "RCL-132",
}


def rule_of(name: str, expected: Frame) -> str:
    """Rule that field ``name`` (path as in :func:`diff`) of a frame like ``expected`` belongs to."""
    rule = _FIELD_RULES.get(name)
    if rule is not None and not (name == "ethertype" and expected.format is Format.STANDARD):
        return rule
    rh = expected.rh
    if name == "addresses.dst":
        return "RCL-009" if expected.kind is Kind.TYPE2 else "RCL-008"
    if name == "addresses.src":
        return "RCL-005" if expected.format is Format.GEN1 else "RCL-008"
    if name == "addresses.tc":
        return "RCL-005" if expected.format is Format.GEN1 else "RCL-133"
    if name == "vlan.tci":
        return "RCL-003"
    if name.startswith("vlan"):
        return "RCL-002"
    if name.startswith("ip"):
        return "RCL-010"
    if name in ("rh.timestamp", "rh.ts_en"):
        return "RCL-019/ack" if rh is not None and rh.opcode == Opcode.ACK else "RCL-018"
    if name == "rh.code":
        return "RCL-016" if rh is not None and rh.opcode == Opcode.REQUEST else "RCL-094"
    if name.startswith("rh"):
        return "RCL-015"
    if name == "payload":
        return "RCL-023"
    return "RCL-004" if expected.format is Format.LITE else "RCL-001"


def _rule_at(data: bytes, wanted: bytes, expected: Frame) -> str:
    """Rule of the first byte that differs, for a frame that is not what its kind is."""
    size = min(len(data), len(wanted))
    at = next((offset for offset in range(size) if data[offset] != wanted[offset]), size)
    if expected.format is Format.LITE:
        return "RCL-004" if at >= 12 else rule_of("addresses.tc", expected)
    tag = 4 if expected.vlan is not None else 0
    if at < 12:
        return rule_of("addresses.dst" if at < 6 else "addresses.src", expected)
    if at < 12 + tag:
        return "RCL-002"
    if at < 14 + tag:
        return rule_of("ethertype", expected)
    if expected.format is Format.STANDARD and at < 42 + tag:
        return "RCL-010" if at < 34 + tag else "RCL-013"
    return "RCL-015"


def rules_decided(device: Device, kind: Kind, opcode: int | None, icrc: bool) -> tuple[str, ...]:
    """Rules of which a frame right in all bytes is evidence; ``icrc``: the value of its ICRC counts."""
    layout = device.layout
    assert layout is not None
    form = layout.format
    rules = {
        Format.STANDARD: ["RCL-010", "RCL-011", "RCL-012", "RCL-013", "RCL-014/tx", "RCL-130"],
        Format.GEN1: ["RCL-005", "RCL-132"],
        Format.GEN2: ["RCL-006", "RCL-007", "RCL-132", "RCL-133"],
        Format.LITE: ["RCL-004", "RCL-006", "RCL-007", "RCL-133"],
    }[form]
    rules = [*rules, "RCL-009" if kind is Kind.TYPE2 else "RCL-008"]
    if device.tagged:
        rules += ["RCL-002", "RCL-003"]
    if opcode is None:
        whole = () if form is Format.LITE else ("RCL-015", "RCL-021/present")
        return (*rules, *whole, "RCL-023")
    rules += ["RCL-015", "RCL-020", "RCL-021/present", "RCL-131"]
    if icrc and layout.icrc:
        rules.append("RCL-021/value")
    if opcode == Opcode.REQUEST:
        rules += ["RCL-016", "RCL-017/count", "RCL-018", "RCL-023"]
        if form is Format.STANDARD:
            rules.append("RCL-001")
    return tuple(rules)


def _compact_payload_rule(expected: Frame, observed: Frame) -> str:
    """Rule that the payload of a GEN2 or LITE frame breaks, by where the bytes went wrong."""
    first, body = expected.payload[:6], expected.payload[6:]
    seen = observed.payload[6:]
    if observed.payload[:6] != first or seen[:6] == first != body[:6]:
        return "RCL-007"
    if expected.format is Format.LITE and len(seen) > len(body) and body in seen:
        return "RCL-004"  # a header before it or a check sum behind
    return "RCL-023"


def _rh_differs(data: bytes, whole: bytes, payload: bytes) -> bool:
    """Return whether a TYPE2 frame has a transport header too many, or none, before the same payload."""
    return abs(len(data) - len(whole)) == RH_BYTES and data.endswith(payload[SIX:])


class FrameJudge:
    """Compares frames with what they have to be, field by field only where bytes differ."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._decided: dict[tuple[Kind, int | None], tuple[str, ...]] = {}
        self._device: Device | None = None
        self._icrc = ctx.knobs["ICRC_CHECK"] == "on"

    def judge(self, device: Device, expected: Frame, observed: Frame, data: bytes, why: str) -> bool:
        """Judge the bytes of a frame; returns whether they are right.

        The ICRC counts with ICRC_CHECK only: without, the one that came is taken, as pad bytes always are.
        """
        rules, layout = self._ctx.rules, device.layout
        assert layout is not None
        if not self._icrc and observed.icrc is not None:
            expected.icrc = observed.icrc if layout.icrc and expected.kind is Kind.TYPE1 else None
            rules.observe("RCL-021/value")
        if observed.pad_bytes and len(observed.pad_bytes) == -len(expected.payload) & 3:
            expected.pad_bytes = observed.pad_bytes
            rules.observe("RCL-017/value")
        if build(expected, layout) == data:
            if device is not self._device:
                self._decided.clear()
                self._device = device
            rh = expected.rh if expected.kind is Kind.TYPE1 else None  # what that of TYPE2 says is open
            opcode = None if rh is None else rh.opcode
            key = (expected.kind, opcode)
            decided = self._decided.get(key)
            if decided is None:
                decided = self._decided[key] = rules_decided(device, expected.kind, opcode, self._icrc)
            rules.passed(decided, self._ctx.mac)
            return True
        self._blame(expected, observed, data, device, why)
        return False

    def _blame(self, expected: Frame, observed: Frame, data: bytes, device: Device, why: str) -> None:
        assert device.layout is not None
        rules = self._ctx.rules
        rows = diff(expected, observed, device.layout)
        whole = build(expected, device.layout)
        name, wanted, seen = next(
            (row for row in rows if row[0] not in ("icrc", "ip.checksum", "kind")),
            rows[0] if rows else ("length", f"{len(whole)} bytes", f"{len(data)}"),
        )
        name = name.split(" from ")[0]
        rule = rule_of(name, expected)
        if observed.kind is not expected.kind:
            rule = _rule_at(data, whole, expected)
        elif expected.kind is Kind.TYPE2 and _rh_differs(data, whole, expected.payload):
            rule, name, wanted, seen = "RCL-015", "length", f"{len(whole)} bytes", f"{len(data)}"
        wanted_tag, tag = expected.vlan, observed.vlan
        if name == "vlan.tci" and wanted_tag and tag and wanted_tag.priority == tag.priority:
            rule = "RCL-002"
        if expected.format is Format.LITE and (observed.rh is not None or observed.kind is Kind.TYPE3):
            rule = "RCL-004"
        elif name == "payload" and expected.format in COMPACT:
            rule = _compact_payload_rule(expected, observed)
        elif device.layout.icrc and observed.icrc is None and len(data) == len(whole) - ICRC_BYTES:
            rule, name, wanted, seen = "RCL-021/present", "icrc", "there", "missing"
        since = rules.findings_total
        rules.fail(rule, f"{name} {wanted}", seen, f"{name} of {why}", self._ctx.mac)
        rules.explain(since, rows)

    def side(self, expected: Side, words: tuple[int, ...], raw: bool = False, vc_rule: str = "") -> bool:
        """Judge the words beside a frame; ``raw``: of TYPE3 only VC, FCS and ERR are.

        ``vc_rule``: rule that a frame breaks whose words agree on the VC of another flow.
        """
        rules, scope = self._ctx.rules, self._ctx.mac
        seen = Side(*words)
        if seen == expected:
            rules.passed(("RCL-022",), scope)
            return True
        for name in ("vcid", "cbfc_vcid", "hdr_type", "multicast", "vlan_en", "fcs", "err"):
            if raw and name in ("hdr_type", "multicast", "vlan_en"):
                continue
            want, got = getattr(expected, name), getattr(seen, name)
            if want != got:
                rule = "RCL-002" if name == "vlan_en" else "RCL-022"
                if name == "vcid" and seen.cbfc_vcid == 1 << got and got in self._ctx.device.vcs:
                    rule = vc_rule or rule
                rules.fail(rule, f"{name} {want}", str(got), f"{name} beside the frame", scope)
                return False
        rules.passed(("RCL-022",), scope)
        return True
