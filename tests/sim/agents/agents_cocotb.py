"""cocotb side of test_agents.py: agents against the loop-back stand-in."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, ClassVar

import cocotb
import pyuvm
from cocotb.triggers import ClockCycles, Timer

from ref_model.events import (
    FrameIn,
    FrameOut,
    Irq,
    MemRead,
    MemWrite,
    PauseIn,
    PauseOut,
    RegRead,
    RegWrite,
    Reset,
    SideBand,
)
from ref_model.streams import stream
from tb.agents.axi import ErrorRegion
from tb.agents.axil import AxilItem
from tb.agents.generators import Latency
from tb.agents.pins import TransferAborted, now_ps
from tests.sim.agents.bench import MIXED, PERIOD, AgentTest

ENGINE, ENGINE_STEP, IRQ_REG, BAND_REG = 0x400, 0x20, 0x600, 0x604


def pattern(addr: int, length: int) -> bytes:
    """Return what the engine of the stand-in writes at ``addr``."""
    return bytes(((a & 0xFF) ^ (a >> 8 & 0xFF)) for a in range(addr, addr + length))


def frames(seed: int, lengths: Any) -> list[bytes]:
    """Return random frames of the given lengths."""
    rng = stream(seed, "frames")
    return [rng.randbytes(n) for n in lengths]


class EngineMixin:
    """Commands to the AXI master engines of the stand-in."""

    env: Any

    async def burst(self, n: int, addr: int, beats: int, size: int = 6, go: int = 1, tail: int = 0) -> None:
        """Start a burst on engine ``n`` and wait for its end."""
        base = ENGINE + n * ENGINE_STEP
        port = self.env.axil.port
        await port.write(base, addr & 0xFFFF_FFFF)
        await port.write(base + 4, addr >> 32)
        await port.write(base + 8, size << 8 | beats - 1)
        await port.write(base + 0x10, tail)
        await port.write(base + 0xC, go)
        while await port.read(base + 0x14) & 3:
            pass

    async def poll(self, n: int) -> None:
        """Read a register for ever."""
        while True:
            await self.env.axil.port.read(4 * n)


@pyuvm.test()
class FrameLengths(AgentTest):
    """Every frame of 60..200 bytes and around beat edges comes back, exact and in order, line rate."""

    async def scenario(self) -> None:
        """Send and compare."""
        lengths = [*range(60, 201), *range(255, 258), 1, 14, 64, 128, 1088, 4095, 4096, 4160, 9600]
        sent = frames(1, lengths)
        seen: list[tuple[int, FrameOut]] = []
        self.env.mac.on_frame_out.append(lambda event: seen.append((now_ps(), event)))
        for data in sent[:-1]:
            self.env.mac.send_nowait(data)
        self.env.mac.send_aborted(sent[0] * 4, 130)
        await self.env.mac.send(sent[-1], good=False)
        sent.insert(-1, (sent[0] * 4)[:130])
        await ClockCycles(self.dut.m_axi_aclk, 400)
        came_in = self.env.log.of(FrameIn)
        assert [e.data for e in came_in] == sent
        assert [e.good for e in came_in] == [True] * (len(sent) - 2) + [False, False]
        assert [e.data for _, e in seen] == sent
        assert all(at == e.settled for at, e in seen), "callback not in the time step of the last handshake"
        for event in came_in:
            beats = (len(event.data) + 63) // 64
            assert event.settled - event.begin >= (beats - 1) * PERIOD
        gap = 8 + 12
        for before, after in pairwise(came_in):
            least = (len(before.data) + gap) * 80 - PERIOD
            assert after.begin - before.begin >= least, "faster than 100 Gb/s"


@pyuvm.test()
class FrameStalls(AgentTest):
    """Frames survive gaps inside frames and heavy back-pressure; send waits for the last beat."""

    knobs: ClassVar[dict[str, dict[str, Any]]] = {
        "mac": {"gaps": MIXED["light"], "stalls": MIXED["heavy"]},
    }

    async def scenario(self) -> None:
        """Send from both inputs."""
        sent = frames(2, [60, 64, 65, 1500, 300])
        for data in sent:
            await self.env.mac.send(data)
            assert self.env.log.of(FrameIn)[-1].settled == now_ps()
            self.env.other_mac.send_nowait(data[::-1])
        for agent in self.env.agents:
            agent.calm()
        await ClockCycles(self.dut.m_axi_aclk, 300)
        out = self.env.log.of(FrameOut)
        assert [e.data for e in out if e.port == "tx"] == sent
        assert [e.data for e in out if e.port == "non_roce_host"] == [d[::-1] for d in sent]


@pyuvm.test()
class ZeroGap(AgentTest):
    """Without a line-rate limit frames follow at bus speed, one beat per clock."""

    knobs: ClassVar[dict[str, dict[str, Any]]] = {"mac": {"speed": 0}}

    async def scenario(self) -> None:
        """Ten frames of three beats take thirty clocks."""
        for data in frames(3, [180] * 10):
            self.env.mac.send_nowait(data)
        await ClockCycles(self.dut.m_axi_aclk, 60)
        events = self.env.log.of(FrameIn)
        assert len(events) == 10
        assert events[-1].settled - events[0].begin == 29 * PERIOD
        self.env.mac.hold_output()
        self.env.mac.send_nowait(b"held" * 20)
        await ClockCycles(self.dut.m_axi_aclk, 50)
        assert len(self.env.log.of(FrameOut)) == 10 and self.env.mac.monitor_out.open_begin() is not None
        self.env.mac.release_output()
        await ClockCycles(self.dut.m_axi_aclk, 10)
        out = self.env.log.of(FrameOut)
        assert len(out) == 11
        assert out[-1].settled - out[-1].begin > 40 * PERIOD, "begin is the first VALID, not the handshake"


@pyuvm.test()
class RegisterAccess(AgentTest):
    """Registers with any strobe, AW/W order and stall; event times follow the definition."""

    knobs: ClassVar[dict[str, dict[str, Any]]] = {
        "axil": {k: MIXED["heavy"] for k in ("skew", "b_stall", "r_stall")}
    }

    async def scenario(self) -> None:
        """Compare with a byte model."""
        port, rng = self.env.axil.port, stream(1, "registers")
        model: dict[int, int] = {}
        for _ in range(60):
            addr, data, strb = rng.randrange(16) * 4, rng.getrandbits(32), rng.randrange(16)
            old = model.get(addr, 0)
            mask = sum(0xFF << 8 * i for i in range(4) if strb >> i & 1)
            model[addr] = old & ~mask | data & mask
            assert await port.write(addr, data, strb) == 0
            assert await port.read(addr) == model[addr]
        writes, reads = self.env.log.of(RegWrite), self.env.log.of(RegRead)
        assert len(writes) == len(reads) == 60
        assert all(e.settled - e.begin == 2 * PERIOD for e in writes), "begin is the later of AW and W"
        assert all(e.settled - e.begin == PERIOD for e in reads)


@pyuvm.test()
class WriteOrder(AgentTest):
    """W may lead or follow AW by any number of clocks."""

    async def scenario(self) -> None:
        """Sweep the lead."""
        for lead in range(-16, 17):
            await self.env.axil.port.access(AxilItem(True, 0x10, lead & 0xFFFF, w_lead=lead))
            assert await self.env.axil.port.read(0x10) == lead & 0xFFFF


@pyuvm.test()
class MemoryBursts(AgentTest, EngineMixin):
    """Bursts of all shapes on all masters reach memory byte exact under stalls and latency."""

    knobs: ClassVar[dict[str, dict[str, Any]]] = {
        "memory": {
            "aw_stall": MIXED["light"],
            "w_stall": MIXED["heavy"],
            "ar_stall": MIXED["light"],
            "b_gap": MIXED["light"],
            "r_gap": MIXED["heavy"],
            "write_latency": Latency(1, 20),
            "read_latency": Latency(1, 20),
        }
    }

    async def scenario(self) -> None:
        """Write, look at memory and events, read back."""
        cases = [(0, 1, 6, 0), (0, 64, 6, 0), (0x27, 3, 6, 0)]
        cases += [(0xFC0, 1, 6, 5), (0x40, 2, 6, 1), (0xF01, 64, 2, 0)]
        memory = self.env.memory
        for n, (offset, beats, size, tail) in enumerate(cases):
            addr = memory.alloc(0x2000, align=0x1000) + offset
            aligned = addr & -(1 << size)
            stop = aligned + (beats << size)
            if tail:
                stop = aligned + ((beats - 1) << size) + tail
            await self.burst(n, addr, beats, size, go=1 | (n % 3) << 4, tail=tail)
            length = stop - addr
            assert memory.read(addr - 64, length + 128) == bytes(64) + pattern(addr, length) + bytes(64)
            event = self.env.log.of(MemWrite)[-1]
            assert event.addr == addr and event.resp == 0
            assert event.mask == bytes([1]) * length + bytes(len(event.mask) - length)
            assert event.data[:length] == pattern(addr, length)
            await self.burst(n, addr, beats, size, go=2)
            read = self.env.log.of(MemRead)[-1]
            assert (read.addr, read.port) == (addr, event.port)
            assert read.data[:length] == pattern(addr, length)


@pyuvm.test()
class MemoryErrors(AgentTest, EngineMixin):
    """An error region answers SLVERR or DECERR and leaves memory as it was."""

    async def scenario(self) -> None:
        """One write and one read that touch the region."""
        area = self.env.memory.alloc(0x1000, align=0x1000)
        self.env.memories["qp_mgr"].set_error_regions([ErrorRegion(area + 0x80, area + 0xC0, resp=3)])
        await self.burst(0, area, 4)
        assert self.env.log.of(MemWrite)[-1].resp == 3
        assert self.env.memory.read(area, 256) == bytes(256)
        await self.burst(0, area, 4, go=2)
        assert self.env.log.of(MemRead)[-1].resp == 3
        await self.burst(1, area, 4)
        assert self.env.log.of(MemWrite)[-1].resp == 0


@pyuvm.test()
class FastMemory(AgentTest, EngineMixin):
    """Latency 1 and no stalls: the response comes one clock after the last handshake."""

    knobs: ClassVar[dict[str, dict[str, Any]]] = {
        "memory": {"write_latency": Latency(1, 1), "read_latency": Latency(1, 1)}
    }

    async def scenario(self) -> None:
        """Read of four beats: address, then a beat per clock."""
        area = self.env.memory.alloc(0x1000, align=0x1000)
        await self.burst(2, area, 4)
        await self.burst(2, area, 4, go=2)
        write, read = self.env.log.of(MemWrite)[0], self.env.log.of(MemRead)[0]
        assert write.settled - write.begin == 4 * PERIOD
        assert read.settled - read.begin == 4 * PERIOD
        await self.burst(3, area, 4, go=1 | 3 << 4)
        ahead = self.env.log.of(MemWrite)[1]
        assert ahead.settled - ahead.begin == 4 * PERIOD, "begin is the first WVALID where W leads"


@pyuvm.test()
class InOrder(AgentTest, EngineMixin):
    """Two reads of different ids come back in the order in which they were asked for."""

    knobs: ClassVar[dict[str, dict[str, Any]]] = {"memory": {"read_latency": Latency(1, 60)}}
    last = frozenset({1})

    async def scenario(self) -> None:
        """Twenty pairs; which id ended last is in the status register."""
        area = self.env.memory.alloc(0x1000, align=0x1000)
        self.env.memory.write(area, pattern(area, 128))
        seen = set()
        for _ in range(20):
            await self.burst(2, area, 2, go=2 | 4)
            seen.add(await self.env.axil.port.read(ENGINE + 2 * ENGINE_STEP + 0x14) >> 4 & 1)
        assert seen == self.last
        reads = self.env.log.of(MemRead)
        assert [(e.addr, e.data) for e in reads] == [(area, pattern(area, 128))] * 40


@pyuvm.test()
class Overtaking(InOrder):
    """With ``reorder`` the read with the shorter latency ends first, whichever id it has."""

    knobs: ClassVar[dict[str, dict[str, Any]]] = {
        "memory": {"read_latency": Latency(1, 60), "reorder": True},
    }
    last = frozenset({0, 1})


@pyuvm.test()
class CommitAtResponse(AgentTest, EngineMixin):
    """Written data is in memory when the response is on the bus, and not before."""

    knobs: ClassVar[dict[str, dict[str, Any]]] = {"memory": {"write_latency": Latency(40, 40)}}

    async def scenario(self) -> None:
        """Look into memory while the response is on its way."""
        area, monitor = self.env.memory.alloc(64), self.env.memories["resp_hndler"].monitor
        task = cocotb.start_soon(self.burst(5, area, 1))
        while not monitor.outstanding_max:
            await self.dut.m_axi_aclk.rising_edge
        await ClockCycles(self.dut.m_axi_aclk, 36)
        assert self.env.memory.read(area, 64) == bytes(64) and monitor.open_begin() is not None
        await task
        assert self.env.memory.read(area, 64) == pattern(area, 64)


@pyuvm.test()
class Tokens(AgentTest, EngineMixin):
    """Each monitor sees its own token exactly once and nobody else's (B133)."""

    async def scenario(self) -> None:
        """One stimulus per interface; everything counted per monitor."""
        env = self.env
        for n in range(6):
            await self.burst(n, env.memory.alloc(64), 1, go=3)
        await env.mac.send(b"roce" * 16)
        await env.other_mac.send(b"else" * 16)
        await env.host_stream.send(b"host" * 16)
        await env.sources["sq_pidb"].send(0x18_0048, 7)
        await env.sources["rq_cidb"].send(0x18_0044, 9)
        await env.axil.port.write(BAND_REG, 0x77)
        await env.axil.port.write(IRQ_REG, 1)
        await env.irq.wait_level(1, 100 * PERIOD)
        await env.axil.port.write(IRQ_REG, 0)
        await env.irq.wait_level(0, 100 * PERIOD)
        await env.pause.request(3, 8)
        await ClockCycles(self.dut.m_axi_aclk, 60)
        env.log.fetch()
        got = {m.get_full_name(): m.count for m in env.monitors if "axil" not in m.get_full_name()}
        two = {n for n in got if n.split(".")[2] in (*env.memories, "irq", "pause")}
        assert {n: c for n, c in got.items() if n not in two and "protocol" not in n} == {
            n: 1 for n in got if n not in two and "protocol" not in n
        }, got
        assert all(got[n] == 2 for n in two), got
        ports = [e.port for e in env.log.of(MemWrite)]
        assert ports == list(env.memories)
        bands = {e.port: e.values for e in env.log.of(SideBand)}
        assert bands == {
            "ieth_immdt": (0x1111_0000_0000_0077,),
            "send_cq_db": (0x222, 0x77),
            "rq_db": (0x333, 0x77),
            "sq_pidb": (0x18_0048, 7),
            "rq_cidb": (0x18_0044, 9),
        }
        assert [e.level for e in env.log.of(Irq)] == [1, 0]
        assert [e.value for e in env.log.of(PauseIn)] == [0x108] == [e.value for e in env.log.of(PauseOut)]
        assert [(e.port, e.data[:4]) for e in env.log.of(FrameIn)] == [
            ("roce_rx", b"roce"),
            ("non_roce_rx", b"else"),
            ("non_roce_tx", b"host"),
        ]


