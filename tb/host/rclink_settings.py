"""Settings of an RCLINK and its queue pairs, and the register writes they stand for, in the documented order.

Writes are data: register, fields, and the queue pair for those of the window. The DUT's driver and the
software peer are programmed from the same settings, the peer's being mirrored.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from ref_model.wire.rclink import Format

FORMAT_FIELD = {
    Format.STANDARD: "standard_en",
    Format.GEN1: "afh_gen1_en",
    Format.GEN2: "afh_gen2_en",
    Format.LITE: "afh_lite_en",
}
PSN_MASK = 4095
#: Bytes per window that no queue pair reaches.
FULL_RATE = 0x3F_FFFF
FLOWS = (
    "type1_req_bank0",
    "type1_req_bank1",
    "type1_req_bank2",
    "type1_req_bank3",
    "type1_ack",
    "type2",
    "type3",
)
"""Name parts of the seven flows in the fields of AFH_CFG_EN, in their order."""


class Change(NamedTuple):
    """Fields to set in a register; ``qp``: in the window of that queue pair."""

    register: str
    fields: dict[str, int]
    qp: int | None = None


@dataclass(frozen=True)
class RclinkSettings:
    """Global settings; ``fields`` are (register, field) -> value on top of what the rest says.

    ``classes`` are the traffic classes of the four banks, the ACKs and TYPE2; ``vcs`` the priority and VC of
    each flow; ``timeout_us`` and ``rnr_code`` time retries, ``retry_limit`` counts them; ``window`` selects
    the rate window.
    """

    format: Format = Format.STANDARD
    vlan: bool = False
    gen1_tc: bool = True
    icrc: bool = True
    mac: int = 0x02_00_00_00_00_11
    ip: int = 0xC0A8_0001
    len_type: int = 0x88B5
    type2_type: int = 0x88B6
    vid: int = 0x123
    cfi: int = 0
    tpid: int = 0x8100
    ip_id: int = 0x1234
    ttl: int = 64
    classes: tuple[int, ...] = (0x04, 0x08, 0x0C, 0x10, 0x30, 0x54)
    vcs: tuple[int, ...] = (0, 1, 2, 3, 4, 5, 6)
    type2_ip: int = 0xE000_0001
    type2_ports: tuple[int, int] = (0xC002, 0xBEEF)
    type2_addresses: tuple[int, ...] = tuple(0x01_00_00_00_00_33 + 0x0101_0001 * group for group in range(8))
    timeout_us: int = 60
    retry_limit: int = 15
    rnr_code: int = 1
    rnr_limit: int = 15
    bank_rr: bool = False
    ack_time: bool = False
    window: int = 0
    fields: dict[tuple[str, str], int] = field(default_factory=dict)

    def mirrored(self, mac: int, ip: int) -> RclinkSettings:
        """Settings of the other side, which has its own addresses."""
        return replace(self, mac=mac, ip=ip)


@dataclass(frozen=True)
class QpSettings:
    """One queue pair; keys are 8 bits, PSNs 12 bits, ``rate`` bytes per window."""

    number: int
    peer_qp: int
    peer_mac: int
    peer_ip: int
    first_psn: int = 0
    remote_psn: int = 0
    key_tx: int = 0x5A
    key_rx: int = 0x5A
    udp_source: int = 0xC000
    rate: int = FULL_RATE

    def mirrored(self, mac: int, ip: int) -> QpSettings:
        """The queue pair at the other end; ``mac`` and ``ip`` are this side's."""
        return replace(
            self,
            number=self.peer_qp,
            peer_qp=self.number,
            peer_mac=mac,
            peer_ip=ip,
            first_psn=self.remote_psn,
            remote_psn=self.first_psn,
            key_tx=self.key_rx,
            key_rx=self.key_tx,
        )


