"""Register layer: SystemRDL export, pyuvm registers built when touched, register sequences."""

from __future__ import annotations

from tb.registers.layer import RegisterHandle, RegisterLayer

__all__ = ["RegisterHandle", "RegisterLayer"]
