"""Driver side of the ERNIC: registers over AXI4-Lite, rings and doorbells in host memory.

Numbering of the send ring and of RQCI is form A (1..depth) unless told otherwise, at most
``depth - 1`` entries are in flight.
Nothing here judges the device; values read back only steer the stimulus.
"""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from ref_model.errors import UserError
from ref_model.rocev2.segment import Verb
from tb.host.api import Access, Host, Mr, Qp, ReceiveSlot, WorkCompletion, WorkRequest
from tb.host.bringup import (
    DeviceMemory,
    QpMemory,
    Write,
    address_writes,
    device_writes,
    lstrqreq,
    management_writes,
    mr_writes,
    qp_writes,
    qpconf,
    xrnicadconf,
)
from tb.host.names import RegisterNames
from tb.host.patience import Patient
from tb.host.placement import Memory, Placement
from tb.host.ring import advance, index_value, slot_of
from tb.host.settings import DeviceConfig, QpConfig
from tb.host.side_bands import SideBands
from tb.host.wqe import CQE_SIZE, INLINE_MAX, WQE_SIZE, build_wqe, parse_cqe

REST_LIMIT_PS = 1_000_000_000
"""Longest wait for a queue pair at rest: longer than any limit by which the model judges it."""
MANAGEMENT_QP = 1
"""Number of the queue pair for management datagrams."""

STATQP_IDLE = 0x600
"""STATQP[10:9]: outstanding queue and send queue empty."""

RESPHND_IDLE = 1 << 16
"""RESPHNDSTS[16]: response handler at rest."""


class RegisterPort(Protocol):
    """Access to the register space."""

    async def write(self, addr: int, data: int, strb: int = 0xF) -> object:
        """Write 32 bits; what it returns is not used."""

    async def read(self, addr: int) -> int:
        """Read 32 bits."""


