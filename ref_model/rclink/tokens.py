"""Tokens of one queue pair: which are owed, and which may come back (sections 2, 9 and 15)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ref_model.deadlines import Must
    from ref_model.rclink.sending import Sending

#: Rules that demand to take an answer though something in it is unusual.
TOLERANCES = frozenset({"RCL-014/rx", "RCL-136"})
#: Packets kept behind the last token: they may have been on their way when they were acknowledged.
GHOSTS = 64


class Tokens:
    """Tokens for packets that are done."""

    def __init__(self, sending: Sending) -> None:
        self._sending = sending
        self._qp = sending.qp
        self._ctx = sending.ctx
        self._duty: Must | None = None
        self._ignored = ""  # rule of the last acknowledgement that had to be ignored

    def settle(self, rule: str) -> None:
        """Tokens of what is acknowledged and does not wait are owed; of the rest, or it is sent again."""
        state, ctx = self._sending.state, self._ctx
        waits = min([state.next, *(entry.start for entry in state.rewinds if not entry.served)])
        state.certain = max(state.certain, min(state.una, waits))
        if state.una > state.returned and (self._duty is None or not self._duty.open):
            self._duty = ctx.deadlines.must(
                rule,
                f"tokens of QP {self._qp.number}",
                "acknowledged packets",
                self._qp.scope,
                ctx.liveness(),
            )
        while state.kept < state.returned - GHOSTS:
            state.packets.pop(state.kept, None)
            state.kept += 1

    def ignored(self, rule: str) -> None:
        """An acknowledgement had to be ignored, as ``rule`` says: no token may follow from it."""
        self._ignored = rule
        self._ctx.rules.tempt(rule, ("token", self._qp.number))

    def sent_again(self, index: int) -> None:
        """An acknowledged packet leaves: the late acknowledgement was ignored, another one will come."""
        state = self._sending.state
        if index < state.una and self._duty is not None and state.certain <= index:
            self._ctx.deadlines.void(self._duty)
            self._duty = None

    @property
    def returns(self) -> bool:
        """A token may come back."""
        state = self._sending.state
        return state.returned < (state.accepted if self._ctx.device.lite else state.una)

    def came_back(self) -> bool:
        """A token with the number of this queue pair came back."""
        state, rules = self._sending.state, self._ctx.rules
        if not self.returns:
            rule, seen = self._ignored or "RCL-041", f"token of QP {self._qp.number}"
            rules.fail(rule, "no token", seen, "nothing is acknowledged", self._qp.scope)
            return False
        state.returned += 1
        rule = "RCL-104" if self._ctx.device.lite else "RCL-041"
        rules.met(rule, "a token for a packet that is done", self._qp.scope)
        rules.alive(("token", self._qp.number))
        self._ignored = ""
        if self._duty is not None and state.returned == state.una:
            self._ctx.deadlines.meet(self._duty)
            self._duty = None
        return True

    def unheard(self) -> str:
        """Rule by which an acknowledgement has to be taken whose tokens did not come so far; or ''."""
        duty = self._duty
        special = duty is not None and duty.open and duty.rule in TOLERANCES
        return duty.rule if duty is not None and special else ""

    def forget(self) -> None:
        """The packets are numbered anew: nothing is owed, and no answer of before counts."""
        self._ctx.deadlines.void(self._duty)
        self._duty = None
        self._ignored = ""
