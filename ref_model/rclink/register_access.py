"""Register writes and what follows from them, register reads and what they may give (App, section 14.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ref_model.events import RegRead, RegWrite
from ref_model.rclink.config import read_device
from ref_model.rclink.registers import BYTES, QP_WINDOW, lanes
from ref_model.registers import Register

if TYPE_CHECKING:
    from ref_model.rclink.model import RclinkModel
    from ref_model.rclink.qp import Qp

PSN_MASK = 4095
#: Fields of the queue pair window that traffic moves.
MOVING = frozenset(
    {
        "EXPECT_RESP_PSN_MEM",
        "TX_LAST_PSN_MEM",
        "TX_ACK_SN_MEM",
        "TX_EPSN_MEM",
        "TX_MAX_FW_PSN_MEM",
        "REQ_CHK_SN_MEM",
        "RETRY_CNT_MEM",
        "TX_CC_BYTE_CNT_MEM",
    }
)
FREE_BUF_SET = 1 << 15
#: Bits of ring indices above the twelve in use: they may be stored or read 0.
WIDER_THAN_USED = {"TAIL_UP_CFG": 0xF000_F000}


class RegisterAccess:
    """The register port of the model."""

    def __init__(self, model: RclinkModel) -> None:
        self._model = model
        self._ctx = model.ctx
        self._values = model.values
        self._select = model.values.address("QP_ID_SET")

    # -- writes -----------------------------------------------------------------------------------

    def selects(self, event: object) -> bool:
        """Return whether an event only names the queue pair of the accesses to come: it moves nothing."""
        return isinstance(event, RegWrite) and event.addr & -BYTES == self._select

    def write(self, event: RegWrite) -> None:
        """A register write."""
        addr = event.addr & -BYTES
        register = self._values.by_addr.get(addr)
        if register is None:
            self._ctx.rules.tempt("RCL-125/printed", "registers")
            return
        if addr in QP_WINDOW:
            number = self._values.selected
            qp = None if number is None else self._model.shared.qp(number)
            if qp is None:
                self._ctx.rules.tempt("RCL-126", "registers")
                return
            word = self._values.write(addr, event.data, event.strb, qp.number)
            self._qp_write(qp, register.name, word, event)
            return
        if register.name == "INTR_STATUS":
            self._ctx.messages.cleared(event.data & lanes(event.strb), event.settled)
            return
        if self._model.raw.write(register.name, event.data & lanes(event.strb)):
            return
        self._values.write(addr, event.data, event.strb)
        if register.name == "RDMA_EN" and self._model.shared.book.open:
            resets = ("x_type1_sw_rst", "x_type2_sw_rst")
            if any(self._values.get("RDMA_EN", name) for name in resets):
                self._ctx.rules.inconclusive("a software reset with packets in hand: its effect is not given")
        if register.name != "QP_ID_SET":
            self._configured(event)
            self._model.raw.configured(register.name)

    def _configured(self, event: RegWrite) -> None:
        """Global configuration changed."""
        model, ctx = self._model, self._ctx
        device = read_device(self._values, ctx.knobs)
        if device == ctx.device:
            return
        ctx.former = ctx.device
        ctx.former_until = ctx.clock_at(event.settled)
        ctx.device = device
        model.rates.window_changed()
        model.gates.changed(event.settled + ctx.timing.settle)
        model.shared.buffers.judge()

    def _qp_write(self, qp: Qp, name: str, word: int, event: RegWrite) -> None:
        sending, responder = qp.sending, qp.responder
        qp.configured(event.settled)
        if name == "QP_CONTROL_STATUS":
            if event.data & lanes(event.strb) & FREE_BUF_SET:
                self._model.client.flushed(*qp.requester.flush())
            self._model.rates.lock(qp)
            sending.schedule()
        elif name == "TX_EPSN_MEM":
            if sending.held:
                self._ctx.rules.inconclusive(f"QP {qp.number} was numbered anew with packets in hand")
                return
            qp.requester.preset(word & PSN_MASK)
        elif name == "REQ_CHK_SN_MEM":
            responder.forget()
            responder.preset(word & PSN_MASK)
        elif name == "TX_SPEED_MEM":
            self._model.rates.written(qp, word & 0x3FFFFF, event.settled)
        elif name == "TX_CC_BYTE_CNT_MEM":
            qp.rate.preset(word & 0xFFFFFF)
        elif name in ("TX_LAST_PSN_MEM", "TX_MAX_FW_PSN_MEM") and not sending.state.accepted:
            sending.state.tails = tuple(
                self._values.word(tail, qp.number) & PSN_MASK
                for tail in ("TX_LAST_PSN_MEM", "TX_MAX_FW_PSN_MEM")
            )
        elif name == "RETRY_CNT_MEM":
            sending.state.retries, sending.state.rnr_retries = word & 15, word >> 4 & 15

    # -- reads ------------------------------------------------------------------------------------

    def read(self, event: RegRead) -> None:
        """Judge a register read."""
        ctx, rules = self._ctx, self._ctx.rules
        addr = event.addr & -BYTES
        register = self._values.by_addr.get(addr)
        if register is None:
            rules.observe("RCL-125/printed")
            return
        rules.alive("registers")
        if addr in QP_WINDOW:
            number = self._values.selected
            if number is None:
                rules.eq("RCL-126", 0, event.data, "no such queue pair", ctx.client)
                return
            qp = self._model.shared.qp(number)
            assert qp is not None
            self._qp_read(qp, register, event.data)
        elif register.name == "INTR_STATUS":
            ctx.messages.read(event.data & 0xFFFF, ctx.now)
        elif not self._model.raw.read(register.name, event.data):
            self._stored(register, 0, event.data, "RCL-125/printed")

    def _stored(self, register: Register, qp: int, value: int, rule: str, without: int = 0) -> None:
        """Plain storage: each field reads back what was written; provisional fields may not exist."""
        judged = register.writable & ~without & ~WIDER_THAN_USED.get(register.name, 0)
        made_up = 0
        for entry in register.fields:
            if entry.volatile:
                judged &= ~entry.mask
            elif entry.provisional:
                made_up |= entry.mask
        word = self._values.word(register.name, qp)
        if made_up and rule == "RCL-125/printed":
            what = f"made-up fields of {register.name} read back"
            self._ctx.rules.eq(
                "RCL-125/provisional", word & made_up, value & made_up, what, self._ctx.client, "X_FIELDS"
            )
        judged &= ~made_up
        expected = word & judged
        good = expected == value & judged
        name = register.name
        if not good:
            for entry in register.fields:
                if entry.mask & judged and (expected ^ value) & entry.mask:
                    name = f"{register.name}.{entry.name}"
                    break
        why = f"{name} reads back"
        self._ctx.rules.eq(rule, expected, value & judged, why, self._ctx.client, sure=bool(judged))

    def _qp_read(self, qp: Qp, register: Register, value: int) -> None:
        name = register.name
        if name in MOVING:
            self._moving(qp, name, value)
            return
        if name == "QP_CONTROL_STATUS":
            if not value & FREE_BUF_SET:
                self._ctx.rules.met("RCL-055", "free_buf_set clears itself", qp.scope)
            elif self._ctx.quiet:
                what, why = "free_buf_set = 0", "free_buf_set clears itself"
                self._ctx.rules.fail("RCL-055", what, "1", why, qp.scope)
            self._stored(register, qp.number, value, "RCL-126", FREE_BUF_SET)
        elif name == "TX_SPEED_MEM":
            written = self._values.word(name, qp.number) & 0x3FFFFF
            allowed = {written, qp.rate.threshold}
            self._ctx.rules.one_of("RCL-126", allowed, value & 0x3FFFFF, "TX_SPEED_MEM", qp.scope)
        else:
            self._stored(register, qp.number, value, "RCL-126")

    def _moving(self, qp: Qp, name: str, value: int) -> None:
        """A register that traffic moves: exact at quiet, or while the queue pair has had no traffic."""
        ctx, rules = self._ctx, self._ctx.rules
        state, responder = qp.sending.state, qp.responder
        if not ctx.quiet:
            rules.observe("RCL-053")
            return
        if name == "RETRY_CNT_MEM":
            if not state.vague and not qp.sending.fatal:
                rules.eq("RCL-050", min(state.retries, 15), value & 15, "retry_counter", qp.scope)
            return
        if name == "TX_CC_BYTE_CNT_MEM":
            low, high = qp.rate.moment(ctx.now - ctx.timing.reaction, ctx.now)
            rules.in_range("RCL-065", low, high, value, "byte counter", qp.scope)
            return
        psn = qp.sending.state.psn
        last, top = psn(state.next - 1), psn(state.top - 1)
        if state.tails is not None:
            last, top = state.tails
        allowed = {
            "TX_EPSN_MEM": {psn(state.accepted)},
            "EXPECT_RESP_PSN_MEM": {psn(state.una)},
            "TX_LAST_PSN_MEM": state.stepped | ({last, top} if state.una > state.next else {last}),
            "TX_MAX_FW_PSN_MEM": {top},
            "REQ_CHK_SN_MEM": {responder.expected.value},
            "TX_ACK_SN_MEM": {responder.expected.value},
        }[name]
        if ctx.device.lite:
            rules.observe("RCL-053")
            return
        rules.one_of("RCL-053", allowed, value & PSN_MASK, f"{name} at rest", qp.scope)
