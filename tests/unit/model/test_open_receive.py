"""What a DUT may do with requests: by parameters, open ones too, and with keys beyond the region table."""

from __future__ import annotations

from typing import Any

import pytest

from ref_model.ernic import Readings, follow
from ref_model.ernic.readings import FOLLOWED
from ref_model.events import FrameOut, MemRead, SideBand
from ref_model.rocev2.endpoint import acknowledge
from ref_model.wire import Reth, build, opcodes
from tb.bench._soft_ernic import OWN, QP, REGION, ROW
from tests.unit.model.managed import Managed

FIRST = 0xFFFFF0
ERRORS, FATALS = 0x1000_0000, 0x1010_0000
PLACE = REGION + (1 << 32)
KEY = ROW << 8 | 0x5A
BEYOND = KEY | 1 << 19
NAK_ACCESS, RNR = 0x62, 0x21
READ_ONLY = 0


class Receiver(Managed):
    """A data QP that receives; what the DUT makes of it is up to the test."""

    def __init__(self, **knobs: Any) -> None:
        self.knobs = knobs
        self.messages = self.rung = 0
        super().__init__(knobs)

    def bring_up(self) -> None:
        """Give the judging to what follows open parameters."""
        self.model = follow({**OWN, "LIVENESS_CLKS": 20_000, **self.knobs})  # type: ignore[assignment]
        super().bring_up()

    def send_in(self, number: int) -> None:
        """A SEND with PSN ``number`` behind the first one comes in."""
        self.arrive(self.request(FIRST + number, payload_of(number)))

    def write_in(self, number: int, key: int = KEY, immediate: int | None = None) -> None:
        """A WRITE to the start of the region comes in."""
        opcode = opcodes.WRITE_ONLY if immediate is None else opcodes.WRITE_ONLY_IMM
        frame = self.request(FIRST + number, payload_of(number), opcode=opcode)
        frame.reth, frame.immdt = Reth(REGION, key, 40), immediate
        self.arrive(frame)

    def read_in(self, number: int, key: int = KEY) -> None:
        """A READ of 40 bytes from the start of the region comes in."""
        frame = self.request(FIRST + number, b"", opcode=opcodes.READ_REQUEST)
        frame.reth = Reth(REGION, key, 40)
        self.arrive(frame)

    def put(self, number: int, element: int | None = None, addr: int = PLACE) -> None:
        """The DUT writes the payload of request ``number`` into an element, or to ``addr``."""
        if element is not None:
            addr = self.rings.rq + self.config.element * element
        self.write("rx_pkt_hndler_ddr", addr, payload_of(number))

    def bell(self, index: int) -> None:
        """The DUT rings the RQ doorbell."""
        self.write("rx_pkt_hndler_ddr", self.rings.rq_doorbell, index.to_bytes(4, "little"))

    def side_band(self, value: int) -> None:
        """The DUT hands an immediate to the host."""
        time = self._tick()
        self._emit(SideBand(time, time + 4000, "ieth_immdt", (value,)))

    def answer(self, number: int, syndrome: int = 0x1F, count: int = 0) -> None:
        """The DUT answers request ``number``; ``count``: messages received."""
        time = self._tick()
        frame = acknowledge(self.endpoint.config, FIRST + number, syndrome, count)
        self._emit(FrameOut(time, time + 4000, "tx", build(frame)))

    def take(self, number: int, element: int, count: int | None = None) -> None:
        """The DUT takes a SEND."""
        self.put(number, element)
        self.bell(element + 1)
        self.answer(number, count=number + 1 if count is None else count)

    def refuse(self, number: int) -> None:
        """The DUT answers with 0x62 and the QP is fatal."""
        self.answer(number, NAK_ACCESS)
        self.write("rx_pkt_hndler_ddr", ERRORS, (1 << 20).to_bytes(8, "little"))
        self.write("rx_pkt_hndler_ddr", FATALS, (QP << 16 | 0x17).to_bytes(8, "little"))


