"""Management datagrams and CNPs at the partner, and on the side of the host that prepares them."""

from __future__ import annotations

import asyncio

import pytest

from ref_model.registers import layout
from ref_model.rocev2.endpoint import EndpointConfig, envelope
from ref_model.rocev2.segment import Verb
from ref_model.streams import stream
from ref_model.wire import Bth, Deth, Frame, build, icrc_of, opcodes, parse
from tb.host import QpConfig, WorkRequest
from tb.partner import LegalityChecker, PartnerCore
from tb.partner.management import GENERAL_QKEY
from tb.sequences.management import mirrored, notification, whole
from tests.unit.host.fake import World

PEER = EndpointConfig(qp=0x99, peer_qp=2, mac=2, peer_mac=1, ip=2, peer_ip=1)


class Bench:
    """A partner with one connection whose frames are collected."""

    def __init__(self) -> None:
        self.sent: list[bytes] = []
        self.checker = LegalityChecker()
        transmit = lambda data, good: self.sent.append(data)  # noqa: E731
        self.partner = PartnerCore(transmit, lambda: 0, lambda time: None, stream(1, "managed"), self.checker)
        self.peer = self.partner.connect(2, PEER)


def datagram(**deth: int) -> Frame:
    """A legal datagram to QP1."""
    frame = envelope(PEER, Bth(opcodes.UD_SEND_ONLY, 1, 5))
    frame.deth = Deth(**({"qkey": GENERAL_QKEY, "src_qp": 1} | deth))
    frame.payload = bytes(256)
    return frame


def test_legal_ones_pass() -> None:
    bench = Bench()
    bench.partner.notify(1, datagram())
    bench.partner.notify(2, notification(PEER, 7))
    assert len(bench.sent) == 2 and not bench.checker.problems
    read = parse(bench.sent[1])
    assert read.bth is not None and (read.bth.opcode, read.bth.dest_qp, read.bth.becn) == (0x81, 2, True)
    assert read.cnp_reserved == bytes(16) and read.payload == b""


@pytest.mark.parametrize("wrong", ["qp", "key", "icrc", "payload"])
def test_illegal_ones_are_told(wrong: str) -> None:
    bench, frame, qp = Bench(), datagram(), 1
    if wrong == "qp":
        qp = 2
    elif wrong == "key":
        frame = datagram(qkey=1)
    elif wrong == "icrc":
        frame.icrc = 1
    else:
        frame, qp = notification(PEER), 2
        frame.payload = b"more"
    bench.partner.notify(qp, frame)
    assert len(bench.checker.problems) == 1


def test_from_the_dut() -> None:
    """Neither reaches an endpoint: a CNP is no request, and a datagram has no connection."""
    bench = Bench()
    bench.partner.from_dut(build(notification(mirrored(PEER))))
    bench.partner.from_dut(build(datagram()))
    assert bench.partner.management.notifications == {0x99: 1}
    assert len(bench.partner.management.datagrams) == 1
    assert not bench.sent and bench.partner.unclaimed == 0 and not bench.peer.failed


def test_prepared_frame() -> None:
    """Software leaves out the ICRC and nothing else; the lengths count it."""
    frame = datagram()
    request = whole(frame)
    assert request.verb is Verb.SEND
    assert request.payload + icrc_of(request.payload).to_bytes(4, "little") == build(frame)


def test_qp1_bring_up() -> None:
    """QP1 gets rings, doorbells and the enable, none of the registers it does not have; WQEs as usual."""
    world = World()
    asyncio.run(world.host.open())
    start = len(world.device.writes)
    qp = asyncio.run(world.host.create_qp(QpConfig(1, element=512)))
    names = {layout("ernic").locate(addr).register.name for addr, _ in world.device.writes[start:]}  # type: ignore[union-attr]
    assert {"SQBA", "RQBA", "CQBA", "QDEPTH", "RQWPTRDBADD", "CQDBADD", "QPCONF"} <= names
    assert not names & {"QPADVCONF", "SQPSN", "LSTRQREQ", "TIMEOUTCONF", "PDNUM"}
    asyncio.run(world.host.post_send(qp, WorkRequest(Verb.SEND, bytes(100))))
    assert qp.posted == 1
