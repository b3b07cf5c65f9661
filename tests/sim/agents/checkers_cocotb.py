"""cocotb side of test_agents.py: each checker rule bites on a broken sequence, none on a legal one."""

from __future__ import annotations

from typing import Any

import cocotb
import pyuvm
from cocotb.triggers import ClockCycles, Timer
from cocotbext.axi import AxiBus, AxiMaster
from pyuvm import ConfigDB, uvm_test

from ref_model.errors import UserError
from ref_model.events import MemRead, MemWrite, ProtocolViolation
from ref_model.streams import stream
from tb.agents.axi import AxiMemoryAgent, AxiMemoryConfig
from tb.agents.clock_reset import ClockReset
from tb.agents.ernic_pins import BREACHES as ERNIC
from tb.agents.generators import Latency
from tb.agents.host_memory import HostMemory
from tb.agents.pins import ClockResetPins, now_ps, quiet_models
from tb.agents.protocol import BENCH, Breach, Checker, CheckerKind, ProtocolConfig, ProtocolMonitor
from tests.sim.agents.bench import MIXED, PERIOD, Log

Step = dict[str, Any]  # levels to drive after an edge; "x" is X on all bits
NAMES = {
    CheckerKind.AXI4: "m",
    CheckerKind.AXI4LITE: "s",
    CheckerKind.AXIS: "t",
    CheckerKind.PIN: "pin",
    CheckerKind.FRAMED: "f",
    CheckerKind.CREDIT: "c",
    CheckerKind.EXCLUSIVE: "e",
    CheckerKind.AXI4_LIMITS: "l",
}
SUFFIXES = {
    "m": "awid awaddr awlen awsize awburst awlock awcache awprot awvalid awready "
    "wdata wstrb wlast wvalid wready bid bresp bvalid bready "
    "arid araddr arlen arsize arburst arlock arcache arprot arvalid arready "
    "rid rdata rresp rlast rvalid rready",
    "s": "awaddr awvalid awready wdata wstrb wvalid wready bresp bvalid bready "
    "araddr arvalid arready rdata rresp rvalid rready",
    "t": "tdata tkeep tlast tvalid tready",
    "f": "valid ready first last data tail words",
    "c": "valid credit restore",
    "e": "one other",
    "l": "awid awlen awsize awvalid awready bid bvalid bready "
    "arid arlen arsize arvalid arready rid rlast rvalid rready",
}
BREACHES = {**dict.fromkeys(Breach, "RCL-000"), **ERNIC, Breach.BENCH: BENCH}
INPUTS = [f"{p}_{s}" for p, names in SUFFIXES.items() for s in names.split()] + ["pin"]


def address(channel: str, ready: int = 1, **change: Any) -> Step:
    """Return an AW or AR beat: one 8-byte transfer at 0x100 unless changed."""
    beat = {"addr": 0x100, "len": 0, "size": 3, "burst": 1, "valid": 1, "ready": ready} | change
    return {f"m_{channel}{name}": value for name, value in beat.items()}


def data(ready: int = 1, last: int = 1, strb: int = 0xFF, **change: Any) -> Step:
    """Return a W beat."""
    return {"m_wvalid": 1, "m_wready": ready, "m_wlast": last, "m_wstrb": strb} | change


def off(*channels: str) -> Step:
    """Return the step that takes VALID of the channels away."""
    return {f"{c}valid": 0 for c in channels}


def stall(prefix: str, change: Step) -> list[Step]:
    """Return VALID without READY, then ``change`` while it waits."""
    return [{f"{prefix}valid": 1}, change, off(prefix)]


LITE_ADDRESS = {"s_awvalid": 1, "s_awready": 1, "s_wvalid": 1, "s_wready": 1}
LITE_READ = {"s_arvalid": 1, "s_arready": 1}
FRAME = {"f_valid": 1, "f_ready": 1, "f_first": 1, "f_last": 1, "f_tail": 0xFF}
MORE = FRAME | {"f_first": 0}
SPEND = {"c_valid": 1}
LIMITED_AW = {"l_awvalid": 1, "l_awready": 1, "l_awsize": 3}
LIMITED_AR = {"l_arvalid": 1, "l_arready": 1, "l_arsize": 3}
BEAT = {"t_tvalid": 1, "t_tready": 1, "t_tkeep": 0xFF, "t_tlast": 1}

