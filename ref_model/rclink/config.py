"""What the registers say about the device and about one queue pair, decoded once per change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import Any

from ref_model.rclink.registers import RegisterFile
from ref_model.wire.rclink import Format, FrameLayout


class Flow(IntEnum):
    """Flows of the MAC port in the order of DFX_CBFC_CF_O, low to high."""

    BANK0 = 0
    BANK1 = 1
    BANK2 = 2
    BANK3 = 3
    ACK = 4
    TYPE2 = 5
    TYPE3 = 6


FLOWS = tuple(Flow)
BANKS = (Flow.BANK0, Flow.BANK1, Flow.BANK2, Flow.BANK3)

#: Field name parts of the flows: credit enables, maps, pause enables.
_CBFC_EN = (
    "rx_type1_req_bank0_cbfc_en",
    "rx_type1_req_bank1_cbfc_en",
    "rx_type1_req_bank2_cbfc_en",
    "rx_type1_req_bank3_cbfc_en",
    "rx_type1_ack_cbfc_en",
    "rx_type2_cbfc_en",
    "rx_type3_cbfc_en",
)
_MAPS = (
    "type1_req_bank0_cbfc",
    "type1_req_bank1_cbfc",
    "type1_req_bank2_cbfc",
    "type1_req_bank3_cbfc",
    "type1_ack_cbfc",
    "type2_cbfc",
    "type3_cbfc",
)
_PFC = (
    "type1_req_bank0_pfc_en",
    "type1_req_bank1_pfc_en",
    "type1_req_bank2_pfc_en",
    "type1_req_bank3_pfc_en",
    "ack_pfc_en",
    "type2_pfc_en",
    "non_rdma_pfc_en",
)
_LIMITS = (
    *("type1_credit_uf_limit_cbfc",) * 4,
    "ack_credit_uf_limit_cbfc",
    "type2_credit_uf_limit_cbfc",
    "type3_credit_uf_limit_cbfc",
)
_CLASSES = tuple(f"type1_req_tc_bank{bank}" for bank in range(4))

#: Bytes of a beat on TX_S and RX_M, and of an entry of the receive buffers.
CLIENT_BEAT = 64
#: Largest frame of TYPE3 that is sent, in bytes.
TYPE3_TX_MAX = 4096


@dataclass(frozen=True)
class Device:
    """Global configuration; tuples by flow are in the order of :class:`Flow`."""

    layout: FrameLayout | None  #: None: no format is enabled
    banks: int
    vlan: bool
    cfi: int
    vid: int
    tpid: int
    pri_from_flow: bool
    mac: int
    ip: int
    ip_id: int
    ttl: int
    classes: tuple[int, ...]  #: traffic class of flows 0 to 5
    vcs: tuple[int, ...]
    credit_check: tuple[bool, ...]
    credit_limits: tuple[int, ...]  #: uf_limit
    dynamic: bool
    credit_stop: bool  #: stop_cbfc_en
    vc_status: int  #: software status, one bit per virtual channel
    pause_out: tuple[bool, ...]  #: tx_pfc_en
    pause_in: tuple[bool, ...]  #: rx_pfc_en
    flow_stop: int
    stop_rnr: int
    marks: tuple[tuple[int, int], ...]  #: (XON, XOFF) by flow, in entries
    bank_rr: bool
    ack_time: bool
    multicast_credit: bool
    cnp_merge: bool
    cnp_timer: int
    window_ns: int
    nocnp_us: int
    timeout_us: int
    retry_limit: int
    rnr_code: int
    rnr_limit: int
    type2_ip: int
    type2_udp: tuple[int, int]
    type2_addresses: tuple[int, ...]
    type1_len: int
    type2_len: int

    @property
    def lite(self) -> bool:
        """LITE mode."""
        return self.layout is not None and self.layout.format is Format.LITE

    @property
    def tagged(self) -> bool:
        """Frames carry a VLAN tag."""
        return self.vlan and not self.lite

    @property
    def bank_bits(self) -> int:
        """Bits of a queue pair number that name its bank."""
        return self.banks.bit_length() - 1

    def bank(self, qp: int) -> Flow:
        """Flow of the requests of queue pair ``qp``."""
        return BANKS[qp & self.banks - 1]

    @cached_property
    def largest(self) -> tuple[int, ...]:
        """Bytes of the largest frame by flow; zeros while no format is enabled."""
        if self.layout is None:
            return (0,) * len(FLOWS)
        size = self.layout.frame_bytes
        request = size("request", self.type1_len, self.tagged)
        answer = 0 if self.lite else size("response", 0, self.tagged)
        return (request,) * 4 + (answer, size("type2", self.type2_len, self.tagged), TYPE3_TX_MAX)

    def priority(self, flow: Flow) -> int:
        """PRI of the VLAN tag of ``flow``."""
        return self.vcs[flow] if self.pri_from_flow else 0


@dataclass(frozen=True, slots=True)
class QpConfig:
    """Configuration of one queue pair."""

    enabled: bool
    dest_mac: int
    dest_ip: int
    dest_qp: int  #: 13 bits as sent
    udp_source: int
    key_tx: int
    key_rx: int


def read_device(values: RegisterFile, knobs: Mapping[str, Any]) -> Device:
    """Decode the global configuration."""

    def afh(field: str) -> int:
        return values.get("AFH_CFG_EN", field)

    def misc(field: str) -> int:
        return values.get("X_MISC_CFG", field)

    def xon(field: str) -> int:
        return values.get("XON_THR_RDMA", field)

    def retry(field: str) -> int:
        return values.get("RETRY_TIMER_CFG", field)

    def other(field: str) -> int:
        return values.get("XON_THR_NON_RDMA", field)

    stop = bool(afh("stop_cbfc_en"))
    classes = [values.get("TRAFFIC_CLASS", name) for name in _CLASSES]
    type2_tc = values.get("TRAFFIC_CLASS", "type2_req_tc")
    form = _format(values)
    if stop and form is Format.STANDARD:
        type2_tc = values.get("DEST_IP_MEM2", "dscp2") & 0xFF
    classes += [values.get("TRAFFIC_CLASS", "type1_ack_tc"), type2_tc]
    banks = int(knobs["TYPE1_VC_NUM"])
    tpid = values.get("VLAN_CTRL", "tpid")
    layout = None
    if form is not None:
        layout = FrameLayout(
            form,
            gen1_tc=bool(afh("afh_gen1_tc_en")),
            icrc=not misc("x_type1_remove_icrc_en"),
            tpid=tpid,
            len_type=values.get("MAC_ADDR", "len_type"),
            mac_type2=values.get("DEST_MAC_MEM2", "mac_type2"),
            type2_port=values.get("UDP_PORT_MEM2", "udp_dest_port2"),
            type2_tc=type2_tc,
            bank_tcs=tuple(classes[:banks]),
        ).with_knobs(knobs)
    rdma = (xon("xon_thr_rdma"), xon("xoff_thr_rdma"))
    return Device(
        layout=layout,
        banks=banks,
        vlan=bool(values.get("VLAN_CTRL", "vlan_en")),
        cfi=values.get("VLAN_CTRL", "cfi"),
        vid=values.get("VLAN_CTRL", "vid"),
        tpid=tpid,
        pri_from_flow=bool(afh("tx_vlan_tag_sel_en")),
        mac=values.get("MAC_ADDR", "mac_addr"),
        ip=values.get("IP_ADDR", "ip_addr"),
        ip_id=values.get("IP_ADDR", "ip_ID"),
        ttl=values.get("IP_ADDR", "ip_ttl"),
        classes=tuple(classes),
        vcs=tuple(afh(name) for name in _MAPS),
        credit_check=tuple(bool(afh(name)) for name in _CBFC_EN),
        credit_limits=tuple(afh(name) for name in _LIMITS),
        dynamic=bool(afh("type1_dyn_uf_limit_cbfc_en")),
        credit_stop=stop,
        vc_status=afh("software_ctrl_cbfc_vc_status"),
        pause_out=tuple(bool(xon(f"tx_{name}")) for name in _PFC),
        pause_in=tuple(bool(xon(f"rx_{name}")) for name in _PFC),
        flow_stop=xon("flow_stop_en"),
        stop_rnr=afh("type1_flow_stop_send_rnr_en"),
        marks=(
            *(rdma,) * 4,
            (other("xon_thr_ack_rdma"), other("xoff_thr_ack_rdma")),
            rdma,
            (other("xon_thr_non_rdma"), other("xoff_thr_non_rdma")),
        ),
        bank_rr=bool(misc("x_tx_bank_rr_en")),
        ack_time=bool(misc("x_tx_ack_time_en")),
        multicast_credit=bool(misc("x_multi_credit_ctrl_en")),
        cnp_merge=bool(misc("x_cnp_merge_en")),
        cnp_timer=misc("x_cnp_timer_thr"),
        window_ns=4096 << min(misc("x_cc_window_sel"), 4),
        nocnp_us=misc("x_nocnp_timer_us_m1") + 1,
        timeout_us=retry("x_timeout_us"),
        retry_limit=retry("retry_cnt_thr"),
        rnr_code=retry("x_rnr_timer"),
        rnr_limit=retry("x_rnr_retry_thr"),
        type2_ip=values.get("DEST_IP_MEM2", "dest_ip_addr2"),
        type2_udp=(
            values.get("UDP_PORT_MEM2", "udp_src_port2"),
            values.get("UDP_PORT_MEM2", "udp_dest_port2"),
        ),
        type2_addresses=tuple(values.get(f"TYPE2_DA_{group}", f"type2_da_{group}") for group in range(8)),
        type1_len=int(knobs["TYPE1_PKT_LEN"]),
        type2_len=int(knobs["TYPE2_PKT_LEN"]),
    )


def _format(values: RegisterFile) -> Format | None:
    """Enabled format; several at once are illegal, the order LITE, GEN2, GEN1, Standard is a choice."""
    for form, field in (
        (Format.LITE, "afh_lite_en"),
        (Format.GEN2, "afh_gen2_en"),
        (Format.GEN1, "afh_gen1_en"),
        (Format.STANDARD, "standard_en"),
    ):
        if values.get("AFH_CFG_EN", field):
            return form
    return None


def read_qp(values: RegisterFile, qp: int) -> QpConfig:
    """Decode the configuration of queue pair ``qp``."""
    return QpConfig(
        enabled=bool(values.get("QP_CONTROL_STATUS", "qp_en", qp)),
        dest_mac=values.get("DEST_MAC_MEM", "dest_mac_addr", qp),
        dest_ip=values.get("DEST_IP_MEM", "dest_ip_addr", qp),
        dest_qp=values.get("DEST_IP_MEM", "dest_qpid", qp) & 0x1FFF,
        udp_source=values.get("UDP_SRC_PORT_MEM", "udp_src_port", qp),
        key_tx=values.get("UDP_SRC_PORT_MEM", "qp_p_key_tx", qp),
        key_rx=values.get("BTH_QP_CFG_MEM", "qp_p_key_rx", qp),
    )
