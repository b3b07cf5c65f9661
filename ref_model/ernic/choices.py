"""What the open parameters of register access mean (AXIL_WSTRB, OVERRIDE_QP_GATE)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ref_model.registers import apply_strobes

#: Position of XRNICADCONF[30:20], the QP an override write is meant for; 0 means any.
OVERRIDE_QP_LSB, OVERRIDE_QP_MASK = 20, 0x7FF


def lanes(strb: int) -> int:
    """Return the bits of a 32-bit word whose byte strobe is 1."""
    return apply_strobes(0, 0xFFFF_FFFF, strb)


def effective_strobes(knobs: Mapping[str, Any], strb: int) -> int:
    """Return the strobes the DUT goes by: those of the bus, or all of them (AXIL_WSTRB = ignore)."""
    return 0xF if knobs["AXIL_WSTRB"] == "ignore" else strb


def override_applies(knobs: Mapping[str, Any], advanced: int, qp: int) -> bool | None:
    """Return whether software override is on for ``qp`` (wire number); None: the parameters leave it open.

    ``advanced``: XRNICADCONF; [0] switches the override on, [30:20] names a QP, which matters by
    OVERRIDE_QP_GATE.
    """
    if not advanced & 1:
        return False
    named = advanced >> OVERRIDE_QP_LSB & OVERRIDE_QP_MASK
    gate = knobs["OVERRIDE_QP_GATE"]
    if gate == "ignored" or named in (0, qp):
        return True
    return None if gate == "any" else False