NEGATIVE: dict[CheckerKind, dict[int, list[Step]]] = {
    CheckerKind.AXI4: {
        0: [address("aw", 0), off("m_aw")],
        1: [address("aw", 0), {"m_awaddr": 0x108}, {"m_awready": 1}, off("m_aw")],
        2: [data(0), off("m_w")],
        3: [data(0), {"m_wdata": 5}, {"m_wready": 1}, off("m_w")],
        4: [address("ar", 0), off("m_ar")],
        5: [address("ar", 0), {"m_arlen": 3}, {"m_arready": 1}, off("m_ar")],
        6: [address("aw", addr=0xFF8, len=1), off("m_aw")],
        7: [address("ar", addr=0x7808, len=255), off("m_ar")],
        8: [address("aw", burst=0), off("m_aw")],
        9: [address("ar", burst=2), off("m_ar")],
        10: [address("aw", size=4), off("m_aw")],
        11: [address("ar", size=5), off("m_ar")],
        12: [address("aw", len=3), off("m_aw") | data(last=0), data(last=1), off("m_w")],
        13: [address("aw", len=1), off("m_aw") | data(last=0), data(last=0), off("m_w")],
        14: [address("aw", addr=0x104, size=2), off("m_aw") | data(strb=0x0F), off("m_w")],
        15: [data(last=0), data(last=1), off("m_w") | address("aw", len=0), off("m_aw")],
        16: [{"resetn": 0} | address("aw"), {}, {}, off("m_aw"), {"resetn": 1}],
        17: [{"m_awvalid": "x"}, off("m_aw")],
        18: [address("aw", addr="x"), off("m_aw")],
        19: [{"m_bvalid": 1, "m_bready": 1}, off("m_b")],
        20: [{"m_rvalid": 1, "m_rready": 1}, off("m_r")],
        21: [address("ar", len=1), off("m_ar") | {"m_rvalid": 1, "m_rready": 1, "m_rlast": 1}, off("m_r")],
        22: [address("aw")] + [{}] * 4 + [off("m_aw")],
    },
    CheckerKind.AXI4LITE: {
        0: [LITE_ADDRESS, off("s_aw", "s_w") | {"s_bvalid": 1}, off("s_b")],
        1: [LITE_ADDRESS, off("s_aw", "s_w") | {"s_bvalid": 1}, {"s_bresp": 2}, {"s_bready": 1}, off("s_b")],
        2: [LITE_READ, off("s_ar") | {"s_rvalid": 1}, off("s_r")],
        3: [LITE_READ, off("s_ar") | {"s_rvalid": 1}, {"s_rdata": 2}, {"s_rready": 1}, off("s_r")],
        4: [{"s_awvalid": 1, "s_awready": 1}, off("s_aw") | {"s_bvalid": 1, "s_bready": 1}, off("s_b")],
        5: [{"s_rvalid": 1, "s_rready": 1}, off("s_r")],
        6: [{"resetn": 0, "s_bvalid": 1}, {}, {}, off("s_b"), {"resetn": 1}],
        7: [{"s_awready": "x"}, {"s_awready": 0}],
        8: [LITE_READ, off("s_ar") | {"s_rvalid": 1, "s_rready": 1, "s_rresp": "x"}, off("s_r")],
        9: [{"s_awvalid": 1}, {"s_awaddr": 4}, {"s_awready": 1}, off("s_aw")],
        10: [LITE_READ, off("s_ar") | {"s_rvalid": 1, "s_rready": 1, "s_rdata": "x"}, off("s_r")],
    },
    CheckerKind.AXIS: {
        0: [BEAT | {"t_tready": 0}, off("t_t")],
        1: [BEAT | {"t_tready": 0}, {"t_tdata": 9}, {"t_tready": 1}, off("t_t")],
        2: [BEAT | {"t_tkeep": 0b1011}, off("t_t")],
        3: [BEAT | {"t_tkeep": 0x7F, "t_tlast": 0}, off("t_t")],
        4: [BEAT | {"t_tkeep": 0}, off("t_t")],
        5: [{"resetn": 0} | BEAT, {}, {}, off("t_t"), {"resetn": 1}],
        6: [{"t_tvalid": "x"}, off("t_t")],
        7: [BEAT | {"t_tlast": "x"}, off("t_t")],
    },
    CheckerKind.PIN: {
        0: [{"resetn": 0, "pin": 1}, {}, {}, {"pin": 0}, {"resetn": 1}],
        1: [{"pin": "x"}, {"pin": 0}],
    },
    CheckerKind.FRAMED: {
        0: [FRAME | {"f_ready": 0}, off("f_")],
        1: [FRAME | {"f_ready": 0}, {"f_words": 2}, {"f_ready": 1}, off("f_")],
        2: [MORE, off("f_")],
        3: [FRAME | {"f_last": 0}, {"f_last": 1}, off("f_")],
        4: [FRAME | {"f_tail": 0xF4}, off("f_")],
        5: [FRAME | {"f_last": 0, "f_tail": 0xFE}, MORE, off("f_")],
        6: [FRAME | {"f_tail": 0}, off("f_")],
        7: [{"resetn": 0} | FRAME, {}, {}, off("f_"), {"resetn": 1}],
        8: [{"f_valid": "x"}, off("f_")],
        9: [FRAME | {"f_words": "x"}, off("f_")],
    },
    CheckerKind.CREDIT: {0: [SPEND, {}, {}, off("c_")]},
    CheckerKind.EXCLUSIVE: {0: [{"e_one": 1, "e_other": 1}, {"e_one": 0, "e_other": 0}]},
    CheckerKind.AXI4_LIMITS: {
        0: [LIMITED_AW | {"l_awlen": 4}, off("l_aw")],
        1: [LIMITED_AR | {"l_arlen": 2}, off("l_ar")],
        2: [LIMITED_AW | {"l_awsize": 2}, off("l_aw")],
        3: [LIMITED_AR | {"l_arsize": 5}, off("l_ar")],
        4: [LIMITED_AW | {"l_awid": 1}, {}, off("l_aw")],
        5: [LIMITED_AR | {"l_arid": 1}, off("l_ar"), {"l_arvalid": 1}, off("l_ar")],
    },
}
FOUR_STATE = {
    CheckerKind.AXI4: {17, 18},
    CheckerKind.AXI4LITE: {7, 8, 10},
    CheckerKind.AXIS: {6, 7},
    CheckerKind.PIN: {1},
    CheckerKind.FRAMED: {8, 9},
    CheckerKind.CREDIT: set(),
    CheckerKind.EXCLUSIVE: set(),
    CheckerKind.AXI4_LIMITS: set(),
}


