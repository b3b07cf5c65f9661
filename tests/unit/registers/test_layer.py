"""Register layer: names, fields, mirror, errors, cost."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyuvm import uvm_reg, uvm_reg_block

from ref_model.errors import UserError
from ref_model.registers import layout
from tb.bench.registers import run as bench
from tb.registers import RegisterLayer
from tb.registers.sequences import JSON_PATH
from tests.unit.registers.bus import RegisterFile, drive


@pytest.fixture
def bus() -> RegisterFile:
    return RegisterFile(layout("ernic"))


@pytest.fixture
def layer(bus: RegisterFile) -> RegisterLayer:
    return RegisterLayer(JSON_PATH, bus, counts={"QP": 8, "MR": 16})


def test_nothing_is_built_before_it_is_touched(layer: RegisterLayer) -> None:
    assert layer.built == []
    _ = layer.QP[3].SQPI
    _ = layer.QP[3].CQHEAD
    assert layer.built == ["QP[3]"]


@pytest.mark.parametrize(
    ("path", "address"),
    [
        (("MR", 5, "BUFRKEY"), 0x514),
        (("GLOBAL", 0, "XRNICCONF"), 0x10_0000),
        (("GLOBAL", 0, "INTSTS"), 0x10_0184),
        (("CQINTSTS", 63, "CQINTSTS"), 0x10_038C),
        (("QP", 7, "SQPI"), 0x18_0738),
    ],
)
def test_addresses(layer: RegisterLayer, path: tuple[str, int, str], address: int) -> None:
    block, index, name = path
    handle = layer.register(block, name, index)
    assert handle.address() == address == handle.uvm_reg.get_address()
    found = layer.at(address)
    assert found is not None and found.name == handle.name


def test_attribute_and_item_access_agree(layer: RegisterLayer) -> None:
    assert layer.GLOBAL.INTEN.address() == layer["GLOBAL"]["INTEN"].address()
    assert layer.RQINTSTS[2].address() == 0x10_0198
    assert len(layer.QP) == 8
    assert [handle.name for handle in layer.MR[1]][:2] == ["MR[1].PDPDNUM", "MR[1].VIRTADDRLSB"]


def test_blocks_and_registers_are_pyuvm_objects(layer: RegisterLayer) -> None:
    block = layer.QP[3].uvm_block
    assert isinstance(block, uvm_reg_block) and block.is_locked()
    reg = block.get_reg_by_name("QDEPTH")
    assert isinstance(reg, uvm_reg)
    assert reg.get_field_by_name("RQ").get_lsb_pos() == 16
    assert block.get_default_map().get_reg_by_offset(0x18_033C) is reg


def test_write_fields_keeps_the_other_rw_fields(layer: RegisterLayer, bus: RegisterFile) -> None:
    conf = layer.GLOBAL.XRNICCONF
    drive(conf.write_fields(UDP_SPORT=0xE348, EN=1))
    drive(conf.write_fields(ERRBUF_EN=1))
    assert bus.words[0x10_0000] == conf.mirror == 0x00E3_4821
    assert drive(conf.read_fields()) == {"EN": 1, "ACK_MODE": 0, "ERRBUF_EN": 1, "UDP_SPORT": 0xE348}


def test_write_fields_writes_zero_to_other_w1c_fields(layer: RegisterLayer, bus: RegisterFile) -> None:
    bus.words[0x10_0184] = 0x1FB
    status = layer.GLOBAL.INTSTS
    assert drive(status.read()) == status.mirror == 0x1FB
    drive(status.write_fields(FATAL=1))
    assert bus.writes[-1] == (0x10_0184, 0x80)
    assert bus.words[0x10_0184] == status.mirror == 0x17B


def test_modify_starts_from_the_dut_value(layer: RegisterLayer, bus: RegisterFile) -> None:
    bus.words[0x18_0044] = 0x0400_1234  # moved by hardware, unknown to the mirror
    drive(layer.QP[0].LSTRQREQ.modify(OPCODE=0x0A))
    assert bus.words[0x18_0044] == 0x0A00_1234


def test_read_only_registers_may_be_written_on_purpose(layer: RegisterLayer, bus: RegisterFile) -> None:
    head = layer.QP[1].CQHEAD
    drive(head.write(0xFFFF_FFFF))
    assert bus.writes[-1] == (0x18_0130, 0xFFFF_FFFF)
    assert head.mirror == 0


def test_reset_restores_the_mirrors(layer: RegisterLayer) -> None:
    pause = layer.GLOBAL.XRNIC_PAUSE_CONF
    assert pause.mirror == pause.reset_value == 0x800
    drive(pause.write(0x2001))
    layer.reset()
    assert pause.mirror == 0x800


def test_pack_and_unpack(layer: RegisterLayer) -> None:
    depth = layer.QP[0].QDEPTH
    assert depth.pack(SQ=256, RQ=64) == 0x0040_0100
    assert depth.unpack(0x0040_0100) == {"SQ": 256, "RQ": 64}


def test_at_knows_holes_and_missing_instances(layer: RegisterLayer) -> None:
    assert layer.at(0x10_001C) is None
    assert layer.at(0x18_0838) is None  # slot 8 of an 8-QP build


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (lambda layer: layer.GLOBL, ("GLOBL", "GLOBAL")),
        (lambda layer: layer.QP[0].SQP, ("SQP", "SQPI")),
        (lambda layer: layer.QP[8], ("QP[8]", "0 to 7")),
        (lambda layer: layer.QP[-1], ("QP[-1]", "0 to 7")),
        (lambda layer: layer.QP[0].QDEPTH.pack(SQ=0x1_0000), ("QDEPTH.SQ", "0xffff")),
        (lambda layer: layer.QP[0].QDEPTH.pack(CQ=1), ("CQ", "SQ, RQ")),
        (lambda layer: drive(layer.QP[0].SQPI.write(1 << 32)), ("QP[0].SQPI", "0xFFFFFFFF")),
    ],
)
def test_wrong_names_and_values_are_told(layer: RegisterLayer, action, words: tuple[str, str]) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(UserError) as caught:
        action(layer)
    assert all(word in str(caught.value) for word in words)
    assert "\n" not in str(caught.value)


def test_wrong_sources_are_told(tmp_path: Path, bus: RegisterFile) -> None:
    with pytest.raises(UserError, match="no such register layout"):
        RegisterLayer(tmp_path / "none.json", bus)
    broken = tmp_path / "broken.json"
    broken.write_text('{"blocks": [', encoding="utf-8")
    with pytest.raises(UserError, match=r"broken\.json: line 1: not JSON"):
        RegisterLayer(broken, bus)
    with pytest.raises(UserError, match="1 to 2048"):
        RegisterLayer(JSON_PATH, bus, counts={"QP": 4096})


def test_a_2048_qp_layer_is_cheap() -> None:
    opened, memory = bench()
    assert (opened.unit, memory.unit) == ("ms", "MB")
    assert opened.value < 500
    assert memory.value < 50
