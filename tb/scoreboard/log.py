"""Transaction log, digests and captures of one run, streamed to disk."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any

from ref_model.events import (
    Event,
    FrameIn,
    FrameOut,
    HostWrite,
    Irq,
    MemRead,
    MemWrite,
    PauseIn,
    PauseOut,
    ProtocolViolation,
    RegRead,
    RegWrite,
    Reset,
    SideBand,
)
from ref_model.rules import show
from tb.pcap import PcapngWriter

STIMULUS = (Reset, RegWrite, HostWrite, FrameIn, PauseIn)
_SHOWN = 48
_PIECES = 64


def _strobed(data: bytes, mask: bytes) -> bytes:
    """The bytes with a strobe; lanes without one carry whatever the DUT left there: 0."""
    lanes = int.from_bytes(mask, "little") * 0xFF
    return (int.from_bytes(data, "little") & lanes).to_bytes(len(data), "little")


def _written(event: MemWrite) -> tuple[str, bytes, bytes]:
    data, mask = event.data, event.mask
    if 0 in mask:
        data = _strobed(data, mask)
    else:
        mask = b""
    return f"{event.addr:#x} resp {event.resp} <-", data, mask


def _reg_write(event: RegWrite) -> tuple[str, bytes, bytes]:
    words = f"write {event.addr:#x} = {event.data:#x} strb {event.strb:#x} resp {event.resp}"
    return words, b"", b""


def _reset(event: Reset) -> tuple[str, bytes, bytes]:
    edge = "asserted" if event.asserted else "released"
    return f"{event.domain} {edge}" if event.domain else edge, b"", b""


Content = Callable[[Any], tuple[str, bytes, bytes]]
"""What happened, without times: words, data bytes, mask bytes (none: all strobed)."""

#: By kind of event: its interface (a suffix behind the port of those that have one), its content.
_KINDS: dict[type, tuple[str, Content]] = {
    RegWrite: ("axil", _reg_write),
    RegRead: ("axil", lambda event: (f"read {event.addr:#x} -> {event.data:#x} resp {event.resp}", b"", b"")),
    HostWrite: ("host", lambda event: (f"{event.addr:#x} =", event.data, b"")),
    Irq: ("irq", lambda event: (f"level {event.level}", b"", b"")),
    Reset: ("reset", _reset),
    MemRead: (".read", lambda event: (f"{event.addr:#x} resp {event.resp} ->", event.data, b"")),
    MemWrite: (".write", _written),
    FrameIn: ("", lambda event: ("in" if event.good else "in bad", event.data, b"")),
    FrameOut: ("", lambda event: ("out", event.data, b"")),
    SideBand: ("", lambda event: (" ".join(show(value) for value in event.values), b"", b"")),
    PauseIn: ("pause_in", lambda event: (f"request {event.value:#011b}", b"", b"")),
    PauseOut: ("", lambda event: (f"{event.value:#011b}", b"", b"")),
    ProtocolViolation: ("", lambda event: (f"{event.rule} {event.text}", b"", b"")),
}


def interface(event: Event) -> str:
    """Return the name of the interface an event belongs to."""
    name = _KINDS[type(event)][0]
    if name == "axil":
        return event.port or name  # type: ignore[union-attr]
    if name and name[0] != ".":
        return name
    if isinstance(event, ProtocolViolation):
        return event.where
    return f"{event.port}{name}"  # type: ignore[union-attr]


class _Digest:
    """SHA-256 over many small pieces, taken in larger ones."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()
        self._pieces: list[bytes] = []

    def add(self, piece: bytes) -> None:
        self._pieces.append(piece)
        if len(self._pieces) >= _PIECES:
            self._take()

    def _take(self) -> None:
        self._hash.update(b"".join(self._pieces))
        self._pieces.clear()

    def hexdigest(self) -> str:
        self._take()
        return self._hash.hexdigest()


class RunLog:
    """``transactions.log`` (one line per event), one pcapng per frame port, and the digests.

    Digests are SHA-256: ``stimulus`` and ``outcome`` over the streams of the interfaces without times,
    ``timed`` over these two and the order and times of all events. Nothing is kept in memory.
    """

    def __init__(self, directory: Path, comment: str, start_ps: int = 0) -> None:
        """Create the files in ``directory``; ``comment`` (test, seed) goes into the captures.

        Times count from ``start_ps``, so that it does not matter what ran before in the same process.
        """
        self._directory = directory
        self._start = start_ps
        self._comment = comment
        self._lines = open(directory / "transactions.log", "w", encoding="utf-8")  # noqa: SIM115 - closed by close()
        self._captures: dict[str, PcapngWriter] = {}
        self._streams: dict[tuple[str, str], _Digest] = {}
        self._times = _Digest()
        self.frames_in = 0
        self.frames_out = 0
        self.events = 0

    def add(self, event: Event) -> None:
        """Log one event in merged order."""
        self.events += 1
        where, (words, data, mask) = interface(event), _KINDS[type(event)][1](event)
        kind = "stimulus" if type(event) in STIMULUS else "outcome"
        stream = self._streams.get((kind, where))
        if stream is None:
            stream = self._streams[kind, where] = _Digest()
        stream.add(b"%s %d %s%s\n" % (words.encode(), len(data), data, mask))
        begin = event.begin - self._start
        self._times.add(b"%d %s\n" % (begin, where.encode()))
        shown = data[:_SHOWN].hex() + (f".. ({len(data)} bytes)" if len(data) > _SHOWN else "")
        self._lines.write(f"{begin / 1000:14.3f} ns {where:28} {words} {shown}\n")
        if isinstance(event, FrameIn | FrameOut):
            self._capture(event)

    def _capture(self, event: FrameIn | FrameOut) -> None:
        if isinstance(event, FrameIn):
            self.frames_in += 1
        else:
            self.frames_out += 1
        writer = self._captures.get(event.port)
        if writer is None:
            path = self._directory / f"{event.port}.pcapng"
            writer = self._captures[event.port] = PcapngWriter(path, self._comment, [event.port])
        writer.write(event.begin - self._start, event.data)

    def digests(self) -> dict[str, str]:
        """Return the digests of everything logged so far."""
        result = {}
        for kind in ("stimulus", "outcome"):
            total = hashlib.sha256()
            for (group, where), stream in sorted(self._streams.items()):
                if group == kind:
                    total.update(f"{where} {stream.hexdigest()}\n".encode())
            result[kind] = total.hexdigest()
        timed = f"{result['stimulus']} {result['outcome']} {self._times.hexdigest()}"
        result["timed"] = hashlib.sha256(timed.encode()).hexdigest()
        return result

    def close(self) -> None:
        """Close all files."""
        self._lines.close()
        for writer in self._captures.values():
            writer.close()

    def __enter__(self) -> RunLog:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
