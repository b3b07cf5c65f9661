"""The C engine without a simulator: draws, memory, sources, sinks, words beside frames, record and replay."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ref_model.memory import SparseMemory
from ref_model.streams import Draws
from tb.agents.generators import Latency, StallConfig, StallMode, Stalls
from tb.fast.engine import BEAT, CUT, FRAME, GIVEN_UP, GOOD, Engine, EngineMemory, Purpose
from tb.runner.engine_library import SOURCES

PERIOD = 4000
SOURCE, SINK = 3, 4
quick = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(scope="module")
def lib(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    """The engine without a simulator's binding."""
    path = tmp_path_factory.mktemp("engine") / "engine.so"
    files = [str(SOURCES / name) for name in ("engine.c", "store.c")]
    options = ["-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared"]
    subprocess.run(["gcc", *options, "-o", str(path), *files], check=True)
    return Engine(str(path))


@pytest.mark.parametrize("mode", list(StallMode))
@given(seed=st.integers(0, 1 << 32))
@quick
def test_stalls_are_those_of_python(lib: Engine, mode: StallMode, seed: int) -> None:
    """The same seed and path stall the same items, whoever moves the beats."""
    lib.clear()
    config = StallConfig.named(mode)
    lib.open_sink(SINK, 64, 0, 0, 0, PERIOD)
    switch = lib.generator(SINK, Purpose.MAIN, config, seed, "x")
    python = Stalls(config, seed, "x")
    first = [lib._lib.rdv_first_stall(SINK, 0, ctypes.c_int64(0)) for _ in range(40)]
    assert first == [python.draw() for _ in range(40)]
    switch.pause()
    assert [lib._lib.rdv_first_stall(SINK, 0, ctypes.c_int64(0)) for _ in range(5)] == [0] * 5
    switch.resume()
    assert lib._lib.rdv_first_stall(SINK, 0, ctypes.c_int64(0)) == python.draw()


def test_draws_are_splitmix64() -> None:
    """The published first numbers of the generator from state 1234567."""
    draws = Draws(1234567)
    assert [draws.next() for _ in range(3)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
    ]
    assert {draws.between(3, 5) for _ in range(200)} == {3, 4, 5}


WRITES = st.tuples(st.integers(0, 3 << 12), st.binary(min_size=1, max_size=9000), st.integers(0, 3))


@given(st.lists(WRITES, max_size=12))
@quick
def test_memory_is_sparse_memory(lib: Engine, writes: list[tuple[int, bytes, int]]) -> None:
    """Any writes anywhere in 64 bits read back like from the model's memory."""
    lib.clear()
    here, there = EngineMemory(lib, lambda: 0), SparseMemory()
    for addr, data, high in writes:
        base = high << 40 | addr
        here.write(base, data)
        there.write(base, data)
        around, length = max(base - 3, 0), len(data) + 9
        assert here.read(around, length) == there.read(around, length)


def step(lib: Engine, now: int) -> tuple[bytes, int, int, int, int] | None:
    """One edge of the source: (data, keep, last, user, gap), or None for an idle edge."""
    data, keep = ctypes.create_string_buffer(128), ctypes.create_string_buffer(16)
    last, user, wait = ctypes.c_int(), ctypes.c_int(), ctypes.c_int()
    at = ctypes.c_int64(now)
    refs = [ctypes.byref(one) for one in (last, user, wait)]
    if not lib._lib.rdv_source_step(SOURCE, at, data, keep, *refs):
        return None
    return data.raw[:64], int.from_bytes(keep.raw[:8], "little"), last.value, user.value, wait.value


@given(st.lists(st.tuples(st.binary(min_size=1, max_size=300), st.booleans()), min_size=1, max_size=8))
@quick
def test_source_cuts_frames_into_beats(lib: Engine, frames: list[tuple[bytes, bool]]) -> None:
    """Full lanes but on the last beat, which carries the rest, the end mark and the verdict."""
    lib.clear()
    lib.open_source(SOURCE, 64, 0, 12, PERIOD)
    lib.generator(SOURCE, Purpose.MAIN, StallConfig(), 1, "g")
    for data, good in frames:
        lib.put(SOURCE, 0, data, int(good))
    assert step(lib, 0) is None, "a frame counts from the first edge after it was queued"
    now = PERIOD
    for data, good in frames:
        for offset in range(0, len(data), 64):
            chunk, end = data[offset : offset + 64], offset + 64 >= len(data)
            beat = step(lib, now)
            assert beat is not None
            lanes = beat[1].bit_length()
            assert (beat[0][:lanes], beat[1]) == (chunk, (1 << len(chunk)) - 1)
            assert beat[2:4] == (int(end), int(end and good))
            now += PERIOD
    assert step(lib, now) is None
    assert lib.pending(SOURCE) == 0


