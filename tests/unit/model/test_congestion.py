"""ECN marks and CNPs: what the model wants, and what it leaves open."""

from __future__ import annotations

import pytest

from ref_model.events import HostWrite, MemRead, RegWrite
from ref_model.registers import layout
from ref_model.rocev2.psn import psn_add
from ref_model.rocev2.segment import Verb
from ref_model.wire import Aeth, Frame, build
from tb.bench._soft_ernic import PAYLOADS, QP
from tb.host.wqe import build_wqe
from tests.unit.model.managed import QP1, Managed, with_icrc

FIRST = 0xFFFFF0
CNP_STATUS = 1 << 8


class Congested(Managed):
    """One-packet SENDs of the data QP, by hand."""

    def __init__(self, knobs: dict[str, object] | None = None) -> None:
        super().__init__(knobs)
        self.posted = self.left = 0

    def post_sends(self, count: int) -> None:
        """Software posts SENDs of 20 bytes; the DUT fetches all entries."""
        for _ in range(count):
            number = self.posted
            self.posted += 1
            laddr, slot = PAYLOADS + 64 * number, number % 32
            wqe = build_wqe(number, Verb.SEND.wqe_opcode, laddr, 20)
            self._emit(HostWrite(self._tick(), laddr, bytes(20)))
            self._emit(HostWrite(self._tick(), self.rings.sq + 64 * slot, wqe))
            self.register("SQPI", number % 32 + 1, QP)
            time = self._tick()
            self._emit(MemRead(time, time + 4000, "qp_mgr", self.rings.sq + 64 * slot, wqe))

    def send(self, count: int = 1) -> list[bytes]:
        """The DUT sends the next ``count`` of them."""
        for _ in range(count):
            frame = self.request(psn_add(FIRST, self.left), bytes(20))
            own, peer = self.device, self.config
            frame.eth.dst, frame.eth.src = peer.peer_mac, own.mac
            assert frame.ip is not None and frame.udp is not None
            frame.ip.src, frame.ip.dst, frame.udp.src = own.ipv4, peer.peer_ip, own.udp_port
            self.left += 1
            self.leave(build(frame))
        return []

    def acknowledge(self, count: int) -> None:
        """The peer acknowledges the first ``count`` of all."""
        frame = self.request(psn_add(FIRST, count - 1), b"", opcode=0x11)
        assert frame.bth is not None
        frame.bth.ack_req = False
        frame.aeth = Aeth(0x1F, count)
        self.arrive(frame)

    def take(self, frame: Frame, psn: int) -> None:
        """A good one-packet SEND comes, is stored, announced and acknowledged."""
        self.arrive(frame)
        element = self.rings.rq + 8192 * self._received_sends
        self.write("rx_pkt_hndler_ddr", element, frame.payload)
        self._received_sends += 1
        bell = self._received_sends.to_bytes(4, "little")
        self.write("rx_pkt_hndler_ddr", self.rings.rq_doorbell, bell)
        self.answer(psn, 0x1F, self._received_sends)

    def answer(self, psn: int, syndrome: int, msn: int) -> None:
        """The DUT sends an ACK or NAK."""
        frame = self.request(psn, b"", opcode=0x11)
        own, peer = self.device, self.config
        frame.eth.dst, frame.eth.src = peer.peer_mac, own.mac
        assert frame.ip is not None and frame.udp is not None and frame.bth is not None
        frame.ip.src, frame.ip.dst, frame.udp.src = own.ipv4, peer.peer_ip, own.udp_port
        frame.bth.ack_req = False
        frame.aeth = Aeth(syndrome, msn)
        self.leave(build(frame))


# -- outstanding limit ------------------------------------------------------------------------------


def test_limit_after_cnp() -> None:
    dut = Congested()
    dut.arrive(dut.cnp())
    dut.wait(2000)
    dut.post_sends(20)
    dut.send(8)
    dut.arrive(dut.cnp(7))
    dut.arrive(dut.cnp(8))
    dut.wait(2000)
    dut.acknowledge(3)
    dut.send(3)
    assert "ERN-200" not in [f.rule for f in dut.model.rules.findings]
    assert dut.proven("ERN-200")


def test_limit_ignored() -> None:
    dut = Congested()
    dut.arrive(dut.cnp())
    dut.wait(2000)
    dut.post_sends(20)
    dut.send(9)
    assert dut.verdict()[0] == "ERN-200"


