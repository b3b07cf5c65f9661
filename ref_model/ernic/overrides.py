"""Status registers that software writes while override is on: XRNICADCONF[0] (ERN-024, ERN-025)."""

from __future__ import annotations

from ref_model.ernic.choices import OVERRIDE_QP_LSB, OVERRIDE_QP_MASK, override_applies
from ref_model.ernic.qp import Qp
from ref_model.ernic.queue_pairs import QueuePairs
from ref_model.ernic.shared import Shared
from ref_model.registers import Location

#: Status registers software may write; the first three are judged exactly.
EXACT = ("CQHEAD", "STATCURSQPTR", "STATRQPIDB")
REGISTERS = (*EXACT, "STATMSN", "STATRQBUFCA", "STATRQBUFCAMSB")
QP_STRIDE = 0x100


class Overrides:
    """What software wrote to status registers of the queue pairs."""

    def __init__(self, shared: Shared, qps: QueuePairs) -> None:
        """Nothing is written at first."""
        self._shared = shared
        self._rules = shared.ctx.rules
        self._qps = qps
        self._written: dict[int, int] = {}
        self._unknown: set[int] = set()  # written under an override that may not have been on

    def reset(self) -> None:
        """The DUT was reset."""
        self._written.clear()
        self._unknown.clear()

    def on(self, number: int) -> bool | None:
        """Return whether override is on for QP ``number``; None: open."""
        word = self._shared.values.get("GLOBAL", "XRNICADCONF")
        return override_applies(self._shared.ctx.knobs, word, number)

    def write(self, where: Location, addr: int, data: int) -> bool:
        """Software writes the status register at ``addr``; returns whether that is taken as an override."""
        self._unknown.discard(addr)
        number, name = where.index + self._qps.first_slot, where.register.name
        if where.block.name != "QP" or name not in REGISTERS:
            return False
        on = self.on(number)
        if on is False:
            return False
        if on is None:
            self._unknown.add(addr)
        qp = self._qps.at(number)
        if qp is None:
            return False
        self._preset(name, qp, data)
        self._written[addr] = data & where.register.defined
        return True

    def _preset(self, name: str, qp: Qp, data: int) -> None:
        if name == "CQHEAD":
            qp.cq.preset(data & 0xFFFF)
        elif name == "STATCURSQPTR":
            qp.requester.window.started = data & 0xFFFF
        elif name == "STATRQPIDB":
            self._qps.handshake.before_preset(qp)
            qp.rq.preset(data & 0xFFFF)
            qp.responder.received.elements = data & 0xFFFF
        elif name == "STATMSN":
            qp.responder.received.messages = data & 0xFFFFFF

    def forget(self, qp: Qp) -> None:
        """Traffic moves the registers of ``qp`` on from what software wrote."""
        if not self._written:
            return
        first = self._shared.values.layout.blocks["QP"].address("QPCONF", qp.slot)
        for addr in [addr for addr in self._written if 0 <= addr - first < QP_STRIDE]:
            del self._written[addr]

    def unknown(self, addr: int) -> bool:
        """Return whether nobody can tell if the register at ``addr`` took what software wrote."""
        return addr in self._unknown

    def stands(self, name: str, addr: int) -> bool:
        """Return whether register ``name`` at ``addr`` still has to read as software wrote it."""
        return addr in self._written and name in EXACT

    def judge(self, name: str, addr: int, value: int) -> None:
        """Judge a read of a register whose written value stands."""
        gated = self._shared.values.get("GLOBAL", "XRNICADCONF") >> OVERRIDE_QP_LSB & OVERRIDE_QP_MASK
        owner = "ERN-025" if gated else "ERN-024"
        self._rules.eq(owner, self._written[addr], value, f"{name} as written under override")
