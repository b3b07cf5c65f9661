"""cocotb side of the simulator benchmarks: each case drives one design and writes what it measured.

Rates are items per second of wall time between the first and the last item, without start-up. Every case
checks the data it moved: a benchmark that moves nothing right measures nothing.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import Event, Timer
from cocotbext.axi import (
    AxiBus,
    AxiLiteBus,
    AxiLiteMaster,
    AxiRam,
    AxiStreamBus,
    AxiStreamSink,
    AxiStreamSource,
)
from pyuvm import ConfigDB, uvm_root, uvm_test

from ref_model.streams import stream
from tb.agents.axi import AxiMemoryAgent, AxiMemoryConfig
from tb.agents.axil import AxilAgent, AxilConfig
from tb.agents.channels import SinkChannel, SourceChannel
from tb.agents.generators import Latency, StallConfig
from tb.agents.host_memory import HostMemory
from tb.agents.pins import now_ps, word
from tb.bench._simulate import RESULT
from tb.fast.engine import GOOD, EngineMemory, Purpose, engine

PERIOD = 4000
LENGTHS = (64, 1024, 4096)
BURST = 4096
#: Wall seconds one measurement should take at least.
ENOUGH = 0.7


async def prepare(dut: Any) -> None:
    """Start the clock and go through a reset."""
    for name in ("m_axis_tready", "s_axis_tvalid"):
        pin = getattr(dut, name, None)
        if pin is not None:
            pin.value = 0
    dut.clk.value = 0
    dut.rst.value = 1
    await Timer(1, "ns")
    Clock(dut.clk, PERIOD, unit="ps", impl="gpi").start(start_high=False)
    await Timer(20 * PERIOD, "ps")
    dut.rst.value = 0
    await Timer(4 * PERIOD + 100, "ps")


def keep(values: dict[str, float]) -> None:
    """Write the measurements for the process that started the simulator."""
    Path(os.environ[RESULT]).write_text(json.dumps(values), encoding="utf-8")


async def rate(move: Callable[[int], Awaitable[None]], first: int) -> float:
    """Return items per second of ``move(count)``, ``count`` growing from ``first`` until it takes long."""
    count = first
    while True:
        start = time.perf_counter()
        await move(count)
        spent = time.perf_counter() - start
        if spent >= ENOUGH:
            return count / spent
        count = max(2 * count, int(1.3 * count * ENOUGH / max(spent, 1e-3)))


def frames(length: int) -> list[bytes]:
    """Sixteen different frames."""
    rng = stream(length, "bench")
    return [rng.randbytes(length) for _ in range(16)]


@cocotb.test()
async def loop_fast(dut: Any) -> None:
    """Whole frames through the C engine, in batches; Python wakes once per frame."""
    lib = engine()
    lib.clear()
    lib.open_source(0, 64, 0, 12, PERIOD)
    lib.open_sink(1, 64, 0, 12, 512, PERIOD)
    lib.wake(1, 1)
    none = StallConfig()
    lib.generator(0, Purpose.MAIN, none, 1, "gaps")
    lib.generator(1, Purpose.MAIN, none, 1, "stalls")
    await prepare(dut)
    values: dict[str, float] = {}
    for length in LENGTHS:
        sent = frames(length)

        async def move(count: int, sent: list[bytes] = sent) -> None:
            now, seen = now_ps(), 0
            for number in range(count):
                data = sent[number % 16]
                lib.put(0, now, data, GOOD)
            while seen < count:
                await dut.fast_wake.value_change
                for item in lib.drain():
                    assert item.data == sent[seen % 16]
                    seen += 1

        values[str(length)] = await rate(move, 64)
    keep(values)


def lanes(chunk: bytes) -> tuple[int, int]:
    """TDATA and TKEEP of a beat."""
    return int.from_bytes(chunk, "little"), (1 << len(chunk)) - 1


@cocotb.test()
async def loop_python(dut: Any) -> None:
    """The channels of tb/agents: one pin read and one wake per beat."""
    values: dict[str, float] = {}
    dut.s_axis_tvalid.value = 0
    await prepare(dut)
    parts: list[bytes] = []
    got: list[bytes] = []
    done = Event()

    def on_beat(begin: int, now: int) -> None:
        count = word(dut.m_axis_tkeep).bit_length()
        parts.append(word(dut.m_axis_tdata).to_bytes(64, "little")[:count])
        if word(dut.m_axis_tlast):
            got.append(b"".join(parts))
            parts.clear()
            done.set()

    def drive(beat: tuple[int, int, int]) -> None:
        dut.s_axis_tdata.value, dut.s_axis_tkeep.value, dut.s_axis_tlast.value = beat

    source: SourceChannel[tuple[int, int, int]] = SourceChannel(
        dut.clk, dut.s_axis_tvalid, dut.s_axis_tready, drive
    )
    sink = SinkChannel(dut.clk, dut.m_axis_tvalid, dut.m_axis_tready, on_beat, stalls=lambda: 0)
    source.start()
    sink.start()
    for length in LENGTHS:
        sent = frames(length)
        cut = [
            [(*lanes(data[at : at + 64]), at + 64 >= length) for at in range(0, length, 64)] for data in sent
        ]

        async def move(
            count: int, cut: list[list[tuple[int, int, bool]]] = cut, sent: list[bytes] = sent
        ) -> None:
            got.clear()
            for number in range(count):
                for data, strobes, last in cut[number % 16]:
                    source.put((data, strobes, int(last)))
            while len(got) < count:
                done.clear()
                await done.wait()
            assert all(data == sent[number % 16] for number, data in enumerate(got))

        values[str(length)] = await rate(move, 16)
    keep(values)


@cocotb.test()
async def loop_cocotbext(dut: Any) -> None:
    """AxiStreamSource and AxiStreamSink of cocotbext-axi."""
    source = AxiStreamSource(AxiStreamBus.from_prefix(dut, "s_axis"), dut.clk, dut.rst)
    sink = AxiStreamSink(AxiStreamBus.from_prefix(dut, "m_axis"), dut.clk, dut.rst)
    source.log.setLevel("WARNING")
    sink.log.setLevel("WARNING")
    await prepare(dut)
    values: dict[str, float] = {}
    for length in LENGTHS:
        sent = frames(length)

        async def move(count: int, sent: list[bytes] = sent) -> None:
            for number in range(count):
                source.send_nowait(sent[number % 16])
            for number in range(count):
                frame = await sink.recv()
                assert bytes(frame.tdata) == sent[number % 16]

        values[str(length)] = await rate(move, 8)
    keep(values)


def check(image: bytes) -> None:
    """The master writes its burst number and the beat into every word; a burst may be under way."""
    numbers = set()
    for beat in range(64):
        words = {image[at : at + 8] for at in range(64 * beat, 64 * beat + 64, 8)}
        value = int.from_bytes(words.pop(), "little")
        assert not words and value & 0xFFFFFFFF == beat
        numbers.add(value >> 32)
    assert max(numbers) > 0 and len(numbers) <= 2


async def bursts(dut: Any, look: Callable[[int], bytes]) -> None:
    """Measure MB/s moved by the master, both directions; ``look(address)`` returns the memory there."""

    async def move(count: int) -> None:
        target = word(dut.bursts) + count
        while word(dut.bursts) < target:
            await Timer(64 * 70 * PERIOD, "ps")

    per_second = await rate(move, 64)
    check(look(0))
    keep({"MB/s": per_second * BURST / 1e6})


@cocotb.test()
async def memory_fast(dut: Any) -> None:
    """The memory of the C engine, every burst handed to Python as one item."""
    lib = engine()
    lib.clear()
    lib.open_memory(2, 64, PERIOD, False)
    for write in (False, True):
        lib.latency(2, write, Latency(1, 1), 1, "latency")
    for purpose in (Purpose.AW, Purpose.W, Purpose.AR, Purpose.B, Purpose.R):
        lib.generator(2, purpose, StallConfig(), 1, "none")
    memory = EngineMemory(lib, now_ps)

    async def fetch() -> None:
        while True:
            await Timer(64 * 70 * PERIOD, "ps")
            for item in lib.drain():
                assert len(item.data) == BURST

    await prepare(dut)
    cocotb.start_soon(fetch())
    await bursts(dut, lambda addr: memory.read(addr, BURST))


@cocotb.test()
async def memory_cocotbext(dut: Any) -> None:
    """AxiRam of cocotbext-axi."""
    ram = AxiRam(AxiBus.from_prefix(dut, "m_axi"), dut.clk, dut.rst, size=1 << 16)
    for part in (ram.write_if, ram.read_if):
        part.log.setLevel("WARNING")
    await prepare(dut)
    await bursts(dut, lambda addr: bytes(ram.read(addr, BURST)))


async def reads(read: Callable[[int], Awaitable[int]]) -> None:
    """Measure register reads per second."""

    async def move(count: int) -> None:
        for number in range(count):
            assert await read(4 * (number & 0xFF)) == 4 * (number & 0xFF)

    keep({"reads/s": await rate(move, 200)})


@cocotb.test()
async def registers_cocotbext(dut: Any) -> None:
    """AxiLiteMaster of cocotbext-axi."""
    master = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axil"), dut.clk, dut.rst)
    for part in (master.write_if, master.read_if):
        part.log.setLevel("WARNING")
    await prepare(dut)
    await reads(lambda addr: master.read_dword(addr))


class _PortTest(uvm_test):
    """One agent on the pins of a design, and a measurement in its run phase."""

    async def run_phase(self) -> None:
        """Reset, measure."""
        self.raise_objection()
        await prepare(cocotb.top)
        await self.measure()
        self.drop_objection()

    async def measure(self) -> None:
        """What the test measures."""
        raise NotImplementedError

    def add(self, kind: Any, config: Any) -> Any:
        """Create an agent with its configuration."""
        ConfigDB().set(self, "agent", "config", config)
        return kind.create("agent", self)


class RegisterTest(_PortTest):
    """The register agent of the test bench."""

    def build_phase(self) -> None:
        """Create the agent."""
        dut: Any = cocotb.top
        self.agent = self.add(AxilAgent, AxilConfig(dut, "s_axil", dut.clk, dut.rst, 1))

    async def measure(self) -> None:
        """Read."""
        await reads(self.agent.port.read)


class MemoryTest(_PortTest):
    """The memory agent in Python."""

    def build_phase(self) -> None:
        """Create the agent."""
        dut: Any = cocotb.top
        self.memory = HostMemory()
        one = Latency(1, 1)
        config = AxiMemoryConfig(
            dut, "m_axi", "m", dut.clk, dut.rst, self.memory, 1, write_latency=one, read_latency=one
        )
        self.agent = self.add(AxiMemoryAgent, config)

    async def measure(self) -> None:
        """Let the master run."""
        await bursts(cocotb.top, lambda addr: self.memory.read(addr, BURST))


@cocotb.test()
async def registers_agent(_: Any) -> None:
    """Sequencer, driver and monitor of tb/agents/axil.py."""
    await uvm_root().run_test(RegisterTest)


@cocotb.test()
async def memory_python(_: Any) -> None:
    """Responder and monitor of tb/agents/axi.py."""
    await uvm_root().run_test(MemoryTest)
