"""Whether a doorbell word in memory is owed, allowed or forbidden (ERN-078 beside ERN-077 and ERN-143)."""

from __future__ import annotations

from ref_model.ernic.config import QpConfig
from ref_model.ernic.context import Context

#: Parameter of doorbells in handshake mode and of those with address 0.
KNOB = "DB_MEM_IN_HNDSHK"
RULE = "ERN-078"


def usual(conn: QpConfig, address: int) -> bool:
    """Return whether the word at ``address`` belongs to a QP in memory mode that has such an address."""
    return conn.memory_doorbells and bool(address)


def owed(ctx: Context, conn: QpConfig, address: int, rule: str) -> str | None:
    """Return the rule by which a doorbell word is owed (``rule`` in the usual case), None if by none."""
    if usual(conn, address):
        return rule
    return RULE if ctx.knobs[KNOB] == "written" else None


def allowed(ctx: Context, conn: QpConfig, address: int) -> bool:
    """Return whether the DUT may write a doorbell word."""
    return usual(conn, address) or ctx.knobs[KNOB] != "silent"
