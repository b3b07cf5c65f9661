"""VLAN tags (IEEE 802.1Q clause 9): customer tag 0x8100 and service tag 0x88A8."""

from __future__ import annotations

import struct
from dataclasses import dataclass

TPID_CUSTOMER = 0x8100
TPID_SERVICE = 0x88A8
TPIDS = frozenset((TPID_CUSTOMER, TPID_SERVICE))

LAYOUT = struct.Struct(">HH")
SIZE = 4


@dataclass(slots=True)
class Vlan:
    """One tag; `tci` = priority [15:13], drop eligible [12], VLAN id [11:0]."""

    tci: int
    tpid: int = TPID_CUSTOMER

    @property
    def priority(self) -> int:
        """Priority code point, 0..7."""
        return self.tci >> 13

    @property
    def vid(self) -> int:
        """VLAN id, 0..4095."""
        return self.tci & 0xFFF


def pack(tag: Vlan) -> bytes:
    """The tag as it stands between the addresses and the next type field."""
    return LAYOUT.pack(tag.tpid, tag.tci)
