"""Capture files: a pcapng writer for frames seen in simulation, a reader for pcap and pcapng.

Times are integer picoseconds from the start of simulation; pcapng stores them in nanoseconds (the part below
is cut). Formats: draft-ietf-opsawg-pcapng (SHB, IDB, EPB) and draft-ietf-opsawg-pcap.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

from ref_model.errors import UserError

LINKTYPE_ETHERNET = 1

_SECTION_HEADER = 0x0A0D0D0A
_INTERFACE = 1
_OBSOLETE_PACKET = 2
_SIMPLE_PACKET = 3
_ENHANCED_PACKET = 6
_SECTION_MAGIC = struct.pack("<I", _SECTION_HEADER)  # the same in either byte order
_BYTE_ORDER_MAGIC = 0x1A2B3C4D
_OPT_COMMENT = 1
_OPT_IF_NAME = 2
_OPT_IF_TSRESOL = 9
_OPT_IF_FCSLEN = 13
_OPT_IF_TSOFFSET = 14
_PS_PER_SECOND = 10**12

# First four bytes of a pcap file -> (byte order, picoseconds per unit of the sub-second field).
_PCAP_MAGICS = {
    b"\xd4\xc3\xb2\xa1": ("<", 1_000_000),
    b"\xa1\xb2\xc3\xd4": (">", 1_000_000),
    b"\x4d\x3c\xb2\xa1": ("<", 1_000),
    b"\xa1\xb2\x3c\x4d": (">", 1_000),
}


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 4)


def _option(code: int, value: bytes) -> bytes:
    return struct.pack("<HH", code, len(value)) + _padded(value)


def _block(kind: int, body: bytes) -> bytes:
    size = struct.pack("<I", 12 + len(body))
    return struct.pack("<I", kind) + size + body + size


class PcapngWriter:
    """Writes one pcapng section with Ethernet interfaces, frame by frame to disk; use as a context manager.

    `comment` is the comment of the section (test, seed), `interfaces` the names of the ports. Frames carry no
    frame check sequence. UserError if the file cannot be created.
    """

    def __init__(self, path: str | Path, comment: str = "", interfaces: Sequence[str] = ("port",)) -> None:
        self.path = Path(path)
        self.count = 0
        self._interfaces = len(interfaces)
        try:
            self._file: BinaryIO = open(self.path, "wb")  # noqa: SIM115 - closed by close()
        except OSError as error:
            raise UserError(
                f"cannot write capture {self.path}: {error.strerror} (allowed: a writable path)"
            ) from None
        options = _option(_OPT_COMMENT, comment.encode()) + _option(0, b"") if comment else b""
        # Section length -1: unknown, since the file is streamed.
        self._file.write(_block(_SECTION_HEADER, struct.pack("<IHHq", _BYTE_ORDER_MAGIC, 1, 0, -1) + options))
        for name in interfaces:
            options = (
                _option(_OPT_IF_NAME, name.encode()) + _option(_OPT_IF_TSRESOL, b"\x09") + _option(0, b"")
            )
            self._file.write(_block(_INTERFACE, struct.pack("<HHI", LINKTYPE_ETHERNET, 0, 0) + options))

    def write(self, time_ps: int, data: bytes, comment: str = "", interface: int = 0) -> None:
        """Append one frame with its time (ps), an optional comment and the index of its interface."""
        if not 0 <= interface < self._interfaces:
            raise UserError(
                f"capture {self.path}: no interface {interface} (allowed 0..{self._interfaces - 1})"
            )
        stamp = time_ps // 1000
        head = struct.pack("<IIIII", interface, stamp >> 32, stamp & 0xFFFFFFFF, len(data), len(data))
        options = _option(_OPT_COMMENT, comment.encode()) + _option(0, b"") if comment else b""
        self._file.write(_block(_ENHANCED_PACKET, head + _padded(data) + options))
        self.count += 1

    def flush(self) -> None:
        """Bring everything written so far to disk."""
        self._file.flush()

    def close(self) -> None:
        """Close the file; further writes fail."""
        self._file.close()

    def __enter__(self) -> PcapngWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def read_capture(path: str | Path) -> Iterator[tuple[int, bytes]]:
    """Frames of a pcap or pcapng file as (time in ps, bytes), in file order, read as they are asked for.

    A frame check sequence that the file declares is cut off. UserError, raised while iterating, if the file
    is missing, foreign or truncated, its link type is not Ethernet, or a snap length has cut its frames.
    """
    path = Path(path)
    try:
        file = open(path, "rb")  # noqa: SIM115 - closed by the with below
    except OSError as error:
        raise UserError(
            f"cannot read capture {path}: {error.strerror} (allowed: a pcap or pcapng file)"
        ) from None
    with file:
        source = _Source(path, file)
        magic = source.take(4, "file magic")
        if magic in _PCAP_MAGICS:
            yield from _read_pcap(source, *_PCAP_MAGICS[magic])
        elif magic == _SECTION_MAGIC:
            yield from _read_pcapng(source)
        else:
            raise source.fault(0, f"unknown file magic {magic.hex()}", "a pcap or pcapng file")


class _Source:
    """The open file with its position, for error texts."""

    def __init__(self, path: Path, file: BinaryIO) -> None:
        self.path = path
        self.file = file
        self.offset = 0

    def fault(self, offset: int, wrong: str, allowed: str) -> UserError:
        return UserError(f"capture {self.path}, byte {offset}: {wrong} (allowed: {allowed})")

    def take(self, size: int, what: str) -> bytes:
        """Exactly `size` bytes, or the fault "truncated"."""
        data = self.file.read(size)
        if len(data) != size:
            raise self.fault(
                self.offset,
                f"{what} truncated, {len(data)} of {size} bytes",
                "a complete pcap or pcapng file",
            )
        self.offset += size
        return data

    def at_end(self) -> bool:
        """No byte left."""
        more = self.file.read(1)
        if more:
            self.file.seek(-1, 1)
        return not more

    def frame(self, offset: int, data: bytes, original: int, fcs: int) -> bytes:
        """The frame without its declared check sequence; a clipped one is a fault."""
        if original > len(data):
            raise self.fault(offset, f"frame cut to {len(data)} of {original} bytes", "whole frames")
        return data[: len(data) - fcs] if fcs else data

    def ethernet(self, offset: int, link: int) -> None:
        if link != LINKTYPE_ETHERNET:
            raise self.fault(offset, f"link type {link}", f"{LINKTYPE_ETHERNET} = Ethernet")


def _read_pcap(source: _Source, order: str, unit_ps: int) -> Iterator[tuple[int, bytes]]:
    *_, network = struct.unpack(order + "HHiIII", source.take(20, "pcap file header"))
    source.ethernet(20, network & 0xFFFF)
    # Bit 26 says that bits 31..28 hold the length of the check sequence in 16-bit words.
    fcs = 2 * (network >> 28) if network & 1 << 26 else 0
    record = struct.Struct(order + "IIII")
    while not source.at_end():
        offset = source.offset
        seconds, fraction, size, original = record.unpack(source.take(16, "packet header"))
        data = source.take(size, "packet")
        yield seconds * _PS_PER_SECOND + fraction * unit_ps, source.frame(offset, data, original, fcs)


class _Interface:
    """What an interface description says about its packets."""

    def __init__(self, link: int, options: dict[int, bytes], order: str) -> None:
        self.link = link
        self.resolution = (options.get(_OPT_IF_TSRESOL) or b"\x06")[0]
        self.fcs = (options.get(_OPT_IF_FCSLEN) or b"\0")[0]
        shift = options.get(_OPT_IF_TSOFFSET, bytes(8))
        self.offset_s = int.from_bytes(shift[:8], "little" if order == "<" else "big", signed=True)

    def picoseconds(self, ticks: int) -> int:
        exponent = self.resolution & 0x7F
        units = 2**exponent if self.resolution & 0x80 else 10**exponent
        return self.offset_s * _PS_PER_SECOND + ticks * _PS_PER_SECOND // units


def _options(source: _Source, offset: int, data: bytes, order: str) -> dict[int, bytes]:
    """Options by code, the first of each."""
    found: dict[int, bytes] = {}
    at = 0
    while at + 4 <= len(data):
        code, size = struct.unpack_from(order + "HH", data, at)
        if code == 0:
            break
        value = data[at + 4 : at + 4 + size]
        if len(value) != size:
            raise source.fault(
                offset, f"option {code} of {size} bytes does not fit its block", "intact options"
            )
        found.setdefault(code, value)
        at += 4 + size + -size % 4
    return found


# Least bytes of a block between its first length (of a section header: its magic) and its second length.
_LEAST_BODY = {_SECTION_HEADER: 12, _INTERFACE: 8, _ENHANCED_PACKET: 20, _OBSOLETE_PACKET: 20}


def _block_body(source: _Source, offset: int, length: int, kind: int, order: str) -> bytes:
    """The rest of a block behind its first length (of a section header: behind its magic)."""
    taken = source.offset - offset
    size = length - taken - 4
    if length % 4 or size < _LEAST_BODY.get(kind, 0):
        raise source.fault(
            offset + 4, f"block length {length}", "a multiple of 4 that covers the block's fields"
        )
    body = source.take(size, "block")
    (trailing,) = struct.unpack(order + "I", source.take(4, "block"))
    if trailing != length:
        raise source.fault(
            source.offset - 4, f"block length {trailing} at the end, {length} at the start", "equal ones"
        )
    return body


def _read_pcapng(source: _Source) -> Iterator[tuple[int, bytes]]:
    order = "<"
    interfaces: list[_Interface] = []
    # The type of the first block has been consumed to recognize the format.
    offset, head = 0, _SECTION_MAGIC
    while head:
        length_bytes = source.take(4, "block length")
        if head == _SECTION_MAGIC:
            magic = source.take(4, "byte-order magic")
            order = {_BYTE_ORDER_MAGIC: "<", 0x4D3C2B1A: ">"}.get(int.from_bytes(magic, "little"), "")
            if not order:
                raise source.fault(offset + 8, f"byte-order magic {magic.hex()}", "1a2b3c4d in either order")
            interfaces = []
        (kind,) = struct.unpack(order + "I", head)
        (length,) = struct.unpack(order + "I", length_bytes)
        body = _block_body(source, offset, length, kind, order)
        if kind == _SECTION_HEADER:
            (major,) = struct.unpack_from(order + "H", body)
            if major != 1:
                raise source.fault(offset + 12, f"pcapng major version {major}", "1")
        elif kind == _INTERFACE:
            options = _options(source, offset, body[8:], order)
            interfaces.append(_Interface(struct.unpack_from(order + "H", body)[0], options, order))
        elif kind in (_ENHANCED_PACKET, _OBSOLETE_PACKET):
            layout = order + ("IIIII" if kind == _ENHANCED_PACKET else "HxxIIII")
            number, high, low, size, original = struct.unpack_from(layout, body)
            if number >= len(interfaces):
                raise source.fault(
                    offset,
                    f"packet of undeclared interface {number}",
                    f"{len(interfaces)} declared interfaces",
                )
            if 20 + size > len(body):
                raise source.fault(
                    offset, f"packet of {size} bytes does not fit its block", "an intact packet block"
                )
            port = interfaces[number]
            source.ethernet(offset, port.link)
            yield (
                port.picoseconds(high << 32 | low),
                source.frame(offset, body[20 : 20 + size], original, port.fcs),
            )
        elif kind == _SIMPLE_PACKET:
            raise source.fault(offset, "simple packet block without a time stamp", "enhanced packet blocks")
        offset = source.offset
        head = b"" if source.at_end() else source.take(4, "block type")
