"""Capture files: written ones are read by tshark and by us, foreign and broken ones give one clear line."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ref_model.errors import UserError
from ref_model.wire import build
from tb.pcap import PcapngWriter, read_capture
from tests.unit.wire.samples import sample
from tests.unit.wire.strategies import REPEATABLE
from tests.unit.wire.tools import tshark

FRAMES = [build(sample(0x04, size=size)) for size in (0, 1, 2, 3, 64, 1024)]


def written(path: Path) -> Path:
    """A file with all FRAMES, 4 ns apart from 1.000000008 s on."""
    with PcapngWriter(path, comment="test send_only, seed 7", interfaces=("tx", "roce_rx")) as writer:
        for number, data in enumerate(FRAMES):
            writer.write(
                1_000_000_008_000 + 4_000 * number,
                data,
                comment="late" if number == 3 else "",
                interface=number % 2,
            )
        assert writer.count == len(FRAMES)
    return path


def test_tshark_reads_what_is_written(tmp_path: Path) -> None:
    """Frames, nanosecond stamps, interface names, packet and section comments."""
    path = written(tmp_path / "out.pcapng")
    names = ["frame.time_epoch", "frame.len", "frame.interface_name", "frame.comment"]
    arguments = ["-r", str(path), "-T", "fields", "-E", "separator=|"]
    for name in names:
        arguments += ["-e", name]
    rows = [line.split("|") for line in tshark(*arguments).splitlines()]
    assert [row[0] for row in rows] == [f"1.{8 + 4 * number:09d}" for number in range(len(FRAMES))]
    assert [int(row[1]) for row in rows] == [len(data) for data in FRAMES]
    assert [row[2] for row in rows] == ["tx", "roce_rx"] * 3
    assert [row[3] for row in rows] == ["", "", "", "late", "", ""]
    assert b"test send_only, seed 7" in path.read_bytes()


def test_own_reader(tmp_path: Path) -> None:
    """Times in ps and bytes come back, frame by frame."""
    times = [1_000_000_008_000 + 4_000 * number for number in range(len(FRAMES))]
    assert list(read_capture(written(tmp_path / "out.pcapng"))) == list(zip(times, FRAMES, strict=True))


def test_sub_nanosecond_part_is_cut(tmp_path: Path) -> None:
    """Picoseconds are stored as whole nanoseconds."""
    with PcapngWriter(tmp_path / "cut.pcapng") as writer:
        writer.write(3_999, FRAMES[0])
    assert [time for time, _ in read_capture(tmp_path / "cut.pcapng")] == [3_000]


def test_frames_reach_the_disk_before_the_end(tmp_path: Path) -> None:
    """A run that dies leaves what was flushed, readable."""
    writer = PcapngWriter(tmp_path / "part.pcapng")
    writer.write(0, FRAMES[0])
    writer.flush()
    assert len(list(read_capture(tmp_path / "part.pcapng"))) == 1
    writer.close()


@pytest.mark.parametrize("order", ["<", ">"], ids=["little", "big"])
@pytest.mark.parametrize(
    ("magic", "unit_ps"), [(0xA1B2C3D4, 10**6), (0xA1B23C4D, 10**3)], ids=["usec", "nsec"]
)
def test_pcap(tmp_path: Path, order: str, magic: int, unit_ps: int) -> None:
    """Classic pcap in both byte orders and both resolutions."""
    path = tmp_path / "in.pcap"
    content = struct.pack(order + "IHHiIII", magic, 2, 4, 0, 0, 65535, 1)
    for number, data in enumerate(FRAMES):
        content += struct.pack(order + "IIII", 7, number, len(data), len(data)) + data
    path.write_bytes(content)
    expected = [(7 * 10**12 + number * unit_ps, data) for number, data in enumerate(FRAMES)]
    assert list(read_capture(path)) == expected
    assert len(tshark("-r", path).splitlines()) == len(FRAMES)


def test_pcap_with_check_sequence(tmp_path: Path) -> None:
    """A frame check sequence that the header announces is cut off."""
    path = tmp_path / "fcs.pcap"
    link = 1 | 1 << 26 | 2 << 28
    data = FRAMES[0] + b"FCS!"
    head = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, link)
    path.write_bytes(head + struct.pack("<IIII", 0, 0, len(data), len(data)) + data)
    assert list(read_capture(path)) == [(0, FRAMES[0])]


def block(order: str, kind: int, body: bytes) -> bytes:
    """A pcapng block."""
    body += bytes(-len(body) % 4)
    size = struct.pack(order + "I", 12 + len(body))
    return struct.pack(order + "I", kind) + size + body + size


def option(order: str, code: int, value: bytes) -> bytes:
    """A pcapng option."""
    return struct.pack(order + "HH", code, len(value)) + value + bytes(-len(value) % 4)


def section(order: str) -> bytes:
    """A section header."""
    return block(order, 0x0A0D0D0A, struct.pack(order + "IHHq", 0x1A2B3C4D, 1, 0, -1))


def interface(order: str, options: bytes = b"", link: int = 1) -> bytes:
    """An interface description."""
    return block(order, 1, struct.pack(order + "HHI", link, 0, 0) + options)


def packet(order: str, ticks: int, data: bytes, number: int = 0, original: int | None = None) -> bytes:
    """An enhanced packet block."""
    size = len(data) if original is None else original
    head = struct.pack(order + "IIIII", number, ticks >> 32, ticks & 0xFFFFFFFF, len(data), size)
    return block(order, 6, head + data)


@pytest.mark.parametrize("order", ["<", ">"], ids=["little", "big"])
def test_foreign_pcapng(tmp_path: Path, order: str) -> None:
    """Default microseconds, a binary resolution, an offset, unknown and obsolete blocks, two sections."""
    other = ">" if order == "<" else "<"
    shifted = (
        option(order, 9, b"\x8a") + option(order, 14, struct.pack(order + "q", -2)) + option(order, 0, b"")
    )
    path = tmp_path / "foreign.pcapng"
    path.write_bytes(
        section(order)
        + interface(order)
        + block(order, 5, bytes(12))
        + packet(order, 3, FRAMES[0])
        + interface(order, shifted)
        + packet(order, 5 * 1024, FRAMES[1], number=1)
        + block(
            order, 2, struct.pack(order + "HHIIII", 0, 0, 0, 4, len(FRAMES[2]), len(FRAMES[2])) + FRAMES[2]
        )
        + section(other)
        + interface(other, option(other, 13, b"\x04") + option(other, 1, b""))
        + packet(other, 9, FRAMES[3] + b"FCS!")
    )
    expected = [
        (3 * 10**6, FRAMES[0]),
        (3 * 10**12, FRAMES[1]),
        (4 * 10**6, FRAMES[2]),
        (9 * 10**6, FRAMES[3]),
    ]
    assert list(read_capture(path)) == expected


def test_interface_names_its_own_link_type(tmp_path: Path) -> None:
    """Another link type matters only for its packets."""
    path = tmp_path / "mixed.pcapng"
    path.write_bytes(
        section("<") + interface("<", link=113) + interface("<") + packet("<", 0, FRAMES[0], number=1)
    )
    assert list(read_capture(path)) == [(0, FRAMES[0])]


GOOD = section("<") + interface("<")
WRONG_LENGTH = struct.pack("<III", 5, 10, 10)
UNEQUAL = struct.pack("<IIII", 5, 16, 0, 20)
REFUSED = {
    "empty": (b"", r"byte 0: file magic truncated, 0 of 4 bytes"),
    "text": (b"hello world", r"byte 0: unknown file magic 68656c6c \(allowed: a pcap or pcapng file\)"),
    "pcap header cut": (b"\xd4\xc3\xb2\xa1\x02\0", r"byte 4: pcap file header truncated, 2 of 20 bytes"),
    "pcap link type": (
        struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 113),
        r"link type 113 \(allowed: 1 = Ethernet\)",
    ),
    "pcap packet cut": (
        struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)
        + struct.pack("<IIII", 0, 0, 60, 60)
        + bytes(9),
        r"byte 40: packet truncated, 9 of 60 bytes",
    ),
    "pcap packet header cut": (
        struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1) + bytes(5),
        r"byte 24: packet header truncated, 5 of 16 bytes",
    ),
    "pcap snap length": (
        struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 20, 1)
        + struct.pack("<IIII", 0, 0, 20, 60)
        + bytes(20),
        r"byte 24: frame cut to 20 of 60 bytes \(allowed: whole frames\)",
    ),
    "pcapng magic": (
        struct.pack("<III", 0x0A0D0D0A, 28, 0x11223344) + bytes(16),
        r"byte 8: byte-order magic 44332211",
    ),
    "pcapng version": (
        block("<", 0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 2, 0, -1)),
        r"byte 12: pcapng major version 2 \(allowed: 1\)",
    ),
    "section header too short": (struct.pack("<III", 0x0A0D0D0A, 16, 0x1A2B3C4D), r"byte 4: block length 16"),
    "block type cut": (GOOD + b"\x06\0", r"block type truncated, 2 of 4 bytes"),
    "block length cut": (GOOD + b"\x06\0\0\0\x20", r"block length truncated, 1 of 4 bytes"),
    "block cut": (GOOD + packet("<", 0, FRAMES[0])[:-7], r"block truncated"),
    "block length odd": (GOOD + WRONG_LENGTH, r"byte 52: block length 10"),
    "block lengths differ": (GOOD + UNEQUAL, r"block length 20 at the end, 16 at the start"),
    "packet block too short": (GOOD + block("<", 6, bytes(16)), r"block length 28"),
    "no interface": (
        section("<") + packet("<", 0, FRAMES[0]),
        r"byte 28: packet of undeclared interface 0 \(allowed: 0 declared interfaces\)",
    ),
    "link type": (section("<") + interface("<", link=105) + packet("<", 0, FRAMES[0]), r"link type 105"),
    "captured length": (
        GOOD + block("<", 6, struct.pack("<IIIII", 0, 0, 0, 999, 999) + bytes(8)),
        r"packet of 999 bytes does not fit its block",
    ),
    "snap length": (GOOD + packet("<", 0, FRAMES[0], original=99), r"frame cut to \d+ of 99 bytes"),
    "simple packet": (GOOD + block("<", 3, bytes(4)), r"simple packet block without a time stamp"),
    "option": (
        section("<") + interface("<", struct.pack("<HH", 9, 400)),
        r"option 9 of 400 bytes does not fit",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused_files(tmp_path: Path, case: str) -> None:
    """One line with file, offset, what is wrong and what is allowed."""
    content, message = REFUSED[case]
    path = tmp_path / "bad.cap"
    path.write_bytes(content)
    with pytest.raises(UserError, match=message) as info:
        list(read_capture(path))
    text = str(info.value)
    assert text.startswith(f"capture {path}, byte ") and "(allowed: " in text and "\n" not in text


@REPEATABLE
@given(st.data())
def test_damaged_files(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    """Any cut or altered byte: frames or UserError, nothing else."""
    path = tmp_path_factory.mktemp("damaged") / "file.pcapng"
    content = bytearray(written(path).read_bytes())
    for position in data.draw(st.lists(st.integers(0, 400), max_size=3)):
        content[position] = data.draw(st.integers(0, 255))
    path.write_bytes(content[: data.draw(st.integers(0, len(content)))])
    try:
        list(read_capture(path))
    except UserError as error:
        assert str(path) in str(error)


def test_missing_file(tmp_path: Path) -> None:
    """No such file, or a directory."""
    for path in (tmp_path / "none.pcapng", tmp_path):
        with pytest.raises(UserError, match=r"cannot read capture .* \(allowed: a pcap or pcapng file\)"):
            list(read_capture(path))


def test_unwritable_path(tmp_path: Path) -> None:
    """The directory does not exist."""
    with pytest.raises(UserError, match=r"cannot write capture .*none.*"):
        PcapngWriter(tmp_path / "none" / "out.pcapng")


def test_undeclared_interface(tmp_path: Path) -> None:
    """Writing to an interface that the file does not have."""
    with PcapngWriter(tmp_path / "out.pcapng") as writer:
        with pytest.raises(UserError, match=r"no interface 1 \(allowed 0\.\.0\)"):
            writer.write(0, b"", interface=1)
