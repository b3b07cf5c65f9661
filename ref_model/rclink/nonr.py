"""TYPE3: raw Ethernet by descriptors in memory (sections 2, 11.3, 11.4, 12.3 and 14.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ref_model.events import FrameIn, FrameOut, HostWrite, MemRead, MemWrite, RegRead, RegWrite

if TYPE_CHECKING:
    from ref_model.rclink.qp import Shared


class RawEthernet:
    """Rings, buffers, faults."""

    def __init__(self, shared: Shared) -> None:
        self._shared = shared
        self._ctx = shared.ctx
        self.reset()

    def reset(self) -> None:
        """Channels stopped."""
        self.pending = False

    def expects(self, data: bytes) -> bool:
        return False

    def sent(self, event: FrameOut) -> bool:
        return False

    def received(self, event: FrameIn, error: int) -> None: ...

    def memory_write(self, event: MemWrite) -> None: ...

    def memory_read(self, event: MemRead) -> None: ...

    def host_write(self, event: HostWrite) -> None: ...

    def message(self, info: int) -> None: ...

    def interrupt(self, port: str, value: int, now: int) -> None: ...

    def busy_level(self, value: int, now: int) -> None: ...

    def write(self, name: str, data: int, event: RegWrite) -> bool:
        return False

    def configured(self, name: str, event: RegWrite) -> None: ...

    def read(self, name: str, event: RegRead) -> bool:
        return False

    def busy(self) -> str:
        return ""

    def quiet(self) -> None: ...