@pyuvm.test()
class ResetInFlight(AgentTest, EngineMixin):
    """A reset releases everybody who waits with an error, and everything works again afterwards."""

    async def scenario(self) -> None:
        """Cut a frame, a register access, a burst and a side-band beat, then use all of them."""
        env = self.env
        outcome: dict[str, str] = {}

        async def cut(name: str, work: Any) -> None:
            try:
                await work
                outcome[name] = "done"
            except TransferAborted as error:
                outcome[name] = str(error)

        env.memories["qp_mgr"].hold("w")
        env.sinks["rq_db"].hold()
        await env.axil.port.write(BAND_REG, 1)
        cocotb.start_soon(cut("frame", env.mac.send(bytes(9000))))
        cocotb.start_soon(cut("burst", self.burst(0, env.memory.alloc(4096), 8)))
        for n in range(3):
            cocotb.start_soon(cut(f"register {n}", self.poll(n)))
        await Timer(700, "ns")
        await env.clock_reset.reset()
        env.memories["qp_mgr"].release("w")
        env.sinks["rq_db"].release()
        await Timer(10, "ns")
        assert "reset cut a frame of 9000 bytes" in outcome["frame"], outcome
        assert "reset during the" in outcome["burst"], outcome
        assert all("reset during the read" in outcome[f"register {n}"] for n in range(3)), outcome
        assert [e.asserted for e in env.log.of(Reset)] == [True, False, True, False]
        frames_before = len(env.log.of(FrameIn))
        assert frames_before == 0 and not env.log.of(MemWrite)
        await env.mac.send(b"again" * 30)
        await self.burst(0, env.memory.alloc(4096), 8)
        await env.axil.port.write(BAND_REG, 2)
        await ClockCycles(self.dut.m_axi_aclk, 60)
        assert [e.data for e in env.log.of(FrameOut)] == [b"again" * 30]
        assert [e.values[1] for e in env.log.of(SideBand) if e.port == "rq_db"] == [2]
        assert len(env.log.of(MemWrite)) == 1
