"""A READ response that came twice, the first time so late that nobody can tell whether it was taken.

Three responses: the first one is written, the second comes behind the third, so the READ is asked again for
its rest, and then both the late response and its copy from the new answer come in.
"""

from __future__ import annotations

import pytest

from ref_model.events import FrameOut, HostWrite, MemRead
from ref_model.rocev2.segment import Verb
from ref_model.wire import Aeth, Reth, build, opcodes
from tb.bench._soft_ernic import PAYLOADS, QP, REGION, ROW
from tb.host.wqe import build_wqe
from tests.unit.model.managed import CQ, FETCH, Managed

FIRST_PSN = 0xFFFFF0
KEY = ROW << 8 | 0x5A
PMTU, LENGTH = 1024, 2500
DATA = bytes(number * 11 & 0xFF for number in range(LENGTH))
OTHER = bytes(value ^ 0xFF for value in DATA)
RESPONSES = "rx_pkt_hndler_rdrsp"


class Reader(Managed):
    """A data QP whose READ was asked again for the second and third response."""

    def __init__(self) -> None:
        super().__init__()
        wqe = build_wqe(0, Verb.READ.wqe_opcode, PAYLOADS, LENGTH, REGION, KEY)
        self._emit(HostWrite(self._tick(), self.rings.sq, wqe))
        self.register("SQPI", 1, QP)
        self._emit(MemRead(self._tick(), self.now + 4000, FETCH, self.rings.sq, wqe))
        self.ask(0)
        self.respond(0, opcodes.READ_RESP_FIRST)
        self.written(0)
        self.respond(2, opcodes.READ_RESP_LAST)
        self.ask(1)

    def ask(self, index: int) -> None:
        """The DUT asks for the responses from ``index`` on."""
        frame = self.request(FIRST_PSN + index, b"", opcode=opcodes.READ_REQUEST)
        own, peer = self.device, self.config
        assert frame.ip is not None and frame.udp is not None and frame.bth is not None
        frame.eth.dst, frame.eth.src = peer.peer_mac, own.mac
        frame.ip.src, frame.ip.dst, frame.udp.src = own.ipv4, peer.peer_ip, own.udp_port
        frame.bth.ack_req = False
        frame.reth = Reth(REGION + index * PMTU, KEY, LENGTH - index * PMTU)
        self._emit(FrameOut(self._tick(), self.now + 4000, "tx", build(frame)))

    def respond(self, index: int, opcode: int, data: bytes = DATA) -> None:
        """The peer answers with response ``index``."""
        frame = self.request(FIRST_PSN + index, data[index * PMTU :][:PMTU], opcode=opcode)
        assert frame.bth is not None
        frame.bth.ack_req = False
        frame.aeth = None if opcode == opcodes.READ_RESP_MIDDLE else Aeth(0x1F, 1)
        self.arrive(frame)

    def written(self, index: int, data: bytes = DATA, first: int = 0, last: int = PMTU) -> None:
        """The DUT writes bytes ``first`` to ``last`` of response ``index``."""
        self.write(RESPONSES, PAYLOADS + index * PMTU + first, data[index * PMTU :][:PMTU][first:last])

    def late(self) -> None:
        """The response to the first request comes."""
        self.respond(1, opcodes.READ_RESP_MIDDLE)

    def again(self, data: bytes = DATA) -> None:
        """Its copy from the second answer comes."""
        self.respond(1, opcodes.READ_RESP_FIRST, data)

    def end(self) -> None:
        """The last response comes, is written, and the READ completes."""
        self.respond(2, opcodes.READ_RESP_LAST)
        self.written(2)
        self.write(CQ, self.rings.cq, bytes((0, 0, Verb.READ.wqe_opcode, 0)))
        self.write(CQ, self.rings.cq_doorbell, (1).to_bytes(4, "little"))


def test_late_copy_written() -> None:
    dut = Reader()
    dut.late()
    dut.written(1)
    dut.again()
    dut.end()
    assert dut.verdict() == [] and dut.proven("ERN-093") and dut.proven("ERN-072/order")


def test_second_copy_written() -> None:
    dut = Reader()
    dut.late()
    dut.again()
    dut.written(1)
    dut.end()
    assert dut.verdict() == []


def test_neither_copy_written() -> None:
    dut = Reader()
    dut.late()
    dut.again()
    dut.end()
    assert dut.verdict() == ["ERN-072/order", "ERN-093"]


def test_neither_copy_written_nor_completed() -> None:
    dut = Reader()
    dut.late()
    dut.again()
    assert dut.verdict()[0] == "ERN-093"


@pytest.mark.parametrize("taken", [DATA, OTHER])
def test_copies_differ(taken: bytes) -> None:
    """The peer's memory changed between its answers: the data of the copy that was taken is right."""
    dut = Reader()
    dut.late()
    dut.again(OTHER)
    dut.written(1, taken)
    dut.end()
    assert dut.verdict() == []


def test_data_of_neither_copy() -> None:
    dut = Reader()
    dut.late()
    dut.again(OTHER)
    dut.written(1, bytes(LENGTH))
    assert dut.verdict()[0] == "ERN-093"


def test_late_copy_under_way() -> None:
    dut = Reader()
    dut.late()
    dut.written(1, last=512)
    dut.again()
    dut.written(1, first=512)
    dut.end()
    assert dut.verdict() == []