def payload_of(number: int) -> bytes:
    """40 bytes no other request has."""
    return bytes((number * 7 + place) & 0xFF for place in range(40))


def test_follows_open_parameters_only() -> None:
    assert not isinstance(follow(OWN), Readings)
    several = follow({**OWN, **dict.fromkeys(FOLLOWED, "any")})
    assert isinstance(several, Readings) and len(several.models) == 8


# -- SEND_CHECKS_MR ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "taken", "found"),
    [
        ("off", True, []),
        ("off", False, ["ERN-037"]),
        ("on", True, ["ERN-037"]),
        ("on", False, []),
        ("any", True, []),
        ("any", False, []),
    ],
)
def test_send_without_a_region(value: str, taken: bool, found: list[str]) -> None:
    dut = Receiver(SEND_CHECKS_MR=value)
    dut.register("ACCESSDESC", READ_ONLY, ROW)
    dut.send_in(0)
    if taken:
        dut.take(0, 0)
    else:
        dut.refuse(0)
    dut.transmit(dut.mad())
    assert dut.verdict()[:1] == found
    assert found or bool(dut.proven("ERN-037")) is (value != "any")


def test_send_without_a_region_has_to_be_right_anyhow() -> None:
    dut = Receiver(SEND_CHECKS_MR="any")
    dut.register("ACCESSDESC", READ_ONLY, ROW)
    dut.send_in(0)
    dut.put(0, element=1)
    assert dut.verdict()


# -- WRITE_IMM_USES_RQ ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "uses", "found"),
    [
        (0, False, []),
        (0, True, ["ERN-149"]),
        (1, False, ["ERN-139"]),
        (1, True, []),
        ("any", False, []),
        ("any", True, []),
    ],
)
def test_write_with_immediate(value: object, uses: bool, found: list[str]) -> None:
    """The element it takes, or not, shows in the doorbell and in where the next SEND lands."""
    dut = Receiver(WRITE_IMM_USES_RQ=value)
    dut.write_in(0, immediate=7)
    dut.put(0)
    dut.side_band(7)
    if uses:
        dut.bell(1)
    dut.answer(0, count=1)
    dut.send_in(1)
    dut.take(1, int(uses))
    assert dut.verdict()[:1] == found
    assert found or bool(dut.proven("ERN-149")) is (value != "any")


def test_write_with_immediate_one_way_or_the_other() -> None:
    """Both ways in one run are wrong."""
    dut = Receiver(WRITE_IMM_USES_RQ="any")
    for number, uses in enumerate((True, False)):
        dut.write_in(number, immediate=7)
        dut.put(number)
        dut.side_band(7)
        if uses:
            dut.bell(number + 1)
        dut.answer(number, count=number + 1)
    assert dut.verdict() == ["ERN-143"]


# -- RQ_CREDIT_MODE ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "taken", "found"),
    [
        ("lap", True, []),
        ("lap", False, ["ERN-147"]),
        ("absolute", True, ["ERN-145"]),
        ("absolute", False, []),
        ("any", True, []),
        ("any", False, []),
    ],
)
def test_send_without_credit(value: str, taken: bool, found: list[str]) -> None:
    dut = Receiver(RQ_CREDIT_MODE=value)
    dut.send_in(0)
    if taken:
        dut.take(0, 0)
    else:
        dut.answer(0, RNR)
        dut.register("RQCI", dut.config.rq_depth, QP)
        dut.send_in(0)
        dut.take(0, 0)
    assert dut.verdict()[:1] == found
    assert found or bool(dut.proven("ERN-147")) is (value != "any")


def test_bench_finding_stays() -> None:
    """What the bench records is not lost with the reading the DUT contradicts next."""
    dut = Receiver(RQ_CREDIT_MODE="any")
    dut.model.rules.bench("no item", "an item", "end of test")
    dut.send_in(0)
    dut.answer(0, RNR)
    assert dut.verdict()[0] == "BENCH"