class ErnicHost(Host, Patient):
    """Host of one ERNIC.

    ``config`` is used by ``open``; random choices (poison, WRIDs) come from ``rng``.
    """

    POLL_PS, LONGEST_POLL_PS, LIMIT_PS = 100_000, 2_000_000, 200_000_000

    def __init__(
        self,
        port: RegisterPort,
        memory: Memory,
        names: RegisterNames,
        config: DeviceConfig,
        rng: random.Random,
        sleep: Callable[[int], Awaitable[None]],
        region_rows: int = 2048,
        free_running: bool = False,
        credit_first: bool = False,
    ) -> None:
        """Nothing reaches the device before ``open``; ``region_rows`` is the size of the region table.

        ``free_running``: SQPI counts on over 16 bits (form B) instead of 1..depth. ``credit_first``: a fresh
        receive ring is given to the device by RQCI = depth.
        """
        super().__init__(sleep)
        self.port = port
        self.memory = memory
        self.names = names
        self.config = config
        self.region_rows = region_rows
        self.free_running = free_running
        self.credit_first = credit_first
        self.placement = Placement(memory, rng)
        self.qps: dict[int, Qp] = {}
        self.mrs: dict[int, Mr] = {}
        self.device_memory: DeviceMemory | None = None
        self.qp_memory: dict[int, QpMemory] = {}
        #: How queue pairs in handshake mode are rung; without it by register, like the others.
        self.side_bands: SideBands | None = None
        self._rng = rng

    async def write(self, name: str, value: int, index: int | None = None, strb: int = 0xF) -> None:
        """Write register ``name`` (of row or queue pair ``index``)."""
        await self.port.write(self.names.address(name, index), value, strb)

    async def read(self, name: str, index: int | None = None) -> int:
        """Read register ``name`` (of row or queue pair ``index``)."""
        return await self.port.read(self.names.address(name, index))

    async def apply(self, writes: list[Write]) -> None:
        """Do the writes in order."""
        for entry in writes:
            await self.write(entry.name, entry.value, entry.index)

    # ---- device
    # -----------------------------------------------------------------------------------------------

    async def open(self) -> None:
        """Documented global bring-up, enable last. Forgets everything known before (after a reset)."""
        await self.apply(self.prepare())

    def prepare(self) -> list[Write]:
        """Place the global buffers and return the writes of ``open`` without doing them."""
        config = self.config
        self.forget()
        area = self.placement.area
        self.device_memory = DeviceMemory(
            error_buffer=area(config.error_buffer.entries * config.error_buffer.size, 64, "error buffer"),
            fatal_queue=area(config.fatal_queue.entries * config.fatal_queue.size, 64, "fatal queue"),
            response_errors=area(
                config.response_errors.entries * config.response_errors.size, 64, "response errors"
            ),
            outgoing_errors=area(
                config.outgoing_errors.entries * config.outgoing_errors.size, 64, "outgoing errors"
            ),
            retry_buffers=area(
                config.retry_buffers.entries * config.retry_buffers.size, 4096, "retry buffers"
            ),
        )
        return device_writes(config, self.device_memory)

    def forget(self) -> None:
        """Drop all handles without touching the device, which a reset has just cleared."""
        self.qps.clear()
        self.mrs.clear()
        self.qp_memory.clear()

    async def set_interrupts(self, mask: int) -> None:
        """Set INTEN."""
        await self.write("INTEN", mask)

    # ---- queue pairs
    # ------------------------------------------------------------------------------------------

    async def create_qp(self, config: QpConfig) -> Qp:
        """Create a queue pair with fresh, poisoned rings and enable it (unless the configuration says no)."""
        writes = self.prepare_qp(config)
        await self.apply(writes)
        return self.qps[config.number]

    def prepare_qp(self, config: QpConfig) -> list[Write]:
        """Place the rings of a queue pair and return the writes of ``create_qp`` without doing them."""
        number = config.number
        if number in self.qps:
            raise UserError(f"QP {number} exists already; destroy it first")
        high = config.high_memory
        area = self.placement.area
        memory = QpMemory(
            sq=area(config.sq_depth * WQE_SIZE, 64, f"SQ {number}", high=high),
            cq=area(config.sq_depth * CQE_SIZE, 64, f"CQ {number}", high=high),
            rq=area(config.rq_depth * config.element, 256, f"RQ {number}", high=high),
            cq_doorbell=area(4, 64, f"CQ doorbell {number}", offset=4 * (number % 16), high=high),
            rq_doorbell=area(4, 64, f"RQ doorbell {number}", offset=4 * (number % 16), high=high),
        )
        self.qp_memory[number] = memory
        self._clear_doorbells(number)
        self.qps[number] = Qp(number, config)
        if number == MANAGEMENT_QP:
            return management_writes(config, memory)
        writes = qp_writes(config, memory)
        if self.credit_first:
            writes.insert(-1, Write("RQCI", config.rq_depth, number))
        return writes

    def _clear_doorbells(self, number: int) -> None:
        """A queue pair begins with doorbell words of 0, not with those of its former life."""
        memory = self.qp_memory[number]
        for doorbell in (memory.cq_doorbell, memory.rq_doorbell):
            self.memory.write(doorbell, bytes(4))

    async def enable_qp(self, qp: Qp, enable: bool = True, recovery: bool = False) -> None:
        """Rewrite QPCONF with the enable and recovery bits as given."""
        await self.write("QPCONF", qpconf(qp.config, enable, recovery), qp.number)

    async def override(self, on: bool) -> None:
        """Switch the software override of status registers."""
        await self.write("XRNICADCONF", xrnicadconf(self.config, on))

    async def destroy_qp(self, qp: Qp) -> None:
        """Documented deletion: wait for rest, zero the state under override, leave the recovery bit set."""
        number = qp.number
        await self._wait_rest(qp)
        await self.override(True)
        await self.enable_qp(qp, enable=False)
        for name in (
            "RQWPTRDBADD",
            "SQPI",
            "CQHEAD",
            "RQCI",
            "STATRQPIDB",
            "STATCURSQPTR",
            "SQPSN",
            "LSTRQREQ",
        ):
            await self.write(name, 0, number)
        await self.write("STATMSN", 0, number)
        await self.enable_qp(qp, enable=False, recovery=True)
        await self.override(False)
        del self.qps[number]

    async def recover_qp(self, qp: Qp, config: QpConfig | None = None) -> None:
        """Documented recovery of a fatal queue pair, then a fresh start with ``config`` (default: the old
        one).
        """
        number = qp.number
        await self.enable_qp(qp, enable=True, recovery=True)
        await self._wait_rest(qp)
        await self.wait_until(self._response_handler_idle, "response handler at rest", REST_LIMIT_PS)
        await self.poll_cq(qp)
        await self.enable_qp(qp, enable=False, recovery=True)
        await self.override(True)
        for name in ("STATRQPIDB", "STATRQBUFCA", "STATRQBUFCAMSB", "RQCI", "STATCURSQPTR", "SQPI", "SQPSN"):
            await self.write(name, 0, number)
        for name in ("LSTRQREQ", "STATMSN", "CQHEAD"):
            await self.write(name, 0, number)
        qp.config = config or qp.config
        qp.posted = qp.completed = qp.received = qp.freed = qp.rq_shift = 0
        qp.under_way.clear()
        self._clear_doorbells(number)
        await self.write("SQPSN", qp.config.first_psn, number)
        await self.write("LSTRQREQ", lstrqreq(qp.config), number)
        await self.apply(address_writes(qp.config))
        await self.write("STATQP", qp.config.rnr_retry << 28 | qp.config.retry << 24, number)
        await self.enable_qp(qp, enable=True)
        await self.override(False)
        if self.credit_first:
            await self.write("RQCI", qp.config.rq_depth, number)

    async def _wait_rest(self, qp: Qp) -> None:
        async def at_rest() -> bool:
            idle = await self.read("STATQP", qp.number) & STATQP_IDLE == STATQP_IDLE
            return idle and await self.read("CQHEAD", qp.number) == await self.read("SQPI", qp.number)

        await self.wait_until(at_rest, f"QP {qp.number} at rest", REST_LIMIT_PS)

    async def _response_handler_idle(self) -> bool:
        return bool(await self.read("RESPHNDSTS") & RESPHND_IDLE)

    # ---- memory regions
    # ---------------------------------------------------------------------------------------

    async def register_mr(self, pd: int, length: int, **options: Any) -> Mr:
        """Fill a table row. Options: ``row`` (next free one), ``tag`` (8 bits, random), ``va`` (the host
        address),
        ``addr`` (a fresh area), ``offset`` (of that area, modulo 64), ``access``."""
        row = options.pop("row", None)
        if row is None:
            row = next((number for number in range(self.region_rows) if number not in self.mrs), None)
            if row is None:
                raise UserError(f"register_mr: all {self.region_rows} rows are in use")
        tag = options.pop("tag", None)
        addr = options.pop("addr", None)
        offset = options.pop("offset", 0)
        if addr is None:
            addr = self.placement.area(length, 64, f"region {row}", offset)
        va = options.pop("va", addr)
        access = options.pop("access", Access.BOTH)
        if options:
            raise UserError(
                f"register_mr: unknown option {', '.join(options)}; "
                "allowed: row, tag, va, addr, offset, access"
            )
        tag = self._rng.randrange(256) if tag is None else tag
        await self.apply(mr_writes(row, pd, va, addr, length, tag, access))
        mr = Mr(row, row << 8 | tag, va, addr, length, pd, access)
        self.mrs[row] = mr
        return mr

    async def deregister_mr(self, mr: Mr) -> None:
        """Clear the row (length 0 denies everything)."""
        await self.apply(mr_writes(mr.row, 0, 0, 0, 0, 0, 0))
        self.mrs.pop(mr.row, None)

    # ---- sending ----

    async def post_send(self, qp: Qp, *requests: WorkRequest) -> list[int]:
        """Write the entries, one SQPI doorbell for all that fit; waits for room when the ring is full."""
        wrids: list[int] = []
        pending = list(requests)
        limit = qp.config.sq_depth - 1
        while pending:
            if qp.in_flight >= limit:
                await self.wait_until(lambda: self._has_room(qp), f"room in the send queue of QP {qp.number}")
            batch = pending[: limit - qp.in_flight]
            del pending[: len(batch)]
            for request in batch:
                wrids.append(self._place(qp, request))
            await self.ring_sq(qp)
        return wrids

    async def ring_sq(self, qp: Qp) -> None:
        """Write SQPI for everything placed so far."""
        value = qp.posted & 0xFFFF if self.free_running else index_value(qp.posted, qp.config.sq_depth)
        await self._ring("SQPI", value, qp)

    async def _ring(self, name: str, value: int, qp: Qp) -> None:
        """Write a ring index: over the register port or, in handshake mode, its side band."""
        if qp.config.memory_doorbells or self.side_bands is None:
            await self.write(name, value, qp.number)
        else:
            await self.side_bands.ring(name, self.names.address(name, qp.number), value)

    async def _has_room(self, qp: Qp) -> bool:
        await self.poll_cq(qp)
        return qp.in_flight < qp.config.sq_depth - 1

    def _place(self, qp: Qp, request: WorkRequest) -> int:
        payload = request.payload
        if request.verb is Verb.READ:
            payload = self._rng.randbytes(request.length)  # what the buffer holds before
        laddr = request.laddr
        if laddr is None:
            laddr = self.placement.store(payload, request.align_offset)
        elif payload:
            self.memory.write(laddr, payload)
        wrid = self._rng.randrange(1 << 16) if request.wrid is None else request.wrid
        opcode = request.verb.wqe_opcode if request.opcode is None else request.opcode
        sdata = payload[:INLINE_MAX] if request.sdata is None else request.sdata
        entry = build_wqe(
            wrid,
            opcode,
            laddr,
            len(payload),
            request.va,
            request.rkey,
            sdata,
            request.value,
            self._rng.randbytes(17),
        )
        slot = slot_of(qp.posted, qp.config.sq_depth)
        self.memory.write(self.qp_memory[qp.number].sq + WQE_SIZE * slot, entry)
        qp.posted += 1
        qp.under_way.append((wrid, opcode))
        return wrid

    def _look_cq(self, qp: Qp) -> list[WorkCompletion]:
        """New completions by the doorbell word in memory."""
        memory = self.qp_memory[qp.number]
        value = int.from_bytes(self.memory.read(memory.cq_doorbell, 4), "little")
        return self._take(qp, value)

    def _take(self, qp: Qp, value: int) -> list[WorkCompletion]:
        depth = qp.config.sq_depth
        total = min(advance(qp.completed, value, depth), qp.posted)
        found = []
        for number in range(qp.completed, total):
            wrid, opcode = qp.under_way.popleft()
            if qp.config.cqe:
                addr = self.qp_memory[qp.number].cq + CQE_SIZE * slot_of(number, depth)
                found.append(parse_cqe(self.memory.read(addr, CQE_SIZE)))
            else:
                found.append(WorkCompletion(wrid, opcode, False))
        qp.completed = total
        qp.completions.extend(found)
        return found

    async def poll_cq(self, qp: Qp, by_register: bool = False) -> list[WorkCompletion]:
        """New completions, found by the memory doorbell or by reading CQHEAD (always in handshake mode)."""
        if by_register or not qp.config.memory_doorbells:
            return self._take(qp, await self.read("CQHEAD", qp.number))
        return self._look_cq(qp)

    async def wait_completions(self, qp: Qp, total: int | None = None, limit_ps: int = 200_000_000) -> None:
        """Wait until ``total`` requests (default: all posted) have completed; TimeoutError otherwise."""
        wanted = qp.posted if total is None else total

        async def done() -> bool:
            await self.poll_cq(qp)
            return qp.completed >= wanted

        await self.wait_until(done, f"completion {wanted} of QP {qp.number}", limit_ps)

    # ---- receiving ----

    async def poll_recv(self, qp: Qp, by_register: bool = False) -> list[ReceiveSlot]:
        """Newly filled receive elements, found by the memory doorbell or by reading STATRQPIDB (always in
        handshake mode).
        """
        memory = self.qp_memory[qp.number]
        if by_register or not qp.config.memory_doorbells:
            value = await self.read("STATRQPIDB", qp.number)
        else:
            value = int.from_bytes(self.memory.read(memory.rq_doorbell, 4), "little")
        depth, element = qp.config.rq_depth, qp.config.element
        total = advance(qp.received, value, depth)
        slots = [
            ReceiveSlot(number, memory.rq + slot_of(number + qp.rq_shift, depth) * element, element)
            for number in range(qp.received, total)
        ]
        qp.received = total
        return slots

    async def free_recv(self, qp: Qp, count: int) -> None:
        """Give ``count`` elements back; a whole lap takes two writes, one index cannot tell it from none."""
        depth = qp.config.rq_depth
        while count:
            step = min(count, depth - 1)
            qp.freed += step
            count -= step
            await self._ring("RQCI", index_value(qp.freed, depth), qp)

    async def wait_received(self, qp: Qp, total: int, limit_ps: int = 200_000_000) -> None:
        """Wait until ``total`` messages were received since creation; TimeoutError otherwise."""

        async def done() -> bool:
            await self.poll_recv(qp)
            return qp.received >= total

        await self.wait_until(done, f"message {total} on QP {qp.number}", limit_ps)

    def read_element(self, slot: ReceiveSlot, length: int) -> bytes:
        """The first ``length`` bytes of a received element."""
        return self.memory.read(slot.addr, length)
