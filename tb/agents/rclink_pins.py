"""Which pins of ``tb_rclink`` belong to which agent: one constructor per typed configuration.

Pins are named after the ports of the events (ref_model/rclink/ports.py) and their words: a pulse ``p`` with a
word ``w`` is ``p_valid`` and ``p_w``. ``knobs`` are the remaining fields of a configuration.
"""

from __future__ import annotations

from typing import Any

from ref_model.rclink import ports
from tb.agents.axi import AxiMemoryConfig
from tb.agents.axil import AxilConfig
from tb.agents.host_memory import HostMemory
from tb.agents.levels import LevelsConfig
from tb.agents.mac import MacConfig, StreamPins
from tb.agents.pins import ClockResetPins
from tb.agents.protocol import Breach, Checker, CheckerKind, ProtocolConfig
from tb.agents.sideband import SideBandConfig

MEMORY_PORTS = (ports.MD, ports.DATA)

CLOCK_RESET = ClockResetPins(
    clocks=("clk",),
    resets={"rst_n": 0},
    inputs={
        **{f"{port}_valid": 0 for port in ports.PULSES_IN},
        **dict.fromkeys(ports.LEVELS_IN, 0),
        "tx_s_axis_tvalid": 0,
        "mac_rx_axis_tvalid": 0,
        "mac_rx_axis_restart": 0,
        "rx_m_axis_tready": 0,
    },
)

#: Levels in the order of the vector of the top, the lowest first, and their bits.
LEVELS = {
    ports.RX_PFC_REQ: 8,
    ports.FLOW_STOP: 4,
    ports.TYPE2_PFC_REQ: 1,
    ports.RC_INTR: 16,
    ports.NONR_INTR: 1,
    ports.NONR_FAULT_INTR: 1,
    ports.TX_PFC_REQ: 8,
    ports.OST_FREE: 10,
    ports.CBFC_CF: 112,
    ports.IDLE: 2,
    ports.TX_WAIT_MAC_CRD: 1,
    ports.TX_MAC_FREE: 1,
    ports.MD_BUSY: 1,
}

CHECKERS = (
    Checker("md_m_axi", CheckerKind.AXI4),
    Checker("md_m_axi", CheckerKind.AXI4_LIMITS),
    Checker("data_m_axi", CheckerKind.AXI4),
    Checker("data_m_axi", CheckerKind.AXI4_LIMITS),
    Checker("s_axi_lite", CheckerKind.AXI4LITE, {Breach.STABLE: "RCL-125/printed"}),
    Checker("rx_m", CheckerKind.FRAMED, {Breach.STABLE: "RCL-035"}),
    Checker(
        "mac_tx",
        CheckerKind.FRAMED,
        {Breach.STABLE: "RCL-022", Breach.FRAMING: "RCL-023", Breach.KEEP: "RCL-023"},
    ),
    Checker("mac_tx_credit", CheckerKind.CREDIT),
    Checker("cc_qp_en", CheckerKind.EXCLUSIVE),
    Checker("pulses", CheckerKind.PIN),
    Checker("levels", CheckerKind.PIN),
)

#: Requirement that a broken rule of a port breaks.
BREACHES = {
    Breach.STABLE: "RCL-111",
    Breach.CROSSING: "RCL-111",
    Breach.SHAPE: "RCL-111",
    Breach.IDS: "RCL-112",
    Breach.STROBE: "RCL-110/rx",
    Breach.KEEP: "RCL-138",
    Breach.FRAMING: "RCL-138",
    Breach.IN_RESET: "RCL-128",
    Breach.ANSWER: "RCL-125/printed",
    Breach.RESET_VALUE: "RCL-125/printed",
    Breach.CREDIT: "RCL-093",
    Breach.EXCLUSIVE: "RCL-071",
}

#: Requirement that an item without end breaks, by how the name of its monitor begins.
HANGS = {"axil": "RCL-125/printed", "axi": "RCL-111", "mac": "RCL-127", "client": "RCL-138", "": "RCL-129"}


def axil_config(dut: Any, seed: int, **knobs: Any) -> AxilConfig:
    """Register port."""
    return AxilConfig(dut, "s_axi_lite", dut.clk, dut.rst_n, seed=seed, path="axil", **knobs)


def memory_config(dut: Any, port: str, memory: HostMemory, seed: int, **knobs: Any) -> AxiMemoryConfig:
    """AXI4 master ``port`` (one of MEMORY_PORTS)."""
    path = f"axi.{port}"
    return AxiMemoryConfig(
        dut, f"{port}_m_axi", port, dut.clk, dut.rst_n, memory, seed=seed, path=path, **knobs
    )


def client_config(dut: Any, seed: int, **knobs: Any) -> MacConfig:
    """Client packets: TX_S into the DUT and RX_M out of it, at bus speed."""
    return MacConfig(
        dut,
        _stream(dut, ports.TX_S),
        _stream(dut, ports.RX_M),
        seed=seed,
        path="client",
        **({"speed": 0} | knobs),
    )


def mac_config(dut: Any, seed: int, **knobs: Any) -> MacConfig:
    """Frames from and to the MAC."""
    return MacConfig(
        dut,
        _stream(dut, ports.MAC_RX, words_at_last=True),
        _stream(dut, ports.MAC_TX),
        seed=seed,
        path="mac",
        **knobs,
    )


def _stream(dut: Any, port: str, words_at_last: bool = False) -> StreamPins:
    words = tuple(f"{port}_{word}" for word in ports.FRAMES[port])
    return StreamPins(f"{port}_axis", port, dut.clk, dut.rst_n, 0, words, words_at_last)


def pulse_config(dut: Any, port: str, seed: int, **knobs: Any) -> SideBandConfig:
    """Pulses of ``port``, one of PULSES_IN and PULSES_OUT."""
    words = {**ports.PULSES_IN, **ports.PULSES_OUT}[port]
    values = tuple(getattr(dut, f"{port}_{word}") for word in words)
    valid = getattr(dut, f"{port}_valid")
    return SideBandConfig(
        port, valid, None, values, dut.clk, dut.rst_n, seed=seed, path=f"pulse.{port}", **knobs
    )


def levels_config(dut: Any) -> LevelsConfig:
    """All levels."""
    inputs = {name: getattr(dut, name) for name in ports.LEVELS_IN}
    return LevelsConfig(dut.levels, LEVELS, inputs, dut.clk, dut.rst_n)


def protocol_config(dut: Any) -> ProtocolConfig:
    """Vectors of the HDL checkers in ``tb_rclink``."""
    return ProtocolConfig(dut.protocol_alive, dut.protocol_count, dut.protocol_code, CHECKERS, BREACHES)
