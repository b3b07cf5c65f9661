"""Global counters and last-packet registers of the ERNIC (requirements section 16).

Frames going out may be counted before their first beat shows, so a read that overlaps traffic bounds
them from below only; at quiet every counter is exact.
"""

from __future__ import annotations

from dataclasses import dataclass

from ref_model.ernic.config import QpConfig
from ref_model.ernic.context import Context
from ref_model.ernic.interrupts import Interrupts
from ref_model.moving import MovingCounter
from ref_model.wire import Frame, opcodes

HALF = 16


@dataclass(frozen=True, slots=True)
class CounterSpec:
    """Where a counter lives and which rule owns it."""

    register: str
    lsb: int
    width: int
    rule: str
    outgoing: bool


SPECS: dict[str, CounterSpec] = {
    "in_send": CounterSpec("INSRRPKTCNT", 0, HALF, "ERN-159", False),
    "in_read_response": CounterSpec("INSRRPKTCNT", 16, HALF, "ERN-160", False),
    "in_ack": CounterSpec("INAMPKTCNT", 0, HALF, "ERN-161", False),
    "in_mad": CounterSpec("INAMPKTCNT", 16, HALF, "ERN-162", False),
    "out_send": CounterSpec("OUTIOPKTCNT", 0, HALF, "ERN-163", True),
    "out_write_read": CounterSpec("OUTIOPKTCNT", 16, HALF, "ERN-164", True),
    "out_ack": CounterSpec("OUTAMPKTCNT", 0, HALF, "ERN-165", True),
    "out_mad": CounterSpec("OUTAMPKTCNT", 16, HALF, "ERN-162", True),
    "invalid": CounterSpec("ININVDUPCNT", 0, HALF, "ERN-167", False),
    "duplicate": CounterSpec("ININVDUPCNT", 16, HALF, "ERN-168", False),
    "wqes": CounterSpec("QPMSTS", 16, HALF, "ERN-169", True),
    "dropped": CounterSpec("INALLDRPPKTCNT", 0, HALF, "ERN-170/dropped", False),
    "all": CounterSpec("INALLDRPPKTCNT", 16, HALF, "ERN-170/all", False),
    "in_nak": CounterSpec("INNAKPKTCNT", 0, HALF, "ERN-171", False),
    "out_nak": CounterSpec("OUTNAKPKTCNT", 0, HALF, "ERN-172", True),
    "retries": CounterSpec("RETRYCNTSTS", 0, 32, "ERN-173", True),
    "in_cnp": CounterSpec("INCNPPKTCNT", 0, 32, "ERN-174", False),
    "out_cnp": CounterSpec("OUTCNPPKTCNT", 0, 32, "ERN-174", True),
    "out_read_response": CounterSpec("OUTRDRSPPKTCNT", 0, 32, "ERN-175", True),
}

REGISTERS = frozenset(spec.register for spec in SPECS.values())


