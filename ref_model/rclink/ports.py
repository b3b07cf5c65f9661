"""Ports of RCLINK as the events name them, and the words each of them carries, in order.

A word is named as the signal it comes from; widths and meanings are those of section 11 of the source. Frames
carry their words in ``user``; pulses and levels are ``SideBand`` events with the words as ``values``. A level
gives its value when reset ends and whenever it changes.
"""

from __future__ import annotations

TX_S, RX_M, MAC_TX, MAC_RX = "tx_s", "rx_m", "mac_tx", "mac_rx"

FRAMES: dict[str, tuple[str, ...]] = {
    TX_S: ("qpid", "fack", "etype", "group"),
    RX_M: ("qpid", "etype", "len", "sa"),
    MAC_TX: ("vcid", "cbfc_vcid", "hdr_type", "multicast", "vlan_en", "fcs", "err"),
    MAC_RX: ("fcs_err",),
}
"""Frame ports: TX_S and MAC_RX into the DUT, RX_M and MAC_TX out of it."""

MAC_RX_CUT = "mac_rx_cut"
"""No port: the frame under way on ``mac_rx`` was given up without a last beat (SideBand without words)."""

TX_S_CRD = "tx_s_crd"
MAC_CREDIT, MAC_CREDIT_RST = "mac_credit", "mac_credit_rst"
CBFC_LOAD, CBFC_RETURN, CBFC_RESET = "cbfc_load", "cbfc_return", "cbfc_reset"
TYPE2_CRD, TYPE2_CRD_RST = "type2_crd", "type2_crd_rst"
SET_CC_RATE, SET_TYPE2_RATE, CC_QP_EN = "set_cc_rate", "set_type2_rate", "cc_qp_en"
RECV_CNP, RECV_ACK, RETRY_TMO, NOCNP = "recv_cnp", "recv_ack", "retry_tmo", "nocnp"
MSI = "msi"

PULSES_IN: dict[str, tuple[str, ...]] = {
    MAC_CREDIT: (),
    MAC_CREDIT_RST: (),
    CBFC_LOAD: ("bits", "size", "limit", "ovhd"),
    CBFC_RETURN: ("bits", "num"),
    CBFC_RESET: (),
    TYPE2_CRD: ("num",),
    TYPE2_CRD_RST: (),
    SET_CC_RATE: ("dat", "qpid"),
    SET_TYPE2_RATE: ("dat",),
}
"""One-cycle inputs; ``bits`` has one bit per virtual channel."""

PULSES_OUT: dict[str, tuple[str, ...]] = {
    TX_S_CRD: ("bits", "qpid", "qpid_vld"),
    CC_QP_EN: ("set", "clr", "qpid"),
    RECV_CNP: ("qpid",),
    RECV_ACK: ("qpid", "rtt", "num", "nak"),
    RETRY_TMO: ("qpid",),
    NOCNP: ("qpid", "bytes"),
    MSI: ("info",),
}
"""One-cycle outputs; ``bits`` of the token port: [0] TYPE1, [3] TYPE2."""

RX_PFC_REQ, FLOW_STOP, TYPE2_PFC_REQ = "rx_pfc_req", "flow_stop", "type2_pfc_req"
RC_INTR, NONR_INTR, NONR_FAULT_INTR = "rc_intr", "nonr_intr", "nonr_fault_intr"
TX_PFC_REQ, OST_FREE, CBFC_CF, IDLE = "tx_pfc_req", "ost_free", "cbfc_cf", "idle"
TX_WAIT_MAC_CRD, TX_MAC_FREE, MD_BUSY = "tx_wait_mac_crd", "tx_mac_free", "md_busy"

LEVELS_IN = (RX_PFC_REQ, FLOW_STOP, TYPE2_PFC_REQ)
LEVELS_OUT = (
    RC_INTR,
    NONR_INTR,
    NONR_FAULT_INTR,
    TX_PFC_REQ,
    OST_FREE,
    CBFC_CF,
    IDLE,
    TX_WAIT_MAC_CRD,
    TX_MAC_FREE,
    MD_BUSY,
)
"""Levels, one word each; the credits of ``cbfc_cf`` are seven numbers of 16 bits, flow 0 lowest."""

MD, DATA = "md", "data"
"""Memory masters of TYPE3: descriptors and buffers."""

ETYPE_TYPE1, ETYPE_TYPE2 = 0, 3
TOKEN_TYPE1, TOKEN_TYPE2 = 1, 8
"""Bits of the token port."""
