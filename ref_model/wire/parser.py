"""Bytes to Frame, with the checks a receiver makes on lengths."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from ref_model.wire import bth as bth_header
from ref_model.wire import ethernet, icrc, ipv4, ipv6, pause, udp, vlan
from ref_model.wire.errors import ParseError, Reason
from ref_model.wire.ethernet import ETHERTYPE_IPV4, ETHERTYPE_IPV6, ETHERTYPE_MAC_CONTROL, Ethernet
from ref_model.wire.extended import (
    AETH,
    ATOMIC,
    ATOMIC_ACK,
    DETH,
    RETH,
    WORD,
    Aeth,
    AtomicAckEth,
    AtomicEth,
    Deth,
    Reth,
)
from ref_model.wire.frame import Frame
from ref_model.wire.ipv4 import IPv4
from ref_model.wire.opcodes import CNP_RESERVED_BYTES, INFO

_FRAGMENT_OFFSET = 0x1FFF

_Reader = Callable[[Frame, bytes, int], None]


def _read_deth(frame: Frame, data: bytes, at: int) -> None:
    qkey, word = DETH.unpack_from(data, at)
    frame.deth = Deth(qkey, word & 0xFFFFFF, word >> 24)


def _read_reth(frame: Frame, data: bytes, at: int) -> None:
    frame.reth = Reth(*RETH.unpack_from(data, at))


def _read_atomic(frame: Frame, data: bytes, at: int) -> None:
    frame.atomic = AtomicEth(*ATOMIC.unpack_from(data, at))


def _read_aeth(frame: Frame, data: bytes, at: int) -> None:
    (word,) = AETH.unpack_from(data, at)
    frame.aeth = Aeth(word >> 24, word & 0xFFFFFF)


def _read_atomic_ack(frame: Frame, data: bytes, at: int) -> None:
    frame.atomic_ack = AtomicAckEth(*ATOMIC_ACK.unpack_from(data, at))


def _read_immdt(frame: Frame, data: bytes, at: int) -> None:
    (frame.immdt,) = WORD.unpack_from(data, at)


def _read_ieth(frame: Frame, data: bytes, at: int) -> None:
    (frame.ieth,) = WORD.unpack_from(data, at)


def _read_cnp(frame: Frame, data: bytes, at: int) -> None:
    frame.cnp_reserved = data[at : at + CNP_RESERVED_BYTES]


# Wire order of the extension headers. All of them follow from the traits of the opcode.
_EXTENSIONS: tuple[tuple[str, int, _Reader], ...] = (
    ("deth", DETH.size, _read_deth),
    ("reth", RETH.size, _read_reth),
    ("atomic", ATOMIC.size, _read_atomic),
    ("aeth", AETH.size, _read_aeth),
    ("atomic_ack", ATOMIC_ACK.size, _read_atomic_ack),
    ("immdt", WORD.size, _read_immdt),
    ("ieth", WORD.size, _read_ieth),
)
_CNP_EXTENSION = ("cnp_reserved", CNP_RESERVED_BYTES, _read_cnp)
_PLAN: dict[int, tuple[tuple[str, int, _Reader], ...]] = {
    opcode: (_CNP_EXTENSION,) if info.kind == "cnp" else tuple(e for e in _EXTENSIONS if getattr(info, e[0]))
    for opcode, info in INFO.items()
}


def _salvage(frame: Frame, data: bytes, at: int) -> None:
    """Fill in UDP, BTH and extension headers from `at` on, as far as the bytes reach; the rest is payload."""
    end = len(data)
    if frame.udp is None and at + udp.SIZE <= end:
        frame.udp = udp.unpack(data, at)
        at += udp.SIZE
    if frame.udp is not None and frame.udp.dst == udp.ROCE_PORT and at + bth_header.SIZE <= end:
        frame.bth = bth_header.unpack(data, at)
        at += bth_header.SIZE
        for _, size, read in _PLAN.get(frame.bth.opcode, ()):
            if at + size > end:
                break
            read(frame, data, at)
            at += size
    frame.payload = data[at:]


def parse(data: bytes) -> Frame:
    """Read one Ethernet frame (no frame check sequence); ParseError if it is malformed, nothing else.

    Lengths, checksums, pad and ICRC are filled in as received, so that build gives the same bytes back. Wrong
    checksums and a wrong ICRC are no parse errors: see `icrc_ok`, `ip_checksum_ok`, `udp_checksum_ok`.
    Opaque payload: anything but IP and MAC control behind Ethernet, protocols other than UDP and later
    fragments behind IP, ports other than 4791 behind UDP, unknown opcodes behind the BTH.
    """
    if type(data) is not bytes:
        data = bytes(data)
    size = len(data)
    if size < ethernet.SIZE:
        raise ParseError(Reason.TRUNCATED, "eth", 0, Frame(Ethernet(0, 0, 0), payload=data))
    dst_high, dst_low, src_high, src_low, ethertype = ethernet.LAYOUT.unpack_from(data, 0)
    frame = Frame(Ethernet(dst_high << 32 | dst_low, src_high << 32 | src_low, ethertype))
    at = ethernet.SIZE
    if ethertype in vlan.TPIDS:
        at = _read_vlans(frame, data)
        ethertype = frame.eth.ethertype
    if ethertype == ETHERTYPE_IPV4:
        return _parse_ipv4(frame, data, at, size)
    if ethertype == ETHERTYPE_IPV6:
        return _parse_ipv6(frame, data, at, size)
    if ethertype == ETHERTYPE_MAC_CONTROL:
        return _parse_mac_control(frame, data, at, size)
    frame.payload = data[at:]
    return frame


#: As :func:`parse`, but one object for the same bytes met again soon: for readers that change nothing.
parse_shared = lru_cache(maxsize=1024)(parse)


def _read_vlans(frame: Frame, data: bytes) -> int:
    """Move tags from the type field into `frame.vlans`; returns the offset behind the innermost type."""
    at = ethernet.SIZE
    while frame.eth.ethertype in vlan.TPIDS:
        if at + vlan.SIZE > len(data):
            frame.payload = data[at:]
            raise ParseError(Reason.TRUNCATED, "vlan", at, frame)
        tci, inner = vlan.LAYOUT.unpack_from(data, at)
        frame.vlans += (vlan.Vlan(tci, frame.eth.ethertype),)
        frame.eth.ethertype = inner
        at += vlan.SIZE
    return at


def _parse_mac_control(frame: Frame, data: bytes, at: int, size: int) -> Frame:
    opcode = int.from_bytes(data[at : at + 2], "big")
    layout = {pause.OPCODE_PAUSE: pause.PAUSE, pause.OPCODE_PFC: pause.PFC}.get(opcode, pause.OPCODE)
    if at + layout.size > size:
        frame.payload = data[at:]
        raise ParseError(Reason.TRUNCATED, "pause", at, frame)
    if layout is pause.PAUSE:
        frame.pause = pause.Pause(layout.unpack_from(data, at)[1])
    elif layout is pause.PFC:
        _, enable, *quanta = layout.unpack_from(data, at)
        q0, q1, q2, q3, q4, q5, q6, q7 = quanta
        frame.pause = pause.Pfc(enable, (q0, q1, q2, q3, q4, q5, q6, q7))
    else:
        frame.payload = data[at:]
        return frame
    frame.trailer = data[at + layout.size :]
    return frame


def _parse_ipv4(frame: Frame, data: bytes, at: int, size: int) -> Frame:
    if at + ipv4.SIZE > size:
        frame.payload = data[at:]
        raise ParseError(Reason.TRUNCATED, "ip", at, frame)
    frame.ip = ip = ipv4.unpack(data, at)
    header = 4 * ip.ihl
    total = ip.total_length or 0
    if ip.version != 4 or header < ipv4.SIZE:
        transport = at + ipv4.SIZE
        frame.ip_checksum_ok = ipv4.checksum_ok(data[at:transport])
        _read_on(frame, ip, data, (at, transport, at + total), size)
        raise ParseError(Reason.IP_VERSION if ip.version != 4 else Reason.IHL, "ip", at, frame)
    transport = at + header
    if transport > size:
        raise ParseError(Reason.TRUNCATED, "ip", at, frame)
    frame.ip_checksum_ok = ipv4.checksum_ok(data[at:transport])
    end = at + total
    if end > size or total < header:
        _salvage_ip(frame, data, transport, ip.protocol)
        raise ParseError(Reason.IP_LENGTH, "ip", at + 2, frame)
    if end != size:
        frame.trailer = data[end:]
    if ip.protocol != udp.PROTOCOL or ip.frag & _FRAGMENT_OFFSET:
        frame.payload = data[transport:end]
        return frame
    return _parse_udp(frame, ip, data, at, transport, end)


def _parse_ipv6(frame: Frame, data: bytes, at: int, size: int) -> Frame:
    transport = at + ipv6.SIZE
    if transport > size:
        frame.payload = data[at:]
        raise ParseError(Reason.TRUNCATED, "ip", at, frame)
    frame.ip = ip = ipv6.unpack(data, at)
    end = transport + (ip.payload_length or 0)
    if ip.version != 6:
        _read_on(frame, ip, data, (at, transport, end), size)
        raise ParseError(Reason.IP_VERSION, "ip", at, frame)
    if end > size:
        _salvage_ip(frame, data, transport, ip.next_header)
        raise ParseError(Reason.IP_LENGTH, "ip", at + 4, frame)
    if end != size:
        frame.trailer = data[end:]
    if ip.next_header != udp.PROTOCOL:
        frame.payload = data[transport:end]
        return frame
    return _parse_udp(frame, ip, data, at, transport, end)


def _read_on(
    frame: Frame, ip: IPv4 | ipv6.IPv6, data: bytes, bounds: tuple[int, int, int], size: int
) -> None:
    """Read behind an IP header that is wrong by itself what there is, ICRC included where lengths agree.

    ``bounds``: where network and transport header begin and the packet ends.
    """
    network, transport, end = bounds
    protocol = ip.protocol if isinstance(ip, IPv4) else ip.next_header
    if protocol != udp.PROTOCOL or end != size:
        _salvage_ip(frame, data, transport, protocol)
        return
    try:
        _parse_udp(frame, ip, data, network, transport, end)
    except ParseError:
        return  # the wrong header is the error to report; `frame` holds what could be read


def _salvage_ip(frame: Frame, data: bytes, transport: int, protocol: int) -> None:
    if protocol == udp.PROTOCOL:
        _salvage(frame, data, transport)
    else:
        frame.payload = data[transport:]


def _parse_udp(
    frame: Frame, ip: IPv4 | ipv6.IPv6, data: bytes, network: int, transport: int, end: int
) -> Frame:
    start = transport + udp.SIZE
    if start > end:
        frame.payload = data[transport:end]
        raise ParseError(Reason.TRUNCATED, "udp", transport, frame)
    frame.udp = header = udp.unpack(data, transport)
    lengths_agree = header.length == end - transport
    if header.checksum and lengths_agree:
        frame.udp_checksum_ok = udp.checksum_ok(ip, data[transport:end])
    if header.dst != udp.ROCE_PORT:
        frame.payload = data[start:end]
        return frame
    if not lengths_agree:
        frame.trailer = b""
        _salvage(frame, data, start)
        raise ParseError(Reason.UDP_LENGTH, "udp", transport + 4, frame)
    return _parse_bth(frame, data, network, start, end, not isinstance(ip, IPv4))


def _parse_bth(frame: Frame, data: bytes, network: int, start: int, end: int, v6: bool) -> Frame:
    at = start + bth_header.SIZE
    if at > end:
        frame.payload = data[start:end]
        raise ParseError(Reason.TRUNCATED, "bth", start, frame)
    frame.bth = bth = bth_header.unpack(data, start)
    tail = end - icrc.SIZE
    if at > tail:
        frame.payload = data[at:end]
        raise ParseError(Reason.ROCE_LENGTH, "icrc", at, frame)
    after_bth = at
    for layer, size, read in _PLAN.get(bth.opcode, ()):
        if at + size > tail:
            frame.payload = data[at:end]
            raise ParseError(Reason.ROCE_LENGTH, layer, at, frame)
        read(frame, data, at)
        at += size
    stop = tail - (bth.pad or 0)
    if stop < at:
        frame.payload = data[at:end]
        raise ParseError(Reason.ROCE_LENGTH, "pad", at, frame)
    frame.payload = data[at:stop]
    frame.pad_bytes = data[stop:tail]
    frame.icrc = value = int.from_bytes(data[tail:end], "little")
    frame.icrc_ok = value == icrc.compute(data[network:after_bth], memoryview(data)[after_bth:tail], v6)
    return frame


def payload_of(data: bytes) -> bytes:
    """Payload of a frame without headers, pad, ICRC and trailer (ParseError as `parse`)."""
    return parse(data).payload


def icrc_of(data: bytes) -> int:
    """The right ICRC of a RoCEv2 frame, whatever its ICRC bytes hold or whether they are there at all.

    The IP length must count the four ICRC bytes, also in a frame that waits for hardware to append them.
    ParseError if the frame is malformed or not RoCEv2.
    """
    try:
        frame = parse(data)
    except ParseError as error:
        if error.reason is not Reason.IP_LENGTH:
            raise
        # Four bytes short is the frame without ICRC; anything else fails again.
        data = data + bytes(icrc.SIZE)
        frame = parse(data)
    if frame.bth is None:
        raise ParseError(Reason.TRUNCATED, "bth", len(data) - len(frame.payload) - len(frame.trailer), frame)
    network = ethernet.SIZE + vlan.SIZE * len(frame.vlans)
    v6 = not isinstance(frame.ip, IPv4)
    header = ipv6.SIZE if isinstance(frame.ip, ipv6.IPv6) else 4 * (frame.ip.ihl if frame.ip else 5)
    after_bth = network + header + udp.SIZE + bth_header.SIZE
    tail = len(data) - len(frame.trailer) - icrc.SIZE
    return icrc.compute(data[network:after_bth], memoryview(data)[after_bth:tail], v6)
