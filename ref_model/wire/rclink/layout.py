"""How the frames of one RCLINK link look: the enabled format, what registers switch, the readings chosen.

The readings are the knobs of ``spec/rclink/parameters.json`` that decide what bytes a frame has.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum, IntEnum
from typing import Any, Literal

from ref_model.wire import ethernet, ipv4, udp, vlan

RH_BYTES = 8
ICRC_BYTES = 4
ADDRESS_BYTES = 12
OVERLAY_BYTES = 6
"""Payload bytes that ride in the address fields of GEN2 and LITE data frames."""


class Format(IntEnum):
    """Header formats; the values are the codes of TX2MAC_MAC_HDR_TYPE_O."""

    STANDARD = 0
    GEN1 = 1
    GEN2 = 2
    LITE = 3


class RhOrder(str, Enum):
    """Which bit of the RH is sent first.

    BE64: one 64-bit number, most significant byte first. LE64: the same number, least significant byte first.
    TXBIT: bit numbers count in the order of transmission as in the IP table, so Dest_QP comes first, each
    field most significant bit first.
    """

    BE64 = "BE64"
    TXBIT = "TXBIT"
    LE64 = "LE64"


class IcrcMode(str, Enum):
    """ICRC coverage: as RoCEv2 in Standard frames and from the RH on elsewhere, or from the RH everywhere."""

    BY_FORMAT = "by_format"
    FROM_RH = "from_rh"


class LiteSource(str, Enum):
    """Where the XPU number in the source address of a LITE frame comes from."""

    MAC = "MAC"
    DQPID = "DQPID"
    SQPID = "SQPID"


@dataclass(frozen=True, slots=True)
class FrameLayout:
    """Everything besides the frame itself that decides its bytes and its class; integers as in the registers.

    `gen1_tc`: GEN1 frames carry the traffic class (afh_gen1_tc_en). `icrc`: TYPE1 frames end with an ICRC
    (type1_remove_icrc_en = 0). `len_type` and `mac_type2` are the EtherTypes of AFH TYPE1 and TYPE2 frames,
    `type2_port` the UDP destination port of Standard TYPE2 frames, `tpid` the tag that a receiver skips.
    `type2_tc` and `bank_tcs` (one per bank, bank 0 first) tell LITE frames apart by their upper six bits.

    The rest are knobs, spelt in capitals in the parameter file: `gen2_kw_in_da` swaps Key_words and traffic
    class; `gen2_overlay` False means that the six payload bytes in the addresses are a copy and the body is
    complete; `kw_check` sends frames with W = 0 to TYPE3.
    """

    format: Format
    gen1_tc: bool = True
    icrc: bool = True
    tpid: int = vlan.TPID_CUSTOMER
    len_type: int = 0
    mac_type2: int = 0
    type2_port: int = 0
    type2_tc: int = 0
    bank_tcs: tuple[int, ...] = ()
    rh_order: RhOrder = RhOrder.BE64
    gen2_kw_in_da: bool = False
    gen2_overlay: bool = True
    udp_csum: int = 0
    type2_has_rh: bool = False
    pktlen_incl_pad: bool = True
    icrc_mode: IcrcMode = IcrcMode.BY_FORMAT
    kw_check: bool = True
    ecn_on_afh: bool = False
    lite_sa: LiteSource = LiteSource.MAC

    def with_knobs(self, knobs: Mapping[str, Any]) -> FrameLayout:
        """Copy with the readings among ``knobs`` (names and values of the parameter file)."""
        return replace(
            self, **{name.lower(): read(knobs[name]) for name, read in READINGS.items() if name in knobs}
        )

    def frame_bytes(
        self, kind: Literal["request", "response", "type2"], payload: int, tagged: bool = False
    ) -> int:
        """Length of a frame without MAC padding and FCS, in bytes.

        A response is an ACK, NAK or CNP; `payload` counts bytes without pad.
        """
        if self.format is Format.LITE:
            overhead = ADDRESS_BYTES - OVERLAY_BYTES * self.gen2_overlay
            return overhead + payload
        size = ethernet.SIZE + vlan.SIZE * tagged
        if self.format is Format.STANDARD:
            size += ipv4.SIZE + udp.SIZE
        if kind != "response" and self.format is Format.GEN2 and self.gen2_overlay:
            size -= OVERLAY_BYTES
        if kind == "type2":
            return size + payload + RH_BYTES * self.type2_has_rh
        return size + RH_BYTES + payload + -payload % 4 + ICRC_BYTES * self.icrc


READINGS: dict[str, Any] = {
    "RH_ORDER": RhOrder,
    "GEN2_KW_IN_DA": bool,
    "GEN2_OVERLAY": bool,
    "UDP_CSUM": int,
    "TYPE2_HAS_RH": bool,
    "PKTLEN_INCL_PAD": bool,
    "ICRC_MODE": IcrcMode,
    "KW_CHECK": bool,
    "ECN_ON_AFH": bool,
    "LITE_SA": LiteSource,
}
"""Knobs that are the codec's affair, with the type their value becomes."""
