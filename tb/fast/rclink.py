"""Where the ports of ``tb_rclink_fast`` are in the C engine; the numbers are those of the HDL."""

from __future__ import annotations

from tb.agents.rclink_pins import MEMORY_PORTS
from tb.fast.ports import FastPort

PORTS = {
    **{f"{port}_m_axi": FastPort(number, hold=3 * number) for number, port in enumerate(MEMORY_PORTS)},
    "tx_s_axis": FastPort(2, monitor=3),
    "mac_rx_axis": FastPort(4, monitor=5),
    "rx_m_axis": FastPort(6, hold=6),
    "mac_tx_axis": FastPort(7),
}
