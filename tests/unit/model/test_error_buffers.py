"""Response error buffer, retry buffers, bring-up without a buffer: checks that bite and legal variants."""

from __future__ import annotations

import pytest

from ref_model.events import FrameOut, HostWrite, MemRead
from ref_model.rocev2.segment import Verb
from ref_model.wire import Aeth, Reth, build
from tb.bench._soft_ernic import PAYLOADS, QP, REGION, ROW
from tb.host.wqe import build_wqe
from tests.unit.model.managed import Managed

FIRST = 0xFFFFF0
RESPERR, RESPERR_BYTES = 0x1020_0000, 64 * 256
DATBUF, DATBUF_BYTES = 0x1040_0000, 32 * 4096
RETRY = "wqe_proc_wr_ddr"
KEY = ROW << 8 | 0x5A


class Writer(Managed):
    """A data QP with one WRITE on its way."""

    def post_write(self, payload: bytes) -> None:
        """Software posts a WRITE and the DUT fetches it."""
        wqe = build_wqe(0, Verb.WRITE.wqe_opcode, PAYLOADS, len(payload), REGION, KEY)
        self._emit(HostWrite(self._tick(), PAYLOADS, payload))
        self._emit(HostWrite(self._tick(), self.rings.sq, wqe))
        self.register("SQPI", 1, QP)
        time = self._tick()
        self._emit(MemRead(time, time + 4000, "qp_mgr", self.rings.sq, wqe))

    def send_write(self, payload: bytes) -> None:
        """The DUT sends the WRITE."""
        frame = self.request(FIRST, payload, opcode=0x0A)
        own, peer = self.device, self.config
        frame.eth.dst, frame.eth.src = peer.peer_mac, own.mac
        assert frame.ip is not None and frame.udp is not None
        frame.ip.src, frame.ip.dst, frame.udp.src = own.ipv4, peer.peer_ip, own.udp_port
        frame.reth = Reth(REGION, KEY, len(payload))
        time = self._tick()
        self._emit(FrameOut(time, time + 4000, "tx", build(frame)))

    def change(self, payload: bytes) -> None:
        """Software writes the buffer again although the WRITE is not acknowledged."""
        self._emit(HostWrite(self._tick(), PAYLOADS, payload))

    def respond(self, psn: int, syndrome: int, payload: bytes = b"") -> None:
        """The peer sends an ACK or NAK."""
        frame = self.request(psn, payload, opcode=0x11)
        assert frame.bth is not None
        frame.bth.ack_req = False
        frame.aeth = Aeth(syndrome, 0)
        self.arrive(frame)


# -- retry buffers ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "good", "bad"), [("buffer", b"old" * 9, b"new" * 9), ("laddr", b"new" * 9, b"old" * 9)]
)
def test_retry_source(source: str, good: bytes, bad: bytes) -> None:
    for resent in (good, bad):
        dut = Writer({"RETRY_SOURCE": source})
        dut.post_write(b"old" * 9)
        dut.send_write(b"old" * 9)
        dut.change(b"new" * 9)
        dut.respond(FIRST, 0x60)
        dut.send_write(resent)
        found = [finding.rule for finding in dut.model.rules.findings]
        assert found[:1] == ([] if resent is good else ["ERN-090"])
        assert bool(dut.proven("ERN-090")) is (resent is good)


@pytest.mark.parametrize("resent", [b"old" * 9, b"new" * 9])
def test_retry_source_open(resent: bytes) -> None:
    dut = Writer({"RETRY_SOURCE": "either"})
    dut.post_write(b"old" * 9)
    dut.send_write(b"old" * 9)
    dut.change(b"new" * 9)
    dut.respond(FIRST, 0x60)
    dut.send_write(resent)
    assert not dut.model.rules.findings and dut.model.rules.observed["ERN-090"]


def test_retry_of_neither() -> None:
    dut = Writer({"RETRY_SOURCE": "either"})
    dut.post_write(b"old" * 9)
    dut.send_write(b"old" * 9)
    dut.change(b"new" * 9)
    dut.respond(FIRST, 0x60)
    dut.send_write(b"bad" * 9)
    assert dut.model.rules.findings[0].rule == "ERN-082"


@pytest.mark.parametrize("offset", [0, 64, DATBUF_BYTES - 64])
def test_copy_inside(offset: int) -> None:
    dut = Writer({"RETRY_SOURCE": "buffer"})
    dut.write(RETRY, DATBUF + offset, bytes(64))
    assert dut.verdict() == [] and dut.proven("ERN-090")


@pytest.mark.parametrize("addr", [DATBUF + DATBUF_BYTES, DATBUF - 64, 0, 0x7777_0000])
def test_copy_outside(addr: int) -> None:
    dut = Writer({"RETRY_SOURCE": "buffer"})
    dut.write(RETRY, addr, bytes(64))
    assert dut.verdict() == ["ERN-090"]


def test_waits_for_a_buffer() -> None:
    """With all buffers full a WRITE may wait; with RETRY_SOURCE = laddr it may not."""
    for source in ("buffer", "laddr"):
        dut = Writer({"RETRY_SOURCE": source})
        dut.register("DATBUFSZ", 4096 << 16 | 1)
        dut.register("TIMEOUTCONF", 0, QP)
        dut.post_write(b"first")
        dut.send_write(b"first")
        wqe = build_wqe(1, Verb.WRITE.wqe_opcode, PAYLOADS, 5, REGION, KEY)
        dut._emit(HostWrite(dut._tick(), dut.rings.sq + 64, wqe))
        time = dut._tick()
        dut._emit(MemRead(time, time + 4000, "qp_mgr", dut.rings.sq + 64, wqe))
        dut.register("SQPI", 2, QP)
        dut.wait(30_000)
        assert [f.rule for f in dut.model.rules.findings] == ([] if source == "buffer" else ["ERN-069"])


