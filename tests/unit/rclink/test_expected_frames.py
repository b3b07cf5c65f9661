"""Frames the model expects, by registers, against frames that were computed apart from all code here."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ref_model.rclink import frames
from ref_model.rclink.config import Device, QpConfig, read_device, read_qp
from ref_model.rclink.registers import RegisterFile
from ref_model.rules import specification
from ref_model.wire.rclink import Format, build

VECTORS = Path(__file__).parent.parent / "wire" / "rclink_vectors.json"
FRAMES = json.loads(VECTORS.read_text(encoding="utf-8"))["frames"]
QP, PSN, STAMP, PAYLOAD = 0x155, 0xABC, 0x1234, bytes(range(64))
ENABLE = {"standard": "standard_en", "gen1": "afh_gen1_en", "gen2": "afh_gen2_en", "lite": "afh_lite_en"}


def programmed(form: str, tagged: bool) -> tuple[Device, QpConfig]:
    """The set-up of the vectors, written to the registers."""
    knobs = specification("rclink").knobs({})
    values = RegisterFile(1024, knobs)

    def put(register: str, qp: int = 0, **entries: int) -> None:
        word = 0
        for name, value in entries.items():
            word |= value << values.entry(register, name).lsb
        values.write(values.address(register), word, 0xFF, qp)

    put("MAC_ADDR", mac_addr=0x020000000011, len_type=0x88B5)
    put("IP_ADDR", ip_addr=0xC0A80001, ip_ID=0x1234, ip_ttl=64)
    put("VLAN_CTRL", vlan_en=int(tagged), vid=0x123, tpid=0x8100)
    put("TRAFFIC_CLASS", type1_req_tc_bank1=0x28, type1_ack_tc=0x30, type2_req_tc=0x54)
    put("DEST_MAC_MEM2", mac_type2=0x88B6)
    put("DEST_IP_MEM2", dest_ip_addr2=0xC0A80002)
    put("UDP_PORT_MEM2", udp_src_port2=0xC002, udp_dest_port2=0xBEEF)
    put("TYPE2_DA_0", type2_da_0=0x010000000033)
    put(
        "AFH_CFG_EN",
        **{ENABLE[form]: 1},
        afh_gen1_tc_en=1,
        tx_vlan_tag_sel_en=1,
        type1_req_bank1_cbfc=3,
        type1_ack_cbfc=4,
        type2_cbfc=5,
    )
    put("DEST_IP_MEM", QP, dest_ip_addr=0xC0A80002, dest_qpid=QP)
    put("DEST_MAC_MEM", QP, dest_mac_addr=0x020000000022)
    put("UDP_SRC_PORT_MEM", QP, udp_src_port=0xC000, qp_p_key_tx=0x5A)
    return read_device(values, knobs), read_qp(values, QP)


@pytest.mark.parametrize(
    "row", FRAMES, ids=[f"{row['format']} {row['kind']} {row['tagged']}" for row in FRAMES]
)
def test_vector(row: dict[str, object]) -> None:
    device, qp = programmed(str(row["format"]), bool(row["tagged"]))
    expected = {
        "request": lambda: frames.request(device, qp, QP, PSN, True, STAMP, PAYLOAD),
        "ack": lambda: frames.answer(device, qp, PSN, 0x1F, STAMP),
        "nak": lambda: frames.answer(device, qp, PSN, 0x60, None),
        "cnp": lambda: frames.notification(device, qp),
        "type2": lambda: frames.multicast(device, 0, PAYLOAD),
    }[str(row["kind"])]()
    assert device.layout is not None and device.layout.format is Format[str(row["format"]).upper()]
    assert build(expected, device.layout).hex() == row["hex"]
