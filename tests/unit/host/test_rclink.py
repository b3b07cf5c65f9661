"""RCLINK settings as register writes, and the peer's mirror of them."""

from __future__ import annotations

from ref_model.rclink.endpoint import Endpoint
from ref_model.wire.rclink import Format
from tb.host.rclink_settings import Change, QpSettings, RclinkSettings, device_changes, qp_changes
from tb.host.type3 import LAST, START, descriptor

QP = QpSettings(1, 5, 0x22, 0xC0A80002, first_psn=0, remote_psn=7, key_tx=0x11, key_rx=0x22)


def _last(changes: list[Change], register: str) -> dict[str, int]:
    return [change.fields for change in changes if change.register == register][-1]


def test_enable_comes_last() -> None:
    changes = list(qp_changes(QP))
    assert changes[-1] == Change("QP_CONTROL_STATUS", {"qp_en": 1}, 1)
    assert _last(changes, "TX_LAST_PSN_MEM") == {"tx_last_psn": 4095}
    assert all(change.qp == 1 for change in changes)
    device = list(device_changes(RclinkSettings(Format.GEN2)))
    assert device[-1].fields["afh_gen2_en"] == 1 and device[-1].fields["stop_cbfc_en"] == 1


def test_mirror_exchanges_both_ends() -> None:
    peer = QP.mirrored(0x11, 0xC0A80001)
    assert (peer.number, peer.peer_qp, peer.peer_mac) == (5, 1, 0x11)
    assert (peer.first_psn, peer.remote_psn, peer.key_tx, peer.key_rx) == (7, 0, 0x22, 0x11)
    assert peer.mirrored(0x22, 0xC0A80002) == QP


def test_the_fields_exist_and_fit() -> None:
    values = Endpoint({}).values
    for change in (*device_changes(RclinkSettings()), *qp_changes(QP)):
        for name, value in change.fields.items():
            assert value < 1 << values.entry(change.register, name).width


def test_descriptor() -> None:
    entry = int.from_bytes(descriptor(0x1_2345_6780, 0x1000, 1514, START | LAST), "little")
    assert entry >> 64 == 0x1_2345_6780
    assert entry >> 48 & 0xFFFF == 0x1000
    assert entry >> 4 & 0xFFFF == 1514
    assert entry >> 20 & 3 == 3 and entry & 0xF == 0 and entry >> 22 & 0x3FFFFFF == 0
