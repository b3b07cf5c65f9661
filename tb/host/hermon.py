"""Driver side of a Hermon CQ engine: registers, commands with mailboxes, event queues, doorbells.

Nothing here judges the device; values read back only steer the stimulus.
"""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Protocol

from ref_model.errors import UserError
from ref_model.hermon_cq.context import decode, encode, with_addresses
from ref_model.hermon_cq.ports import CQ_DB0, PAGE_BITS, eq_doorbell_address
from ref_model.registers import layout
from tb.host.hermon_cq import Cq, CqSettings
from tb.host.hermon_eq import EventQueue, EventQueues
from tb.host.hermon_ring import MttArea, Ring, RingMaker
from tb.host.patience import US, Patient
from tb.host.placement import Memory

REST_LOOKS = 100
MAILBOX = 64
GUARD = 0xA5


class Command(IntEnum):
    """Opcodes of the CQ commands."""

    SW2HW = 0x16
    HW2SW = 0x17
    QUERY = 0x18
    MODIFY = 0x2C


class Modify(IntEnum):
    """Opcode modifiers of MODIFY_CQ."""

    RESIZE = 0
    MODERATION = 1
    EQN = 2
    FLAGS = 3


class Arm(IntEnum):
    """Requests of a CQ doorbell."""

    SOLICITED = 1
    ANY = 2
    NTH = 3


class Form(IntEnum):
    """How a CQ doorbell is written."""

    WHOLE = 0
    HALVES = 1


class RegisterPort(Protocol):
    """Access to one register space."""

    async def write(self, addr: int, data: int, strb: int | None = None) -> object:
        """Write a word; what it returns is not used."""

    async def read(self, addr: int) -> int:
        """Read a word."""


@dataclass(frozen=True, slots=True)
class HermonSettings:
    """What the bring-up sets: log2 of the EQ sizes, their arming (0, 1 armed, 2 always), where MTTs lie."""

    eq_log_size: int = 5
    eq_arm: int = 1
    eqs: tuple[int, ...] | None = None  #: EQs that are made valid, None: all
    async_eq: int | None = 0
    stride: int | None = None  #: bytes per CQE slot, None: as the build has it
    mtt_base: int = 0x0005_0000_0000_0000
    mtt_first: int = 0x81_8000_0008


@dataclass(slots=True)
class Result:
    """End of a command: status, immediate result, output mailbox."""

    status: int
    out_param: int = 0
    image: bytes = b""

    @property
    def fields(self) -> dict[str, int]:
        """Fields of the context in the output mailbox."""
        return decode(self.image)


