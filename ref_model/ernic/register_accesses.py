"""Accesses of software to the registers of the ERNIC (requirements sections 1 and 2)."""

from __future__ import annotations

from ref_model.ernic.choices import effective_strobes, lanes
from ref_model.ernic.config import INDEX_REGISTERS
from ref_model.ernic.counters import REGISTERS as COUNTER_REGISTERS
from ref_model.ernic.handshake import WINDOW, WRITES
from ref_model.ernic.interrupts import FATAL
from ref_model.ernic.management import LACKING, QP1, RECORDED
from ref_model.ernic.overrides import Overrides
from ref_model.ernic.pause import Class, FlowControl
from ref_model.ernic.qp_registers import QpRegisters
from ref_model.ernic.queue_pairs import QueuePairs
from ref_model.ernic.shared import Shared
from ref_model.ernic.status import QpStatus, Storage
from ref_model.events import RegRead, RegWrite, SideBand
from ref_model.registers import Location

PAUSE_REGISTERS = ("XRNIC_PAUSE_CONF", "XRNIC_BUF_THRESHOLD_ROCE", "XRNIC_BUF_THRESHOLD_NON_ROCE")


class RegisterAccesses:
    """Judges reads, and takes writes to whom they concern."""

    def __init__(self, shared: Shared, qps: QueuePairs, overrides: Overrides, flow: FlowControl) -> None:
        """Start as after reset."""
        self._shared = shared
        self._ctx = shared.ctx
        self._rules = shared.ctx.rules
        self._qps = qps
        self._overrides = overrides
        self._flow = flow
        self._own = QpRegisters(shared, qps, overrides)
        self._storage = Storage(self._ctx, shared.values)
        self._status = QpStatus(self._ctx, shared.values)
        self._ro_written: dict[int, int] = {}
        self._ro_seen: dict[int, int] = {}
        self._accessed = False  # since the last reset
        self.restarted = False  #: there was traffic before the last reset

    def reset(self) -> None:
        """The DUT was reset."""
        self._accessed = False
        self._storage.reset()
        self._overrides.reset()
        self._ro_written.clear()
        self._ro_seen.clear()

    # -- writes -----------------------------------------------------------------------------------

    def write(self, event: RegWrite) -> None:
        """Take a write."""
        rules = self._rules
        if not self._accessed:
            self._storage.first_access(event.addr)
        self._accessible()
        where = self._shared.values.layout.locate(event.addr)
        if where is None:
            rules.tempt("ERN-009", "registers")
            self._storage.hole(event.data)
            return
        block, name = where.block.name, where.register.name
        if block == "MR" and where.index >= int(self._ctx.knobs["MR_ROWS"]):
            return
        strb = effective_strobes(self._ctx.knobs, event.strb)
        if event.strb != 0xF and self._ctx.knobs["AXIL_WSTRB"] != "report":
            rules.tempt("ERN-008", "registers")
        if name not in INDEX_REGISTERS:
            self._qps.changed()
        if where.register.access == "ro":
            self._write_read_only(where, event)
        elif block in ("RQINTSTS", "CQINTSTS"):
            self._shared.interrupts.clear_bank(block[:2], where.index, event.data & lanes(strb))
            rules.tempt("ERN-006", ("w1c", block))
        elif name == "INTSTS":
            self._shared.interrupts.clear_status(event.data & lanes(strb))
            rules.tempt("ERN-006", ("w1c", name))
        else:
            self._write_stored(where, event)

    def _write_stored(self, where: Location, event: RegWrite) -> None:
        """A register that keeps what it is written to."""
        block, name = where.block.name, where.register.name
        settings = {kind: self._flow.config(kind) for kind in Class} if name in PAUSE_REGISTERS else None
        word = self._storage.write(where, event.addr & ~3, event.data, event.strb, event.settled)
        if name == "INTEN":
            self._shared.interrupts.write_enable(word)
        elif settings is not None:
            self._flow.configured(settings, event.begin, event.settled)
        elif name == "CON_IO_CONF":
            self._qps.handshake.connect_io(word >> 16 & 0x7FF, event.settled)
        elif block == "QP":
            self._own.write(name, where.index, word, event.settled)

    def _accessible(self) -> None:
        self._rules.met("ERN-007", "each access is answered once")
        if not self._accessed:
            self._accessed = True
            self._rules.met("ERN-219", "registers work once the reset is over")

    def _write_read_only(self, where: Location, event: RegWrite) -> None:
        addr = event.addr & ~3
        if self._overrides.write(where, addr, event.data):
            return
        if where.register.writable:  # STATQP: a status register with fields that software may write
            self._storage.write(where, addr, event.data, event.strb, event.settled)
            return
        if where.block.name == "CNPSCHDSTS":
            first = 32 * where.index
            written = [first + bit for bit in range(32) if event.data >> bit & 1]
            self._shared.interrupts.unschedule("bank", written)
        self._ro_written[addr] = event.data
        self._rules.tempt("ERN-005", ("ro", addr))

    def side_band_write(self, event: SideBand) -> None:
        """A doorbell that the DUT took: the same as a write of the register, by the low address bits."""
        register, rule = WRITES[event.port]
        address, value = event.values
        where = self._shared.values.layout.locate(address & WINDOW)
        if where is None or where.register.name != register:
            self._rules.inconclusive(f"a side-band write to {address:#x}, which is no {register}")
            return
        addr = address & WINDOW & ~3
        word = self._storage.write(where, addr, value, 0xF, event.settled, rule)
        self._own.write(register, where.index, word, event.settled, by_side_band=True)

    # -- reads ------------------------------------------------------------------------------------

    def read(self, event: RegRead) -> None:
        """Judge a read."""
        rules = self._rules
        self._accessible()
        where = self._shared.values.layout.locate(event.addr)
        if where is None:
            rules.observe("ERN-009")
            return
        block, addr = where.block.name, event.addr & ~3
        if block == "MR" and where.index >= int(self._ctx.knobs["MR_ROWS"]):
            return
        if block == "QP" and self._left_open(where.register.name, where.index + self._qps.first_slot):
            return
        if self._overrides.unknown(addr):
            rules.observe("ERN-025")
            return
        if where.register.access == "ro" and not self._unchanged_by_write(
            addr, event.data, where.register.defined
        ):
            return
        before = rules.findings_total
        self._judge(where, addr, event)
        if rules.findings_total == before:
            rules.alive(("ro", addr))
        self._ro_seen[addr] = event.data

    def _left_open(self, name: str, number: int) -> bool:
        """Record a register of QP ``number`` that nobody can judge; returns whether ``name`` is one."""
        if number == QP1 and name in LACKING | RECORDED.keys():
            self._rules.observe(RECORDED.get(name, "ERN-026"))
            return True
        return self._status.handles(name) and self._qps.recorded(number)

    def _judge(self, where: Location, addr: int, event: RegRead) -> None:
        """Judge the value by the kind of the register."""
        block, name, value = where.block.name, where.register.name, event.data
        if block in ("RQINTSTS", "CQINTSTS", "CNPSCHDSTS") or name == "INTSTS":
            self._judge_interrupts(where, value)
        elif name in COUNTER_REGISTERS:
            self._shared.counters.judge(name, value, event.begin, event.settled)
        elif name in ("LSTINPKT", "LSTOUTPKT"):
            self._shared.counters.judge_last(name, value)
        elif name == "ERRBUFWPTR":
            self._shared.errors.judge_pointer(value)
        elif name == "IPKTERRQWPTR":
            self._shared.fatal_queue.judge_pointer(value)
        elif self._overrides.stands(name, addr):
            self._overrides.judge(name, addr, value)
        elif block == "QP" and self._status.handles(name):
            self._judge_status(where, addr, event)
        elif where.register.access == "rw":
            self._storage.judge(where, addr, value, event.begin)
            if name == "CON_IO_CONF":
                self._qps.handshake.read_connect_io(event)
        else:
            self._rules.observe("ERN-016")
            if name == "RESPHNDSTS":
                for qp in self._qps.all():
                    qp.life.handler(value, event.begin)

    def _judge_interrupts(self, where: Location, value: int) -> None:
        """INTSTS, or a word of the interrupt banks."""
        rules, block = self._rules, where.block.name
        before = rules.findings_total
        if where.register.name == "INTSTS":
            cleared = "INTSTS"
            if value >> FATAL & 1:
                self._qps.fatal_shown()
            self._shared.interrupts.read_status(value)
        else:
            cleared = block
            kind = {"R": "RQ", "C": "CQ"}[block[0]] if block != "CNPSCHDSTS" else "CNP"
            self._shared.interrupts.read_bank(kind, where.index, value)
            rules.met("ERN-018", f"{block}[{where.index}]")
        if rules.findings_total == before:
            rules.alive(("w1c", cleared))

    def _judge_status(self, where: Location, addr: int, event: RegRead) -> None:
        """A status register of a queue pair."""
        name, value = where.register.name, event.data
        qp = self._qps.get(where.index + self._qps.first_slot)
        if qp is not None:
            if name == "STATQP" and not (qp.dead or qp.requester.window.sent_messages):
                self._storage.judge_fields(where, addr, value, event.begin)
            self._status.judge(name, qp, value, event.begin, event.settled)
        elif self.restarted:
            self._status.left_over(name, value)

    def _unchanged_by_write(self, addr: int, value: int, defined: int) -> bool:
        """A read-only register must not take over what software wrote to it."""
        written = self._ro_written.get(addr)
        if (
            written is None
            or value == self._ro_seen.get(addr)
            or written & defined != value
            or not value >> 12
        ):
            return True
        return self._rules.fail(
            "ERN-005", "the write is ignored", value, f"value written to read-only {addr:#x}"
        )
