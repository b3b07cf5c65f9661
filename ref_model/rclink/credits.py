"""Credits of one virtual channel (CBFC, section 5) and of the multicast buffer (section 6).

The counter is known from the outside but for the returns that have not settled yet: it holds all returns that
have begun, since a frame may use them.
"""

from __future__ import annotations

from dataclasses import dataclass

#: Cell of the multicast buffer in bytes.
CELL = 128
#: What DFX_CBFC_CF_O can show.
DFX_TOP = 0xFFFF


def signed(ovhd: int) -> int:
    """Packet overhead: ten bits in two's complement."""
    return ovhd - 1024 if ovhd & 512 else ovhd


@dataclass(slots=True)
class Channel:
    """Credit state of one virtual channel."""

    loaded: bool = False
    size: int = 0
    limit: int = 0
    ovhd: int = 0
    credit: int = 0
    consumed: int = 0  #: since the counter was last compared
    returned: int = 0
    coincided: bool = False  #: credits came back in the very clock of a grant

    def load(self, size: int, limit: int, ovhd: int) -> None:
        """Configuration is sampled, the counter starts at the limit."""
        self.loaded = True
        self.size, self.limit, self.ovhd = max(size, 1), limit, signed(ovhd)
        self.credit = limit
        self.compared()

    def clear(self) -> None:
        """Back to unloaded."""
        self.loaded = False
        self.size = self.limit = self.ovhd = self.credit = 0
        self.compared()

    def compared(self) -> None:
        """The counter is known from here on."""
        self.consumed = self.returned = 0
        self.coincided = False

    def need(self, length: int) -> int:
        """Credits of a frame of ``length`` bytes."""
        return max(1, -(-(length + self.ovhd) // self.size)) if self.loaded else 0

    def consume(self, length: int) -> None:
        """A frame was granted."""
        need = self.need(length)
        self.credit -= need
        self.consumed += need

    def give(self, num: int) -> None:
        """``num`` credits came back."""
        self.credit = min(self.credit + num, self.limit)
        self.returned += num

    def shown(self) -> int:
        """What DFX_CBFC_CF_O has to show at quiet."""
        return min(max(self.credit, 0), DFX_TOP)


@dataclass(slots=True)
class Multicast:
    """Cells free in the multicast buffer of the MAC."""

    top: int
    credit: int = 0

    def __post_init__(self) -> None:
        self.credit = self.top

    @staticmethod
    def need(length: int) -> int:
        """Cells of a frame of ``length`` bytes."""
        return -(-length // CELL)