# -- response errors --------------------------------------------------------------------------------


def erroneous(kind: str) -> Writer:
    """A DUT that heard a response of ``kind``."""
    dut = Writer()
    dut.post_write(b"data")
    dut.send_write(b"data")
    if kind == "nak":
        dut.respond(FIRST, 0x60)
        dut.send_write(b"data")
    elif kind == "payload":
        dut.respond(FIRST, 0x1F, b"what?")
    elif kind == "reserved":
        dut.respond(FIRST, 0x5F)
    elif kind == "ghost":
        dut.respond(FIRST - 9, 0x1F)
    elif kind == "ack":
        dut.respond(FIRST, 0x1F)
    return dut


@pytest.mark.parametrize("kind", ["nak", "payload", "ghost", "reserved"])
def test_response_error_inside(kind: str) -> None:
    dut = erroneous(kind)
    before = dut.proven("ERN-157")
    for offset in (0, 256, RESPERR_BYTES - 64):
        dut.write("rx_pkt_hndler_ddr", RESPERR + offset, bytes(64))
    assert dut.proven("ERN-157") == before + 3


def test_response_error_for_nothing() -> None:
    dut = erroneous("ack")
    dut.write("rx_pkt_hndler_ddr", RESPERR, bytes(64))
    assert dut.verdict()[0] == "ERN-157"


@pytest.mark.parametrize("offset", [RESPERR_BYTES, RESPERR_BYTES + 256])
def test_response_error_outside(offset: int) -> None:
    dut = erroneous("nak")
    dut.write("rx_pkt_hndler_ddr", RESPERR + offset, bytes(64))
    assert [f.rule for f in dut.model.rules.findings] == ["ERN-157"]


@pytest.mark.parametrize(("word", "size"), [(0x0000_0004, 4 * 64), (0x0080_0000, 128)])
def test_zero_half(word: int, size: int) -> None:
    """A half of RESPERRSZ that is 0 stands for 64 bytes or one entry."""
    for offset, findings in ((size - 64, []), (size, ["ERN-157"])):
        dut = Writer()
        dut.register("RESPERRSZ", word)
        dut.post_write(b"data")
        dut.send_write(b"data")
        dut.respond(FIRST, 0x60)
        dut.write("rx_pkt_hndler_ddr", RESPERR + offset, bytes(64))
        assert [f.rule for f in dut.model.rules.findings] == findings


# -- outgoing errors --------------------------------------------------------------------------------

OUTERR, OUTERR_BYTES = 0x2_1030_0000, 4 * 64


def with_outgoing_errors(entries: int = 4) -> Writer:
    """A DUT with an outgoing error status queue above 4 GiB."""
    dut = Writer()
    for name, value in (("BA", OUTERR & 0xFFFFFFFF), ("BAMSB", OUTERR >> 32)):
        dut.register(f"OPKTERRQ{name}", value)
    dut.register("OUTERRSTSQSZ", entries)
    return dut


def test_outgoing_error_inside() -> None:
    """Any place, any size, any number of laps; without a cause that is known, too."""
    dut = with_outgoing_errors()
    for offset, size in ((0, 64), (64, 8), (OUTERR_BYTES - 4, 4), (0, 256), (0, 64)):
        dut.write("rx_pkt_hndler_ddr", OUTERR + offset, bytes(size))
    assert dut.verdict() == [] and dut.proven("ERN-250") == 5


def test_outgoing_error_silent() -> None:
    """No write at all is right."""
    assert with_outgoing_errors().verdict() == []


@pytest.mark.parametrize(
    ("entries", "addr", "size"),
    [
        (4, OUTERR + OUTERR_BYTES, 64),
        (4, OUTERR + OUTERR_BYTES - 4, 8),
        (4, (OUTERR & 0xFFFFFFFF) + 128, 64),
        (0, OUTERR, 64),
    ],
)
def test_outgoing_error_outside(entries: int, addr: int, size: int) -> None:
    dut = with_outgoing_errors(entries)
    dut.write("rx_pkt_hndler_ddr", addr, bytes(size))
    assert dut.verdict() == ["ERN-250"]


# -- without a buffer ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["ERRBUFSZ", "IPKTERRQSZ", "RESPERRSZ", "DATBUFSZ", "RESPERRPKTBA"])
def test_missing_buffer(name: str) -> None:
    """Without one of the four buffers nothing is judged until the next reset, whatever happens."""
    dut = Writer()
    dut.register(name, 0)
    dut.post_write(b"data")
    dut.write("resp_hndler", 0x7777_0000, bytes(64))
    dut.quiet()
    assert dut.verdict() == [] and dut.model.rules.observed["ERN-158"]


def test_after_missing_buffer() -> None:
    """The next bring-up is judged again."""
    dut = Writer()
    dut.register("RESPERRSZ", 0)
    dut.post_write(b"data")
    dut.bring_up()
    dut.post_write(b"data")
    assert dut.verdict() == ["ERN-223"]
