"""Which pins of ``tb_hermon_cq`` belong to which agent: one constructor per typed configuration.

``knobs`` are the remaining fields of a configuration.
"""

from __future__ import annotations

from typing import Any

from ref_model.hermon_cq import ports
from tb.agents.axi import AxiMemoryConfig
from tb.agents.axil import AxilConfig
from tb.agents.host_memory import HostMemory
from tb.agents.levels import LevelsConfig
from tb.agents.pins import ClockResetPins
from tb.agents.protocol import Breach, Checker, CheckerKind, ProtocolConfig
from tb.agents.sideband import SideBandConfig
from tb.agents.tick import TickConfig

CLOCK_RESET = ClockResetPins(
    clocks=("clk",),
    resets={"rst_n": 0},
    inputs={"tick_clks": 0, "s_axis_cpl_tvalid": 0, "s_axis_cpl_tdata": 0, "m_axis_sts_tready": 0},
)

CHECKERS = (
    Checker("m_axi", CheckerKind.AXI4),
    Checker("m_axi", CheckerKind.AXI4_LIMITS),
    Checker("s_axil_cmd", CheckerKind.AXI4LITE),
    Checker("s_axil_uar", CheckerKind.AXI4LITE),
    Checker("m_axis_sts", CheckerKind.AXIS),
    Checker("irq", CheckerKind.PIN),
    Checker("s_axis_cpl", CheckerKind.PIN),
)

#: Requirement that a broken rule of a port breaks.
BREACHES = {
    **dict.fromkeys(
        (
            Breach.STABLE,
            Breach.CROSSING,
            Breach.SHAPE,
            Breach.STROBE,
            Breach.KEEP,
            Breach.ANSWER,
            Breach.RESET_VALUE,
            Breach.IDS,
        ),
        "HCQ-107",
    ),
    Breach.IN_RESET: "HCQ-110/outputs",
}

#: Requirement that an item without end breaks, by how the name of its monitor begins.
HANGS = {
    "cmd": "HCQ-122/okay",
    "uar": "HCQ-122/okay",
    "axi": "HCQ-107",
    "cpl": "HCQ-119/reports",
    "": "HCQ-107",
}


def command_config(dut: Any, seed: int, **knobs: Any) -> AxilConfig:
    """Command and configuration registers."""
    return AxilConfig(dut, "s_axil_cmd", dut.clk, dut.rst_n, seed=seed, path="cmd", port=ports.CMD, **knobs)


def uar_config(dut: Any, seed: int, **knobs: Any) -> AxilConfig:
    """Doorbell pages."""
    return AxilConfig(dut, "s_axil_uar", dut.clk, dut.rst_n, seed=seed, path="uar", port=ports.UAR, **knobs)


def memory_config(dut: Any, memory: HostMemory, seed: int, **knobs: Any) -> AxiMemoryConfig:
    """AXI4 master."""
    return AxiMemoryConfig(
        dut, "m_axi", ports.MEM, dut.clk, dut.rst_n, memory, seed=seed, path="axi", **knobs
    )


def report_config(dut: Any, seed: int, **knobs: Any) -> SideBandConfig:
    """Completion reports into the DUT."""
    valid, ready, data = dut.s_axis_cpl_tvalid, dut.s_axis_cpl_tready, (dut.s_axis_cpl_tdata,)
    return SideBandConfig(ports.CPL, valid, ready, data, dut.clk, dut.rst_n, seed=seed, path="cpl", **knobs)


def status_config(dut: Any, seed: int, **knobs: Any) -> SideBandConfig:
    """Results of reports out of the DUT."""
    valid, ready, data = dut.m_axis_sts_tvalid, dut.m_axis_sts_tready, (dut.m_axis_sts_tdata,)
    return SideBandConfig(ports.STS, valid, ready, data, dut.clk, dut.rst_n, seed=seed, path="sts", **knobs)


def tick_config(dut: Any, **knobs: Any) -> TickConfig:
    """Microseconds of the DUT."""
    return TickConfig(ports.TICK, dut.tick_us, dut.tick_clks, dut.clk, dut.rst_n, **knobs)


def irq_config(dut: Any) -> LevelsConfig:
    """Interrupt lines, one per event queue."""
    return LevelsConfig(dut.irq, {ports.IRQ: len(dut.irq)}, {}, dut.clk, dut.rst_n)


def protocol_config(dut: Any) -> ProtocolConfig:
    """Vectors of the HDL checkers in ``tb_hermon_cq``."""
    return ProtocolConfig(dut.protocol_alive, dut.protocol_count, dut.protocol_code, CHECKERS, BREACHES)