def burst(addr: int, length: int, size: int, strobes: list[int], ahead: int = 0) -> list[Step]:
    """Return a legal write with its response, ``ahead`` data beats before the address."""
    strobes = strobes + [0] * (length + 1 - len(strobes))
    beats = [data(last=int(i == length), strb=strobe) for i, strobe in enumerate(strobes)]
    request = address("aw", addr=addr, len=length, size=size)
    steps = [*beats[:ahead], request | (beats[ahead] if ahead <= length else off("m_w"))]
    steps += [off("m_aw") | beat for beat in beats[ahead + 1 :]]
    return [*steps, off("m_aw", "m_w") | {"m_bvalid": 1, "m_bready": 1}, off("m_b")]


POSITIVE: dict[str, list[Step]] = {
    "B148: 64 beats of 4 bytes from 0xF01": burst(0xF01, 63, 2, [0xE]),
    "last byte of a 4 KB page": burst(0xFFF, 0, 0, [0x80]),
    "whole page": burst(0x1000, 255, 3, [0xFF] * 256),
    "zero strobes": burst(0x200, 1, 3, [0, 0]),
    "narrow beats walk the lanes": burst(0x102, 3, 1, [0x0C, 0x30, 0xC0, 0x03]),
    "data before address": burst(0x300, 3, 3, [0xFF] * 4, ahead=4),
    "half the data before address": burst(0x300, 3, 3, [0xFF] * 4, ahead=2),
    "long stall": [address("aw", 0), {}, {}, {"m_awready": 1}, off("m_aw"), data(), off("m_w")],
    "read of two beats": [
        address("ar", addr=0xFF0, len=1),
        off("m_ar") | {"m_rvalid": 1, "m_rready": 1, "m_rlast": 0},
        {"m_rlast": 1},
        off("m_r"),
    ],
    "register write and read": [
        LITE_ADDRESS,
        off("s_aw", "s_w") | {"s_bvalid": 1},
        {"s_bready": 1} | LITE_READ,
        off("s_b", "s_ar") | {"s_rvalid": 1, "s_rready": 1},
        off("s_r"),
    ],
    "VALID at the first edge of a reset": [
        {"resetn": 0} | BEAT | {"pin": 1},
        off("t_t") | {"pin": 0},
        {"resetn": 1},
    ],
    "framed: beats with gaps and stalls, one beat, tails": [
        FRAME | {"f_last": 0, "f_ready": 0},
        {"f_ready": 1},
        off("f_"),
        MORE | {"f_last": 0},
        {"f_last": 1, "f_tail": 0x80},
        FRAME | {"f_tail": 0xFE},
        FRAME,
        off("f_"),
    ],
    "credits given while spent, and restored": [
        SPEND,
        {"c_credit": 1},
        {"c_credit": 0},
        off("c_"),
        {"c_restore": 1},
        {"c_restore": 0} | SPEND,
        {},
        {},
        off("c_"),
    ],
    "one pulse behind the other": [{"e_one": 1}, {"e_one": 0, "e_other": 1}, {"e_other": 0}],
    "an id again at the edge of its answer": [
        LIMITED_AW | {"l_awid": 2, "l_awlen": 3},
        {"l_bvalid": 1, "l_bready": 1, "l_bid": 2},
        off("l_aw"),
        off("l_b"),
        LIMITED_AR | {"l_arid": 2, "l_arlen": 1},
        off("l_ar") | {"l_rvalid": 1, "l_rready": 1, "l_rid": 2},
        {"l_rlast": 1} | LIMITED_AR,
        off("l_r", "l_ar"),
    ],
    "frames back to back": [
        BEAT | {"t_tlast": 0},
        {"t_tlast": 1, "t_tkeep": 0x01},
        {"t_tkeep": 0xFF, "t_tlast": 0},
        {"t_tlast": 1, "t_tkeep": 0x7F},
        off("t_t"),
    ],
}