def test_limit_just_before() -> None:
    """What was decided before the CNP was known may still leave."""
    dut = Congested()
    dut.post_sends(20)
    dut.arrive(dut.cnp())
    dut.send(16)
    assert not dut.model.rules.findings


def test_limit_not_lowered_further() -> None:
    dut = Congested()
    dut.post_sends(20)
    for _ in range(3):
        dut.arrive(dut.cnp())
    dut.wait(2000)
    dut.send(4)
    assert dut.verdict()[0] == "ERN-200"


def test_limit_restored_after_rest() -> None:
    """Whether the limit comes back once all is acknowledged is not said: both are right."""
    dut = Congested()
    dut.arrive(dut.cnp())
    dut.wait(2000)
    dut.post_sends(8)
    dut.send(8)
    dut.acknowledge(8)
    dut.post_sends(18)
    dut.send(16)
    assert not dut.model.rules.findings and dut.model.rules.observed["ERN-200"]


# -- CNP in ---------------------------------------------------------------------------------------


def test_cnp_has_no_effect() -> None:
    dut = Congested()
    for psn in (FIRST, 0, 0xFFFFFF):
        dut.arrive(dut.cnp(psn))
    dut.take(dut.request(FIRST), FIRST)
    dut.quiet()
    dut.read("INCNPPKTCNT", 3)
    dut.read("LSTRQREQ", 0x04 << 24 | FIRST, QP)
    assert dut.verdict() == [] and dut.proven("ERN-201") and dut.proven("ERN-174")


def test_cnp_acknowledged() -> None:
    dut = Congested()
    dut.arrive(dut.cnp(FIRST + 4))
    dut.answer(FIRST + 4, 0x1F, 0)
    assert dut.verdict()[0] == "ERN-201"


@pytest.mark.parametrize("syndrome", [0x61, 0x62])
def test_cnp_refused(syndrome: int) -> None:
    dut = Congested()
    dut.arrive(dut.cnp(0x1234))
    dut.answer(FIRST, syndrome, 0)
    assert dut.verdict()[0] == "ERN-201"


@pytest.mark.parametrize("value", [0, 2])
def test_cnp_counter(value: int) -> None:
    dut = Congested()
    dut.arrive(dut.cnp())
    dut.quiet()
    dut.read("INCNPPKTCNT", value)
    assert dut.verdict()[0] == "ERN-174"


# -- marks ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("ecn", [0, 1, 2])
def test_no_congestion(ecn: int) -> None:
    dut = Congested()
    dut.take(dut.request(FIRST, ecn=ecn), FIRST)
    dut.quiet()
    dut.read("INTSTS", 0)
    dut.read_bank("CNPSCHDSTS", 0)
    assert dut.verdict() == []


@pytest.mark.parametrize("ecn", [0, 1, 2])
def test_mark_misread(ecn: int) -> None:
    dut = Congested()
    dut.take(dut.request(FIRST, ecn=ecn), FIRST)
    dut.quiet()
    dut.read_bank("CNPSCHDSTS", 1 << QP)
    assert dut.verdict()[0] == "ERN-185"


def test_mark_counts_nothing() -> None:
    dut = Congested()
    dut.take(dut.request(FIRST, ecn=3), FIRST)
    dut.quiet()
    for name in ("INCNPPKTCNT", "OUTCNPPKTCNT"):
        dut.read(name, 0)
    dut.read("INCNPPKTCNT", 1)
    assert dut.verdict()[0] in ("ERN-174", "ERN-015")


def marked(knobs: dict[str, object] | None = None) -> Congested:
    """A DUT that took a marked request and shows it."""
    dut = Congested(knobs)
    dut.take(dut.request(FIRST, ecn=3), FIRST)
    dut.quiet()
    dut.read("INTSTS", CNP_STATUS)
    dut.read_bank("CNPSCHDSTS", 1 << QP)
    return dut


def test_mark_shown() -> None:
    dut = marked()
    assert dut.verdict() == [] and dut.proven("ERN-198")


def test_mark_missed() -> None:
    for name in ("INTSTS", "CNPSCHDSTS"):
        dut = Congested()
        dut.take(dut.request(FIRST, ecn=3), FIRST)
        dut.quiet()
        if name == "INTSTS":
            dut.read("INTSTS", 0)
        else:
            dut.read_bank("CNPSCHDSTS", 0)
        assert dut.verdict()[0] == "ERN-198"


