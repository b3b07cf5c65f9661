"""QP1: what the model wants of management datagrams, and what it leaves open."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ref_model.wire import Aeth, Bth, Deth, build, opcodes, parse, recompute
from tests.unit.model.managed import QP1, Managed, with_icrc


def damaged(data: bytes, at: int) -> bytes:
    """``data`` with one bit inverted."""
    return data[:at] + bytes((data[at] ^ 1,)) + data[at + 1 :]


# -- in -------------------------------------------------------------------------------------------


def test_stored_over_laps() -> None:
    """Frames of any PSN go to one element after the other; with or without the ICRC bytes."""
    dut = Managed(rq_interrupt=True)
    for number, psn in enumerate((5, 5, 0xFFFFFF, 0, 77, 3, 3)):
        data = dut.arrive(dut.mad(psn))
        dut.place(data if number % 2 else data[:-4])
        dut.ring()
        dut.consume(number + 1)
    dut.quiet()
    dut.read("INTSTS", 0x42)
    dut.read_bank("RQINTSTS", 2)
    dut.read("INAMPKTCNT", 7 << 16)
    assert dut.verdict() == []
    assert all(dut.proven(rule) for rule in ("ERN-195", "ERN-196", "ERN-162", "ERN-197"))


def test_missing_element() -> None:
    dut = Managed()
    dut.arrive(dut.mad())
    assert "ERN-195" in dut.verdict()


def test_missing_doorbell() -> None:
    dut = Managed()
    dut.place(dut.arrive(dut.mad())[:-4])
    assert dut.verdict() == ["ERN-195"]


@pytest.mark.parametrize("at", [0, 13, 42, 60, 300])
def test_wrong_byte(at: int) -> None:
    dut = Managed()
    data = dut.arrive(dut.mad())
    dut.store(damaged(data, at))
    assert dut.verdict()[0] == "ERN-195"


def test_headers_left_out() -> None:
    """Only the datagram behind the transport headers is stored: not from the Ethernet header on."""
    dut = Managed()
    frame = dut.mad()
    dut.arrive(frame)
    dut.place(frame.payload)
    assert dut.verdict()[0] == "ERN-195"


def test_wrong_element() -> None:
    dut = Managed()
    data = dut.arrive(dut.mad())
    dut.place(data[:-4], slot=1)
    assert dut.verdict()[0] in ("ERN-195", "ERN-140")


def test_doorbell_before_payload() -> None:
    dut = Managed()
    dut.arrive(dut.mad())
    dut.ring()
    assert dut.verdict()[0] == "ERN-144"


def test_doorbell_ahead() -> None:
    dut = Managed()
    dut.store(dut.arrive(dut.mad()))
    dut.ring()
    assert dut.verdict()[0] == "ERN-195"


@pytest.mark.parametrize("value", [0x40, 0x02])
def test_interrupt_missing(value: int) -> None:
    dut = Managed(rq_interrupt=True)
    dut.store(dut.arrive(dut.mad()))
    dut.quiet()
    dut.read("INTSTS", value)
    assert dut.verdict()[0] in ("ERN-196", "ERN-183")


def test_bank_bit_missing() -> None:
    dut = Managed(rq_interrupt=True)
    dut.store(dut.arrive(dut.mad()))
    dut.quiet()
    dut.read_bank("RQINTSTS", 0)
    assert dut.verdict()[0] == "ERN-196"


def test_bank_bit_uncalled() -> None:
    dut = Managed()
    dut.store(dut.arrive(dut.mad()))
    dut.quiet()
    dut.read_bank("RQINTSTS", 2)
    assert dut.verdict()[0] == "ERN-185"


@pytest.mark.parametrize("value", [0, 2 << 16])
def test_in_counter(value: int) -> None:
    dut = Managed()
    dut.store(dut.arrive(dut.mad()))
    dut.quiet()
    dut.read("INAMPKTCNT", value)
    assert dut.verdict()[0] == "ERN-162"


@pytest.mark.parametrize("syndrome", [0x1F, 0x60, 0x61, 0x25])
def test_no_answer(syndrome: int) -> None:
    dut = Managed()
    dut.store(dut.arrive(dut.mad()))
    answer = dut.mad()
    assert answer.bth is not None
    answer.bth = Bth(opcodes.ACKNOWLEDGE, QP1, 0)
    answer.deth, answer.payload = None, b""
    dut.leave(build(replace(answer, aeth=Aeth(syndrome, 0))))
    assert dut.verdict()[0] == "ERN-197"


def test_full_ring_drops() -> None:
    """The fifth frame finds no element: it is dropped, and nothing else of it is demanded."""
    dut = Managed(rq_interrupt=True)
    for psn in range(4):
        dut.store(dut.arrive(dut.mad(psn)))
    dut.arrive(dut.mad(4))
    dut.quiet()
    dut.consume(2)
    dut.wait(1000)
    dut.store(dut.arrive(dut.mad(5)))
    assert dut.verdict() == []


def test_full_ring_written() -> None:
    dut = Managed()
    for psn in range(4):
        dut.store(dut.arrive(dut.mad(psn)))
    dut.place(dut.arrive(dut.mad(4))[:-4])
    assert dut.verdict()[0] in ("ERN-197", "ERN-140")


@pytest.mark.parametrize("taken", [True, False])
def test_room_comes_late(taken: bool) -> None:
    """RQCI is written while a frame that found the ring full may not have been looked at: both is right."""
    dut = Managed()
    for psn in range(4):
        dut.store(dut.arrive(dut.mad(psn)))
    late = dut.arrive(dut.mad(4))
    dut.consume(4)
    if taken:
        dut.store(late)
    dut.wait(2000)
    dut.store(dut.arrive(dut.mad(5)))
    dut.quiet()
    dut.read("INAMPKTCNT", (6 if taken else 5) << 16)
    assert dut.verdict() == []


def foreign_key(dut: Managed) -> bytes:
    """A datagram with another Q_Key."""
    frame = dut.mad(9)
    frame.deth = Deth(0x1234, QP1)
    return dut.arrive(frame)


def rc_send(dut: Managed) -> bytes:
    """An RC SEND that names QP1."""
    frame = dut.mad(9, opcode=opcodes.SEND_ONLY)
    frame.deth = None
    return dut.arrive(frame)


def cnp_to_qp1(dut: Managed) -> bytes:
    """A CNP that names QP1."""
    frame = dut.mad(9, size=0, opcode=opcodes.CNP)
    frame.deth = None
    return dut.arrive(frame)


def other_pkey(dut: Managed) -> bytes:
    """A datagram of another partition."""
    return dut.arrive(dut.mad(9, pkey=0x8001))


@pytest.mark.parametrize("stimulus", [foreign_key, rc_send, cnp_to_qp1, other_pkey])
@pytest.mark.parametrize("taken", [True, False])
def test_open_points(stimulus, taken: bool) -> None:  # type: ignore[no-untyped-def]
    """What is not said about a frame on QP1 may go either way; the next datagram is found again."""
    dut = Managed()
    data = stimulus(dut)
    good = dut.arrive(dut.mad(10))
    if taken:
        dut.store(data)
    dut.store(good)
    dut.quiet()
    dut.read("INAMPKTCNT", (1 + taken) << 16)
    assert dut.verdict() == []


def test_oversize_stays_inside() -> None:
    """A frame longer than the element may be dropped or cut, but never reaches the next element."""
    cut, over = Managed(), Managed()
    data = cut.arrive(cut.mad(size=700))
    cut.place(data[:512])
    cut.ring()
    assert cut.verdict() == []
    over.arrive(over.mad(size=700))
    over.place(data[:-4])
    assert over.verdict()[0] == "ERN-140"


def test_dropped_frame_is_not_stored() -> None:
    """A datagram with a wrong ICRC is dropped like any frame."""
    dut = Managed()
    frame = dut.mad()
    frame.icrc = 7
    data = dut.arrive(frame)
    dut.store(data)
    assert dut.verdict()[0] == "ERN-107"


def test_logged_as_error() -> None:
    dut = Managed()
    dut.register("XRNICCONF", 0x00E3_4831)
    dut.arrive(dut.mad(3))
    dut.write("rx_pkt_hndler_ddr", 0x1000_0000, bytes(64))
    assert dut.verdict()[0] == "ERN-197"


def test_lacking_registers_are_recorded() -> None:
    dut = Managed()
    for name in (
        "QPADVCONF",
        "SQPSN",
        "LSTRQREQ",
        "TIMEOUTCONF",
        "STATSSN",
        "STATMSN",
        "STATRESPSN",
        "PDNUM",
    ):
        dut.register(name, 0xFFFFFFFF, QP1)
        dut.read(name, 0x5A5A_0F0F, QP1)
    dut.store(dut.arrive(dut.mad()))
    assert dut.verdict() == [] and dut.model.rules.observed["ERN-026"] == 8


# -- out ------------------------------------------------------------------------------------------


def test_sent_and_completed() -> None:
    dut = Managed()
    for psn in range(20):
        dut.transmit(dut.mad(psn, size=18 + 12 * psn))
    dut.quiet()
    dut.read("OUTAMPKTCNT", 20 << 16)
    dut.read("QPMSTS", 20 << 16)
    dut.read("CQHEAD", 4, QP1)
    dut.read("LSTOUTPKT", 0x64 | 19 << 8 | 1 << 20)
    assert dut.verdict() == []
    assert all(dut.proven(rule) for rule in ("ERN-193", "ERN-194", "ERN-162", "ERN-053"))


def test_completes_once_read() -> None:
    """The completion may come before the frame shows: it waits in the output queue then."""
    dut = Managed()
    stored = dut.outgoing(dut.mad())
    dut.fetch_payload(stored)
    dut.complete()
    dut.leave(with_icrc(stored))
    assert dut.verdict() == []


def test_completes_too_early() -> None:
    dut = Managed()
    dut.outgoing(dut.mad())
    dut.complete()
    assert dut.verdict()[0] == "ERN-194"


def test_never_completes() -> None:
    dut = Managed()
    stored = dut.outgoing(dut.mad())
    dut.fetch_payload(stored)
    dut.leave(with_icrc(stored))
    assert dut.verdict()[0] == "ERN-194"


def test_never_sent() -> None:
    dut = Managed()
    dut.fetch_payload(dut.outgoing(dut.mad()))
    dut.complete()
    assert dut.verdict() == ["ERN-193"]


@pytest.mark.parametrize("at", [1, 7, 22, 40, 50, 100])
def test_changed_on_the_way(at: int) -> None:
    """The frame leaves as it is, MAC, TTL, ports and all."""
    dut = Managed()
    stored = dut.outgoing(dut.mad())
    changed = parse(with_icrc(damaged(stored, at)) if at != 1 else damaged(with_icrc(stored), at))
    dut.leave(build(recompute(changed)))
    assert dut.verdict()[0] in ("ERN-193", "ERN-045")


def test_no_icrc() -> None:
    dut = Managed()
    dut.leave(dut.outgoing(dut.mad()))
    assert dut.verdict()[0] == "ERN-193"


def test_wrong_icrc() -> None:
    dut = Managed()
    dut.leave(dut.outgoing(dut.mad()) + bytes(4))
    assert dut.verdict()[0] == "ERN-053"


def test_padded() -> None:
    dut = Managed()
    dut.leave(with_icrc(dut.outgoing(dut.mad())) + bytes(8))
    assert dut.verdict()[0] == "ERN-193"


def test_uncalled_datagram() -> None:
    dut = Managed()
    dut.leave(build(dut.mad()))
    assert dut.verdict()[0] == "ERN-193"


def test_sent_twice() -> None:
    dut = Managed()
    data = dut.transmit(dut.mad())
    dut.leave(data)
    assert dut.verdict()[0] == "ERN-193"


@pytest.mark.parametrize("value", [0, 2 << 16])
def test_out_counter(value: int) -> None:
    dut = Managed()
    dut.transmit(dut.mad())
    dut.quiet()
    dut.read("OUTAMPKTCNT", value)
    assert dut.verdict()[0] == "ERN-162"


def test_moment_is_only_reported() -> None:
    """With M_RULES = report nothing is said about when a QP1 WQE completes."""
    dut = Managed({"M_RULES": "report"})
    stored = dut.outgoing(dut.mad())
    dut.fetch_payload(stored)
    dut.leave(with_icrc(stored))
    assert dut.verdict() == [] and not dut.proven("ERN-194")
