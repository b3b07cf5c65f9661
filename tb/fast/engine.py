"""The C engine (tb/fast/c/engine.h) as Python sees it: ports, generators, memory, finished items."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Sequence
from enum import IntEnum
from functools import lru_cache
from pathlib import Path
from struct import Struct
from typing import NamedTuple

from ref_model.errors import UserError
from ref_model.streams import Draws, threshold
from tb.agents.generators import Latency, StallConfig, StallMode

#: Environment variable with the library of this simulation (tb/runner/simulate.py).
LIBRARY = "RDMA_DV_ENGINE"

_RECORD = Struct("<iiqqQIBBH")
_KIND = {StallMode.NONE: 0, StallMode.LIGHT: 1, StallMode.HEAVY: 1, StallMode.BURSTS: 2}
_full = lru_cache(maxsize=256)(lambda length: b"\1" * length)
_words = lru_cache(maxsize=16)(lambda count: Struct(f"<{count}I"))
FRAME, WRITE, READ, BEAT, CUT = range(5)
"""Kinds of finished items: frame, bursts, a beat that was awaited, a frame that was given up."""

ERRORED, GOOD, GIVEN_UP = range(3)
"""How a frame ends that a source is given."""


class Purpose(IntEnum):
    """What a generator of a port is for; MAIN: the beats of a stream, or AW."""

    MAIN = 0
    AW = 0
    W = 1
    AR = 2
    B = 3
    R = 4


class Finished(NamedTuple):
    """One frame or burst that has ended; times in ps, ``mask`` one byte (0 or 1) per data byte.

    ``flag``: tuser of the last beat of a frame, response of a burst; ``ident``: id of a burst; ``user``:
    words beside a frame.
    """

    port: int
    kind: int
    begin: int
    settled: int
    addr: int
    flag: int
    ident: int
    data: bytes
    mask: bytes
    user: tuple[int, ...] = ()


class Engine:
    """Calls into the library; port numbers are those of the HDL (0 to 63)."""

    def __init__(self, path: str) -> None:
        """Load ``path``, the file the simulator has loaded already."""
        library = self._lib = ctypes.CDLL(path)
        big, word = ctypes.c_int64, ctypes.c_uint64
        library.rdv_open_begin.restype = big
        library.rdv_drain.restype = ctypes.c_void_p
        library.rdv_generator.argtypes = [ctypes.c_int] * 3 + [word] + [ctypes.c_uint32] * 4 + [word]
        library.rdv_source_open.argtypes = [ctypes.c_int] * 3 + [big, ctypes.c_int, big]
        library.rdv_source_put.argtypes = [
            ctypes.c_int,
            big,
            ctypes.c_char_p,
            ctypes.c_uint32,
            ctypes.c_char_p,
            ctypes.c_int,
        ]
        library.rdv_sink_open.argtypes = [ctypes.c_int] * 3 + [big, ctypes.c_int, ctypes.c_int, big]
        library.rdv_sink_taken.argtypes = [ctypes.c_int, big, ctypes.c_int]
        library.rdv_sink_taken.restype = word
        library.rdv_memory_open.argtypes = [ctypes.c_int, ctypes.c_int, big, ctypes.c_int]
        library.rdv_memory_latency.argtypes = [ctypes.c_int] * 2 + [ctypes.c_uint32] * 2
        library.rdv_memory_draws.argtypes = [ctypes.c_int] * 2 + [word]
        library.rdv_memory_write.argtypes = [big, word, ctypes.c_char_p, word]
        library.rdv_memory_read.argtypes = [big, word, ctypes.c_char_p, word]
        library.rdv_record_save.argtypes = [ctypes.c_char_p]
        library.rdv_replay.argtypes = [ctypes.c_char_p]
        library.rdv_ended.restype = word
        self._drained = ctypes.c_uint64()
        self._drained_at = ctypes.byref(self._drained)
        self.record = library.rdv_recording
        self.ended = library.rdv_ended
        self.clear = library.rdv_reset_all
        self.open_begin = library.rdv_open_begin
        self.abort = library.rdv_abort
        self._put = library.rdv_source_put
        self.pending = library.rdv_source_pending
        self.wake = library.rdv_sink_wake
        self.await_beat = library.rdv_sink_await
        self.taken = library.rdv_sink_taken
        self.outstanding_max = library.rdv_memory_outstanding_max

    def open_source(self, port: int, width: int, speed: int, ifg: int, period: int, words: int = 0) -> None:
        """Make ``port`` a source: bus bytes, line rate in bit/s (0: bus speed), gap in bytes, clock in ps.

        ``words``: how many (of 32 bits) go beside each frame.
        """
        self._lib.rdv_source_open(port, width, words, speed, ifg, period)

    def open_sink(
        self, port: int, width: int, speed: int, ifg: int, fifo: int, period: int, words: int = 0
    ) -> None:
        """Make ``port`` a sink that takes ``speed`` bit/s (0: no limit) behind ``fifo`` bytes."""
        self._lib.rdv_sink_open(port, width, words, speed, ifg, fifo, period)

    def put(self, port: int, now: int, data: bytes, end: int, user: tuple[int, ...] = ()) -> None:
        """Queue a frame at a source; ``end``: GOOD, ERRORED or, for whole beats, GIVEN_UP."""
        self._put(port, now, data, len(data), _words(len(user)).pack(*user), end)

    def open_memory(self, port: int, width: int, period: int, reorder: bool) -> None:
        """Make ``port`` a memory; ``reorder``: responses of different ids may overtake each other."""
        self._lib.rdv_memory_open(port, width, period, int(reorder))

    def latency(self, port: int, write: bool, latency: Latency, seed: int, path: str) -> None:
        """Set the response latency of one direction, drawn from the stream ``path``."""
        self._lib.rdv_memory_draws(port, int(write), Draws.of(seed, path).state)
        self.change_latency(port, write, latency)

    def change_latency(self, port: int, write: bool, latency: Latency) -> None:
        """Set another response latency for requests that come from now on."""
        self._lib.rdv_memory_latency(port, int(write), latency.low, latency.high)

    def regions(self, port: int, regions: Sequence[tuple[int, int, int, bool, bool]]) -> None:
        """Set the address ranges (start, stop, response, reads, writes) that answer with an error."""
        spans = [bound for start, stop, *_ in regions for bound in (start, stop)]
        flags = [int(value) for region in regions for value in region[2:]]
        self._lib.rdv_memory_regions(
            port, len(regions), (ctypes.c_uint64 * len(spans))(*spans), (ctypes.c_int * len(flags))(*flags)
        )

    def generator(self, port: int, purpose: Purpose, config: StallConfig, seed: int, path: str) -> Switch:
        """Set the stalls of ``purpose``, drawn from stream ``path`` as tb.agents.generators draws them."""
        state = Draws.of(seed, path).state
        self._lib.rdv_generator(
            port,
            int(purpose),
            _KIND[config.mode],
            threshold(config.probability),
            config.low,
            config.high,
            config.run_low,
            config.run_high,
            state,
        )
        return Switch(self._lib, port, int(purpose))

    def save_record(self, path: Path) -> None:
        """Write what Python gave since ``record(1)``; OSError when the file cannot be written."""
        if self._lib.rdv_record_save(str(path).encode()):
            raise OSError(f"{path}: cannot be written")

    def replay(self, path: Path) -> None:
        """Give again what ``path`` holds, at the same times; finished items are only counted (``ended``)."""
        if self._lib.rdv_replay(str(path).encode()):
            raise OSError(f"{path}: cannot be read")

    def drain(self) -> list[Finished]:
        """Return what has finished since the last call, in the order in which it ended."""
        address = self._lib.rdv_drain(self._drained_at)
        size = self._drained.value
        found: list[Finished] = []
        if not size:
            return found
        data, unpack, at = ctypes.string_at(address, size), _RECORD.unpack_from, 0
        while at < size:
            port, kind, begin, settled, addr, length, flag, masked, ident = unpack(data, at)
            at += _RECORD.size
            stop = end = at + length
            mask = b""
            if masked == 1:
                stop += length
                mask = data[end:stop]
            elif masked:
                mask = _full(length)
            user: tuple[int, ...] = ()
            if ident and kind == FRAME:
                user = _words(ident).unpack_from(data, stop)
                stop += 4 * ident
            found.append(Finished(port, kind, begin, settled, addr, flag, ident, data[at:end], mask, user))
            at = stop + (at - stop & 7)
        return found


class Switch:
    """Turns one generator of the engine off (it draws 0) and on again."""

    def __init__(self, library: ctypes.CDLL, port: int, purpose: int) -> None:
        self._library = library
        self._at = (port, purpose)

    def pause(self) -> None:
        """Draw 0 until :meth:`resume`; the stream goes on where it stopped."""
        self._library.rdv_generator_on(*self._at, 0)

    def resume(self) -> None:
        """Draw as configured again."""
        self._library.rdv_generator_on(*self._at, 1)


class EngineMemory:
    """The engine's sparse memory for HostMemory; ``clock`` returns the time in ps."""

    def __init__(self, engine: Engine, clock: Callable[[], int]) -> None:
        self._lib = engine._lib
        self._clock = clock

    def write(self, addr: int, data: bytes) -> None:
        """Store ``data`` at byte address ``addr``."""
        self._lib.rdv_memory_write(self._clock(), addr, data, len(data))

    def read(self, addr: int, length: int) -> bytes:
        """Return ``length`` bytes from ``addr``."""
        found = ctypes.create_string_buffer(length)
        self._lib.rdv_memory_read(self._clock(), addr, found, length)
        return found.raw


@lru_cache(maxsize=1)
def engine() -> Engine:
    """Return the engine of this simulation; UserError when the build has none."""
    path = os.environ.get(LIBRARY)
    if not path:
        raise UserError(f"this simulation has no C engine ({LIBRARY} is not set); allowed is --engine python")
    return Engine(path)