# -- keys beyond the table --------------------------------------------------------------------------


def test_key_beyond_the_table_refused() -> None:
    dut = Receiver()
    dut.write_in(0, BEYOND)
    dut.refuse(0)
    dut.transmit(dut.mad())
    assert dut.verdict() == [] and dut.proven("ERN-028")


@pytest.mark.parametrize("answered", [True, False])
def test_key_beyond_the_table_modulo(answered: bool) -> None:
    """The row modulo the table takes the WRITE; an ACK settles that and the QP is judged as ever."""
    dut = Receiver()
    dut.write_in(0, BEYOND)
    dut.put(0)
    if answered:
        dut.answer(0, count=1)
        dut.send_in(1)
        dut.take(1, 0)
    assert dut.verdict() == [] and not dut.model.rules.undecided and dut.proven("ERN-028")


def test_key_beyond_the_table_read_modulo() -> None:
    dut = Receiver()
    dut.read_in(0, BEYOND)
    dut._emit(MemRead(dut._tick(), dut.now + 4000, "wqe_proc_top", PLACE, bytes(64)))
    frame = acknowledge(dut.endpoint.config, FIRST, 0x1F, 1)
    assert frame.bth is not None
    frame.bth.opcode, frame.payload = opcodes.READ_RESP_ONLY, bytes(40)
    dut._emit(FrameOut(dut._tick(), dut.now + 4000, "tx", build(frame)))
    dut.send_in(1)
    dut.take(1, 0)
    assert dut.verdict() == [] and not dut.model.rules.undecided


@pytest.mark.parametrize("key", [BEYOND, BEYOND ^ 1])
def test_key_beyond_the_table_writes_elsewhere(key: int) -> None:
    for addr in (PLACE + 64, REGION, 0x7777_0000):
        dut = Receiver()
        dut.write_in(0, key)
        dut.put(0, addr=addr)
        dut.answer(0, count=1)
        assert dut.verdict()[:1] == ["ERN-028"]


def test_key_beyond_the_table_with_a_wrong_tag_writes_nothing() -> None:
    dut = Receiver()
    dut.write_in(0, BEYOND ^ 1)
    dut.put(0)
    assert dut.verdict() == ["ERN-028"]


@pytest.mark.parametrize(("key", "addr"), [(BEYOND, 0x7777_0000), (BEYOND ^ 1, PLACE)])
def test_key_beyond_the_table_reads_elsewhere(key: int, addr: int) -> None:
    dut = Receiver()
    dut.read_in(0, key)
    dut._emit(MemRead(dut._tick(), dut.now + 4000, "wqe_proc_top", addr, bytes(64)))
    assert dut.verdict()[:1] == ["ERN-028"]


def test_request_behind_a_key_beyond_the_table() -> None:
    """As long as nothing tells, what comes behind it cannot be judged: the queue pair is let go of."""
    dut = Receiver()
    dut.write_in(0, BEYOND)
    dut.send_in(1)
    dut.take(1, 0)
    dut.send_in(2)
    assert dut.verdict() == [] and not dut.model.rules.undecided and dut.model.rules.observed["ERN-028"]
    dut.put(2, addr=0x7777_0000)
    assert dut.verdict(), "a stray write stays one"


# -- blame ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("asked", "rule"), [(1, "ERN-245"), (2, "ERN-245"), (0, "ERN-112")])
def test_request_behind_a_read_refused(asked: int, rule: str) -> None:
    """A sequence NAK for a PSN of the READ itself tells that its responses were not counted."""
    dut = Receiver()
    frame = dut.request(FIRST, b"", opcode=opcodes.READ_REQUEST)
    frame.reth = Reth(REGION, KEY, 3000)
    dut.arrive(frame)
    dut.send_in(3)
    dut.answer(asked, 0x60)
    assert dut.verdict()[:1] == [rule]
