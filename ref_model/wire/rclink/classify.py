"""What a received frame is: TYPE1, TYPE2 or raw Ethernet (section 10 of the source)."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from ref_model.wire import ethernet, ipv4, udp, vlan
from ref_model.wire.ethernet import ETHERTYPE_IPV4
from ref_model.wire.rclink.afh import KEY_WORDS_W
from ref_model.wire.rclink.layout import ADDRESS_BYTES, Format, FrameLayout

_TC_BITS = 0xFC
"""The part of a traffic class that names the flow; the low two bits are ECN."""


class Kind(str, Enum):
    """Traffic types."""

    TYPE1 = "TYPE1"
    TYPE2 = "TYPE2"
    TYPE3 = "TYPE3"


class Leaf(Enum):
    """Where the decision ended, in words; `kind` is what follows from it."""

    LITE_TYPE1 = (Kind.TYPE1, "LITE, traffic class of a TYPE1 bank")
    LITE_TYPE2 = (Kind.TYPE2, "LITE, traffic class of TYPE2")
    LITE_OTHER = (Kind.TYPE3, "LITE, traffic class of no flow")
    UDP_TYPE1 = (Kind.TYPE1, "UDP port 4791")
    UDP_TYPE2 = (Kind.TYPE2, "UDP port of TYPE2")
    UDP_OTHER = (Kind.TYPE3, "another UDP port")
    IP_NOT_UDP = (Kind.TYPE3, "IPv4, not UDP")
    IP_OPTIONS = (Kind.TYPE3, "IPv4 header length other than five words")
    ETHERTYPE_TYPE1 = (Kind.TYPE1, "EtherType of TYPE1")
    ETHERTYPE_TYPE2 = (Kind.TYPE2, "EtherType of TYPE2")
    ETHERTYPE_OTHER = (Kind.TYPE3, "another EtherType")
    GEN2_32BIT = (Kind.TYPE3, "Key_words W = 0: the 32-bit form")
    TOO_SHORT = (Kind.TYPE3, "ends before its class can be told")

    def __init__(self, kind: Kind, text: str) -> None:
        self.kind = kind
        self.text = text


class Class(NamedTuple):
    """`body` is the offset behind EtherType (LITE: behind the addresses); `bank` is known in LITE only."""

    leaf: Leaf
    body: int
    tagged: bool = False
    bank: int | None = None


_NOTHING = Class(Leaf.TOO_SHORT, 0)
_PLAIN = {leaf: Class(leaf, ethernet.SIZE) for leaf in Leaf}
_TAGGED = {leaf: Class(leaf, ethernet.SIZE + vlan.SIZE, True) for leaf in Leaf}


def classify(data: bytes, layout: FrameLayout) -> Class:
    """Class of a frame by its bytes alone; addresses, keys and checksums have no part in it.

    One tag whose identifier is `layout.tpid` is skipped. An AFH frame is read as GEN2 where GEN2 is enabled.
    """
    size = len(data)
    if layout.format is Format.LITE:
        return _classify_lite(data, layout) if size >= ADDRESS_BYTES else _NOTHING
    if size < ethernet.SIZE:
        return _NOTHING
    at, known = ethernet.SIZE, _PLAIN
    ethertype = data[12] << 8 | data[13]
    if ethertype == layout.tpid:
        at, known = ethernet.SIZE + vlan.SIZE, _TAGGED
        if size < at:
            return _NOTHING
        ethertype = data[16] << 8 | data[17]
    if ethertype == ETHERTYPE_IPV4:
        return known[_ip_leaf(data, at, layout)]
    if ethertype == layout.len_type:
        leaf = Leaf.ETHERTYPE_TYPE1
    elif ethertype == layout.mac_type2:
        leaf = Leaf.ETHERTYPE_TYPE2
    else:
        return known[Leaf.ETHERTYPE_OTHER]
    if layout.format is Format.GEN2 and _is_32bit(data, layout):
        leaf = Leaf.GEN2_32BIT
    return known[leaf]


def _is_32bit(data: bytes, layout: FrameLayout) -> bool:
    return layout.kw_check and not data[0 if layout.gen2_kw_in_da else 6] & KEY_WORDS_W


def _ip_leaf(data: bytes, at: int, layout: FrameLayout) -> Leaf:
    size = len(data)
    if size < at + ipv4.SIZE:
        return Leaf.TOO_SHORT
    if data[at] & 15 != 5:
        return Leaf.IP_OPTIONS
    if data[at + 9] != udp.PROTOCOL:
        return Leaf.IP_NOT_UDP
    if size < at + ipv4.SIZE + 4:
        return Leaf.TOO_SHORT
    port = data[at + 22] << 8 | data[at + 23]
    if port == udp.ROCE_PORT:
        return Leaf.UDP_TYPE1
    return Leaf.UDP_TYPE2 if port == layout.type2_port else Leaf.UDP_OTHER


def _classify_lite(data: bytes, layout: FrameLayout) -> Class:
    # Key_words have no part in it (A17): W = 0 names a form of GEN2 frames (A4).
    flow = data[6 if layout.gen2_kw_in_da else 0] & _TC_BITS
    if flow == layout.type2_tc & _TC_BITS:
        return Class(Leaf.LITE_TYPE2, ADDRESS_BYTES)
    for bank, tc in enumerate(layout.bank_tcs):
        if flow == tc & _TC_BITS:
            return Class(Leaf.LITE_TYPE1, ADDRESS_BYTES, bank=bank)
    return Class(Leaf.LITE_OTHER, ADDRESS_BYTES)
