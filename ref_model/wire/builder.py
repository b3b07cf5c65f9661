"""Frame to bytes."""

from __future__ import annotations

import struct

from ref_model.errors import UserError
from ref_model.wire import bth as bth_header
from ref_model.wire import ethernet, icrc, ipv4, ipv6, limits, pause, vlan
from ref_model.wire import udp as udp_header
from ref_model.wire.extended import AETH, ATOMIC, ATOMIC_ACK, DETH, RETH, WORD
from ref_model.wire.frame import Frame
from ref_model.wire.ipv4 import IPv4
from ref_model.wire.opcodes import CNP, CNP_RESERVED_BYTES

_ZEROS = (b"", b"\0", b"\0\0", b"\0\0\0")
_CNP_OPCODE = int(CNP)
_CNP_ZEROS = bytes(CNP_RESERVED_BYTES)


def build(frame: Frame) -> bytes:
    """Wire bytes of `frame`: lengths, checksums, pad and ICRC computed where None, all else as given.

    UserError if a value does not fit its field, or a header lacks the one below it.
    """
    try:
        return _build(frame)
    except (struct.error, OverflowError):
        limits.explain(frame)


def _extensions(frame: Frame, opcode: int) -> bytes:
    out = b""
    if frame.deth is not None:
        deth = frame.deth
        if deth.src_qp >> 24:
            raise OverflowError("source QP exceeds 24 bits")
        out += DETH.pack(deth.qkey, deth.resv << 24 | deth.src_qp)
    if frame.reth is not None:
        out += RETH.pack(frame.reth.va, frame.reth.rkey, frame.reth.length)
    if frame.atomic is not None:
        atomic = frame.atomic
        out += ATOMIC.pack(atomic.va, atomic.rkey, atomic.swap, atomic.compare)
    if frame.aeth is not None:
        aeth = frame.aeth
        if aeth.msn >> 24:
            raise OverflowError("MSN exceeds 24 bits")
        out += AETH.pack(aeth.syndrome << 24 | aeth.msn)
    if frame.atomic_ack is not None:
        out += ATOMIC_ACK.pack(frame.atomic_ack.original)
    if frame.immdt is not None:
        out += WORD.pack(frame.immdt)
    if frame.ieth is not None:
        out += WORD.pack(frame.ieth)
    if frame.cnp_reserved is not None:
        out += frame.cnp_reserved
    elif opcode == _CNP_OPCODE:
        out += _CNP_ZEROS
    return out


def _build(frame: Frame) -> bytes:
    link = ethernet.pack(frame.eth, b"".join(map(vlan.pack, frame.vlans)) if frame.vlans else b"")
    if frame.udp is not None:
        return _datagram(frame, link)
    if frame.bth is not None:
        raise UserError("frame has a bth but no udp header (allowed: bth above udp above ip)")
    ip = frame.ip
    if ip is not None:
        head = _ip_header(ip, len(frame.payload))
        return b"".join((link, head, frame.payload, frame.trailer))
    if frame.pause is not None:
        link += pause.pack(frame.pause)
    return b"".join((link, frame.payload, frame.trailer))


def _ip_header(ip: IPv4 | ipv6.IPv6, size: int) -> bytes:
    if isinstance(ip, IPv4):
        return ipv4.pack(ip, ipv4.SIZE + len(ip.options) + size)
    return ipv6.pack(ip, size)


def _datagram(frame: Frame, link: bytes) -> bytes:
    ip, udp, bth = frame.ip, frame.udp, frame.bth
    if ip is None or udp is None:
        raise UserError("frame has a udp but no ip header (allowed: udp above ip)")
    body = frame.payload
    if bth is None:
        size = udp_header.SIZE + len(body)
        head = _ip_header(ip, size)
        below = udp_header.pack(udp, size)
        crc = b""
    else:
        pad = bth.pad
        if pad is None:
            pad = -len(body) & 3
        extensions = _extensions(frame, bth.opcode)
        if extensions:
            body = extensions + body
        pad_bytes = frame.pad_bytes
        if pad_bytes is None and not pad >> 2:
            pad_bytes = _ZEROS[pad]
        if pad_bytes:
            body += pad_bytes
        size = udp_header.SIZE + bth_header.SIZE + icrc.SIZE + len(body)
        head = _ip_header(ip, size)
        below = udp_header.pack(udp, size) + bth_header.pack(bth, pad)
        value = frame.icrc
        if value is None:
            value = icrc.compute(head + below, body, not isinstance(ip, IPv4))
        crc = value.to_bytes(4, "little")
    if udp.checksum is None:
        checksum = udp_header.checksum_of(ip, below + body + crc)
        below = below[:6] + checksum.to_bytes(2, "big") + below[8:]
    return b"".join((link, head, below, body, crc, frame.trailer))