@pytest.mark.parametrize("shown", [0, 1])
def test_mark_open(shown: int) -> None:
    """On an ACK, a refused request, a CNP and a dropped frame the mark may be noticed or not."""
    dut = Congested()
    ahead = dut.request(FIRST + 9, ecn=3)
    dut.arrive(ahead)
    dut.answer(FIRST, 0x60, 0)
    wrong = dut.request(FIRST, ecn=3)
    wrong.eth.dst ^= 1
    dut.arrive(wrong)
    note = dut.cnp()
    assert note.ip is not None
    note.ip.tos = 3  # type: ignore[union-attr]
    dut.arrive(note)
    dut.quiet()
    dut.read_bank("CNPSCHDSTS", shown << QP)
    assert dut.verdict() == []


def test_cnp_by_itself() -> None:
    dut = marked()
    frame = dut.cnp()
    own, peer = dut.device, dut.config
    frame.eth.dst, frame.eth.src = peer.peer_mac, own.mac
    assert frame.ip is not None
    frame.ip.src, frame.ip.dst = own.ipv4, peer.peer_ip
    dut.leave(build(frame))
    assert dut.verdict()[0] == "ERN-199"


# -- CNP_CLEAR --------------------------------------------------------------------------------------


def out_cnp(dut: Congested) -> Frame:
    """The CNP that software sends to the peer of the data QP."""
    frame = dut.cnp()
    assert frame.ip is not None and frame.bth is not None
    own, peer = dut.device, dut.config
    frame.eth.dst, frame.eth.src = peer.peer_mac, own.mac
    frame.ip.src, frame.ip.dst = own.ipv4, peer.peer_ip
    return frame


def by_status(dut: Congested) -> None:
    """Software clears INTSTS[8]."""
    dut.register("INTSTS", CNP_STATUS)


def by_sending(dut: Congested) -> None:
    """Software sends the CNP."""
    dut.transmit(out_cnp(dut))


def by_bank(dut: Congested) -> None:
    """Software writes the read-only bank."""
    time = dut._tick()
    bank = layout("ernic").block("CNPSCHDSTS").base
    dut._emit(RegWrite(time, time + 4000, bank, 1 << QP))


ACTIONS = {"w1c8": by_status, "cnp_tx": by_sending, "bank": by_bank}


@pytest.mark.parametrize("knob", ["w1c8", "cnp_tx"])
@pytest.mark.parametrize("action", ACTIONS)
def test_clear(knob: str, action: str) -> None:
    """A bit goes by its way of clearing and by no other."""
    for good in (True, False):
        dut = marked({"CNP_CLEAR": knob})
        ACTIONS[action](dut)
        dut.quiet()
        left = int(action != knob) if good else int(action == knob)
        dut.read_bank("CNPSCHDSTS", left << QP)
        assert dut.verdict() == ([] if good else ["ERN-202"])
        assert bool(dut.proven("ERN-202")) is good


@pytest.mark.parametrize("left", [0, 1])
@pytest.mark.parametrize("action", ACTIONS)
def test_clear_reported(action: str, left: int) -> None:
    dut = marked({"CNP_CLEAR": "report"})
    ACTIONS[action](dut)
    dut.quiet()
    dut.read_bank("CNPSCHDSTS", left << QP)
    assert dut.verdict() == [] and dut.model.rules.observed["ERN-202"]


def test_marked_again_while_clearing() -> None:
    """A mark that comes while the CNP leaves is either cleared with it or stays."""
    for left in (0, 1):
        dut = marked({"CNP_CLEAR": "cnp_tx"})
        stored = dut.outgoing(out_cnp(dut))
        dut.fetch_payload(stored)
        dut.take(dut.request(FIRST + 1, ecn=3), FIRST + 1)
        dut.leave(with_icrc(stored))
        dut.complete()
        dut.quiet()
        dut.read_bank("CNPSCHDSTS", left << QP)
        assert dut.verdict() == []


# -- CNP out --------------------------------------------------------------------------------------


@pytest.mark.parametrize("counted", [0, 1])
def test_cnp_out(counted: int) -> None:
    """A CNP through QP1 is a QP1 frame; whether it counts as a CNP, and as a MAD, is open."""
    dut = marked()
    dut.transmit(out_cnp(dut))
    dut.quiet()
    dut.read("OUTCNPPKTCNT", counted)
    dut.read("OUTAMPKTCNT", (1 - counted) << 16 | 1)
    assert dut.verdict() == []
    assert QP1 in dut.model.subjects()