def test_sink_collects_marked_bytes(lib: Engine) -> None:
    """Bytes of lanes that are marked, holes left out; times of the first offer and of the last beat."""
    lib.clear()
    lib.open_sink(SINK, 64, 0, 0, 0, PERIOD)
    wake = ctypes.c_int()
    word = bytes(range(64))
    lib._lib.rdv_offered(SINK, 0, ctypes.c_int64(1000))
    assert lib.open_begin(SINK) == 1000
    for now, keep, last in ((5000, b"\xff" * 8, 0), (9000, b"\x05" + bytes(7), 1)):
        lib._lib.rdv_sink_beat(SINK, ctypes.c_int64(now), word, keep, last, 1, ctypes.byref(wake))
    (item,) = lib.drain()
    assert (item.begin, item.settled, item.data, item.flag) == (1000, 9000, word + b"\x00\x02", 1)
    assert lib.open_begin(SINK) == -1


def beat(lib: Engine, now: int, last: int = 0) -> int:
    """A whole beat of the sink; returns whether Python is told."""
    wake = ctypes.c_int()
    lib._lib.rdv_sink_beat(SINK, ctypes.c_int64(now), bytes(64), b"\xff" * 8, last, 1, ctypes.byref(wake))
    return wake.value


WORD = st.integers(0, (1 << 32) - 1)


@given(st.lists(st.tuples(WORD, WORD, WORD), min_size=1, max_size=4))
@quick
def test_words_go_beside_their_frame(lib: Engine, rows: list[tuple[int, int, int]]) -> None:
    """The source shows those of the frame under way, the sink hands on the last ones it was given."""
    lib.clear()
    lib.open_source(SOURCE, 64, 0, 12, PERIOD, 3)
    lib.open_sink(SINK, 64, 0, 0, 0, PERIOD, 3)
    lib.generator(SOURCE, Purpose.MAIN, StallConfig(), 1, "g")
    for row in rows:
        lib.put(SOURCE, 0, b"data", GOOD, row)
    words = (ctypes.c_uint32 * 8)()
    for number, row in enumerate(rows):
        now = (number + 1) * PERIOD
        assert step(lib, now) is not None
        lib._lib.rdv_source_words(SOURCE, words)
        assert tuple(words[:3]) == row
        lib._lib.rdv_sink_words(SINK, (ctypes.c_uint32 * 8)(7, 7, 7))
        lib._lib.rdv_sink_words(SINK, words)
        beat(lib, now, last=1)
    assert [item.user for item in lib.drain()] == rows


def test_cut_frame_ends_by_a_restart(lib: Engine) -> None:
    """No last beat; then the edge that gives it up, then the next frame. The sink drops what it had."""
    lib.clear()
    lib.open_source(SOURCE, 64, 0, 12, PERIOD)
    lib.open_sink(SINK, 64, 0, 0, 0, PERIOD)
    lib.generator(SOURCE, Purpose.MAIN, StallConfig(), 1, "g")
    lib.put(SOURCE, 0, bytes(128), GIVEN_UP)
    lib.put(SOURCE, 0, b"next", GOOD)
    beats = [step(lib, edge * PERIOD) for edge in (1, 2)]
    assert [one[2:4] for one in beats if one] == [(0, 0), (0, 0)]
    refs = [ctypes.byref(ctypes.c_int()) for _ in range(2)]
    wait, room = ctypes.c_int(), (ctypes.create_string_buffer(128), ctypes.create_string_buffer(16))
    at = ctypes.c_int64(3 * PERIOD)
    assert not lib._lib.rdv_source_step(SOURCE, at, *room, *refs, ctypes.byref(wait))
    assert wait.value == -1
    after = step(lib, 4 * PERIOD)
    assert after is not None and after[0][:4] == b"next" and after[2] == 1
    beat(lib, PERIOD)
    assert lib._lib.rdv_sink_cut(SINK, ctypes.c_int64(3 * PERIOD))
    beat(lib, 4 * PERIOD, last=1)
    cut, frame = lib.drain()
    assert (cut.kind, cut.begin, cut.settled) == (CUT, 3 * PERIOD, 3 * PERIOD)
    assert (frame.kind, frame.begin, len(frame.data)) == (FRAME, 4 * PERIOD, 64)


