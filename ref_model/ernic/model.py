"""The ERNIC observer: takes what the pins showed, in merged order, and judges it.

``observe`` is fed with events ordered by their begin (register reads by their end, since the value
depends on everything that began before it). Nothing here looks inside the DUT.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ref_model.ernic.choices import (
    OVERRIDE_QP_LSB,
    OVERRIDE_QP_MASK,
    effective_strobes,
    lanes,
    override_applies,
)
from ref_model.ernic.config import INDEX_REGISTERS, Device, QpConfig, RegisterValues, read_device
from ref_model.ernic.context import GRANTED, OUTPUT, READ_PORT, Context
from ref_model.ernic.counters import REGISTERS as COUNTER_REGISTERS
from ref_model.ernic.counters import Counters
from ref_model.ernic.errors import ErrorBuffer, FatalQueue
from ref_model.ernic.global_buffers import missing_buffers
from ref_model.ernic.handshake import CQ_OUT, RQ_OUT, WINDOW, WRITES, Handshake
from ref_model.ernic.interrupts import FATAL, VALIDATION, Interrupts
from ref_model.ernic.management import LACKING, QP1, RECORDED
from ref_model.ernic.management_send import ManagementRequester
from ref_model.ernic.outgoing_errors import OutgoingErrors
from ref_model.ernic.pass_through import PassThrough
from ref_model.ernic.pause import Class, FlowControl
from ref_model.ernic.qp import Qp
from ref_model.ernic.regions import Regions
from ref_model.ernic.released import REACTION, MemoryErrors, Released
from ref_model.ernic.requester import FATAL_NAKS, WQE_BYTES
from ref_model.ernic.response_errors import ResponseErrors, known_syndrome
from ref_model.ernic.retry_buffers import RetryBuffers
from ref_model.ernic.status import QpStatus, Storage
from ref_model.ernic.validation import (
    LENGTHS,
    QP_DEAD,
    Fault,
    certain,
    congestion_experienced,
    device_faults,
    parse_faults,
    possible_syndromes,
    qp_faults,
    suspicion,
    syndrome_bits,
)
from ref_model.events import (
    Event,
    FrameIn,
    FrameOut,
    HostWrite,
    Irq,
    MemRead,
    MemWrite,
    PauseIn,
    PauseOut,
    ProtocolViolation,
    RegRead,
    RegWrite,
    Reset,
    SideBand,
)
from ref_model.grants import Areas
from ref_model.memory import runs
from ref_model.registers import Location, layout
from ref_model.rules import Rules, Scope, specification
from ref_model.wire import INFO, Frame, ParseError, opcodes, parse_shared

SQ_PORT, PAYLOAD_PORT, CQ_PORT, RX_PORT = "qp_mgr", "wqe_proc_top", "resp_hndler", "rx_pkt_hndler_ddr"
RETRY_PORT = "wqe_proc_wr_ddr"
ROCE_RX, OTHER_RX, HOST_TX, TX, OTHER_OUT = "roce_rx", "non_roce_rx", "non_roce_tx", "tx", "non_roce_host"

BEAT = 64
#: Status registers software may write while XRNICADCONF[0] = 1; the first three exactly.
EXACT_OVERRIDES = ("CQHEAD", "STATCURSQPTR", "STATRQPIDB")
OVERRIDES = (*EXACT_OVERRIDES, "STATMSN", "STATRQBUFCA", "STATRQBUFCAMSB")
QP_STRIDE = 0x100
PAUSE_REGISTERS = ("XRNIC_PAUSE_CONF", "XRNIC_BUF_THRESHOLD_ROCE", "XRNIC_BUF_THRESHOLD_NON_ROCE")
#: Rules of frames whose form is broken.
MALFORMED = frozenset({"ERN-231", "ERN-232/drop", "ERN-107"})
RESPONSES = frozenset({"ack", "read_resp"})


class ErnicModel:
    """Judges one ERNIC; ``knobs`` are the parameters of spec/ernic/parameters.json."""

    def __init__(
        self,
        knobs: Mapping[str, Any],
        period_ps: int = 4000,
        settle_clks: int = 16,
        pipe_out_clks: int = 64,
        reading: Mapping[str, Any] | None = None,
    ) -> None:
        """``period_ps``: clock period; ``settle_clks``, ``pipe_out_clks``: windows of the binding.

        ``reading``: what open parameters are taken to mean, while checks of them stay open.
        """
        spec = specification("ernic")
        own = spec.knobs(knobs)
        rules = Rules(spec, own)
        self.ctx = Context.build(rules, {**own, **(reading or {})}, period_ps, settle_clks, pipe_out_clks)
        self.rules = self.ctx.rules
        self.knobs = self.ctx.knobs
        self.liveness = self.ctx.timing.liveness
        self.layout = layout("ernic")
        self.values = RegisterValues(self.layout)
        self.interrupts = Interrupts(self.ctx)
        self.counters = Counters(self.ctx, self.interrupts)
        self.errors = ErrorBuffer(self.ctx, self.values)
        self.fatal_queue = FatalQueue(self.ctx, self.values)
        self.ctx.retries = RetryBuffers(self.ctx, self.values, self._rearm)
        self.response_errors = ResponseErrors(self.ctx, self.values)
        self.outgoing_errors = OutgoingErrors(self.rules, self.values)
        self.regions = Regions(self.values, self.knobs, self.rules)
        self.storage = Storage(self.ctx, self.values)
        self.status = QpStatus(self.ctx, self.values)
        self.stream = Scope("frames")
        self.memory_scope = Scope("memory")
        self._first_slot = 1 if self.knobs["QP_BASE_MODE"] == "doc" else 0
        self.flow = FlowControl(self.ctx, self.values, self._loaded)
        self.passing = PassThrough(self.ctx, self.flow, self.stream)
        self._host_frames = self.passing.host
        self._areas: Areas[tuple[str, Qp | None]] = Areas()
        self._areas_stale = True
        self._by_peer: dict[int, list[Qp]] | None = None
        self._decoded: tuple[int, Device] | None = None
        self._ro_written: dict[int, int] = {}
        self._ro_seen: dict[int, int] = {}
        self._overridden: dict[int, int] = {}
        self._unknown: set[int] = set()  # written under an override that may not have been on
        self.qps: dict[int, Qp] = {}
        self.handshake = Handshake(self.ctx, self.qps, self.stream)
        self.released = Released(self.ctx, self.regions)
        self.memory_errors = MemoryErrors(self.ctx, self.qps)
        self.immediates = 0
        self.in_reset = True
        self._roce_free = -self.ctx.timing.period * 2  # last beat at the RoCE input
        self._restarted = False  # there was traffic before the last reset
        self._accessed = False  # a register was accessed since the last reset
        self._programmed = -1  # epoch in which all global buffers were found programmed
        self._unjudged = ""  # rule under which everything is recorded until the next reset of all domains
        self._handlers: dict[type, Callable[[Any], None]] = {
            RegWrite: self._register_write,
            RegRead: self._register_read,
            FrameIn: self._frame_in,
            FrameOut: self._frame_out,
            MemWrite: self._memory_write,
            MemRead: self._memory_read,
            HostWrite: self._host_write,
            Irq: self._irq,
            Reset: self._reset,
            SideBand: self._side_band,
            PauseIn: self.flow.requested,
            PauseOut: lambda event: self.flow.shown(event, self.in_reset),
            ProtocolViolation: self._violation,
        }

    # -- interface --------------------------------------------------------------------------------

    def observe(self, event: Event) -> None:
        """Judge one event."""
        now = event.settled if isinstance(event, RegRead) else event.begin
        ctx = self.ctx
        if now > ctx.now:
            ctx.deadlines.advance(now)
            ctx.now = now
        self.rules.now = now
        if ctx.quiet and not isinstance(event, RegRead):
            ctx.quiet = False
        if self._unjudged and not isinstance(event, Reset | HostWrite):
            self.rules.observe(self._unjudged)
            return
        self._handlers[type(event)](event)
        if self.flow.foreign:
            self.flow.watch()

    def advance(self, now: int) -> None:
        """No event can come any more before ``now``: obligations due until then are decided."""
        if now > self.ctx.now:
            self.ctx.deadlines.advance(now)
            self.ctx.now = self.rules.now = now

    def busy(self) -> str:
        """Return why the DUT still owes something, or an empty string."""
        if self.ctx.deadlines.open:
            return f"{self.ctx.deadlines.open} obligations open"
        if self.ctx.payloads.open:
            return f"{self.ctx.payloads.open} payload writes open"
        return self.passing.busy()

    def quiet(self, now: int) -> None:
        """The bench found the DUT quiet: everything that happened has taken effect."""
        self.advance(now)
        if self._unjudged:
            return
        self.counters.quiet()
        self.interrupts.quiet()
        managed = self.qps.get(QP1)
        if managed is not None and managed.management is not None:
            managed.management.quiet(managed.refresh()[0])
        self.flow.quiet()
        self.ctx.quiet = True

    def subjects(self) -> list[int]:
        """Numbers of the queue pairs the run has set up."""
        return sorted(self.qps)

    def finish(self) -> None:
        """End of test: open obligations and left-overs become findings."""
        self.ctx.deadlines.finish()
        if self._unjudged:
            return
        for qp in self.qps.values():
            left = qp.cq.finished()
            if left:
                rule, knob = qp.cq.owed_by("ERN-073")
                self.rules.fail(
                    rule, "no completion left", f"{left} CQEs missing", "end of test", qp.scope, knob
                )
        owed = self.ctx.immediates_owed
        if self.immediates < owed and not self.ctx.immediates_free:
            seen = f"{self.immediates} of {owed}"
            self.rules.fail("ERN-150", "an entry per message", seen, "end of test", self.stream)
        self.passing.finish()

    # -- QPs --------------------------------------------------------------------------------------

    def _qp(self, number: int) -> Qp | None:
        """Return the QP with wire number ``number`` if the build has its slot."""
        slot = number - self._first_slot
        if not 0 <= slot < int(self.knobs["C_NUM_QP"]):
            return None
        return self.qps.get(number) or self._new_qp(number, slot)

    def _new_qp(self, number: int, slot: int) -> Qp:
        qp = self.qps[number] = Qp(
            self.ctx, self.values, self.counters, self.interrupts, self.errors, self.regions, number, slot
        )
        self.handshake.attach(qp)
        other = number + 1 - 2 * self._first_slot  # has this slot in the other QP_BASE_MODE
        qp.responder.owed_by_other_slot = lambda psn: self._awaits_ack(other, psn)
        return qp

    def _awaits_ack(self, number: int, psn: int) -> bool:
        qp = self.qps.get(number)
        return qp is not None and any(waiting.psn == psn for waiting in qp.responder.state.waiting)

    def _release(self, qp: Qp, rule: str) -> None:
        """Let go of ``qp``: what it does is recorded under ``rule`` until software makes it anew."""
        self.rules.observe(rule)
        if qp.released:
            return
        qp.abandon()
        grants = [
            (kind, grant)
            for kind in (self.ctx.payloads, self.ctx.optional)
            for grant in kind.received_by(qp.scope)
        ]
        for kind, grant in grants:
            kind.remove(grant)
        fresh = self._new_qp(qp.number, qp.slot)
        fresh.released = rule
        self.released.add(fresh, [(grant.addr, len(grant.data)) for _, grant in grants])
        self._by_peer = None
        self._areas_stale = True
        self._let_go_of_shared(qp.number)

    def _let_go_of_shared(self, number: int | None = None) -> None:
        """Something nobody judges (QP ``number``) may use what all share: counters, interrupts, buffers."""
        self.interrupts.let_go(number)
        self.counters.free = self.ctx.immediates_free = True
        self.errors.let_go()
        self.response_errors.stale()
        self.ctx.retries.let_go()

    def _rearm(self) -> None:
        """The retry buffers ran out, or no longer are: what each QP owes may change."""
        for qp in self.qps.values():
            qp.requester.arm(*qp.refresh())

    def _loaded(self, kind: Class) -> bool:
        """Return whether the DUT owes a frame of this class."""
        if kind is Class.OTHER:
            return bool(self._host_frames)
        return any(qp.requester.owes or qp.responder.owes for qp in self.qps.values())

    def _device(self) -> Device:
        """Return the global configuration, decoded again only after a register write."""
        version = self.values.epoch
        if self._decoded is None or self._decoded[0] != version:
            self._decoded = (version, read_device(self.values))
        return self._decoded[1]

    def _peers(self) -> dict[int, list[Qp]]:
        """Return the configured QPs by the DestQP they send to."""
        if self._by_peer is None:
            self._by_peer = {}
            for number in sorted(self.qps):
                conn, _ = self.qps[number].refresh()
                if conn.sq_depth and number != QP1:
                    self._by_peer.setdefault(conn.dest_qp, []).append(self.qps[number])
        return self._by_peer

    # -- registers --------------------------------------------------------------------------------

    def _register_write(self, event: RegWrite) -> None:
        rules = self.rules
        if not self._accessed:
            self.storage.first_access(event.addr)
        self._accessible()
        where = self.layout.locate(event.addr)
        if where is None:
            rules.tempt("ERN-009", "registers")
            self.storage.hole(event.data)
            return
        block, name = where.block.name, where.register.name
        if block == "MR" and where.index >= int(self.knobs["MR_ROWS"]):
            return
        strb = effective_strobes(self.knobs, event.strb)
        if event.strb != 0xF and self.knobs["AXIL_WSTRB"] != "report":
            rules.tempt("ERN-008", "registers")
        if name not in INDEX_REGISTERS:
            self._by_peer = None
            self._areas_stale = True
        if where.register.access == "ro":
            self._write_read_only(where, event)
            return
        if block in ("RQINTSTS", "CQINTSTS"):
            self.interrupts.clear_bank(block[:2], where.index, event.data & lanes(strb))
            rules.tempt("ERN-006", ("w1c", block))
            return
        if name == "INTSTS":
            self.interrupts.clear_status(event.data & lanes(strb))
            rules.tempt("ERN-006", ("w1c", name))
            return
        settings = {kind: self.flow.config(kind) for kind in Class} if name in PAUSE_REGISTERS else None
        word = self.storage.write(where, event.addr & ~3, event.data, event.strb, event.settled)
        if name == "INTEN":
            self.interrupts.write_enable(word)
        elif settings is not None:
            self.flow.configured(settings, event.begin, event.settled)
        elif name == "CON_IO_CONF":
            self.handshake.connect_io(word >> 16 & 0x7FF, event.settled)
        elif block == "QP":
            self._qp_write(name, where.index, word, event.settled)

    def _accessible(self) -> None:
        self.rules.met("ERN-007", "each access is answered once")
        if not self._accessed:
            self._accessed = True
            self.rules.met("ERN-219", "registers work once the reset is over")

    def _write_read_only(self, where: Location, event: RegWrite) -> None:
        name, block, index = where.register.name, where.block.name, where.index
        override = self._override_for(index + self._first_slot)
        self._unknown.discard(event.addr & ~3)
        if block == "QP" and override is None and name in OVERRIDES:
            self._unknown.add(event.addr & ~3)
        if block == "QP" and override is not False and name in OVERRIDES:
            qp = self._qp(index + self._first_slot)
            if qp is not None:
                self._override(name, qp, event.data)
                self._overridden[event.addr & ~3] = event.data & where.register.defined
            return
        if where.register.writable:  # STATQP: a status register with fields that software may write
            self.storage.write(where, event.addr & ~3, event.data, event.strb, event.settled)
            return
        if block == "CNPSCHDSTS":
            self.interrupts.unschedule(
                "bank", [32 * index + bit for bit in range(32) if event.data >> bit & 1]
            )
        self._ro_written[event.addr & ~3] = event.data
        self.rules.tempt("ERN-005", ("ro", event.addr & ~3))

    def _override_for(self, number: int) -> bool | None:
        """Return whether software override is on for QP ``number``; None: open."""
        return override_applies(self.knobs, self.values.get("GLOBAL", "XRNICADCONF"), number)

    def _override(self, name: str, qp: Qp, data: int) -> None:
        if name == "CQHEAD":
            qp.cq.preset(data & 0xFFFF)
        elif name == "STATCURSQPTR":
            qp.requester.started = data & 0xFFFF
        elif name == "STATRQPIDB":
            self.handshake.before_preset(qp)
            qp.rq.preset(data & 0xFFFF)
            qp.responder.state.elements = data & 0xFFFF
        elif name == "STATMSN":
            qp.responder.preset_messages(data & 0xFFFFFF)

    def _forget_override(self, qp: Qp) -> None:
        """Traffic moves the registers of ``qp`` on from what software wrote."""
        first = self.layout.blocks["QP"].address("QPCONF", qp.slot)
        for addr in [addr for addr in self._overridden if 0 <= addr - first < QP_STRIDE]:
            del self._overridden[addr]

    def _qp_write(self, name: str, slot: int, word: int, settled: int, by_side_band: bool = False) -> None:
        qp = self._qp(slot + self._first_slot)
        if qp is None:
            return
        conn, device = qp.refresh()
        override = self._override_for(qp.number) is not False
        if qp.released and self._stays_released(qp, name, override):
            return
        if name == "SQPI" and override:
            qp.requester.sq.preset(word & 0xFFFF)
        elif name == "RQCI" and override:
            qp.rq.consumer.preset(word & 0xFFFF)
            qp.rq.credited = False
        elif name == "SQPI":
            self._forget_override(qp)
            if conn.enabled and device.enabled and self._unprogrammed():
                return
            qp.requester.post(word & 0xFFFF, conn, device, by_side_band)
        elif name == "RQCI":
            depth = max(conn.rq_depth, 1)
            qp.responder.freed(by_side_band)
            if qp.management is not None:
                qp.management.freed(conn, settled)
            qp.rq.free(word & 0xFFFF, depth)
        elif name == "SQPSN":
            qp.requester.preset_psn(word & 0xFFFFFF)
        elif name == "LSTRQREQ":
            qp.responder.preset(word)
        elif name in ("QPCONF", "QDEPTH"):
            if name == "QPCONF":
                self.handshake.configured(qp, override)
            requester = qp.requester
            if name == "QPCONF" and qp.life.moved(conn, qp.fatal) and requester.sq.count + qp.rq.received:
                self._release(qp, "ERN-222")  # a bring-up without reset: what survives is open
                return
            at_rest = requester.idle and qp.cq.done == requester.sq.count
            if qp.life.configured(conn, qp.fatal, at_rest, requester.sq.count, self.ctx.now):
                qp.revive()
            if conn.recovery or not conn.enabled:
                qp.responder.stopped()
            if conn.recovery:
                for _ in range(qp.cq.recovery()):
                    self.counters.flushed()  # fetched to be flushed, whenever that was
            requester.arm(conn, device)

    def _stays_released(self, qp: Qp, name: str, override: bool) -> bool:
        """Software writes ``name`` of a released QP; returns whether that means nothing yet.

        Setting QPCONF[6] ends its life; enabling it afterwards begins a new one.
        """
        conn, _ = qp.refresh()
        if name in ("SQPI", "RQCI"):
            return not override
        if name in ("QPCONF", "QDEPTH"):
            qp.life.deleted = qp.life.deleted or conn.recovery
            if conn.recovery or not conn.enabled or not qp.life.deleted:
                return True
            qp.released = ""
            self.released.remove(qp)
        return False

    def _register_read(self, event: RegRead) -> None:
        rules = self.rules
        self._accessible()
        where = self.layout.locate(event.addr)
        if where is None:
            rules.observe("ERN-009")
            return
        block, name, addr, value = where.block.name, where.register.name, event.addr & ~3, event.data
        if block == "MR" and where.index >= int(self.knobs["MR_ROWS"]):
            return
        if block == "QP" and where.index + self._first_slot == QP1 and name in LACKING | RECORDED.keys():
            rules.observe(RECORDED.get(name, "ERN-026"))
            return
        if block == "QP" and self.status.handles(name) and self._recorded(where.index + self._first_slot):
            return
        if addr in self._unknown:
            rules.observe("ERN-025")
            return
        if where.register.access == "ro" and not self._unchanged_by_write(
            addr, value, where.register.defined
        ):
            return
        before = rules.findings_total
        if block in ("RQINTSTS", "CQINTSTS", "CNPSCHDSTS"):
            kind = {"R": "RQ", "C": "CQ"}[block[0]] if block != "CNPSCHDSTS" else "CNP"
            self.interrupts.read_bank(kind, where.index, value)
            rules.met("ERN-018", f"{block}[{where.index}]")
            self._w1c_judged(block, before)
        elif name == "INTSTS":
            self._read_interrupts(value)
            self._w1c_judged(name, before)
        elif name in COUNTER_REGISTERS:
            self.counters.judge(name, value, event.begin, event.settled)
        elif name in ("LSTINPKT", "LSTOUTPKT"):
            self.counters.judge_last(name, value)
        elif name == "ERRBUFWPTR":
            self.errors.judge_pointer(value)
        elif name == "IPKTERRQWPTR":
            self.fatal_queue.judge_pointer(value)
        elif addr in self._overridden and name in EXACT_OVERRIDES:
            gated = self.values.get("GLOBAL", "XRNICADCONF") >> OVERRIDE_QP_LSB & OVERRIDE_QP_MASK
            owner = "ERN-025" if gated else "ERN-024"
            rules.eq(owner, self._overridden[addr], value, f"{name} as written under override")
        elif block == "QP" and self.status.handles(name):
            qp = self.qps.get(where.index + self._first_slot)
            if qp is not None:
                if name == "STATQP" and not (qp.dead or qp.requester.sent_messages):
                    self.storage.judge_fields(where, addr, value, event.begin)
                self.status.judge(name, qp, value, event.begin, event.settled)
            elif self._restarted:
                self.status.left_over(name, value)
        elif where.register.access == "rw":
            self.storage.judge(where, addr, value, event.begin)
            if name == "CON_IO_CONF":
                self.handshake.read_connect_io(event)
        else:
            rules.observe("ERN-016")
            if name == "RESPHNDSTS":
                for qp in self.qps.values():
                    qp.life.handler(value, event.begin)
        if rules.findings_total == before:
            rules.alive(("ro", addr))
        self._ro_seen[addr] = value

    def _recorded(self, number: int) -> bool:
        """Record what shows of QP ``number`` if it is released; returns whether it is."""
        qp = self.qps.get(number)
        if qp is None or not qp.released:
            return False
        self.rules.observe(qp.released)
        return True

    def _w1c_judged(self, name: str, before: int) -> None:
        if self.rules.findings_total == before:
            self.rules.alive(("w1c", name))

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
        return self.rules.fail(
            "ERN-005", "the write is ignored", value, f"value written to read-only {addr:#x}"
        )

    def _read_interrupts(self, value: int) -> None:
        if value >> FATAL & 1:
            self._fatal_shown()
        self.interrupts.read_status(value)

    def _fatal_shown(self) -> None:
        """INTSTS[7] is 1: the entry of a QP that turned fatal can be read by now."""
        entries = self.fatal_queue.entries
        if self.counters.free:
            return  # a QP that nobody judged may have set the bit
        if entries or any(qp.fatal_due for qp in self.qps.values()):
            why = "queue entry before INTSTS[7]"
            self.rules.eq("ERN-180/order", True, entries > 0, why, self.interrupts.scope, knob="M_RULES")

    def _unprogrammed(self) -> bool:
        """The DUT gets work: without one of its global buffers it may do anything until the next reset."""
        if self._programmed != self.values.epoch:
            self._programmed = self.values.epoch
            if missing_buffers(self.values):
                self._unjudged = "ERN-158"
                self.ctx.reset()
        return bool(self._unjudged)

    # -- frames in --------------------------------------------------------------------------------

    def _frame_in(self, event: FrameIn) -> None:
        if event.port == HOST_TX:
            self.passing.from_host(event)
            return
        close_behind = event.begin - self._roce_free <= self.ctx.timing.period
        self._roce_free = event.settled
        device = self._device()
        if event.port == OTHER_RX:
            self.passing.from_mac(event, device.enabled)
            return
        fits = self.flow.arrived(Class.ROCE, event.settled, len(event.data))
        if not device.enabled:
            self._meets_disabled(event)
            return
        if self._unprogrammed():
            return
        self.counters.add("all", int(fits), 1)
        try:
            frame = parse_shared(event.data)
            faults = device_faults(frame, event.good, device)
        except ParseError as error:
            frame = error.partial
            faults = [*parse_faults(error), *(device_faults(frame, event.good, device) if frame.ip else [])]
        number = frame.bth.dest_qp if frame.bth is not None else -1
        qp = self._qp(number)
        if frame.bth is not None and frame.ip is not None:
            conn = qp.refresh()[0] if qp is not None else None
            faults += qp_faults(frame, number, conn, device, qp is not None and qp.dead, self.knobs)
        faults = [fault for fault in faults if fault.knob is None or self.knobs[fault.knob] != "off"]
        if faults == [QP_DEAD] and qp is not None and qp.racing:
            self._racing(qp, frame)
            return
        if self._recorded(number):
            return
        self.response_errors.heard(frame, not faults)
        if faults:
            self._dropped(faults, frame, qp, device.log_all_errors, fits)
            if qp is not None and qp.management is not None:
                qp.management.dropped(event.data, qp.refresh()[0], faults[0].rule, faults[0].why)
            return
        if not fits:
            self.rules.inconclusive("a good frame that the DUT may have had no room for")
            return
        assert qp is not None and frame.bth is not None
        qp.scope.note(event.begin, "in", frame)
        if qp.management is not None:
            qp.management.receive(frame, event.data, qp.refresh()[0], event.begin)
            if congestion_experienced(frame):  # whether a MAD is a request of QP1 in this sense is open
                self.interrupts.bank("CNP", QP1, sure=False)
            return
        if close_behind:
            self.rules.tempt("ERN-235", (qp.scope.name, "ack"))
        revived = qp.responder.revived
        self.errors.accepted(suspicion(frame, qp.first_frame, self.regions, revived, close_behind))
        if qp.first_frame is None:
            qp.first_frame = frame
        if _foreign(frame, qp.first_frame, qp.refresh()[0]):
            self._release(qp, "ERN-111")
            return
        if self._overridden:
            self._forget_override(qp)
        self._accepted(qp, frame, event)

    def _meets_disabled(self, event: FrameIn) -> None:
        """A RoCE frame came while XRNICCONF[0] = 0: what it does is open, to its QP and to what all share."""
        self.rules.observe("ERN-111")
        self.rules.tempt("ERN-247", (None, "tx"))
        try:
            bth = parse_shared(event.data).bth
        except ParseError as error:
            bth = error.partial.bth
        qp = None if bth is None else self.qps.get(bth.dest_qp)
        if qp is not None and qp.refresh()[0].enabled:
            self._release(qp, "ERN-111")
        self._let_go_of_shared()

    def _racing(self, qp: Qp, frame: Frame) -> None:
        """A good frame meets a QP that is turning fatal by itself: dropped or handled, nobody can tell."""
        bth, aeth = frame.bth, frame.aeth
        assert bth is not None
        info = INFO.get(bth.opcode)
        if info is not None and info.kind == "read_resp":
            self._doubtful_response()
            qp.requester.read_response_late(frame)
            return
        if bth.opcode != opcodes.ACKNOWLEDGE or aeth is None:
            self.rules.inconclusive("a frame for a QP that is just turning fatal by itself")
            return
        self.counters.add("in_ack", 0, 1)
        self.counters.add("dropped", 0, 1)
        self.counters.last_in_known = False
        if aeth.syndrome >> 5 == 0:
            qp.requester.acknowledge_late(bth.psn)

    def _dropped(
        self, faults: list[Fault], frame: Frame, qp: Qp | None, log_all: bool, fits: bool = True
    ) -> None:
        """A frame with ``faults``; ``fits`` False: it may have been lost before anybody looked at it."""
        rules = self.rules
        if not certain(faults, self.knobs):
            rules.inconclusive(f"a frame whose handling is left open: {faults[0].why}")
            return
        faults = list(dict.fromkeys(faults))
        fault = faults[0]
        if not fits:
            rules.tempt("ERN-235", GRANTED)
        counted = fits and all(entry.counted for entry in faults)
        low = int(counted)
        self.counters.add("invalid", low, 1)
        self.counters.add("dropped", low, 1)
        self.interrupts.raise_bit(VALIDATION, sure=counted)
        heard = qp is not None and qp.refresh()[0].enabled and not qp.dead
        path = (qp.scope.name, "rx") if qp is not None and heard else OUTPUT
        if qp is not None and qp.dead:
            rules.tempt("ERN-134", OUTPUT)
            if frame.bth is not None and frame.bth.opcode == opcodes.CNP:
                self.counters.add("in_cnp", 0, 1)
        rules.tempt(fault.rule, path)
        rules.tempt("ERN-110", path)
        if LENGTHS in faults:
            rules.tempt("ERN-232/containment", GRANTED)
        if fault.rule in MALFORMED:
            rules.tempt("ERN-234", path)
            if self.ctx.mangled is None:
                self.ctx.mangled = self.ctx.now
        if log_all:
            syndrome, further = syndrome_bits(faults)
            may = possible_syndromes(faults, frame, self._device())
            blank = any(not entry.syndrome for entry in faults)
            self.errors.expect(counted, syndrome, "ERN-151", fault.why, further, may, blank)
        else:
            rules.tempt("ERN-152", path)
        self.counters.last_in_known = False
        if (
            qp is not None
            and qp.refresh()[0].enabled
            and frame.ip is not None
            and congestion_experienced(frame)
        ):
            self.interrupts.bank("CNP", qp.number, sure=False)
        if qp is not None and frame.bth is not None:
            qp.responder.dropped(frame, qp.refresh()[0], fault.rule, fault.why)

    def _accepted(self, qp: Qp, frame: Frame, event: FrameIn) -> None:
        bth = frame.bth
        assert bth is not None
        conn, device = qp.refresh()
        info = INFO.get(bth.opcode)
        if info is not None and info.kind == "cnp":
            self.counters.add("in_cnp")
            qp.requester.congested(event.settled)
            qp.responder.ignored(bth.psn, "ERN-201")
            self.counters.last_in_known = False  # whether a CNP counts as the last accepted frame is open
            self.rules.tempt("ERN-201", (qp.scope.name, "rx"))
            qp.responder.stands("ERN-201")
        marked = congestion_experienced(frame)
        if info is not None and info.kind in RESPONSES | {"cnp"}:
            if marked:
                self.interrupts.bank("CNP", qp.number, sure=False)
            if info.kind != "cnp":
                self._answer(qp, frame, event.settled)
            return
        if frame.trailer:
            self.rules.tempt("ERN-233", (qp.scope.name, "rx"))
        expected = qp.responder.state.expected
        qp.responder.request(frame, conn, device, event.begin)
        if marked:  # a request that is refused, repeated or undecided yet may leave the mark unnoticed
            self.interrupts.bank("CNP", qp.number, sure=qp.responder.state.expected != expected)
            self.rules.tempt("ERN-199", OUTPUT)

    def _answer(self, qp: Qp, frame: Frame, now: int) -> None:
        """An ACK, NAK or READ response for a QP of the DUT."""
        bth, aeth = frame.bth, frame.aeth
        assert bth is not None
        conn, device = qp.refresh()
        if bth.opcode != opcodes.ACKNOWLEDGE or aeth is None:
            if qp.requester.read_response(frame, conn, device, now):
                self.counters.add("in_read_response")
                self.counters.last_in = (bth.opcode, bth.psn & 0xFFF, qp.number)
                self.counters.last_in_known = True
            else:
                self._doubtful_response()
            return
        self.counters.last_in = (bth.opcode, bth.psn & 0xFFF, qp.number)
        self.counters.last_in_known = True
        if aeth.syndrome >> 5 == 0:
            known = qp.requester.acknowledge(bth.psn, aeth.syndrome & 0x1F, conn, device, now)
            self.counters.add("in_ack", int(known), 1)
            if not known or frame.payload:
                self.response_errors.stale()
                self._loosely_dropped()
            return
        if not known_syndrome(aeth.syndrome):
            self._loosely_dropped()
        known = qp.requester.nak(bth.psn, aeth.syndrome, conn, device, now)
        self.counters.add("in_ack", 0, 1)
        self.counters.add("in_nak", int(known and aeth.syndrome >> 5 == 3), 1)
        if known and aeth.syndrome in FATAL_NAKS:
            qp.fatal_nak(aeth.syndrome)

    def _loosely_dropped(self) -> None:
        """A response answers nothing or is malformed: whether it counts as invalid or dropped is open."""
        self.counters.add("invalid", 0, 1)
        self.counters.add("dropped", 0, 1)
        self.interrupts.raise_bit(VALIDATION, sure=False)
        self.errors.expect(False, 0, "ERN-151", "a response that answers nothing")

    def _doubtful_response(self) -> None:
        """A READ response the DUT need not take: what it counts for is open."""
        self.counters.add("in_read_response", 0, 1)
        self.counters.add("invalid", 0, 1)
        self.counters.add("dropped", 0, 1)
        self.interrupts.raise_bit(VALIDATION, sure=False)
        self.counters.last_in_known = False

    # -- frames out -------------------------------------------------------------------------------

    def _frame_out(self, event: FrameOut) -> None:
        if event.port == OTHER_OUT:
            self.passing.to_host(event, self._device().enabled)
            return
        if self._host_frames and event.data == self._host_frames[0]:
            self.passing.sent()
            self.flow.sent(Class.OTHER, event.begin, event.settled, len(event.data))
            self.rules.met("ERN-208", "host frame sent unchanged", self.stream)
            self.rules.met("ERN-209", "frames are not interleaved", self.stream)
            return
        self.ctx.mangled = None
        managed = self.qps.get(QP1)
        if managed is not None and self._managed_out(managed, event):
            return
        try:
            frame = parse_shared(event.data)
        except ParseError as error:
            likely = self._likely_sender(error.partial)
            if likely is not None and self._sent_released(likely, event):
                return
            rule = "ERN-045" if "length" in error.reason.value else "ERN-039"
            self.rules.fail(
                rule,
                "a well-formed frame",
                str(error),
                "frame on the MAC output",
                self.stream if likely is None else likely.scope,
            )
            return
        if frame.trailer and self._host_frames:
            why = "a frame is sent as a whole"
            self.rules.fail("ERN-209", "one frame", f"{len(frame.trailer)} bytes behind it", why, self.stream)
            return
        if frame.bth is None:
            expected = self._host_frames.popleft() if self._host_frames else "no frame"
            self.rules.fail("ERN-208", expected, event.data, "only RoCE and host frames leave", self.stream)
            return
        if managed is not None and self._managed_answer(managed, frame):
            return
        qp = self._sender(frame)
        if qp is None:
            self.rules.fail(
                "ERN-048", "a DestQP in use", frame.bth.dest_qp, "no enabled QP sends to it", self.stream
            )
            return
        if not self._sent_released(qp, event):
            self._judge_out(qp, frame, event)

    def _sent_released(self, qp: Qp, event: FrameOut) -> bool:
        """Record a frame of ``qp`` if it is released; returns whether it is."""
        if not self._recorded(qp.number):
            return False
        self.ctx.spoken = True
        self.passing.roce_sent()
        self.flow.sent(Class.ROCE, event.begin, event.settled, len(event.data))
        return True

    def _managed_out(self, qp: Qp, event: FrameOut) -> bool:
        """Judge ``event`` if it is a frame that software sent through QP1; returns whether it is."""
        conn, device = qp.refresh()
        if not isinstance(qp.requester, ManagementRequester) or not qp.requester.claims(event.data, conn):
            return False
        if self._sent_released(qp, event):
            return True
        frame = qp.requester.sent(event.data, conn, device, event.begin)
        self.passing.roce_sent()
        self.flow.sent(Class.ROCE, event.begin, event.settled, len(event.data))
        self._stream_rules(event)
        self.rules.alive(OUTPUT)
        named, alike = self._notified(frame)
        if named or alike:
            self.interrupts.unschedule("cnp_tx", [*named, *alike], begun=True)
            self.ctx.deadlines.call_at(
                event.settled + self.ctx.timing.settle, lambda: self.interrupts.unschedule("cnp_tx", named)
            )
        return True

    def _notified(self, frame: Frame | None) -> tuple[list[int], list[int]]:
        """Return the QPs whose peer a CNP is for, and those with the same DestQP at another address."""
        named: list[int] = []
        alike: list[int] = []
        if frame is not None and frame.bth is not None and frame.bth.opcode == opcodes.CNP:
            for qp in self._peers().get(frame.bth.dest_qp, []):
                same = frame.ip is not None and frame.ip.dst == qp.refresh()[0].dst_ip
                (named if same else alike).append(qp.number)
        return named, alike

    def _managed_answer(self, qp: Qp, frame: Frame) -> bool:
        """Judge ``frame`` if it is a response to a QP1 frame; returns whether it is."""
        bth = frame.bth
        assert bth is not None
        info = INFO.get(bth.opcode)
        if info is None or info.kind not in RESPONSES or qp.management is None:
            return False
        if self._peers().get(bth.dest_qp) or not qp.management.answers(frame, qp.refresh()[0]):
            return False
        self.rules.fail("ERN-197", "no answer", frame, "QP1 frames are not acknowledged", qp.scope)
        return True

    def _judge_out(self, qp: Qp, frame: Frame, event: FrameOut) -> None:
        bth = frame.bth
        assert bth is not None
        rules, scope = self.rules, qp.scope
        scope.note(event.begin, "out", frame)
        conn, device = qp.refresh()
        rules.eq("ERN-039", b"", frame.trailer, "nothing behind the ICRC", scope)
        rules.met("ERN-045", "IP and UDP lengths are the true sizes", scope)
        self.counters.sent(frame, qp.number)
        self.passing.roce_sent()
        self.flow.sent(Class.ROCE, event.begin, event.settled, len(event.data))
        self._stream_rules(event)
        rules.alive(OUTPUT)
        if conn.unused_addresses:
            rules.passed(("ERN-248",), scope)
        info = INFO.get(bth.opcode)
        if info is None or info.kind in ("ud", "atomic"):
            rules.fail(
                "ERN-047", "an RC opcode of a WQE or answer", bth.opcode, "opcode of a sent packet", scope
            )
        elif info.kind == "cnp":
            if not self._recorded(QP1):
                rules.fail("ERN-199", "no CNP", "a CNP", "CNPs are sent by software", scope)
        elif info.kind == "ack":
            qp.responder.response(frame, conn, device)
        elif info.kind == "read_resp":
            qp.responder.read_response(frame, conn)
        else:
            qp.requester.packet(frame, event.begin, conn, device)
            self._after_start(qp)
            if conn.memory_doorbells and event.begin < self.handshake.stalled_until:
                rules.observe("ERN-240")

    def _stream_rules(self, event: FrameOut) -> None:
        """Evidence for what the HDL checkers watched while this frame left (a violation is an event)."""
        beats = -(-len(event.data) // BEAT)
        if event.settled - event.begin >= beats * self.ctx.timing.period:
            self.rules.passed(("ERN-211",), self.stream)  # VALID had to wait for READY
        if len(event.data) % BEAT:
            self.rules.passed(("ERN-218",), self.stream)
        if not self.ctx.spoken:
            self.ctx.spoken = True
            self.rules.passed(("ERN-223",), self.stream)

    def _sender(self, frame: Frame) -> Qp | None:
        """Return the QP that sent ``frame``: by DestQP, among several (or none) by what fits best."""
        bth = frame.bth
        assert bth is not None
        candidates = self._peers().get(bth.dest_qp, [])
        if len(candidates) == 1:
            return candidates[0]
        everyone = candidates or [qp for group in self._peers().values() for qp in group]
        return max(everyone, key=lambda qp: self._resemblance(qp, frame), default=None)

    @staticmethod
    def _resemblance(qp: Qp, frame: Frame) -> int:
        conn, _ = qp.refresh()
        bth, ip = frame.bth, frame.ip
        assert bth is not None and ip is not None
        info = INFO.get(bth.opcode)
        state = qp.responder.state
        if info is not None and info.kind in RESPONSES:
            numbers = {state.last_accepted, state.expected, *(answer.psn for answer, _ in state.answers)}
            numbers |= qp.responder.reads.next_psns()
            owed = 2 * int(bool(state.waiting or state.answers or qp.responder.reads.pending))
        else:
            numbers = {qp.requester.cursor, qp.requester.una}
            owed = 2 * int(not qp.requester.idle)
        score = owed + 2 * int(bth.psn in numbers) + int(bool(qp.released))
        return (
            score
            + int(frame.eth.dst == conn.dst_mac)
            + int(ip.dst == conn.dst_ip)
            + int(bth.pkey == conn.pkey)
        )

    def _likely_sender(self, frame: Frame) -> Qp | None:
        return self._sender(frame) if frame.bth is not None and frame.ip is not None else None

    # -- memory -----------------------------------------------------------------------------------

    def _host_write(self, event: HostWrite) -> None:
        self.ctx.store(event.addr, event.data)

    def _memory_write(self, event: MemWrite) -> None:
        self.rules.passed(("ERN-212", "ERN-213"), self.memory_scope)
        self.rules.now = event.settled  # the content is known when the burst is complete
        if event.resp:
            self._write_failed(event)
        else:
            self.memory_errors.answered(event)
        for start, stop in runs(event.mask):
            addr, data = event.addr + start, event.data[start:stop]
            while data:
                used = self._written(event, addr, data)
                addr += used
                data = data[used:]
            if not event.resp:
                self.ctx.store(event.addr + start, event.data[start:stop])

    def _written(self, event: MemWrite, addr: int, data: bytes) -> int:
        """Judge the head of one run of strobed bytes; returns how many bytes that settled."""
        grant = self.ctx.covering(addr, data)
        free = self.released.reached(addr) if self.released else None
        if free is not None and (grant is None or not grant.fits(addr, data)):
            self.rules.observe(free[0].released)
            return min(free[1], len(data))
        if grant is not None:
            return self._payload_written(grant, event, addr, data)
        spoiled = self.ctx.scratched(addr) if self.ctx.scratch and event.port == READ_PORT else 0
        if spoiled > 0:
            return min(spoiled, len(data))
        area = self._area_of(addr)
        if area is None and addr == 0 and self.handshake.doorbell_at_zero(data, event.port == CQ_PORT):
            return len(data)
        if area is None:
            self._stray(event, addr, data, "ERN-215")
            return len(data)
        first, length, (kind, qp) = area
        size = min(len(data), first + length - addr)
        part = data[:size]
        if kind == "cq" and qp is not None:
            qp.cq.write_ring(qp.refresh()[0], addr, part, event.begin, event.settled)
        elif kind == "cq_doorbell" and qp is not None:
            qp.cq.write_doorbell(qp.refresh()[0], addr, part)
        elif kind == "rq" and qp is not None and qp.responder.settle_room():
            return 0
        elif kind == "rq" and qp is not None and qp.management is not None:
            found = qp.management.element_written(qp.refresh()[0], addr, part)
            if found == "again":
                return 0
            if not found:
                self._stray(event, addr, part, "ERN-140")
                return size
        elif kind == "rq_doorbell" and qp is not None:
            if not qp.rq.announces(qp.refresh()[0], part) and qp.responder.settle_room():
                return 0
            while qp.management is not None and not qp.rq.announces(qp.refresh()[0], part):
                if not qp.management.announced(qp.refresh()[0]):
                    break
            qp.rq.write_doorbell(qp.refresh()[0], addr, part)
        elif kind == "errbuf":
            self.errors.write(addr, part)
        elif kind == "fatal":
            self._fatal_entry(addr, part)
        elif kind == "retry":
            self.ctx.retries.write(addr, part)
        elif kind == "resperr":
            self.response_errors.write(part)
        elif kind == "outerr":
            self.outgoing_errors.write()
        else:
            rule = {"rq": "ERN-140", "sq": "ERN-216"}[kind]
            self._stray(event, addr, part, rule)
            return size
        self._job(event, kind, {"cq": CQ_PORT, "cq_doorbell": CQ_PORT, "retry": RETRY_PORT}.get(kind))
        return size

    def _write_failed(self, event: MemWrite) -> None:
        """Memory refused a write: it is as it was, and what the QP that wrote does now is open."""
        area = self._area_of(event.addr + event.mask.index(1)) if 1 in event.mask else None
        self._hit(self.memory_errors.written(event, area))
        if area is not None and area[2][0] == "errbuf":
            self.errors.let_go(adrift=True)
        elif area is not None and area[2][0] == "fatal":
            self.fatal_queue.adrift = True

    def _area_of(self, addr: int) -> tuple[int, int, tuple[str, Qp | None]] | None:
        if self._areas_stale:
            self._rebuild_areas()
        return self._areas.find(addr)

    def _hit(self, qps: list[Qp] | None) -> None:
        """An error response hit one of ``qps``; None: nobody can tell which, all in use are let go of."""
        self.rules.observe(REACTION)
        in_use = [qp for qp in self.qps.values() if qp.refresh()[0].enabled]
        for qp in in_use if qps is None else qps:
            self._release(qp, REACTION)
            self.ctx.troubles.erred(qp.number)

    def _payload_written(self, grant: Any, event: MemWrite, addr: int, data: bytes) -> int:
        offset = addr - grant.addr
        size = min(len(data), len(grant.data) - offset)
        expected = grant.data[offset : offset + size]
        again = any(grant.written[offset : offset + size])
        refusal = self.ctx.refusal_with(data[:size]) if data[:size] != expected else None
        if refusal is not None:
            self.rules.fail(refusal.rule, expected, data[:size], refusal.why, refusal.scope)
            self.ctx.drop(grant)
        elif not self.rules.eq(grant.rule, expected, data[:size], grant.why, self.memory_scope):
            self.ctx.drop(grant)
        elif again:
            self.rules.fail(grant.rule, "each byte once", "a second write", grant.why, self.memory_scope)
        grant.written[offset : offset + size] = b"\1" * size
        grant.left -= size
        self._job(event, "payload", grant.port or RX_PORT)
        if not grant.port:
            self.rules.eq(
                "ERN-214",
                0,
                event.addr % BEAT,
                "payload bursts start on 64 bytes",
                self.memory_scope,
            )
        if grant.left <= 0:
            self.ctx.payload_done(grant, event.settled)
            if not grant.port:
                self.rules.alive(GRANTED)
            if len(self.qps) > 1:
                self.rules.passed(("ERN-238",), self.memory_scope)
            self.rules.met("ERN-215", "only intended bytes are strobed", self.memory_scope)
        return size

    def _job(self, event: MemWrite, kind: str, port: str | None) -> None:
        """ERN-216: each master writes its own areas only (doorbells and error queues are free)."""
        if kind != "errbuf":
            self.ctx.mangled = None
        if port is not None:
            self.rules.eq("ERN-216", port, event.port, f"master that writes {kind}", self.memory_scope)

    def _stray(self, event: MemWrite, addr: int, data: bytes, rule: str) -> None:
        """Judge a write outside every grant: refused data, misplaced data, or just stray."""
        what = f"{len(data)} bytes at {addr:#x} by {event.port}"
        if self.errors.behind(addr):
            rule = "ERN-153"
        refusal = self.ctx.refusal_at(addr, data)
        if refusal is not None:
            blamed = refusal.rule
            if blamed == LENGTHS.rule and not 0 <= addr - refusal.first < refusal.length:
                blamed = "ERN-232/containment"  # not even where the frame would have gone
            self.rules.fail(blamed, "no write", what, refusal.why, refusal.scope)
            return
        grant = self.ctx.payloads.misplaced(data)
        if grant is None and event.port == READ_PORT:
            grant = self.ctx.payloads.owed_by(READ_PORT)
        if grant is not None:
            self.rules.fail(grant.place_rule, f"at {grant.addr:#x}", what, grant.why, self.memory_scope)
            return
        if event.port == RETRY_PORT:
            rule = "ERN-090"
        elif self.outgoing_errors.blames(addr):
            rule = "ERN-250"
        elif self.response_errors.blames(addr):
            rule = "ERN-157"
        for qp in self.qps.values():
            if qp.life.owned(addr):
                rule = qp.life.rule
            conn = qp.refresh()[0]
            if event.port == CQ_PORT and qp.cq.behind_ring(conn, addr):
                rule = "ERN-075"
            for name, doorbell in (("ERN-077", conn.cq_doorbell), ("ERN-143", conn.rq_doorbell)):
                if doorbell >> 32 and addr == doorbell & 0xFFFFFFFF:
                    rule = name
        if rule == "ERN-215" and self.ctx.mangled is not None:
            rule = "ERN-234"
        self.rules.fail(rule, "no write here", what, "outside every grant", self.memory_scope)

    def _fatal_entry(self, addr: int, data: bytes) -> None:
        entry = self.fatal_queue.write(addr, data)
        if entry is None:
            return
        number, code = entry
        qp = self.qps.get(number)
        if qp is None:
            self.rules.fail(
                "ERN-155", "a QP in use", number, "QP number of a fatal entry", self.fatal_queue.scope
            )
        elif not self._recorded(number):
            qp.fatal_entry(code)

    def _rebuild_areas(self) -> None:
        entries: list[tuple[int, int, tuple[str, Qp | None]]] = []
        for qp in self.qps.values():
            conn, _ = qp.refresh()
            if not conn.sq_depth and not conn.rq_depth:
                continue
            entries.append((conn.sq_base, WQE_BYTES * conn.sq_depth, ("sq", qp)))
            entries.append((conn.cq_base, 4 * conn.sq_depth, ("cq", qp)))
            entries.append((conn.rq_base, conn.element * conn.rq_depth, ("rq", qp)))
            for kind, address in (("cq_doorbell", conn.cq_doorbell), ("rq_doorbell", conn.rq_doorbell)):
                if address:
                    entries.append((address, 4, (kind, qp)))
        entries.append((*self.errors.area(), ("errbuf", None)))
        entries.append((*self.fatal_queue.area(), ("fatal", None)))
        entries.append((*self.ctx.retries.area(), ("retry", None)))
        entries.append((*self.response_errors.area(), ("resperr", None)))
        entries.append((*self.outgoing_errors.area(), ("outerr", None)))
        self._areas.set(entries)
        self._areas_stale = False

    def _memory_read(self, event: MemRead) -> None:
        rules = self.rules
        if event.resp:
            sending = event.port == PAYLOAD_PORT
            self._hit(self.memory_errors.read(event, self._area_of(event.addr), sending))
            return
        self.memory_errors.answered(event)
        if event.port == PAYLOAD_PORT:
            self.ctx.fetching(event.addr, event.begin)
            managed = self.qps.get(QP1)
            if managed is not None and isinstance(managed.requester, ManagementRequester):
                frame = managed.requester.payload_read(event, managed.refresh()[0])
                named, alike = self._notified(frame)
                self.interrupts.unschedule("cnp_tx", [*named, *alike], begun=True)
            self._payload_read(event)
        if event.port != SQ_PORT:
            return
        area = self._area_of(event.addr)
        if area is None or area[2][0] != "sq" or event.addr + len(event.data) > area[0] + area[1]:
            behind = self._areas.find(event.addr - WQE_BYTES)
            if behind is not None and behind[2][0] == "sq":
                why = "the ring goes on at slot 0"
                rules.fail("ERN-057", f"{behind[0]:#x}", f"{event.addr:#x}", why, self.memory_scope)
                return
            rules.fail(
                "ERN-216",
                "a send queue ring",
                f"{event.addr:#x}",
                "qp_mgr reads WQEs only",
                self.memory_scope,
            )
            return
        rules.met("ERN-216", "qp_mgr reads inside a send queue", self.memory_scope)
        qp = area[2][1]
        assert qp is not None
        if self._recorded(qp.number):
            return
        conn, device = qp.refresh()
        if not device.enabled:
            rules.fail(
                "ERN-247", "no fetch", f"{event.addr:#x}", "XRNICCONF[0] = 0", qp.scope, knob="M_RULES"
            )
        for offset in range(0, len(event.data), WQE_BYTES):
            slot = (event.addr + offset - conn.sq_base) // WQE_BYTES
            qp.life.fetched(slot, qp.requester.started, conn.sq_depth)
            qp.requester.fetched(slot, event.data[offset : offset + WQE_BYTES])
        self._after_start(qp)

    def _payload_read(self, event: MemRead) -> None:
        """ERN-136: beside payload to send, the DUT reads only what READ requests may have."""
        reads = self.ctx.reads
        stop = event.addr + len(event.data)
        if not reads.known or reads.allows(event.addr, stop) or self.ctx.sources.cover(event.addr, stop):
            return
        area = self._area_of(event.addr)
        if area is not None and area[2][0] == "retry":
            return
        if self.released.covers(event.addr, stop):
            return
        rule, why, scope = reads.blame(event.addr, stop, self.memory_scope)
        self.rules.fail(rule, "no read here", f"{event.addr:#x} .. {stop:#x}", why, scope)

    def _after_start(self, qp: Qp) -> None:
        """A reserved opcode in the WQE that is next turns the QP fatal."""
        if not qp.dead and qp.requester.illegal_entry(qp.refresh()[0]):
            qp.illegal_wqe()

    # -- the rest ---------------------------------------------------------------------------------

    def _irq(self, event: Irq) -> None:
        if self.in_reset and event.level:
            self.rules.fail("ERN-220", 0, 1, "rnic_intr stays low in reset", self.interrupts.scope)
            return
        if event.level and self.interrupts.enable >> FATAL & 1 and self.interrupts.only(FATAL):
            self._fatal_shown()
        self.interrupts.edge(event.level)

    def _side_band(self, event: SideBand) -> None:
        if event.port == "ieth_immdt":
            self.immediates += 1
            owed = self.ctx.immediates_owed
            if self.ctx.immediates_free:
                self.rules.observe("ERN-150")
                return
            self.rules.in_range(
                "ERN-150",
                1,
                owed,
                self.immediates,
                "one entry per message with immediate or key",
                self.stream,
            )
        elif event.port in (CQ_OUT, RQ_OUT):
            self.handshake.observe(event)
        else:
            self._side_band_write(event)

    def _side_band_write(self, event: SideBand) -> None:
        """A doorbell that the DUT took: the same as a write of the register, by the low address bits."""
        register, rule = WRITES[event.port]
        address, value = event.values
        where = self.layout.locate(address & WINDOW)
        if where is None or where.register.name != register:
            self.rules.inconclusive(f"a side-band write to {address:#x}, which is no {register}")
            return
        addr = address & WINDOW & ~3
        word = self.storage.write(where, addr, value, 0xF, event.settled, rule)
        self._qp_write(register, where.index, word, event.settled, by_side_band=True)

    def _violation(self, event: ProtocolViolation) -> None:
        rule = self.memory_errors.rule_of(event.where, event.rule)
        self.rules.fail(rule, "the bus protocol", event.text, event.where, Scope(event.where))

    def _reset(self, event: Reset) -> None:
        """A reset starts a new life: obligations are void, permissions dropped, memory stays."""
        if event.domain:  # only a reset of all domains makes the state of the DUT known again
            self._unjudged = "ERN-222"
            self.ctx.reset()
            self.passing.reset()
            return
        self.in_reset = event.asserted
        if event.asserted and self.ctx.spoken:
            self._restarted = True
            self.rules.tempt("ERN-221", OUTPUT)
        elif not event.asserted:
            self.rules.met("ERN-220", "outputs stay low in reset")
        self._accessed, self._unjudged = False, ""
        self.ctx.reset()
        self.values.reset()
        self._decoded = None
        self.storage.reset()
        self.regions.invalidated.clear()
        self.interrupts.reset()
        self.counters.reset()
        self.errors = ErrorBuffer(self.ctx, self.values)
        self.fatal_queue = FatalQueue(self.ctx, self.values)
        self.ctx.retries = RetryBuffers(self.ctx, self.values, self._rearm)
        self.response_errors = ResponseErrors(self.ctx, self.values)
        self.qps.clear()
        self.released.clear()
        self.memory_errors.clear()
        self.flow.reset()
        self.passing.reset()
        self.handshake.reset()
        self._ro_written.clear()
        self._ro_seen.clear()
        self._overridden.clear()
        self._unknown.clear()
        self.immediates = 0
        self._by_peer = None
        self._areas_stale = True


def _foreign(frame: Frame, first: Frame, conn: QpConfig) -> bool:
    """Return whether a good frame comes from elsewhere: not the programmed peer, or another UDP port.

    The port is that of the ``first`` frame; no register names it.
    """
    assert frame.ip is not None and frame.udp is not None and first.udp is not None
    source = (frame.eth.src, frame.ip.src, frame.udp.src)
    return source != (conn.dst_mac, conn.dst_ip, first.udp.src)
