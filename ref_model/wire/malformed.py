"""What the parsers of all targets raise."""

from __future__ import annotations

from enum import Enum
from typing import Any


class MalformedFrame(Exception):
    """A frame malformed at `layer`, `offset` bytes in; `partial` holds what could be read."""

    def __init__(self, reason: Enum, layer: str, offset: int, partial: Any) -> None:
        super().__init__(f"{layer} at byte {offset}: {reason.value}")
        self.reason = reason
        self.layer = layer
        self.offset = offset
        self.partial = partial