class Counters:
    """All counters, the last-packet registers, and the interrupts that go with completions."""

    def __init__(self, ctx: Context, interrupts: Interrupts) -> None:
        """Start at zero."""
        self._ctx = ctx
        self._interrupts = interrupts
        at_end = str(ctx.knobs["COUNTER_WRAP"])
        self.values = {name: MovingCounter(spec.width, at_end) for name, spec in SPECS.items()}
        self._moved: set[str] = set()
        self._shown: dict[str, int] = {}  # values read last
        self.last_in: tuple[int, int, int] | None = None
        self.last_in_known = True
        self.free = False  #: something nobody judges may move them, until the next reset
        self.last_out: tuple[int, int, int, int] | None = None
        self._managed: tuple[int, int, int, int] | None = None

    def reset(self) -> None:
        """Back to zero."""
        for counter in self.values.values():
            counter.reset()
        self._moved.clear()
        self._shown.clear()
        self.last_in = self.last_out = self._managed = None
        self.last_in_known = True
        self.free = False

    def add(self, name: str, low: int = 1, high: int = 1) -> None:
        """Count one event worth ``low`` to ``high``."""
        self._moved.add(name)
        self.values[name].add(self._ctx.now, low=low, high=high)

    def quiet(self) -> None:
        """Everything counted so far has settled."""
        for counter in self.values.values():
            counter.quiet()

    # -- events -----------------------------------------------------------------------------------

    def request(self, frame: Frame, again: bool, single: bool) -> None:
        """A request packet left; ``again``: a resend, ``single``: the message is one packet."""
        bth = frame.bth
        assert bth is not None
        info = opcodes.INFO[bth.opcode]
        fresh = int(not again)
        if info.kind == "send":
            self.add("out_send", fresh, 1)
        else:
            self.add("out_write_read", int(fresh and (single or info.first)), 1)
        if again:
            self.add("retries", int(info.kind != "read_req"), 1)

    def late_request(self, frame: Frame) -> None:
        """A request packet of a QP that has turned fatal left the output stage: it may count."""
        bth = frame.bth
        assert bth is not None
        self.add("out_send" if opcodes.INFO[bth.opcode].kind == "send" else "out_write_read", 0, 1)
        self.add("retries", 0, 1)

    def flushed(self) -> None:
        """A WQE ended without being sent whole; whether it counts as processed is open."""
        self.add("wqes", 0, 1)

    def wqe(self) -> None:
        """A WQE was handed to the wire."""
        self.add("wqes")

    def completion(self, qp: int, conn: QpConfig) -> None:
        """A WQE of ``qp`` ended well."""
        if conn.cq_irq:
            self._interrupts.bank("CQ", qp)

    def sent(self, frame: Frame, local_qp: int) -> None:
        """Remember the last frame sent for LSTOUTPKT."""
        bth = frame.bth
        assert bth is not None
        self.last_out = (bth.opcode, bth.psn & 0xFFF, local_qp, bth.dest_qp)
        self._managed = None

    def management_sent(self, frame: Frame) -> None:
        """A frame left through QP1; whether it counts as a SEND, and as a CNP, is open (ERN-163, ERN-174)."""
        bth = frame.bth
        cnp = bth is not None and bth.opcode == opcodes.CNP
        self.add("out_mad", int(not cnp), 1)
        self.add("out_send", 0, 1)
        if cnp:
            self.add("out_cnp", 0, 1)
        if bth is not None:
            self._managed = (bth.opcode, bth.psn & 0xFFF, 1, bth.dest_qp)

    # -- reads ------------------------------------------------------------------------------------

    def judge(self, register: str, value: int, begin: int, settled: int) -> None:
        """Judge a read of a counter register."""
        rules, quiet, at_end = self._ctx.rules, self._ctx.quiet, self._ctx.knobs["COUNTER_WRAP"]
        for name, spec in SPECS.items():
            if spec.register != register:
                continue
            counter = self.values[name]
            part = value >> spec.lsb & ((1 << spec.width) - 1)
            if self.free or (spec.outgoing and not quiet):
                rules.observe(spec.rule)
                continue
            legal, low, high = counter.accept(part, begin, settled)
            if not self._moved:
                rules.eq("ERN-015", 0, part, f"{register} before any traffic", knob="M_RULES")
                continue
            modulus = 1 << spec.width
            where = f"{register}[{spec.lsb + spec.width - 1}:{spec.lsb}] counts {name.replace('_', ' ')}"
            beyond = high >= modulus
            rule, knob = ("ERN-176/wrap", "COUNTER_WRAP") if beyond else (spec.rule, None)
            if beyond and at_end == "saturate":
                low, high = min(low, modulus - 1), min(high, modulus - 1)
            exact = low == high and name in self._moved
            shown = self._shown.get(name, 0)
            carried = self._neighbour_crossed(spec, begin, settled)
            if legal:
                rules.met(rule, where, knob=knob, sure=exact)
                if exact and not beyond and (carried or shown):
                    rules.met("ERN-176/isolation", f"{where}, whatever its neighbour did or who read it")
            else:
                if not beyond and (carried or part < shown):
                    rule = "ERN-176/isolation"
                expected = f"{low % modulus:#x} .. {high % modulus:#x}"
                rules.fail(rule, expected, part, where, knob=knob)
            self._shown[name] = part

    def _neighbour_crossed(self, spec: CounterSpec, begin: int, settled: int) -> bool:
        """Return whether the other half of the register of ``spec`` has passed its highest value."""
        return any(
            other.register == spec.register
            and other is not spec
            and self.values[name].window(begin, settled)[1] >= 1 << other.width
            for name, other in SPECS.items()
        )

    def judge_last(self, register: str, value: int) -> None:
        """Judge LSTINPKT or LSTOUTPKT: opcode [7:0], PSN [19:8], QP [30:20]."""
        rules = self._ctx.rules
        if self.free:
            rules.observe("ERN-166")
            return
        fields = (value & 0xFF, value >> 8 & 0xFFF, value >> 20 & 0x7FF)
        if register == "LSTINPKT":
            if not (self._ctx.quiet and self.last_in_known):
                rules.observe("ERN-166")
            elif self.last_in is not None:
                opcode, psn, qp = self.last_in
                rules.eq(
                    "ERN-166", (opcode, psn, qp & 0x7FF, 0), (*fields, value >> 31), "last accepted frame"
                )
            return
        if self._ctx.quiet and (self.last_out is not None or self._managed is not None):
            allowed = [] if self.last_out is not None else [(0, 0, 0, 0)]
            for opcode, psn, local, remote in filter(None, (self.last_out, self._managed)):
                allowed += [(opcode, psn, local & 0x7FF, 0), (opcode, psn, remote & 0x7FF, 0)]
            rules.one_of("ERN-166", allowed, (*fields, value >> 31), "last frame sent")
        else:
            rules.observe("ERN-166")