class CheckerTest(uvm_test):
    """Clock, wires at 0, protocol monitor."""

    def build_phase(self) -> None:
        """Create the monitor."""
        dut: Any = cocotb.top
        self.dut = dut
        pins = ClockResetPins(("clk",), {"resetn": 0}, inputs=dict.fromkeys(INPUTS, 0))
        self.clock_reset = ClockReset(dut, PERIOD, pins, "clock_reset", self)
        self.log = Log()
        checkers = tuple(Checker(name, kind) for kind, name in NAMES.items())
        ConfigDB().set(
            self,
            "protocol",
            "config",
            ProtocolConfig(dut.protocol_alive, dut.protocol_count, dut.protocol_code, checkers, BREACHES),
        )
        self.protocol = ProtocolMonitor.create("protocol", self)

    def connect_phase(self) -> None:
        """Violations into the log."""
        self.protocol.ap.subscribers.append(self.log)

    async def run_phase(self) -> None:
        """Run the scenario under one objection."""
        self.raise_objection()
        await self.clock_reset.start(4)
        await self.scenario()
        self.drop_objection()

    async def scenario(self) -> None:
        """What the test does."""
        raise NotImplementedError

    async def play(self, steps: list[Step]) -> list[ProtocolViolation]:
        """Reset, play the steps one per clock, return the violations."""
        for name in INPUTS:
            getattr(self.dut, name).value = 0
        await self.clock_reset.reset(4)
        await self.dut.clk.rising_edge
        self.log.events.clear()
        for step in steps:
            for name, level in step.items():
                pin = getattr(self.dut, name)
                pin.value = "x" * len(pin) if level == "x" else level
            await self.dut.clk.rising_edge
        await ClockCycles(self.dut.clk, 2)
        return list(self.log.events)


@pyuvm.test()
class EveryRuleBites(CheckerTest):
    """Each bit of each checker is raised by its broken sequence, alone, once, with rule and text."""

    async def scenario(self) -> None:
        """Walk the table; X only where the simulator has it."""
        four_state = cocotb.SIM_NAME.lower().startswith("icarus")
        assert self.protocol.checkers == list(NAMES.values())
        for kind, table in NEGATIVE.items():
            assert set(table) == set(kind.value), f"{kind}: a rule without its negative test"
            for bit, steps in table.items():
                if bit in FOUR_STATE[kind] and not four_state:
                    continue
                found = await self.play(steps)
                breach, text = kind.value[bit]
                rule = self.protocol.config.rules.get(breach, BENCH)
                seen = [(v.rule, v.where, v.text) for v in found]
                assert seen == [(rule, NAMES[kind], text)], (kind, bit)


