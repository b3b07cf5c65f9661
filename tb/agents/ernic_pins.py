"""Which pins of ``tb_ernic`` belong to which agent: one constructor per typed configuration.

``knobs`` are the remaining fields of the configuration, for example ``gaps=StallConfig.named("light")``.
"""

from __future__ import annotations

from typing import Any

from ref_model.errors import UserError
from tb.agents.axi import AxiMemoryConfig
from tb.agents.axil import AxilConfig
from tb.agents.host_memory import HostMemory
from tb.agents.irq import IrqConfig
from tb.agents.mac import MacConfig, StreamPins
from tb.agents.pause import PauseConfig
from tb.agents.pins import ClockResetPins
from tb.agents.protocol import Breach, Checker, CheckerKind, ProtocolConfig
from tb.agents.sideband import SideBandConfig

MEMORY_PORTS = (
    "qp_mgr",
    "wqe_proc_top",
    "wqe_proc_wr_ddr",
    "rx_pkt_hndler_ddr",
    "rx_pkt_hndler_rdrsp",
    "resp_hndler",
)
SINK_PORTS = ("ieth_immdt", "send_cq_db", "rq_db")
SOURCE_PORTS = ("sq_pidb", "rq_cidb")

CLOCK_RESET = ClockResetPins(
    clocks=("m_axi_aclk", "s_axi_lite_aclk", "cmac_rx_clk", "cmac_tx_clk"),
    resets={"m_axi_aresetn": 0, "s_axi_lite_aresetn": 0, "cmac_rx_rst": 1, "cmac_tx_rst": 1},
    done="system_resetn",
    inputs={
        "stat_rx_pause_req": 0,
        "roce_cmac_s_axis_tvalid": 0,
        "non_roce_cmac_s_axis_tvalid": 0,
        "non_roce_dma_s_axis_tvalid": 0,
        "i_qp_sq_pidb_wr_valid_hndshk": 0,
        "i_qp_rq_cidb_wr_valid_hndshk": 0,
        "resp_hndler_i_send_cq_db_rdy": 1,
        "rx_pkt_hndler_i_rq_db_rdy": 1,
        "ieth_immdt_axis_trdy": 1,
        "non_roce_dma_m_axis_tready": 1,
    },
)

_SIDE_BANDS = {
    "ieth_immdt": ("ieth_immdt_axis_tvalid", "ieth_immdt_axis_trdy", ("ieth_immdt_axis_tdata",)),
    "send_cq_db": (
        "resp_hndler_o_send_cq_db_cnt_valid",
        "resp_hndler_i_send_cq_db_rdy",
        ("resp_hndler_o_send_cq_db_addr", "resp_hndler_o_send_cq_db_cnt"),
    ),
    "rq_db": (
        "rx_pkt_hndler_o_rq_db_data_valid",
        "rx_pkt_hndler_i_rq_db_rdy",
        ("rx_pkt_hndler_o_rq_db_addr", "rx_pkt_hndler_o_rq_db_data"),
    ),
    "sq_pidb": (
        "i_qp_sq_pidb_wr_valid_hndshk",
        "o_qp_sq_pidb_wr_rdy",
        ("i_qp_sq_pidb_wr_addr_hndshk", "i_qp_sq_pidb_hndshk"),
    ),
    "rq_cidb": (
        "i_qp_rq_cidb_wr_valid_hndshk",
        "o_qp_rq_cidb_wr_rdy",
        ("i_qp_rq_cidb_wr_addr_hndshk", "i_qp_rq_cidb_hndshk"),
    ),
}

CHECKERS = (
    *(Checker(f"{port}_m_axi", CheckerKind.AXI4) for port in MEMORY_PORTS),
    Checker("s_axi_lite", CheckerKind.AXI4LITE),
    Checker("cmac_m_axis", CheckerKind.AXIS),
    Checker("non_roce_dma_m_axis", CheckerKind.AXIS),
    Checker("ieth_immdt_axis", CheckerKind.AXIS),
    Checker("resp_hndler_o_send_cq_db", CheckerKind.AXIS, {Breach.STABLE: "ERN-227"}),
    Checker("rx_pkt_hndler_o_rq_db", CheckerKind.AXIS, {Breach.STABLE: "ERN-227"}),
    Checker("rnic_intr", CheckerKind.PIN),
)

#: Requirement that a broken bus rule breaks.
BREACHES = {
    Breach.STABLE: "ERN-211",
    Breach.CROSSING: "ERN-212",
    Breach.SHAPE: "ERN-213",
    Breach.STROBE: "ERN-215",
    Breach.KEEP: "ERN-218",
    Breach.IN_RESET: "ERN-220",
    Breach.ANSWER: "ERN-007",
    Breach.RESET_VALUE: "ERN-003",
}

