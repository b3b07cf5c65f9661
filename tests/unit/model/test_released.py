"""Queue pairs the model lets go of: errors of memory, frames from elsewhere, new rings without reset."""

from __future__ import annotations

import pytest

from ref_model.events import FrameIn, MemRead, MemWrite, ProtocolViolation, Reset
from ref_model.wire import Frame, build
from tb.bench._soft_ernic import PAYLOADS, QP, REGION
from tb.host.bringup import qpconf
from tests.unit.model.managed import with_icrc
from tests.unit.model.test_error_buffers import FIRST, Writer

SLVERR, DECERR = 2, 3


def failed_read(dut: Writer, port: str, addr: int, length: int = 64, resp: int = SLVERR) -> None:
    """The DUT reads memory and gets an error."""
    time = dut._tick()
    dut._emit(MemRead(time, time + 4000, port, addr, bytes(length), resp))


def failed_write(dut: Writer, port: str, addr: int, data: bytes, resp: int = SLVERR) -> None:
    """The DUT writes memory and gets an error."""
    time = dut._tick()
    dut._emit(MemWrite(time, time + 4000, port, addr, data, b"\1" * len(data), resp))


def hit(kind: str, resp: int = SLVERR) -> Writer:
    """A DUT that owes the packet of a WRITE, and the error of ``kind`` came."""
    dut = Writer({"RETRY_SOURCE": "laddr"})
    dut.post_write(b"data" * 9)
    if kind == "entry":
        failed_read(dut, "qp_mgr", dut.rings.sq + 64, resp=resp)
    elif kind == "payload":
        failed_read(dut, "wqe_proc_top", PAYLOADS, resp=resp)
    elif kind == "completion":
        failed_write(dut, "resp_hndler", dut.rings.cq, bytes(4), resp)
    elif kind == "doorbell":
        failed_write(dut, "resp_hndler", dut.rings.cq_doorbell, bytes(4), resp)
    elif kind == "fatal":
        failed_write(dut, "rx_pkt_hndler_ddr", 0x1010_0000, (QP << 16 | 5).to_bytes(8, "little"), resp)
    return dut


KINDS = ("entry", "payload", "completion", "doorbell")


@pytest.mark.parametrize("resp", [SLVERR, DECERR])
@pytest.mark.parametrize("kind", KINDS)
def test_reaction_is_free(kind: str, resp: int) -> None:
    """Nothing is owed by the QP that was hit, whatever it does is recorded; without the error it is not."""
    dut = hit(kind, resp)
    dut.write("resp_hndler", dut.rings.cq + 8, b"any!")
    dut.write("resp_hndler", dut.rings.cq_doorbell, b"\7\0\0\0")
    dut.read("STATQP", 1, QP)
    dut.send_write(b"elsewhat")
    assert dut.verdict() == [] and dut.model.rules.observed["ERN-217/reaction"] >= 5
    sound = Writer()
    sound.post_write(b"data" * 9)
    sound.write("resp_hndler", sound.rings.cq + 8, b"any!")
    assert sound.verdict()


@pytest.mark.parametrize("kind", KINDS)
def test_others_are_judged(kind: str) -> None:
    """QP1 owes its frame as before."""
    dut = hit(kind)
    dut.outgoing(dut.mad())
    assert dut.verdict() == ["ERN-193"]


def test_hit_is_told_by_address() -> None:
    """An error on an entry of QP1 leaves the data QP as it is."""
    dut = Writer({"RETRY_SOURCE": "laddr"})
    dut.post_write(b"data")
    failed_read(dut, "qp_mgr", dut.memory_one.sq)
    assert dut.verdict() == ["ERN-223"]


def cnp_from(dut: Writer) -> Frame:
    """A CNP that the DUT sends to the peer of its data QP."""
    frame, own, peer = dut.cnp(), dut.device, dut.config
    assert frame.bth is not None and frame.ip is not None
    frame.bth.dest_qp = peer.peer_qp
    frame.eth.dst, frame.eth.src = peer.peer_mac, own.mac
    frame.ip.src, frame.ip.dst = own.ipv4, peer.peer_ip
    return frame


def test_nobody_can_tell() -> None:
    """A read that fits no QP lets go of all of them."""
    dut = Writer()
    dut.post_write(b"data")
    dut.outgoing(dut.mad())
    failed_read(dut, "wqe_proc_top", 0x7777_0000)
    dut.leave(with_icrc(build(dut.mad(7))[:-4]))
    dut.leave(build(cnp_from(dut)))
    assert dut.verdict() == []


