"""Switching a queue pair to hardware handshake by the documented sequence."""

from __future__ import annotations

import dataclasses

from tb.host.api import Qp
from tb.host.ernic import ErnicHost
from tb.host.ring import slot_of

READY = 1 << 31
"""CON_IO_CONF[31]: the next queue pair number may be written."""

READY_LIMIT_PS = 900_000_000
"""Longer than LIVENESS_CLKS, so that a device that never gets ready is told by the model."""


async def move_doorbell(host: ErnicHost, qp: Qp, offset: int) -> None:
    """Give the disabled queue pair ``qp`` a CQ doorbell word at ``offset`` modulo 8 KiB."""
    address = host.placement.area(8192, 8192, f"CQ doorbell {qp.number}") + offset
    host.qp_memory[qp.number] = dataclasses.replace(host.qp_memory[qp.number], cq_doorbell=address)
    host.memory.write(address, bytes(4))
    await host.write("CQDBADD", address & 0xFFFF_FFFF, qp.number)
    await host.write("CQDBADDMSB", address >> 32, qp.number)


async def enable_handshake(host: ErnicHost, qp: Qp) -> None:
    """Switch the idle queue pair ``qp`` to the side bands; both rings are numbered from 0 again.

    Receive elements not given back stay pending: their number goes to STATRQPIDB, and the ring goes on behind
    them.
    """
    number, depth = qp.number, qp.config.rq_depth
    pending = qp.received - qp.freed
    await host.override(True)
    for name in ("SQPI", "CQHEAD", "STATCURSQPTR"):
        await host.write(name, 0, number)
    await host.write("STATRQPIDB", pending, number)
    qp.rq_shift = slot_of(qp.rq_shift + qp.freed, depth)
    qp.config = dataclasses.replace(qp.config, memory_doorbells=False)
    await host.enable_qp(qp)
    await host.override(False)
    qp.posted = qp.completed = 0
    qp.received, qp.freed = pending, 0


async def connect_io(host: ErnicHost, qp: Qp) -> None:
    """Have the device ring for what is pending on ``qp``; returns when it takes the next number."""
    await host.write("CON_IO_CONF", qp.number << 16)

    async def ready() -> bool:
        return bool(await host.read("CON_IO_CONF") & READY)

    await host.wait_until(ready, "CON_IO_CONF ready", READY_LIMIT_PS)