class HermonHost(Patient):
    """Host of one engine; its time is that of the bench, not of tick_us."""

    POLL_PS = LONGEST_POLL_PS = 200_000
    LIMIT_PS = 400 * US

    def __init__(
        self,
        port: RegisterPort,
        uar: RegisterPort,
        memory: Memory,
        knobs: Mapping[str, Any],
        rng: random.Random,
        sleep: Callable[[int], Awaitable[None]],
    ) -> None:
        """Nothing reaches the device before ``open``; ``knobs``: parameters of spec/hermon_cq."""
        super().__init__(sleep)
        self.port = port
        self.uar = uar
        self.memory = memory
        self.knobs = knobs
        self.rng = rng
        self._layout = layout("hermon_cq")
        self._token = 0
        self.mtt: MttArea
        self.rings: RingMaker
        self.cqs: dict[int, Cq] = {}
        self.eqs = EventQueues({}, self.cqs)
        self.inbox = memory.alloc(MAILBOX, 64, "input mailbox")
        self.outbox = memory.alloc(MAILBOX, 64, "output mailbox")
        self.start_index = 0
        self.forms: tuple[Form, ...] = (Form.WHOLE,)

    # -- registers --------------------------------------------------------------------------------

    def address(self, name: str, index: int = 0) -> int:
        """Byte address of register ``name`` (of EQ block ``index``)."""
        for block in self._layout.blocks.values():
            if name in block.by_name:
                return block.address(name, index)
        raise UserError(f"no register {name!r} of hermon_cq")

    async def write(self, name: str, value: int, index: int = 0) -> None:
        """Write register ``name``."""
        await self.port.write(self.address(name, index), value)

    async def read(self, name: str, index: int = 0) -> int:
        """Read register ``name``."""
        return await self.port.read(self.address(name, index))

    async def rest(self) -> None:
        """Wait until the device says it is idle; it may never be while events wait for room in an EQ."""
        for _ in range(REST_LOOKS):
            if await self.read("STAT") & 1:
                return
            await self.pause_ps(self.POLL_PS)

    # -- bring-up ---------------------------------------------------------------------------------

    async def open(self, settings: HermonSettings | None = None) -> None:
        """Start as the interface text has it: areas, event queues, CFG.init_done last."""
        self.settings = settings = settings or HermonSettings()
        self.mtt = MttArea(self.memory, settings.mtt_base, settings.mtt_first)
        self.rings = RingMaker(self.memory, self.mtt, self.rng, settings.stride or int(self.knobs["STRIDE"]))
        await self.write("MTT_BASE_H", settings.mtt_base >> 32)
        await self.write("MTT_BASE_L", settings.mtt_base & 0xFFFFFFFF)
        stride_sel = self.rings.stride.bit_length() - 6
        await self.write("CFG", stride_sel << 1)
        numbers = range(int(self.knobs["NUM_EQ"])) if settings.eqs is None else settings.eqs
        self.eqs = EventQueues({}, self.cqs)
        for number in numbers:
            await self.open_eq(number, settings.eq_log_size, settings.eq_arm)
        if settings.async_eq is not None:
            await self.write("ASYNC_EQ", 1 << 31 | settings.async_eq)
        await self.write("CFG", stride_sel << 1 | 1)

    async def open_eq(self, number: int, log_size: int, arm: int, base: int | None = None) -> EventQueue:
        """Make event queue ``number`` valid, in fresh memory unless ``base`` is given."""
        if base is None:
            base = self.memory.alloc(32 << log_size, 32, f"eq{number}")
        eq = EventQueue(self, number, base, log_size)
        eq.clear()
        await self.write("EQ_BASE_H", base >> 32, number)
        await self.write("EQ_BASE_L", base & 0xFFFFFFFF, number)
        await self.write("EQ_CFG", arm << 16 | log_size << 8 | 1, number)
        self.eqs.queues[number] = eq
        return eq

    async def close_eq(self, number: int) -> None:
        """Make event queue ``number`` invalid."""
        await self.write("EQ_CFG", 0, number)
        self.eqs.queues.pop(number, None)

    def open_queues(self) -> list[int]:
        """Numbers of the valid event queues."""
        return sorted(self.eqs.queues)

    def forget(self) -> None:
        """The device was reset: there are no queues; memory stays."""
        self.cqs.clear()
        self.eqs.queues.clear()
        self.start_index = 0

    async def start_at(self, index: int) -> None:
        """Counters of the next queues that are created begin at ``index`` (test hook)."""
        self.start_index = index
        await self.write("DBG_INIT_IDX", index)

    # -- commands ---------------------------------------------------------------------------------

    async def begin(self, command: int, cqn: int, opmod: int = 0, inbox: int | None = None) -> None:
        """Write the HCR and start a command; ``inbox``: address of the input mailbox."""
        self._token = self._token + 1 & 0xFFFF
        pointer = self.inbox if inbox is None else inbox
        for name, value in (
            ("HCR_IN_H", pointer >> 32),
            ("HCR_IN_L", pointer & 0xFFFFFFFF),
            ("HCR_MOD", cqn),
            ("HCR_OUT_H", self.outbox >> 32),
            ("HCR_OUT_L", self.outbox & 0xFFFFFFFF),
            ("HCR_TOKEN", self._token << 16),
        ):
            await self.write(name, value)
        await self.write("HCR_CMD", 1 << 23 | opmod << 12 | command)

    async def end(self) -> Result:
        """Poll go until it is 0; TimeoutError when it stays 1."""
        for _ in range(200_000):
            word = await self.read("HCR_CMD")
            if not word >> 23 & 1:
                out = await self.read("HCR_OUT_H") << 32 | await self.read("HCR_OUT_L")
                return Result(word >> 24, out, self.memory.read(self.outbox, MAILBOX))
        raise TimeoutError("the command did not end")

    async def command(
        self,
        command: int,
        cqn: int,
        opmod: int = 0,
        fields: Mapping[str, int] | None = None,
        image: bytes | None = None,
        inbox: int | None = None,
    ) -> Result:
        """One command from start to end; the input mailbox holds ``fields`` of a context, or ``image``."""
        if image is None and fields is not None:
            image = encode(fields)
        if image is not None:
            self.memory.write(self.inbox, image)
        self.memory.write(self.outbox, bytes([GUARD]) * MAILBOX)
        await self.begin(command, cqn, opmod, inbox)
        return await self.end()

    def context(self, settings: CqSettings, ring: Ring, record: int) -> dict[str, int]:
        """Fields software gives at creation."""
        fields = {
            "st": settings.st,
            "oi": int(settings.oi),
            "cc": int(settings.cc),
            "usr_page": settings.uar_page,
            "cq_max_count": settings.max_count,
            "cq_period": settings.period,
            "c_eqn": settings.eqn,
            **ring_fields(ring),
        }
        return {**with_addresses(fields, ring.mtt, record), **settings.extra}

    async def create(self, cqn: int, **settings: Any) -> Cq:
        """A queue from fresh memory; ``settings`` are fields of CqSettings. UserError when refused."""
        chosen = CqSettings(cqn, **settings)
        cq = self.prepare(chosen)
        result = await self.sw2hw(cq)
        if result.status:
            raise UserError(f"SW2HW_CQ of CQ {cqn}: status {result.status:#x}")
        return cq

    def prepare(self, chosen: CqSettings, ring: Ring | None = None) -> Cq:
        """Ring and DB record of a queue, not yet known to the device."""
        if ring is None:
            ring = self.rings.make(chosen.log_size, chosen.offset, chosen.log2_page_size, chosen.cc)
        record = chosen.record
        if record is None:
            record = self.memory.alloc(8, 8, f"record{chosen.cqn}")
        first = self.start_index
        ring.fill(chosen.fill)
        if chosen.opmod or not int(self.knobs["INIT_BY_FW"]):
            for number in range(1 if chosen.cc else ring.size):
                ring.write(first + number, ring.read(first + number), 1 ^ ring.lap_owner(first + number))
        self.memory.write(record, first.to_bytes(4, "big") + bytes(4))
        return Cq(self, chosen, ring, record, first)

    async def sw2hw(self, cq: Cq) -> Result:
        """Give a prepared queue to the device."""
        chosen = cq.settings
        fields = self.context(chosen, cq.ring, cq.record)
        result = await self.command(Command.SW2HW, chosen.cqn, chosen.opmod, fields)
        if not result.status:
            self.cqs[chosen.cqn] = cq
        return result

    async def destroy(self, cqn: int, opmod: int = 0) -> Result:
        """Take a queue back."""
        result = await self.command(Command.HW2SW, cqn, opmod)
        if not result.status:
            self.cqs.pop(cqn, None)
        return result

    async def query(self, cqn: int) -> Result:
        """Snapshot of a queue."""
        return await self.command(Command.QUERY, cqn)

    async def moderate(self, cqn: int, count: int, period: int) -> Result:
        """Change the moderation: CQEs and microseconds per event, 0 off."""
        fields = {"cq_max_count": count, "cq_period": period}
        return await self.command(Command.MODIFY, cqn, Modify.MODERATION, fields)

    async def move(self, cqn: int, eqn: int) -> Result:
        """Change the event queue."""
        return await self.command(Command.MODIFY, cqn, Modify.EQN, {"c_eqn": eqn})

    async def resize_command(self, cqn: int, ring: Ring, extra: Mapping[str, int] | None = None) -> Result:
        """MODIFY_CQ to ``ring``; ``extra``: further fields of the mailbox, which drivers leave zero."""
        fields = {**ring_fields(ring), **(extra or {})}
        return await self.command(Command.MODIFY, cqn, Modify.RESIZE, fields)

    async def ignore_overrun(self, cqn: int) -> Result:
        """Switch overrun-ignore on."""
        return await self.command(Command.MODIFY, cqn, Modify.FLAGS, {"oi": 1})

    # -- doorbells --------------------------------------------------------------------------------

    def form(self) -> Form:
        """Form of a doorbell nobody has asked for: one of ``forms``."""
        return self.rng.choice(self.forms)

    async def ring_cq(
        self, page: int, first: int, second: int, form: Form = Form.WHOLE, gap_ps: int = 0
    ) -> None:
        """CQ doorbell: its two dwords in one write, or in two with ``gap_ps`` between."""
        addr = page << PAGE_BITS | CQ_DB0
        if form is Form.WHOLE:
            await self.uar.write(addr, second << 32 | first, 0xFF)
            return
        await self.uar.write(addr, first, 0x0F)
        if gap_ps:
            await self.pause_ps(gap_ps)
        await self.uar.write(addr, second << 32, 0xF0)

    async def ring_eq(self, number: int, index: int, arm: bool) -> None:
        """EQ doorbell: consumer index, and whether an interrupt is asked for."""
        await self.uar.write(eq_doorbell_address(number), int(arm) << 31 | index & 0xFFFFFF, 0x0F)


def ring_fields(ring: Ring) -> dict[str, int]:
    """Fields of a context that tell where a ring is."""
    return {
        "page_offset": ring.offset >> 5,
        "log_cq_size": ring.log_size,
        "log2_page_size": ring.log2_page_size,
        "mtt_base_addr_h": ring.mtt >> 32,
        "mtt_base_addr_l": (ring.mtt & 0xFFFFFFFF) >> 3,
    }