@pyuvm.test()
class LegalIsSilent(CheckerTest):
    """Legal corner cases raise nothing."""

    async def scenario(self) -> None:
        """Walk the table."""
        for name, steps in POSITIVE.items():
            assert await self.play(steps) == [], name


@pyuvm.test()
class ReportedAtOnce(CheckerTest):
    """A violation is published in the time step of the edge that shows it."""

    async def scenario(self) -> None:
        """TKEEP zero: seen at the edge after it was driven."""
        await self.play([])
        for name, level in (BEAT | {"t_tkeep": 0}).items():
            getattr(self.dut, name).value = level
        await self.dut.clk.rising_edge
        edge = now_ps()
        await Timer(1, "ps")
        assert [v.begin for v in self.log.events] == [edge]


@pyuvm.test()
class MissingChecker(CheckerTest):
    """A checker that is configured but not in the design is an error."""

    async def scenario(self) -> None:
        """One more checker than slices, and one that is not alive."""
        config = self.protocol.config
        config.checkers += (Checker("ghost", CheckerKind.PIN),)
        try:
            self.protocol.start_of_simulation_phase()
        except UserError as error:
            assert "8 in the design, 9 configured" in str(error)
        else:
            raise AssertionError("not noticed")
        config.alive = self.dut.protocol_count  # the pins of an existing vector: all 0
        try:
            await self.protocol.registration()
        except UserError as error:
            assert "did not register at time 0" in str(error)
        else:
            raise AssertionError("not noticed")


@pyuvm.test()
class ForeignMaster(CheckerTest):
    """cocotbext-axi's own master against the memory agent: eight writes and reads at once, any alignment."""

    def build_phase(self) -> None:
        """Add the memory agent on the wires."""
        super().build_phase()
        self.memory = HostMemory()
        config = AxiMemoryConfig(
            self.dut,
            "m",
            "foreign",
            self.dut.clk,
            self.dut.resetn,
            self.memory,
            period_ps=PERIOD,
            write_latency=Latency(1, 12),
            read_latency=Latency(1, 12),
            aw_stall=MIXED["light"],
            w_stall=MIXED["light"],
            ar_stall=MIXED["light"],
            b_gap=MIXED["light"],
            r_gap=MIXED["light"],
        )
        ConfigDB().set(self, "agent", "config", config)
        self.agent = AxiMemoryAgent.create("agent", self)

    def connect_phase(self) -> None:
        """Events of the agent, too."""
        super().connect_phase()
        self.agent.monitor.ap.subscribers.append(self.log)

    async def scenario(self) -> None:
        """Write areas at once, look at memory, read them at once."""
        quiet_models(self.dut)
        master = AxiMaster(AxiBus.from_prefix(self.dut, "m"), self.dut.clk, self.dut.resetn, False)
        rng = stream(7, "foreign")
        areas = [(0x1000 * i + rng.randrange(0x800), rng.randbytes(rng.randrange(1, 700))) for i in range(8)]
        writes = [cocotb.start_soon(master.write(addr, blob)) for addr, blob in areas]
        for task in writes:
            await task
        for addr, blob in areas:
            assert self.memory.read(addr - 8 if addr else 0, 8) == bytes(8)
            assert self.memory.read(addr, len(blob)) == blob
            assert self.memory.read(addr + len(blob), 8) == bytes(8)
        reads = [cocotb.start_soon(master.read(addr, len(blob))) for addr, blob in areas]
        for task, (_, blob) in zip(reads, areas, strict=True):
            assert (await task).data == blob
        image = bytearray(0x9000)
        for event in self.log.of(MemWrite):
            for i, mark in enumerate(event.mask):
                if mark:
                    image[event.addr + i] = event.data[i]
        for addr, blob in areas:
            assert image[addr : addr + len(blob)] == blob, "events do not show what was written"
        assert sum(len(e.data) for e in self.log.of(MemRead)) >= sum(len(b) for _, b in areas)
        assert self.agent.monitor.outstanding_max > 1
        assert self.agent.monitor.open_begin() is None
        assert self.log.of(ProtocolViolation) == []
