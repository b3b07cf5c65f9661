"""Transaction log, digests and captures of one run, streamed to disk."""

from __future__ import annotations

import hashlib
from pathlib import Path
from types import TracebackType

from ref_model.events import (
    Event,
    FrameIn,
    FrameOut,
    HostWrite,
    Irq,
    MemRead,
    MemWrite,
    ProtocolViolation,
    RegRead,
    RegWrite,
    Reset,
    SideBand,
)
from ref_model.rules import show
from tb.pcap import PcapngWriter

STIMULUS = (Reset, RegWrite, HostWrite, FrameIn)
_SHOWN = 48


#: Kind of an event: name of its interface ("" for those that carry one), group of its digest.
_FIXED = {RegWrite: "axil", RegRead: "axil", HostWrite: "host", Irq: "irq", Reset: "reset"}
_DIRECTION = {MemRead: ".read", MemWrite: ".write"}


def interface(event: Event) -> str:
    """Return the name of the interface an event belongs to."""
    kind = type(event)
    fixed = _FIXED.get(kind)
    if fixed is not None:
        return fixed
    if isinstance(event, ProtocolViolation):
        return event.where
    return f"{event.port}{_DIRECTION.get(kind, '')}"  # type: ignore[union-attr]


def content(event: Event) -> tuple[str, bytes, bytes]:
    """Return what happened, without times: words, data bytes, mask bytes."""
    if isinstance(event, FrameIn):
        return "in" if event.good else "in bad", event.data, b""
    if isinstance(event, FrameOut):
        return "out", event.data, b""
    if isinstance(event, MemWrite):
        data = event.data
        if 0 in event.mask:  # lanes without strobe carry whatever the DUT left there
            data = bytes(byte if strobe else 0 for byte, strobe in zip(data, event.mask, strict=True))
        return f"{event.addr:#x} resp {event.resp} <-", data, event.mask
    if isinstance(event, MemRead):
        return f"{event.addr:#x} resp {event.resp} ->", event.data, b""
    if isinstance(event, HostWrite):
        return f"{event.addr:#x} =", event.data, b""
    if isinstance(event, RegWrite):
        return f"write {event.addr:#x} = {event.data:#x} strb {event.strb:#x} resp {event.resp}", b"", b""
    if isinstance(event, RegRead):
        return f"read {event.addr:#x} -> {event.data:#x} resp {event.resp}", b"", b""
    if isinstance(event, Irq):
        return f"level {event.level}", b"", b""
    if isinstance(event, SideBand):
        return " ".join(show(value) for value in event.values), b"", b""
    if isinstance(event, Reset):
        return "asserted" if event.asserted else "released", b"", b""
    return f"{event.rule} {event.text}", b"", b""


class RunLog:
    """``transactions.log`` (one line per event), one pcapng per frame port, and the digests.

    Digests are SHA-256 over the per-interface streams: ``stimulus`` and ``outcome`` without times,
    ``timed`` with them. Nothing is kept in memory.
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
        self._streams: dict[tuple[str, str], hashlib._Hash] = {}
        self._timed = hashlib.sha256()
        self.frames_in = 0
        self.frames_out = 0
        self.events = 0

    def add(self, event: Event) -> None:
        """Log one event in merged order."""
        self.events += 1
        where, (words, data, mask) = interface(event), content(event)
        kind = "stimulus" if type(event) in STIMULUS else "outcome"
        stream = self._streams.get((kind, where))
        if stream is None:
            stream = self._streams[kind, where] = hashlib.sha256()
        encoded = b"%s %s %d %s%s\n" % (where.encode(), words.encode(), len(data), data, mask)
        stream.update(encoded)
        begin = event.begin - self._start
        self._timed.update(b"%d %s" % (begin, encoded))
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
        result["timed"] = self._timed.hexdigest()
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
