"""Where the ports of ``tb_hermon_cq_fast`` are in the C engine; the numbers are those of the HDL."""

from __future__ import annotations

from tb.fast.ports import FastPort

PORTS = {"m_axi": FastPort(0, hold=0)}
