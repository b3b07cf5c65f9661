"""Where the ports of ``tb_ernic_fast`` are in the C engine; the numbers are those of the HDL."""

from __future__ import annotations

from tb.agents.ernic_pins import MEMORY_PORTS
from tb.fast.ports import FastPort

PORTS = {
    **{f"{port}_m_axi": FastPort(number, hold=3 * number) for number, port in enumerate(MEMORY_PORTS)},
    "roce_cmac_s_axis": FastPort(6, monitor=7),
    "non_roce_cmac_s_axis": FastPort(8, monitor=9),
    "non_roce_dma_s_axis": FastPort(10, monitor=11),
    "cmac_m_axis": FastPort(12, hold=18),
    "non_roce_dma_m_axis": FastPort(13, hold=19),
}