def test_beats_are_counted_and_one_is_told(lib: Engine) -> None:
    """Those before a moment, beats or frames; only the beat that is awaited wakes Python."""
    lib.clear()
    lib.open_sink(SINK, 64, 0, 0, 0, PERIOD)
    assert lib.taken(SINK, 1, 0) == 0
    assert not beat(lib, PERIOD)
    lib.await_beat(SINK)
    assert beat(lib, 2 * PERIOD)
    assert not beat(lib, 3 * PERIOD, last=1)
    assert [(item.kind, item.begin) for item in lib.drain()] == [(BEAT, 2 * PERIOD), (FRAME, PERIOD)]
    assert [lib.taken(SINK, 3 * PERIOD + late, 0) for late in (0, 1)] == [2, 3]
    assert [lib.taken(SINK, 3 * PERIOD + late, 1) for late in (0, 1)] == [0, 1]


class Answer(ctypes.Structure):
    """rdv_answer of tb/fast/c/engine.h."""

    _fields_ = (
        *((name, ctypes.c_int) for name in ("b_valid", "b_wait", "b_id", "b_resp")),
        *((name, ctypes.c_int) for name in ("r_valid", "r_wait", "r_id", "r_resp", "r_last")),
        ("r_data", ctypes.c_void_p),
        ("r_width", ctypes.c_uint32),
    )


@pytest.mark.parametrize(("reorder", "order"), [(False, [1, 2, 2]), (True, [2, 1, 2])])
def test_responses_of_other_ids_may_overtake(lib: Engine, reorder: bool, order: list[int]) -> None:
    """With reordering the shorter latency comes first, but never past a burst of its own id."""
    lib.clear()
    lib.open_memory(SINK, 64, PERIOD, reorder)
    for purpose in (Purpose.AW, Purpose.W, Purpose.AR, Purpose.B, Purpose.R):
        lib.generator(SINK, purpose, StallConfig(), 1, "none")
    for number, (ident, clocks) in enumerate(((1, 30), (2, 10), (2, 40))):
        lib.latency(SINK, False, Latency(clocks, clocks), 1, "latency")
        address = ctypes.c_uint64(64 * number)
        lib._lib.rdv_memory_address(SINK, 2, ctypes.c_int64(0), ident, address, 0, 6, 1)
    seen, answer, wake = [], Answer(), ctypes.c_int()
    for edge in range(60):
        now = ctypes.c_int64(edge * PERIOD)
        lib._lib.rdv_memory_step(SINK, now, 1, 1, ctypes.byref(answer), ctypes.byref(wake))
        if answer.r_valid:
            seen.append(answer.r_id)
            assert answer.r_last
    assert seen == order
    first = (1, 0, 2) if reorder else (0, 1, 2)
    items = list(lib.drain())
    assert [(item.addr, item.ident) for item in items] == [(64 * n, (1, 2, 2)[n]) for n in first]


def test_replay_gives_what_was_recorded(lib: Engine, tmp_path: Path) -> None:
    """Frames wait for their time, memory writes take effect at theirs, finished items are only counted."""
    lib.clear()
    lib.open_source(SOURCE, 64, 0, 12, PERIOD, 2)
    lib.record(1)
    EngineMemory(lib, lambda: 500).write(0x40, b"first")
    lib.put(SOURCE, 3 * PERIOD, b"later", GOOD, (5, 6))
    lib.save_record(tmp_path / "given.bin")
    lib.record(0)
    lib.clear()
    lib.open_source(SOURCE, 64, 0, 12, PERIOD, 2)
    lib.generator(SOURCE, Purpose.MAIN, StallConfig(), 1, "g")
    lib.replay(tmp_path / "given.bin")
    assert EngineMemory(lib, lambda: 400).read(0x40, 5) == bytes(5)
    assert EngineMemory(lib, lambda: 600).read(0x40, 5) == b"first"
    beats = [step(lib, edge * PERIOD) for edge in range(1, 5)]
    assert [one is not None for one in beats] == [False, False, False, True]
    words = (ctypes.c_uint32 * 8)()
    lib._lib.rdv_source_words(SOURCE, words)
    assert tuple(words[:3]) == (5, 6, 0)
    assert step(lib, 5 * PERIOD) is None
    lib.clear()
    with pytest.raises(OSError, match="cannot be read"):
        lib.replay(tmp_path / "missing.bin")
