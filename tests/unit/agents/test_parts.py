"""Parts of the agents that need no simulator."""

from __future__ import annotations

from itertools import pairwise
from types import SimpleNamespace

import pytest

from ref_model.errors import UserError
from ref_model.events import HostWrite
from ref_model.rclink import ports
from tb.agents import ernic_pins, hermon_pins, rclink_pins
from tb.agents.axi import Burst, ErrorRegion, lanes, strobe_mask
from tb.agents.axis_mac import _LinePacer
from tb.agents.generators import Latency, StallConfig, StallMode, Stalls
from tb.agents.host_memory import GUARD, HostMemory
from tb.agents.mac import MacConfig
from tb.agents.pins import word
from tb.agents.protocol import Breach, CheckerKind


@pytest.mark.parametrize("mode", list(StallMode))
def test_stalls_repeat_and_differ_by_path(mode: StallMode) -> None:
    """The same seed and path give the same draws; another path gives others, except for none."""
    config = StallConfig.named(mode)
    first, again, other = (
        [source.draw() for _ in range(300)] for source in (Stalls(config, 5, p) for p in ("a", "a", "b"))
    )
    assert first == again
    assert (first == other) == (mode is StallMode.NONE)
    assert all(0 <= n <= config.high for n in first)
    assert any(first) == (mode is not StallMode.NONE)


def test_bursts_pass_runs_freely() -> None:
    """Between two long stalls lie at least eight free items."""
    source = Stalls(StallConfig.named("bursts"), 1, "x")
    draws = [source.draw() for _ in range(500)]
    stalled = [i for i, n in enumerate(draws) if n]
    assert all(b - a > 8 for a, b in pairwise(stalled))
    assert all(16 <= draws[i] <= 100 for i in stalled)


@pytest.mark.parametrize(
    "make",
    [
        lambda: StallConfig.named("wild"),
        lambda: StallConfig(StallMode.LIGHT, low=0),
        lambda: StallConfig(StallMode.BURSTS, run_low=9, run_high=2),
        lambda: Latency(0, 4),
        lambda: ErrorRegion(8, 8),
        lambda: ErrorRegion(0, 8, resp=1),
        lambda: MacConfig(None, speed=-1),
        lambda: HostMemory().alloc(0),
        lambda: HostMemory().alloc(8, align=48),
        lambda: ernic_pins.memory_config(None, "qp", HostMemory(), 0),
        lambda: ernic_pins.side_band_config(None, "nope", 0),
    ],
)
def test_wrong_settings_say_what_is_allowed(make: object) -> None:
    """Each is a UserError of one line."""
    with pytest.raises(UserError, match="allowed") as caught:
        make()  # type: ignore[operator]
    assert "\n" not in str(caught.value)


def burst(addr: int, beats: int, size: int) -> Burst:
    """Return an INCR burst."""
    return Burst(0, 0, addr, beats, size, 1)


def test_lanes_of_full_width_burst_start_at_its_address() -> None:
    """An unaligned first beat gives the bytes from the address to the end of the word."""
    words = [int.from_bytes(bytes(range(i * 8, i * 8 + 8)), "little") for i in range(3)]
    assert lanes(burst(0x103, 3, 3), words, 8) == bytes(range(3, 24))
    assert strobe_mask(burst(0x103, 3, 3), [0xF8, 0xFF, 0x0F], 8) == bytes([1] * 17 + [0] * 4)


def test_lanes_of_narrow_burst_walk_the_bus() -> None:
    """Two-byte beats from an odd address: 1, 2, 2 bytes from the lanes their addresses name."""
    word_bytes = int.from_bytes(bytes(range(8)), "little")
    assert lanes(burst(0x105, 3, 1), [word_bytes] * 3, 8) == bytes([5, 6, 7, 0, 1])
    assert burst(0xF01, 4, 2).beat_addresses() == [0xF01, 0xF04, 0xF08, 0xF0C]


def test_host_memory_publishes_its_own_writes_only() -> None:
    """HostWrite for write(), nothing for store(); untouched bytes are 0, masks are bytewise."""
    memory = HostMemory(clock=lambda: 77)
    seen: list[object] = []
    memory.ap.connect(SimpleNamespace(write=seen.append))
    memory.write(0xFFE, b"\x01\x02\x03\x04")
    memory.store(0xFFF, b"\xaa\xbb\xcc", bytes([1, 0, 1]))
    assert seen == [HostWrite(77, 0xFFE, b"\x01\x02\x03\x04")]
    assert memory.read(0xFFC, 8) == b"\x00\x00\x01\xaa\x03\xcc\x00\x00"


def test_areas_keep_their_distance() -> None:
    """Aligned, in order, a guard zone between any two."""
    memory = HostMemory(base=0x1_0000_0000)
    first = memory.alloc(100, name="sq")
    second = memory.alloc(4096, align=4096, name="cq")
    assert first == 0x1_0000_0000 and second % 4096 == 0 and second >= first + 100 + GUARD
    assert memory.areas == [("sq", first, 100), ("cq", second, 4096)]


def test_pacer_holds_the_line_rate() -> None:
    """Sixty-four bytes at 100 Gb/s take 5.12 ns of line time; the FIFO lets a burst pass first."""
    pacer = _LinePacer(MacConfig(None, fifo=128))
    now, beats = 0, 200
    for _ in range(beats):
        pacer.take(64, False, now)
        now += 4000 * (1 + pacer.stall(now))
    assert 0.95 < (beats * 5120) / now < 1.05
    assert _LinePacer(MacConfig(None, speed=0)).stall(0) == 0


def test_word_reads_unknown_bits_as_zero() -> None:
    """X and Z of a 4-state simulator."""
    pin = SimpleNamespace(_handle=SimpleNamespace(get_signal_val_binstr=lambda: "1X0Z1"))
    assert word(pin) == 0b10001


def test_checker_tables_have_dense_bits() -> None:
    """Bits count from 0 without holes, texts are unique."""
    for kind in CheckerKind:
        assert sorted(kind.value) == list(range(len(kind.value)))
        assert len({text for _, text in kind.value.values()}) == len(kind.value)


def test_ernic_has_a_checker_per_interface() -> None:
    """Six masters, the register port, three streams, two side-bands, the interrupt."""
    names = [checker.name for checker in ernic_pins.CHECKERS]
    assert len(names) == len(set(names)) == 13
    assert {f"{port}_m_axi" for port in ernic_pins.MEMORY_PORTS} < set(names)


def test_rclink_has_a_checker_per_interface() -> None:
    """Two masters with limits, the register port, both framed outputs, credit, CC, pulses and levels."""
    pairs = [(checker.name, checker.kind) for checker in rclink_pins.CHECKERS]
    assert len(pairs) == len(set(pairs)) == 11
    assert {f"{port}_m_axi" for port in rclink_pins.MEMORY_PORTS} < {name for name, _ in pairs}
    assert set(rclink_pins.LEVELS) == {*ports.LEVELS_IN, *ports.LEVELS_OUT}


def test_hermon_has_a_checker_per_interface() -> None:
    """The master with its limits, both register ports, status stream, interrupts, ready of reports."""
    pairs = [(checker.name, checker.kind) for checker in hermon_pins.CHECKERS]
    assert len(pairs) == len(set(pairs)) == 7
    assert {breach for breach in Breach if breach is not Breach.BENCH} - set(hermon_pins.BREACHES) == {
        Breach.FRAMING,
        Breach.CREDIT,
        Breach.EXCLUSIVE,
    }
