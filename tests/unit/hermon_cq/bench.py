"""A host, the software CQ engine and the model that judges it."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ref_model.events import Event, HostWrite, MemRead, MemWrite, RegRead, RegWrite, Reset, SideBand
from ref_model.hermon_cq import HermonModel, context, ports
from ref_model.hermon_cq.config import Config
from ref_model.hermon_cq.endpoint import CommandEngine
from ref_model.hermon_cq.ports import Report
from ref_model.hermon_cq.registers import RegisterFile
from ref_model.memory import SparseMemory
from ref_model.registers import layout
from ref_model.rules import Finding, specification

CLK = 4000
US = 10 * CLK
KNOBS: dict[str, Any] = {"NUM_CQ_LOG": 3, "EVT_LATENCY": 300}
MTT_BASE, EQ_BASE, RECORDS, PAGES = 0x10_0000_0000, 0x2000_0000, 0x3000_0000, 0x400_0000_0000
INBOX, OUTBOX = 0x5000_0000, 0x5000_1000
SW2HW, HW2SW, QUERY, MODIFY = 0x16, 0x17, 0x18, 0x2C
ANY, SOL, ARM_N = ports.ANY, ports.SOLICITED, ports.ARM_N
_RANK = {Reset: 0, RegWrite: 1, HostWrite: 2, MemRead: 3, MemWrite: 4, SideBand: 5, RegRead: 6}


def knobs_of(own: Mapping[str, Any]) -> dict[str, Any]:
    """The stand-in's choices, small bounds, and ``own``."""
    rows = specification("hermon_cq").parameters
    return {**{name: row["own_dut"] for name, row in rows.items()}, **KNOBS, **own}


@dataclass
class HostCq:
    """What the driver knows of a CQ."""

    number: int
    values: dict[str, int]
    record: int
    ci: int = 0
    sn: int = 1


