"""The RCLINK observer: takes what the pins showed, in merged order, and judges it.

``observe`` is fed with events ordered by their begin (register reads by their end, since the value depends on
everything that began before it). Nothing here looks inside the DUT.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import itemgetter
from typing import Any

from ref_model.events import (
    Event,
    FrameIn,
    FrameOut,
    HostWrite,
    MemRead,
    MemWrite,
    ProtocolViolation,
    RegRead,
    RegWrite,
    Reset,
    SideBand,
)
from ref_model.rclink import ports
from ref_model.rclink.arbiter import Arbiter
from ref_model.rclink.client import Client
from ref_model.rclink.config import BANKS, Flow, read_device
from ref_model.rclink.context import Context
from ref_model.rclink.gates import Gates
from ref_model.rclink.levels import Levels
from ref_model.rclink.mac_in import MacIn
from ref_model.rclink.mac_out import MacOut
from ref_model.rclink.messages import RETRY_OVER, TYPE2_RX_OVERFLOW
from ref_model.rclink.nonr import RawEthernet
from ref_model.rclink.notices import CnpFilter
from ref_model.rclink.qp import Qp, Shared
from ref_model.rclink.rate import Windows
from ref_model.rclink.rates import Rates
from ref_model.rclink.register_access import RegisterAccess
from ref_model.rclink.registers import RegisterFile
from ref_model.rules import Rules, specification
from ref_model.timing import Timing

_SET, _FRAME, _REPORT = 1, 2, 3


def _rank(event: Event) -> int:
    """Order of what shows at one edge: a queue pair is released, its frame begins, an interrupt reports."""
    if isinstance(event, FrameOut) and event.port == ports.MAC_TX:
        return _FRAME
    if isinstance(event, SideBand):
        if event.port == ports.CC_QP_EN and event.values[0]:
            return _SET
        if event.port in (ports.MSI, ports.RC_INTR):
            return _REPORT
    return 0


class RclinkModel:
    """Judges one RCLINK; ``knobs`` are the parameters of spec/rclink/parameters.json."""

    def __init__(
        self, knobs: Mapping[str, Any], period_ps: int = 1000, settle_clks: int = 16, pipe_out_clks: int = 64
    ) -> None:
        """``period_ps``: clock period; ``settle_clks``, ``pipe_out_clks``: windows of the binding."""
        spec = specification("rclink")
        values = spec.knobs(knobs)
        timing = Timing.of(period_ps, settle_clks, pipe_out_clks, values)
        self.ctx = Context(Rules(spec, values), timing, values)
        self.rules = self.ctx.rules
        self.knobs = values
        self.liveness = timing.liveness
        self.values = RegisterFile(int(values["QP_NUM"]), values)
        self.ctx.device = read_device(self.values, values)
        self.gates = gates = Gates(self.ctx, self._missing)
        self.arbiter = Arbiter(self.ctx, gates)
        lag = int(values["CC_SWEEP_CLKS"]) * period_ps + timing.reaction
        windows = Windows(self.ctx.device.window_ns * 1000, lag)
        self.shared = Shared(self.ctx, self.values, self.arbiter, gates, windows)
        self.cnp_filter = CnpFilter(self.ctx)
        self.rates = Rates(self.shared)
        self.shared.opened = self.rates.opened
        self.raw = RawEthernet(self.shared)
        self.client = Client(self.shared, self.rates)
        self.mac_out = MacOut(self.shared, self.client, self.rates, self.raw)
        self.mac_in = MacIn(self.shared, self.client, self.cnp_filter, self.raw)
        self.levels = Levels(self.shared, self.client, self.mac_out, self.raw)
        self.registers = RegisterAccess(self)
        self.in_reset = True
        self._waiting: list[tuple[int, int, int, Event]] = []  # (time, rank, order, event) of one edge
        self._handlers: dict[type, Callable[[Any], None]] = {
            RegWrite: self._reg_write,
            RegRead: self.registers.read,
            FrameIn: self._frame_in,
            FrameOut: self._frame_out,
            MemWrite: self.raw.memory_write,
            MemRead: self.raw.memory_read,
            HostWrite: self.raw.host_write,
            SideBand: self._side_band,
            Reset: self._reset,
            ProtocolViolation: self._violation,
        }
        self._narrow: dict[str, Callable[[SideBand], None]] = {
            ports.TX_S_CRD: lambda event: self.client.tokens(*event.values),
            ports.MAC_CREDIT: lambda event: self.mac_out.credit(event.begin),
            ports.MAC_CREDIT_RST: lambda event: self.mac_out.credit_reset(event.begin),
            ports.CBFC_LOAD: self._load,
            ports.CBFC_RETURN: self._give,
            ports.CBFC_RESET: self._wipe,
            ports.TYPE2_CRD: lambda event: gates.give_cells(event.values[0], event.begin),
            ports.TYPE2_CRD_RST: lambda event: gates.refill_cells(event.begin),
            ports.SET_CC_RATE: lambda event: self.rates.set(event.values[1], event.values[0], event.begin),
            ports.SET_TYPE2_RATE: lambda event: self.rates.set_type2(event.values[0], event.begin),
            ports.CC_QP_EN: self._mask,
            ports.RECV_CNP: lambda event: self._told(event, lambda qp: self.cnp_filter.told(qp)),
            ports.RECV_ACK: lambda event: self._told(
                event, lambda qp: qp.requester.reports.came(*event.values[1:])
            ),
            ports.RETRY_TMO: lambda event: self._told(event, lambda qp: qp.requester.timer.timed_out()),
            ports.NOCNP: lambda event: self._told(event, lambda qp: qp.notices.reported(event.values[1])),
            ports.MSI: self._message,
            ports.MAC_RX_CUT: self._cut,
        }

    # -- interface --------------------------------------------------------------------------------

    def observe(self, event: Event) -> None:
        """Judge one event, in the order of causes where several show at the same edge."""
        time = event.settled if isinstance(event, RegRead) else event.begin
        self._judge_edges(time)
        rank = _rank(event)
        if rank or self._waiting:
            self._waiting.append((time, rank or _FRAME, len(self._waiting), event))
        else:
            self._judge(event)

    def _judge_edges(self, now: int) -> None:
        """Judge what waited of edges before ``now``."""
        if self._waiting and self._waiting[0][0] < now:
            waiting, self._waiting = sorted(self._waiting, key=itemgetter(0, 1, 2)), []
            for *_, event in waiting:
                self._judge(event)

    def _judge(self, event: Event) -> None:
        ctx = self.ctx
        now = event.settled if isinstance(event, RegRead) else event.begin
        ctx.advance(max(now, ctx.now))
        if ctx.quiet and not isinstance(event, RegRead) and not self.registers.selects(event):
            ctx.quiet = False
        self._handlers[type(event)](event)

    def advance(self, now: int) -> None:
        """No event can come any more before ``now``: obligations due until then are decided."""
        self._judge_edges(now)
        if now > self.ctx.now:
            self.ctx.advance(now)

    def busy(self) -> str:
        """Return why the DUT still owes something, or an empty string."""
        if self.ctx.deadlines.open:
            return f"{self.ctx.deadlines.open} obligations open"
        waiting = sum(qp.sending.state.accepted - qp.sending.state.una for qp in self.shared.qps.values())
        if waiting and not self.ctx.device.lite:
            held = sum(
                qp.sending.held
                for qp in self.shared.qps.values()
                if qp.sending.fatal or not qp.config.enabled
            )
            if waiting > held:
                return f"{waiting} packets not acknowledged"
        if self.client.type2 and self.rates.type2.threshold:
            return f"{len(self.client.type2)} TYPE2 packets not sent"
        return self.raw.busy()

    def quiet(self, now: int) -> None:
        """The bench found the DUT quiet: everything that happened has taken effect."""
        self.advance(now)
        for qp in list(self.shared.doubtful.values()):
            qp.responder.quiet()
        self.shared.doubtful.clear()
        for qp in self.shared.qps.values():
            qp.notices.quiet()
        self.ctx.messages.quiet()
        self.gates.quiet()
        self.client.quiet()
        self.levels.quiet()
        self.raw.quiet()
        self.ctx.quiet = True

    def subjects(self) -> list[int]:
        """Numbers of the queue pairs the run has set up."""
        return sorted(number for number, qp in self.shared.qps.items() if qp.config.enabled)

    def finish(self) -> None:
        """End of test: open obligations become findings."""
        self._judge_edges(self.ctx.now + 1)
        self.ctx.deadlines.finish()

    # -- events -----------------------------------------------------------------------------------

    def _missing(self, flow: Flow) -> tuple[str, str]:
        """Rule and words of what is missing when ``flow`` does not go on."""
        if flow in BANKS:
            number = self.arbiter.first(flow)
            if number is not None:
                rule, what = self.shared.qps[number].sending.missing()
                if self.mac_out.restarted:
                    rule = "RCL-127"
                elif rule == "RCL-056" and self.shared.fatal:
                    rule = "RCL-051"
                elif rule == "RCL-056" and self.arbiter.alone(flow):
                    rule = "RCL-058"
                elif rule == "RCL-056" and self.shared.masked:
                    rule = "RCL-073"
                return rule, f"{what} of QP {number}"
        if flow is Flow.TYPE2:
            return "RCL-062", "a TYPE2 frame"
        return self.raw.tx.missing

    def _reg_write(self, event: RegWrite) -> None:
        self.levels.given = True
        self.registers.write(event)

    def _frame_in(self, event: FrameIn) -> None:
        self.levels.given = True
        if event.port == ports.TX_S:
            self.client.packet(event)
        else:
            self.mac_in.frame(event)

    def _frame_out(self, event: FrameOut) -> None:
        if self.in_reset:
            self.rules.fail("RCL-128", "idle outputs", "a frame", "the DUT is in reset")
        elif event.port == ports.RX_M:
            self.client.delivered(event)
        else:
            self.mac_out.frame(event)

    def _side_band(self, event: SideBand) -> None:
        handler = self._narrow.get(event.port)
        if handler is not None:
            if self.in_reset and event.port in ports.PULSES_OUT:
                self.rules.fail("RCL-128", "idle outputs", event.port, "the DUT is in reset")
                return
            handler(event)
        else:
            self.levels.changed(event.port, event.values[0], event.begin)

    def _cut(self, event: SideBand) -> None:
        self.levels.given = True
        self.mac_in.cut()

    def _load(self, event: SideBand) -> None:
        bits, size, limit, ovhd = event.values
        self.gates.load(bits, size, limit, ovhd, event.begin)

    def _wipe(self, event: SideBand) -> None:
        self.gates.wipe(event.begin)
        self.mac_out.credit_wiped()

    def _give(self, event: SideBand) -> None:
        bits, num = event.values
        self.gates.give(bits, num, event.begin)

    def _mask(self, event: SideBand) -> None:
        opened, closed, number = event.values
        self.rates.told(opened, closed, number, event.begin)

    def _told(self, event: SideBand, judge: Callable[[Qp], None]) -> None:
        """A status pulse that names a queue pair."""
        qp = self.shared.qp(event.values[0])
        if qp is None:
            self.rules.fail("RCL-071", "a queue pair of the build", event.values[0], event.port)
            return
        judge(qp)

    def _message(self, event: SideBand) -> None:
        info = event.values[0]
        cause, number = self.ctx.messages.sent(info, self.ctx.now)
        if cause[0] == 3:
            self.raw.message(info)
        elif cause == TYPE2_RX_OVERFLOW:
            self.client.overflow_told()
        elif cause == RETRY_OVER:
            qp = self.shared.qp(number)
            if qp is not None:
                qp.requester.retries.turned_fatal()

    def _violation(self, event: ProtocolViolation) -> None:
        self.rules.fail(event.rule, "the protocol of the port", event.text, event.where)

    def _reset(self, event: Reset) -> None:
        self.in_reset = event.asserted
        if not event.asserted:
            self.rules.tempt("RCL-128", "mac_tx")
            self.ctx.messages.started(event.begin)
            self.raw.status.started(event.begin)
            self.levels.started(event.begin)
            return
        self.ctx.reset()
        self.values.reset()
        self.ctx.device = read_device(self.values, self.knobs)
        self.shared.reset()
        self.shared.windows = Windows(self.ctx.device.window_ns * 1000, self.shared.windows.lag, event.begin)
        for part in (
            self.gates,
            self.arbiter,
            self.cnp_filter,
            self.rates,
            self.raw,
            self.client,
            self.mac_out,
            self.mac_in,
            self.levels,
        ):
            part.reset()
