"""TYPE3: rings, buffers, faults and their interrupts, by hand-made events."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ref_model.events import (
    FrameIn,
    FrameOut,
    HostWrite,
    MemRead,
    MemWrite,
    RegRead,
    RegWrite,
    Reset,
    SideBand,
)
from ref_model.rclink import RclinkModel, ports
from ref_model.rclink.rings import Descriptor
from tests.unit.rclink.pair import CLK, KNOBS

TX_RING, RX_RING, TX_BUFFER, RX_BUFFER = 0x10000, 0x20000, 0x40010, 0x80000
SIZE = 8
FRAME = bytes.fromhex("020000000011020000000022") + b"\x88\xcc" + bytes(range(86))
LONG = bytes.fromhex("020000000011020000000022") + b"\x88\xcc" + bytes(n & 0xFF for n in range(500))
VC = 6


class Bench:
    """One model and a clock."""

    def __init__(self) -> None:
        self.model = RclinkModel(KNOBS, CLK)
        self.now = 0
        self.see(Reset(0, True))
        self.see(Reset(CLK, False))
        self.write("MAC_ADDR", 0x88B5 << 48 | 0x020000000011)
        self.write("DEST_MAC_MEM2", 0x88B6 << 48)
        self.write("AFH_CFG_EN", 0b10 | 1 << 5 | VC << 30)
        for kind, base in (("TX", TX_RING), ("RX", RX_RING)):
            self.write(f"{kind}_MDQ_BA", base)
            self.write(f"{kind}_MDQ_SIZE", SIZE)
        self.write("TAIL_UP_CFG", 2 | 2 << 16)
        self.write("DMA_INT_MASK", 0b11111)
        self.write("NONR_DMA_CTRL", 1 | 1 << 8)

    def see(self, event: object) -> None:
        self.model.observe(event)  # type: ignore[arg-type]

    def tick(self, clocks: int = 10) -> int:
        self.now += clocks * CLK
        return self.now

    def write(self, name: str, value: int) -> None:
        at = self.tick()
        self.see(RegWrite(at, at, self.model.values.address(name), value, 0xFF))

    def read(self, name: str, value: int) -> None:
        at = self.tick()
        self.see(RegRead(at, at, self.model.values.address(name), value))

    def host(self, addr: int, data: bytes) -> None:
        self.see(HostWrite(self.tick(), addr, data))

    def md_read(self, addr: int, count: int = 1, resp: int = 0) -> None:
        at = self.tick()
        data = self.model.raw.memory.read(addr, 16 * count)
        self.see(MemRead(at, at + CLK, ports.MD, addr, data, resp))

    def data_read(self, addr: int, size: int, resp: int = 0) -> None:
        at = self.tick()
        data = self.model.raw.memory.read(addr, size)
        self.see(MemRead(at, at + CLK, ports.DATA, addr, data, resp))

    def data_write(self, addr: int, data: bytes, resp: int = 0) -> None:
        at = self.tick()
        self.see(MemWrite(at, at + CLK, ports.DATA, addr, data, b"\1" * len(data), resp))

    def write_back(self, addr: int, descriptor: Descriptor, shift: int = 0, size: int = 6) -> None:
        """Write the low bytes of a descriptor in the half of its 32-byte beat."""
        at = self.tick()
        start = (addr & 16) + shift
        lane = bytearray(32)
        lane[start : start + size] = descriptor.pack()[:size]
        mask = bytearray(32)
        mask[start : start + size] = b"\1" * size
        self.see(MemWrite(at, at + CLK, ports.MD, addr & -32, bytes(lane), bytes(mask)))

    def out(self, data: bytes, vc: int = VC) -> None:
        at = self.tick()
        self.see(FrameOut(at, at, ports.MAC_TX, data, (vc, 1 << vc, 0, 0, 0, 1, 0)))

    def frame(self, data: bytes, error: int = 0) -> None:
        at = self.tick()
        self.see(FrameIn(at, at + 10 * CLK, ports.MAC_RX, data, not error, (error,)))
        self.tick()

    def level(self, port: str, value: int) -> None:
        at = self.tick()
        self.see(SideBand(at, at, port, (value,)))

    def message(self, tx_tail: int = 0) -> None:
        at = self.tick()
        self.see(SideBand(at, at, ports.MSI, (3 << 31 | tx_tail << 5 | 1,)))

    def post(self, kind: str, descriptors: list[Descriptor], first: int = 0) -> None:
        base = TX_RING if kind == "TX" else RX_RING
        for number, descriptor in enumerate(descriptors, first):
            self.host(base + 16 * (number % SIZE), descriptor.pack())
        self.write(f"{kind}_MD_HEAD_PTR", (first + len(descriptors)) % SIZE)

    def end(self) -> list[str]:
        """Rules that were broken by the end of the test."""
        self.tick(40_000)
        self.model.quiet(self.now)
        self.model.finish()
        return [finding.rule for finding in self.model.rules.findings]


def tx_md(size: int = len(FRAME), addr: int = TX_BUFFER, first: bool = True, last: bool = True) -> Descriptor:
    return Descriptor(size, first, last, False, False, 0, addr)


def rx_md(size: int = 256, number: int = 0) -> Descriptor:
    return Descriptor(0, False, False, False, False, size, RX_BUFFER + 0x1000 * number)


def done(size: int, first: bool, last: bool, error: int = 0) -> Descriptor:
    return Descriptor(size, first, last, bool(error & 1), bool(error & 2), 0, 0)


def transmit(bench: Bench, data: bytes = FRAME, vc: int = VC, read_size: int = 128) -> Bench:
    bench.host(TX_BUFFER, FRAME)
    bench.post("TX", [tx_md()])
    bench.md_read(TX_RING)
    bench.data_read(TX_BUFFER & -64, read_size)
    bench.out(data, vc)
    return bench


def rest(bench: Bench) -> Bench:
    bench.level(ports.NONR_INTR, 1)
    bench.tick(3000)
    bench.model.quiet(bench.now)
    return bench


def test_transmit() -> None:
    bench = Bench()
    transmit(bench)
    rest(bench)
    bench.read("TX_MD_TAIL_PTR", 1)
    bench.read("DMA_INTR_ST0", 0b00010)
    assert bench.end() == []
    assert bench.model.rules.evidence.keys() >= {"RCL-024", "RCL-108", "RCL-111", "RCL-116"}


@pytest.mark.parametrize(
    ("action", "rule"),
    [
        (lambda b: transmit(b, FRAME[:-1] + b"\0"), "RCL-024"),
        (lambda b: transmit(b, vc=5), "RCL-022"),
        (lambda b: transmit(b, read_size=4096), "RCL-111"),
        (lambda b: (transmit(b), b.data_read(0x90000, 64)), "RCL-108"),
        (lambda b: (transmit(b), b.md_read(TX_RING + 16)), "RCL-108"),
        (lambda b: (transmit(b), b.out(FRAME)), "RCL-108"),
        (lambda b: (transmit(b), rest(b), b.read("TX_MD_TAIL_PTR", 2)), "RCL-108"),
        (lambda b: (b.host(TX_BUFFER, FRAME), b.post("TX", [tx_md()])), "RCL-108"),
        (lambda b: (transmit(b), b.write_back(TX_RING, tx_md(size=1))), "RCL-110/tx"),
    ],
)
def test_transmit_wrong(action: Callable[[Bench], object], rule: str) -> None:
    bench = Bench()
    action(bench)
    found = bench.end()
    assert found and found[0] == rule, found


@pytest.mark.parametrize(
    ("descriptors", "fault", "rule"),
    [
        ([tx_md(size=0)], 9, "RCL-114"),
        ([tx_md(size=4097)], 7, "RCL-113"),
    ],
)
def test_transmit_faults(descriptors: list[Descriptor], fault: int, rule: str) -> None:
    for told in (True, False):
        bench = Bench()
        bench.post("TX", descriptors)
        bench.md_read(TX_RING)
        if told:
            bench.level(ports.NONR_FAULT_INTR, 1)
            bench.level(ports.NONR_INTR, 1)
            bench.message()
            bench.tick(3000)
            bench.model.quiet(bench.now)
            bench.read("DMA_INTR_ST1", 1 << fault)
            bench.write("DMA_INTR_ST1", 1 << fault)
            bench.level(ports.NONR_FAULT_INTR, 0)
        found = bench.end()
        assert found == [] if told else found[0] == rule, found


def test_soft_reset_after_a_fault() -> None:
    bench = Bench()
    bench.post("TX", [tx_md(size=0)])
    bench.md_read(TX_RING)
    bench.level(ports.NONR_FAULT_INTR, 1)
    bench.level(ports.NONR_INTR, 1)
    bench.write("NONR_DMA_CTRL", 1 | 1 << 8 | 1 << 16)
    bench.write("DMA_INTR_ST1", 0x7FF)
    bench.write("DMA_INTR_ST0", 0x1F)
    bench.level(ports.NONR_FAULT_INTR, 0)
    bench.level(ports.NONR_INTR, 0)
    bench.write("NONR_DMA_CTRL", 1 | 1 << 8)
    transmit(bench)
    bench.level(ports.NONR_INTR, 1)
    assert bench.end() == []
    assert bench.model.rules.evidence["RCL-117"]


def receive(bench: Bench, data: bytes = FRAME, error: int = 0) -> None:
    bench.post("RX", [rx_md()])
    bench.frame(data, error)
    bench.md_read(RX_RING)
    bench.data_write(RX_BUFFER, data)


@pytest.mark.parametrize("error", [0, 1, 2, 3])
def test_receive(error: int) -> None:
    bench = Bench()
    receive(bench, error=error)
    bench.write_back(RX_RING, done(len(FRAME), True, True, error))
    bench.tick(3000)
    bench.model.quiet(bench.now)
    bench.read("RX_MD_TAIL_PTR", 1)
    assert bench.end() == []
    assert bench.model.rules.evidence.keys() >= {"RCL-109", "RCL-110/rx"}


def test_receive_into_two_buffers() -> None:
    bench = Bench()
    bench.post("RX", [rx_md(256, 0), rx_md(320, 1)])
    bench.frame(LONG)
    bench.md_read(RX_RING, 2)
    bench.data_write(RX_BUFFER, LONG[:256])
    bench.write_back(RX_RING, done(256, True, False))
    bench.data_write(RX_BUFFER + 0x1000, LONG[256:])
    bench.write_back(RX_RING + 16, done(len(LONG) - 256, False, True))
    bench.level(ports.NONR_INTR, 1)
    assert bench.end() == []


@pytest.mark.parametrize(
    ("action", "rule"),
    [
        (lambda b: b.data_write(RX_BUFFER, FRAME[:5] + b"\xee" + FRAME[6:]), "RCL-109"),
        (lambda b: b.data_write(RX_BUFFER + 0x800, FRAME), "RCL-109"),
        (lambda b: b.data_write(RX_BUFFER + 0xFC0, bytes(128)), "RCL-111"),
        (lambda b: b.write_back(RX_RING, done(len(FRAME), True, True)), "RCL-109"),
        (lambda b: (b.data_write(RX_BUFFER, FRAME), b.write_back(RX_RING, done(9, True, True))), "RCL-109"),
        (
            lambda b: (b.data_write(RX_BUFFER, FRAME), b.write_back(RX_RING, done(len(FRAME), False, True))),
            "RCL-109",
        ),
        (
            lambda b: (
                b.data_write(RX_BUFFER, FRAME),
                b.write_back(RX_RING, done(len(FRAME), True, True), size=16),
            ),
            "RCL-110/rx",
        ),
        (
            lambda b: (
                b.data_write(RX_BUFFER, FRAME),
                b.write_back(RX_RING + 16, done(len(FRAME), True, True)),
            ),
            "RCL-109",
        ),
        (lambda b: b.data_write(RX_BUFFER, FRAME), "RCL-109"),
    ],
)
def test_receive_wrong(action: Callable[[Bench], object], rule: str) -> None:
    bench = Bench()
    bench.post("RX", [rx_md(), rx_md(number=1)])
    bench.frame(FRAME)
    bench.md_read(RX_RING)
    action(bench)
    found = bench.end()
    assert found and found[0] == rule, found


def test_frame_left_out() -> None:
    """The buffer of a frame gets the next one: the rule that sends the first one here is broken."""
    bench = Bench()
    bench.post("RX", [rx_md()])
    bench.frame(FRAME[:12] + bytes.fromhex("0800450000560000000040") + b"\x01" + bytes(range(76)))
    bench.frame(FRAME)
    bench.md_read(RX_RING)
    bench.data_write(RX_BUFFER, FRAME)
    assert bench.end()[0] == "RCL-026"


def test_oversize_and_empty_buffer() -> None:
    bench = Bench()
    bench.frame(FRAME * 90)
    assert bench.end()[0] == "RCL-113"
    bench = Bench()
    bench.post("RX", [rx_md(size=0)])
    bench.frame(FRAME)
    bench.md_read(RX_RING)
    assert bench.end()[0] == "RCL-114"


@pytest.mark.parametrize("reset", [True, False], ids=["reset between", "no reset"])
def test_frames_that_fill_the_fifo(reset: bool) -> None:
    """Frames without a buffer are more than the FIFO holds, unless a soft reset took the first of them."""
    bench = Bench()
    frame = FRAME * 30
    for half in range(2):
        for _ in range(8192 // len(frame)):
            bench.frame(frame)
        if reset and not half:
            bench.write("NONR_DMA_CTRL", 1 | 1 << 8 | 1 << 31)
            bench.write("NONR_DMA_CTRL", 1 | 1 << 8)
    bench.level(ports.NONR_INTR, 1)
    bench.end()
    assert bool(bench.model.rules.undecided) is not reset


def test_read_behind_the_receive_ring() -> None:
    bench = Bench()
    bench.post("RX", [rx_md()])
    bench.md_read(RX_RING, 2)
    assert bench.end()[0] == "RCL-109"


@pytest.mark.parametrize(("port", "bit"), [(ports.MD, 3), (ports.DATA, 4)])
def test_bus_errors(port: str, bit: int) -> None:
    bench = Bench()
    bench.host(TX_BUFFER, FRAME)
    bench.post("TX", [tx_md()])
    if port == ports.MD:
        bench.md_read(TX_RING, resp=2)
    else:
        bench.md_read(TX_RING)
        bench.data_read(TX_BUFFER & -64, 128, resp=2)
    assert "RCL-115" in bench.end()


def test_lines_without_a_cause() -> None:
    bench = Bench()
    bench.tick(1000)
    bench.level(ports.NONR_FAULT_INTR, 1)
    assert bench.end()[0] == "RCL-139"
    bench = Bench()
    bench.tick(1000)
    bench.level(ports.NONR_INTR, 1)
    assert bench.end()[0] == "RCL-116"
    bench = Bench()
    bench.message()
    assert bench.end()[0] == "RCL-122"


def test_tail_in_a_message() -> None:
    bench = Bench()
    bench.post("TX", [tx_md(size=0)])
    bench.md_read(TX_RING)
    bench.message(tx_tail=5)
    assert bench.end()[0] == "RCL-122"


def test_classification() -> None:
    """Frames of no known type belong to TYPE3; taking one for TYPE1 or TYPE2 is found."""
    bench = Bench()
    receive(bench)
    at = bench.tick()
    bench.see(FrameOut(at, at, ports.RX_M, FRAME, (0, 3, len(FRAME), 0x22)))
    assert bench.end()[0] in ("RCL-025", "RCL-138")


@pytest.mark.parametrize(("first", "last", "fault"), [(True, False, 5), (False, True, 6)])
def test_two_lone_descriptors(first: bool, last: bool, fault: int) -> None:
    """The second of two that only start, or only end, a frame is a fault; the first may be sent."""
    for sent, told in ((True, True), (False, True), (True, False)):
        bench = Bench()
        bench.host(TX_BUFFER, FRAME)
        bench.post("TX", [tx_md(first=first, last=last)] * 2)
        bench.md_read(TX_RING, 2)
        if sent:
            bench.out(FRAME)
        if told:
            bench.level(ports.NONR_FAULT_INTR, 1)
            bench.level(ports.NONR_INTR, 1)
        found = bench.end()
        assert found == [] if told else "RCL-114" in found, (sent, told, found)


def test_a_start_and_an_end_are_no_fault() -> None:
    bench = Bench()
    bench.host(TX_BUFFER, FRAME)
    bench.post("TX", [tx_md(last=False), tx_md(first=False)])
    bench.md_read(TX_RING, 2)
    bench.level(ports.NONR_FAULT_INTR, 1)
    assert "RCL-139" in bench.end()


@pytest.mark.parametrize(("data", "rule"), [(bytes(len(FRAME)), None), (FRAME[:-1], "RCL-024")])
def test_bytes_without_an_answer(data: bytes, rule: str | None) -> None:
    """Where a read had an error response only the length of the frame is judged."""
    bench = Bench()
    bench.host(TX_BUFFER, FRAME)
    bench.post("TX", [tx_md()])
    bench.md_read(TX_RING)
    bench.data_read(TX_BUFFER & -64, 128, resp=2)
    bench.level(ports.NONR_FAULT_INTR, 1)
    bench.level(ports.NONR_INTR, 1)
    bench.out(data)
    found = bench.end()
    assert found == [] if rule is None else found[0] == rule, found


def test_the_tail_follows_what_was_sent() -> None:
    """It may lag until all is quiet, but runs neither back nor ahead."""
    for reads, right in (((0, 1), True), ((1, 0), False), ((3,), False)):
        bench = Bench()
        transmit(bench)
        for value in reads:
            bench.read("TX_MD_TAIL_PTR", value)
        bench.level(ports.NONR_INTR, 1)
        assert bench.end() == [] if right else bench.end()[0] == "RCL-108", reads


def test_a_message_for_an_event() -> None:
    """Each event of DMA_INTR_ST0 allows one message, with the tails of that moment."""
    for info, rule in ((3 << 31 | 1 << 5 | 1, None), (3 << 31 | 1 << 18 | 1, "RCL-122")):
        bench = Bench()
        transmit(bench)
        rest(bench)
        bench.see(SideBand(bench.tick(), bench.now, ports.MSI, (info,)))
        found = bench.end()
        assert found == [] if rule is None else found[0] == rule, found


def test_the_frame_behind_a_cut_one() -> None:
    bench = Bench()
    bench.see(SideBand(bench.tick(), bench.now, ports.MAC_RX_CUT, ()))
    bench.post("RX", [rx_md()])
    bench.frame(FRAME)
    assert bench.end()[0] == "RCL-036"


@pytest.mark.parametrize(("late", "right"), [(1, True), (5, False)])
def test_write_back_answered_before_its_data(late: int, right: bool) -> None:
    bench = Bench()
    bench.post("RX", [rx_md()])
    bench.frame(FRAME)
    bench.md_read(RX_RING)
    at = bench.tick()
    answered = at + late * 10 * CLK
    bench.see(MemWrite(at, answered, ports.DATA, RX_BUFFER, FRAME, b"\1" * len(FRAME)))
    bench.write_back(RX_RING, done(len(FRAME), True, True))
    bench.level(ports.NONR_INTR, 1)
    assert bench.end() == [] if right else bench.end()[0] == "RCL-109"


def test_a_buffer_without_room_is_not_filled() -> None:
    """What is written for a descriptor of size 0 breaks the rule of its fault."""
    bench = Bench()
    bench.post("RX", [rx_md(size=0)])
    bench.frame(FRAME)
    bench.md_read(RX_RING)
    bench.data_write(RX_BUFFER, FRAME)
    assert bench.model.rules.findings[0].rule == "RCL-114"


@pytest.mark.parametrize(("clocks", "together"), [(1, True), (100, False)])
def test_accesses_under_way_at_once(clocks: int, together: bool) -> None:
    """Only accesses of a port and direction that overlap say something about their ids."""
    bench = Bench()
    bench.post("RX", [rx_md()])
    bench.frame(FRAME)
    bench.md_read(RX_RING)
    for half in (0, 64):
        at = bench.tick(clocks)
        data = FRAME[half : half + 64]
        bench.see(MemWrite(at, at + 50 * CLK, ports.DATA, RX_BUFFER + half, data, b"\1" * len(data)))
    assert ("RCL-112" in bench.model.rules.evidence) is together
