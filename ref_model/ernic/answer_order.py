"""Order of the answers of one QP (ERN-126): ACKs and NAKs carry PSNs that never step back.

What an ACK may say after an ACK is ERN-122; here one of the two is a NAK.
"""

from __future__ import annotations

from ref_model.rocev2.psn import psn_diff
from ref_model.rules import Rules, Scope


class AnswerOrder:
    """Follows the answers of one QP; those to duplicates stay outside."""

    def __init__(self) -> None:
        """Start before the first answer."""
        self._psn: int | None = None
        self._positive = True

    def answer(self, rules: Rules, scope: Scope, psn: int, positive: bool) -> None:
        """Judge an answer with ``psn``; ``positive``: an ACK."""
        if self._psn is not None and not (positive and self._positive):
            forward = psn_diff(psn, self._psn) >= 0
            why = f"an answer of PSN {self._psn:#x} has left before"
            rules.eq("ERN-126", True, forward, why, scope, knob="M_RULES")
        self._psn, self._positive = psn, positive