def test_contained() -> None:
    """A released QP has its own memory, and no other."""
    dut = hit("payload")
    dut.write("rx_pkt_hndler_ddr", REGION + (1 << 32), b"its own region")
    assert dut.model.rules.findings == []
    dut.write("rx_pkt_hndler_ddr", 0x7777_0000, b"nobody's")
    assert dut.verdict() == ["ERN-215"]


def test_refused_data_are_not_there() -> None:
    dut = Writer()
    before = dut.model.ctx.memory.read(dut.rings.cq, 4)
    failed_write(dut, "resp_hndler", dut.rings.cq, bytes(byte ^ 0xFF for byte in before))
    assert dut.model.ctx.memory.read(dut.rings.cq, 4) == before


def test_protocol() -> None:
    """Behind an error the master keeps to the protocol; a violation elsewhere is told as ever."""
    for kind, rule in (("payload", "ERN-217/protocol"), ("completion", "ERN-211")):
        dut = hit(kind)
        dut._emit(ProtocolViolation(dut._tick(), "ERN-211", "wqe_proc_top_m_axi", "ARVALID fell"))
        assert dut.verdict() == [rule]
    dut = hit("payload")
    time = dut._tick()
    dut._emit(MemRead(time, time + 4000, "wqe_proc_top", PAYLOADS, bytes(64)))
    assert dut.proven("ERN-217/protocol") == 1


def made_anew() -> Writer:
    """A DUT whose QP was hit, deleted and made anew."""
    dut = hit("payload")
    conf = qpconf(dut.config, True, False)
    dut.register("XRNICADCONF", 1)
    for name in ("SQPI", "CQHEAD", "RQCI", "STATRQPIDB", "STATCURSQPTR", "SQPSN", "LSTRQREQ"):
        dut.register(name, 0, QP)
    dut.register("QPCONF", conf & ~1 | 1 << 6, QP)
    dut.register("XRNICADCONF", 0)
    dut.register("SQPSN", FIRST, QP)
    dut.register("QPCONF", conf, QP)
    return dut


def test_judged_again() -> None:
    for payload, findings in ((b"right", 0), (b"wrong", 1)):
        dut = made_anew()
        dut.post_write(b"right")
        dut.send_write(payload)
        assert len(dut.model.rules.findings) == findings
    dut = made_anew()
    dut.post_write(b"right")
    assert dut.verdict()  # its packet is owed


def test_not_judged_before_its_end() -> None:
    """Enabling alone makes nothing new."""
    dut = hit("payload")
    dut.register("QPCONF", qpconf(dut.config, True, False), QP)
    dut.post_write(b"right")
    assert dut.verdict() == []


def test_reset_of_one_domain() -> None:
    dut = Writer()
    dut.post_write(b"data")
    dut._emit(Reset(dut._tick(), True, "cmac_rx_rst"))
    dut.write("resp_hndler", 0x7777_0000, b"anything")
    dut._emit(Reset(dut._tick(), False, "cmac_rx_rst"))
    dut.quiet()
    assert dut.model.rules.findings == [] and dut.model.rules.observed["ERN-222"]
    dut.bring_up()
    dut.post_write(b"data")
    assert dut.verdict() == ["ERN-223"]


@pytest.mark.parametrize("where", ["eth", "ip"])
def test_foreign_source(where: str) -> None:
    """A SEND from elsewhere may be taken, answered, dropped; one from the peer has to be taken."""
    for change in (0, 1):
        dut = Writer()
        frame = dut.request(dut.config.expected_psn)
        part = getattr(frame, where)
        part.src ^= change
        time = dut._tick()
        dut._emit(FrameIn(time, time + 4000, "roce_rx", build(frame)))
        assert bool(dut.verdict()) is not bool(change)
        assert bool(dut.model.rules.observed["ERN-111"]) is bool(change)


def test_new_rings_without_reset() -> None:
    for moved in (False, True):
        dut = Writer()
        dut.post_write(b"data")
        dut.send_write(b"data")
        if moved:
            dut.register("SQBA", dut.rings.sq + 0x8000, QP)
        dut.register("QPCONF", qpconf(dut.config, True, False), QP)
        assert bool(dut.model.rules.observed["ERN-222"]) is moved
