"""The opcode table against facts written down a second time."""

from __future__ import annotations

from ref_model.wire import INFO, Opcode, opcodes

# Extension header bytes per opcode, from the packet formats.
BYTES = {
    0x00: 0, 0x01: 0, 0x02: 0, 0x03: 4, 0x04: 0, 0x05: 4,
    0x06: 16, 0x07: 0, 0x08: 0, 0x09: 4, 0x0A: 16, 0x0B: 20,
    0x0C: 16, 0x0D: 4, 0x0E: 0, 0x0F: 4, 0x10: 4, 0x11: 4, 0x12: 12,
    0x13: 28, 0x14: 28, 0x16: 4, 0x17: 4, 0x64: 8, 0x65: 12, 0x81: 16,
}  # fmt: skip


def test_extension_bytes() -> None:
    """Header lengths, and no opcode more or less."""
    assert {code: info.extension_bytes for code, info in INFO.items()} == BYTES


def test_names_and_constants() -> None:
    """Enumeration, module constants and table agree; keys are plain integers."""
    for code, info in INFO.items():
        assert type(code) is int
        assert Opcode(code).name == info.name
        assert getattr(opcodes, info.name) == code


def test_place_in_the_message() -> None:
    """First and last follow the names; ONLY is both."""
    for info in INFO.values():
        if info.kind in ("send", "write", "read_resp"):
            assert info.first == ("FIRST" in info.name or "ONLY" in info.name)
            assert info.last == ("LAST" in info.name or "ONLY" in info.name)
            assert info.only == ("ONLY" in info.name)
        else:
            assert info.only