#: Requirement that an item without end breaks, by how the name of its monitor begins.
HANGS = {"axil": "ERN-007", "axi": "ERN-213", "mac_host": "ERN-210", "": "ERN-211"}


def axil_config(dut: Any, seed: int, **knobs: Any) -> AxilConfig:
    """Register port ``s_axi_lite``."""
    return AxilConfig(
        dut, "s_axi_lite", dut.s_axi_lite_aclk, dut.s_axi_lite_aresetn, seed=seed, path="axil", **knobs
    )


def memory_config(dut: Any, port: str, memory: HostMemory, seed: int, **knobs: Any) -> AxiMemoryConfig:
    """AXI4 master ``port`` (one of MEMORY_PORTS)."""
    if port not in MEMORY_PORTS:
        raise UserError(f"memory port {port!r} is unknown, allowed are {', '.join(MEMORY_PORTS)}")
    return AxiMemoryConfig(
        dut,
        f"{port}_m_axi",
        port,
        dut.m_axi_aclk,
        dut.m_axi_aresetn,
        memory,
        seed=seed,
        path=f"axi.{port}",
        **knobs,
    )


def roce_mac_config(dut: Any, seed: int, **knobs: Any) -> MacConfig:
    """RoCE input ``roce_rx`` and the merged MAC output ``tx``."""
    return MacConfig(
        dut,
        StreamPins("roce_cmac_s_axis", "roce_rx", dut.cmac_rx_clk, dut.cmac_rx_rst, 1),
        StreamPins("cmac_m_axis", "tx", dut.cmac_tx_clk, dut.cmac_tx_rst, 1),
        seed=seed,
        path="mac.roce",
        **knobs,
    )


def non_roce_mac_config(dut: Any, seed: int, **knobs: Any) -> MacConfig:
    """Input ``non_roce_rx`` and the stream ``non_roce_host`` towards the host."""
    return MacConfig(
        dut,
        StreamPins("non_roce_cmac_s_axis", "non_roce_rx", dut.cmac_rx_clk, dut.cmac_rx_rst, 1),
        StreamPins("non_roce_dma_m_axis", "non_roce_host", dut.m_axi_aclk, dut.m_axi_aresetn, 0),
        seed=seed,
        path="mac.non_roce",
        **knobs,
    )


def host_stream_config(dut: Any, seed: int, **knobs: Any) -> MacConfig:
    """Frames of the host to be sent, port ``non_roce_tx`` (FrameIn, always good); no line-rate limit."""
    return MacConfig(
        dut,
        StreamPins("non_roce_dma_s_axis", "non_roce_tx", dut.m_axi_aclk, dut.m_axi_aresetn, 0),
        seed=seed,
        path="mac.host",
        **({"speed": 0} | knobs),
    )


def side_band_config(dut: Any, port: str, seed: int, **knobs: Any) -> SideBandConfig:
    """Narrow port; payload order is (tdata) or (address, value)."""
    if port not in _SIDE_BANDS:
        raise UserError(f"side-band port {port!r} is unknown, allowed are {', '.join(_SIDE_BANDS)}")
    valid, ready, values = _SIDE_BANDS[port]
    return SideBandConfig(
        port,
        getattr(dut, valid),
        getattr(dut, ready),
        tuple(getattr(dut, name) for name in values),
        dut.m_axi_aclk,
        dut.m_axi_aresetn,
        seed=seed,
        path=f"sideband.{port}",
        **knobs,
    )


def irq_config(dut: Any) -> IrqConfig:
    """Interrupt line ``rnic_intr``."""
    return IrqConfig(dut.rnic_intr, dut.m_axi_aclk, dut.m_axi_aresetn)


def pause_config(dut: Any) -> PauseConfig:
    """Pause requests in both directions."""
    outputs = {name: getattr(dut, name) for name in ("ctl_tx_pause_req", "ctl_tx_resend_pause")}
    return PauseConfig(
        dut.stat_rx_pause_req, dut.cmac_rx_clk, outputs, dut.cmac_tx_clk, dut.cmac_tx_rst, reset_active=1
    )


def protocol_config(dut: Any) -> ProtocolConfig:
    """Vectors of the HDL checkers in ``tb_ernic``."""
    return ProtocolConfig(dut.protocol_alive, dut.protocol_count, dut.protocol_code, CHECKERS, BREACHES)