@dataclass
class Bench:
    """Host with a CQ engine; ``now`` is its time (ps)."""

    knobs: Mapping[str, Any] = field(default_factory=dict)
    engine_type: type[CommandEngine] = CommandEngine
    judged: Mapping[str, Any] = field(default_factory=dict)  #: knobs of the model that differ
    set_up: bool = True

    def __post_init__(self) -> None:
        values = knobs_of(self.knobs)
        self.memory = SparseMemory()
        self.registers = RegisterFile(Config.of(values, CLK), values)
        self.events: list[Event] = []
        self.log: list[Event] = []
        self.engine = self.engine_type(values, self.registers, self.memory, self.events.append, CLK)
        self.model = HermonModel({**values, **self.judged}, CLK)
        self.now = 0
        self.rng = random.Random(1)
        self.cqs: dict[int, HostCq] = {}
        self.eq_ci = [0] * int(values["NUM_EQ"])
        self._next_page = 0
        self._next_mtt = 0
        self.tags = 0
        self._addresses = {
            (block.name, register.name): block.address(register.name)
            for block in layout("hermon_cq").blocks.values()
            for register in block.registers
        }
        self.events.append(Reset(0, True))
        self.events.append(Reset(CLK, False))
        self.now = 2 * CLK
        if self.set_up:
            self.bring_up()

    # -- accesses -----------------------------------------------------------------------------------

    def address(self, name: str, index: int = 0) -> int:
        """Address of a register."""
        if name.startswith("EQ_"):
            return self._addresses["EQ", name] + 0x20 * index
        return self._addresses["GLOBAL", name]

    def write(self, name: str, data: int, index: int = 0, strb: int = 0xF) -> None:
        """Write a register and let the engine act on it."""
        addr = self.address(name, index)
        self.now += CLK
        self.events.append(RegWrite(self.now, self.now + CLK, addr, data, strb, 0, ports.CMD))
        place = self.registers.locate(addr)
        if place is not None and strb == 0xF and not self._busy(name):
            word = self.registers.write(place.register, index, data)
            self._act(name, index, word)
        self.now += CLK

    def _busy(self, name: str) -> bool:
        return name.startswith("HCR") and self.engine.go_until > self.now

    def _act(self, name: str, index: int, word: int) -> None:
        if name == "HCR_CMD" and word >> 23 & 1:
            self.engine.go_until = 1 << 62
            self.engine.put(self.now, self.engine.command)
        elif name == "EQ_CFG":
            eq = self.engine.eqs[index]
            eq.valid = bool(word & 1)
            if eq.valid:
                eq.base, eq.log_size = self.registers.eq_base(index), word >> 8 & 31
                eq.pi = eq.ci = 0
                eq.st = (0, 9, 0xB)[word >> 16 & 3]
        elif name == "ASYNC_EQ":
            self.engine.async_eqn = word & 0xFF if word >> 31 else None

    def read(self, name: str, value: int, index: int = 0) -> None:
        """A read that gives ``value``."""
        addr = self.address(name, index)
        self.events.append(RegRead(self.now, self.now + CLK, addr, value, 0, ports.CMD))
        self.now += 2 * CLK

    def host_write(self, addr: int, data: bytes) -> None:
        """Write host memory."""
        self.events.append(HostWrite(self.now, addr, data))
        self.memory.write(addr, data)
        self.now += CLK

    def sync(self) -> None:
        """Let the engine finish what it has, and the model judge it."""
        self.engine.run(self.now)
        self.now = max(self.now, self.engine.time) + CLK
        self.events.sort(key=lambda e: (e.settled if isinstance(e, RegRead) else e.begin, _RANK[type(e)]))
        for event in self.events:
            self.log.append(event)
            self.model.observe(event)
        self.events.clear()
        self.model.advance(self.now)

    def wait(self, clocks: int) -> None:
        """Let time pass."""
        self.sync()
        self.now += clocks * CLK
        self.sync()

    # -- set-up -------------------------------------------------------------------------------------

    def bring_up(self, eq_log: int = 4, arm: int = 1) -> None:
        """Program everything up to init_done."""
        self.write("MTT_BASE_H", MTT_BASE >> 32)
        self.write("MTT_BASE_L", MTT_BASE & 0xFFFFFFFF)
        for eqn in range(len(self.eq_ci)):
            base = EQ_BASE + 0x10000 * eqn
            self.host_write(base, (bytes(31) + b"\x80") * (1 << eq_log))
            self.write("EQ_BASE_H", base >> 32, eqn)
            self.write("EQ_BASE_L", base & 0xFFFFFFFF, eqn)
            self.write("EQ_CFG", arm << 16 | eq_log << 8 | 1, eqn)
        self.write("ASYNC_EQ", 1 << 31 | (len(self.eq_ci) - 1))
        self.write("CFG", self.registers.word("CFG") | 1)

    def pace(self, ps: int) -> None:
        """Pulses of tick_us from now on."""
        self.events.append(SideBand(self.now, self.now, ports.TICK, (ps,)))
        self.engine.ticks.change(self.now, ps)
        self.now += CLK

    def buffer(self, values: dict[str, int], stride: int, present: Callable[[int], bool]) -> dict[str, int]:
        """Pages and MTT entries for a ring; returns ``values`` with their address."""
        shift = 12 + values.get("log2_page_size", 0)
        length = values.get("page_offset", 0) * 32 + (stride << values["log_cq_size"])
        count = (length - 1 >> shift) + 1
        mtt = self._next_mtt
        self._next_mtt += 8 * count + 8
        for number in range(count):
            page = PAGES + (self._next_page + count - 1 - number << shift)
            entry = page | (1 if present(number) else 0)
            self.host_write(MTT_BASE + mtt + 8 * number, entry.to_bytes(8, "big"))
            self.host_write(page, self.rng.randbytes(64))
        self._next_page += count + 1
        record = values.get("db_record_addr_h", 0) << 32 | values.get("db_record_addr_l", 0) << 3
        return context.with_addresses(values, mtt, record)

    # -- commands -----------------------------------------------------------------------------------

    def start_command(self, opcode: int, opmod: int, cqn: int, inbox: bytes = b"") -> None:
        """Start a command and return at once."""
        if inbox:
            self.host_write(INBOX, inbox)
        self.write("HCR_IN_H", 0)
        self.write("HCR_IN_L", INBOX)
        self.write("HCR_MOD", cqn)
        self.write("HCR_OUT_H", 0)
        self.write("HCR_OUT_L", OUTBOX)
        self.write("HCR_CMD", 1 << 23 | opmod << 12 | opcode)

    def end_command(self) -> int:
        """Wait for its end; returns the status."""
        self.sync()
        word = self.registers.word("HCR_CMD") & 0xFFFFFF
        self.read("HCR_CMD", word | self.engine.status << 24)
        self.sync()
        return self.engine.status

    def command(self, opcode: int, opmod: int, cqn: int, inbox: bytes = b"") -> int:
        """Run a command; returns the status."""
        self.start_command(opcode, opmod, cqn, inbox)
        return self.end_command()

    def create(
        self,
        number: int,
        log_size: int = 3,
        opmod: int = 0,
        start: int = 0,
        present: Callable[[int], bool] = lambda page: True,
        **fields: Any,
    ) -> HostCq:
        """Create a CQ with ring, record and context."""
        record = RECORDS + 8 * number
        values = context.with_addresses(
            {"log_cq_size": log_size, "c_eqn": 0, "usr_page": 1, **fields}, 0, record
        )
        values = self.buffer(values, self.registers.stride, present)
        self.host_write(record, start.to_bytes(4, "big") + bytes(4))
        if start:
            self.write("DBG_INIT_IDX", start)
        self.command(SW2HW, opmod, number, context.encode(values))
        cq = self.cqs[number] = HostCq(number, values, record, start)
        return cq

    def query(self, number: int) -> dict[str, int]:
        """QUERY_CQ."""
        self.command(QUERY, 0, number)
        return context.decode(self.memory.read(OUTBOX, 64))

    def destroy(self, number: int, opmod: int = 0) -> int:
        """HW2SW_CQ."""
        return self.command(HW2SW, opmod, number)

    def resize(self, number: int, log_size: int, present: Callable[[int], bool] = lambda page: True) -> int:
        """MODIFY_CQ opmod 0 with a new buffer."""
        values = self.buffer({"log_cq_size": log_size}, self.registers.stride, present)
        del values["db_record_addr_h"], values["db_record_addr_l"]
        return self.command(MODIFY, 0, number, context.encode(values))

    # -- traffic ------------------------------------------------------------------------------------

    def report(self, number: int, solicited: bool = False, error: bool = False, **bits: int) -> int:
        """Offer a report; returns its tag."""
        self.tags += 1
        body = bytearray(self.rng.randbytes(32))
        body[31] = bits.get("last", 0x42)
        report = Report(number, bytes(body), self.tags, solicited, error, bits.get("qpn", 5))
        self.events.append(SideBand(self.now, self.now, ports.CPL, (report.word,)))
        self.engine.put(self.now, lambda: self.engine.report(report))
        self.now += CLK
        return self.tags

    def reports(self, number: int, count: int, **how: Any) -> None:
        """Several reports, each finished before the next."""
        for _ in range(count):
            self.report(number, **how)
            self.sync()

    def publish(self, number: int, ci: int | None = None) -> None:
        """Write set_ci."""
        cq = self.cqs[number]
        cq.ci = self.engine.cqs[number].pi if ci is None else ci
        self.host_write(cq.record, (cq.ci & 0xFFFFFF).to_bytes(4, "big"))

    def uar(self, addr: int, data: int, strb: int = 0xFF) -> None:
        """Write a doorbell page."""
        self.events.append(RegWrite(self.now, self.now + CLK, addr, data, strb, 0, ports.UAR))
        self.now += 2 * CLK

    def arm(
        self,
        number: int,
        kind: int = ANY,
        param: int | None = None,
        sn: int | None = None,
        page: int | None = None,
        halves: bool = False,
    ) -> None:
        """Ring the doorbell of a CQ, by default with all CQEs consumed and the right sequence number."""
        cq = self.cqs[number]
        param = cq.ci if param is None else param
        sn = cq.sn if sn is None else sn
        page = cq.values["usr_page"] if page is None else page
        first, second = ports.cq_doorbell(number, kind, sn, param)
        addr = page << ports.PAGE_BITS | ports.CQ_DB0
        if halves:
            self.uar(addr, first, 0x0F)
            self.uar(addr, second << 32, 0xF0)
        else:
            self.uar(addr, second << 32 | first)
        self.engine.put(self.now - 2 * CLK, lambda: self.engine.cq_doorbell(page, first, second))

    def eq_doorbell(self, eqn: int, arm: bool = True, ci: int | None = None) -> None:
        """Publish the consumer index of an EQ, and arm it."""
        ci = self.eq_ci[eqn] if ci is None else ci
        self.uar(ports.eq_doorbell_address(eqn), arm << 31 | ci & 0xFFFFFF, 0x0F)
        self.engine.put(self.now - 2 * CLK, lambda: self.engine.eq_doorbell(eqn, ci, arm))

    def take_events(self, eqn: int = 0, arm: bool = True) -> list[tuple[int, int]]:
        """Take all EQEs of an EQ as (type, CQ number); sequence numbers of their CQs move on."""
        self.sync()
        eq, taken = self.engine.eqs[eqn], []
        while self.eq_ci[eqn] < eq.pi:
            data = self.memory.read(eq.base + 32 * (self.eq_ci[eqn] % (1 << eq.log_size)), 32)
            kind, number = data[1], int.from_bytes(data[5:8], "big")
            taken.append((kind, number))
            self.eq_ci[eqn] += 1
            if kind == 0 and number in self.cqs:
                self.cqs[number].sn = self.cqs[number].sn + 1 & 3
        if taken:
            self.eq_doorbell(eqn, arm)
            self.sync()
        return taken

    # -- end ----------------------------------------------------------------------------------------

    def quiet(self) -> None:
        """Let the DUT become quiet and say so to the model."""
        self.wait(4000)
        self.model.quiet(self.now)

    def finish(self) -> list[Finding]:
        """Become quiet, read the status registers, end; returns the findings."""
        self.quiet()
        engine, reports = self.engine, self.model.reports
        self.read("STAT", 1 | (2 if any(cq.event for cq in engine.cqs.values()) else 0))
        self.read("CNT_CPL", self.tags)
        self.read("CNT_EQE", sum(eq.pi for eq in engine.eqs))
        for eqn, eq in enumerate(engine.eqs):
            if eq.valid:
                self.read("EQ_PI", eq.pi, eqn)
                self.read("EQ_CI", eq.ci, eqn)
                self.read("EQ_ST", eq.st, eqn)
        self.sync()
        self.model.finish()
        assert reports.accepted == self.tags
        return self.model.rules.findings

    @property
    def found(self) -> set[str]:
        """Rules of the findings so far, consequences left out."""
        return {finding.rule for finding in self.model.rules.findings if not finding.secondary}

    @property
    def evidence(self) -> set[str]:
        """Rules that were decided well."""
        return set(self.model.rules.evidence)