def device_changes(settings: RclinkSettings) -> Iterator[Change]:
    """Bring-up of everything but queue pairs and TYPE3 (flows I1, I2, I3, I5), without link credit (I7)."""
    yield Change("RDMA_EN", {"x_type1_en": 1, "x_type2_en": 1})
    yield Change("MAC_ADDR", {"mac_addr": settings.mac, "len_type": settings.len_type})
    yield Change("IP_ADDR", {"ip_addr": settings.ip, "ip_ID": settings.ip_id, "ip_ttl": settings.ttl})
    banks = {f"type1_req_tc_bank{bank}": settings.classes[bank] for bank in range(4)}
    ack, type2 = settings.classes[4:]
    yield Change("TRAFFIC_CLASS", {**banks, "type1_ack_tc": ack, "type2_req_tc": type2})
    tag = {"vid": settings.vid, "cfi": settings.cfi, "tpid": settings.tpid}
    yield Change("VLAN_CTRL", {"vlan_en": int(settings.vlan), **tag})
    yield Change("DEST_MAC_MEM2", {"mac_type2": settings.type2_type})
    yield Change("DEST_IP_MEM2", {"dest_ip_addr2": settings.type2_ip, "dscp2": type2})
    source, dest = settings.type2_ports
    yield Change("UDP_PORT_MEM2", {"udp_src_port2": source, "udp_dest_port2": dest})
    yield Change("XON_THR_RDMA", {"xon_thr_rdma": 512, "xoff_thr_rdma": 768})
    ack_marks = {"xon_thr_ack_rdma": 0x80, "xoff_thr_ack_rdma": 0xC0}
    yield Change("XON_THR_NON_RDMA", {"xon_thr_non_rdma": 32, "xoff_thr_non_rdma": 48, **ack_marks})
    for group, address in enumerate(settings.type2_addresses):
        yield Change(f"TYPE2_DA_{group}", {f"type2_da_{group}": address})
    yield Change(
        "RETRY_TIMER_CFG",
        {
            "x_timeout_us": settings.timeout_us,
            "retry_cnt_thr": settings.retry_limit,
            "x_rnr_timer": settings.rnr_code,
            "x_rnr_retry_thr": settings.rnr_limit,
        },
    )
    yield Change(
        "X_MISC_CFG",
        {
            "x_tx_bank_rr_en": int(settings.bank_rr),
            "x_tx_ack_time_en": int(settings.ack_time),
            "x_type1_remove_icrc_en": int(not settings.icrc),
            "x_cc_window_sel": settings.window,
            "x_nocnp_timer_us_m1": 255,
        },
    )
    for (register, name), value in settings.fields.items():
        yield Change(register, {name: value})
    maps = {f"{flow}_cbfc": vc for flow, vc in zip(FLOWS, settings.vcs, strict=True)}
    format_bit = {FORMAT_FIELD[settings.format]: 1, "afh_gen1_tc_en": int(settings.gen1_tc)}
    yield Change("AFH_CFG_EN", {**maps, "stop_cbfc_en": 1, "tx_vlan_tag_sel_en": 1, **format_bit})


def qp_changes(settings: QpSettings) -> Iterator[Change]:
    """The eight steps of a queue pair (flow I4), the enable last."""
    number, first, remote = settings.number, settings.first_psn, settings.remote_psn
    before = (first - 1) & PSN_MASK
    steps: tuple[tuple[str, dict[str, int]], ...] = (
        ("TX_EPSN_MEM", {"tx_psn": first}),
        ("EXPECT_RESP_PSN_MEM", {"expect_resp_psn": first}),
        ("TX_LAST_PSN_MEM", {"tx_last_psn": before}),
        ("TX_MAX_FW_PSN_MEM", {"max_forward_psn": before}),
        ("REQ_CHK_SN_MEM", {"rx_req_epsn": remote}),
        ("TX_ACK_SN_MEM", {"tx_epsn": remote}),
        ("TX_SPEED_MEM", {"tx_speed_cfg": settings.rate}),
        ("TX_CC_BYTE_CNT_MEM", {"byte_counter": 0}),
        ("DEST_IP_MEM", {"dest_ip_addr": settings.peer_ip, "dest_qpid": settings.peer_qp}),
        ("UDP_SRC_PORT_MEM", {"udp_src_port": settings.udp_source, "qp_p_key_tx": settings.key_tx}),
        ("DEST_MAC_MEM", {"dest_mac_addr": settings.peer_mac}),
        ("BTH_QP_CFG_MEM", {"qp_p_key_rx": settings.key_rx}),
        ("RETRY_CNT_MEM", {"retry_counter": 0, "rnr_retry_counter": 0}),
        ("QP_CONTROL_STATUS", {"qp_en": 1}),
    )
    for register, fields in steps:
        yield Change(register, fields, number)
