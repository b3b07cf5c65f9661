"""A bench for QP1, CNPs and the error and retry buffers: events by hand around the model, no simulator."""

from __future__ import annotations

from typing import Any

from ref_model.events import FrameIn, FrameOut, HostWrite, MemRead, RegRead
from ref_model.registers import layout
from ref_model.rocev2.endpoint import EndpointConfig, envelope
from ref_model.rocev2.segment import Verb
from ref_model.rules import Finding
from ref_model.wire import Bth, Deth, Frame, build, icrc_of, opcodes
from tb.bench._soft_ernic import QP, SoftErnic
from tb.host.bringup import QpMemory, Write, management_writes
from tb.host.settings import QpConfig
from tb.host.wqe import build_wqe
from tb.partner.management import GENERAL_QKEY

QP1 = 1
RX, TX_READ, FETCH, CQ = "rx_pkt_hndler_ddr", "wqe_proc_top", "qp_mgr", "resp_hndler"
PAYLOAD = 0x5800_0000


class Managed(SoftErnic):
    """The software ERNIC with QP1 beside its data QP; what the DUT does on QP1 is up to the test."""

    def __init__(self, knobs: dict[str, object] | None = None, **settings: Any) -> None:
        """``settings`` go to the QpConfig of QP1: a ring of 4 elements of 512 bytes unless given."""
        super().__init__(0, knobs={"LIVENESS_CLKS": 20_000, "CNP_CLEAR": "w1c8", **(knobs or {})})
        self.one = QpConfig(QP1, **({"element": 512, "rq_depth": 4, "sq_depth": 16} | settings))
        self.memory_one = QpMemory(0x2100_0000, 0x2110_0000, 0x2120_0000, 0x2130_0000, 0x2130_0040)
        self.placed = self.sent = 0
        self.bring_up()
        for entry in management_writes(self.one, self.memory_one):
            self.register(entry.name, entry.value, entry.index)
        own, config = self.device, self.config
        self.path = EndpointConfig(
            QP1, QP1, config.peer_mac, own.mac, config.peer_ip, own.ipv4, first_psn=0, expected_psn=0
        )

    def register(self, name: str, value: int, index: int | None = None) -> None:
        """Write a register."""
        self._register(Write(name, value, index))

    def read(self, name: str, value: int, index: int | None = None) -> None:
        """A register read that returns ``value``."""
        time = self._tick()
        self._emit(RegRead(time, time + 4000, self._names.address(name, index), value))

    def read_bank(self, name: str, value: int, bank: int = 0) -> None:
        """A read of an interrupt bank that returns ``value``."""
        time = self._tick()
        block = layout("ernic").block(name)
        self._emit(RegRead(time, time + 4000, block.base + 4 * bank, value))

    def wait(self, clocks: int) -> None:
        """Let time pass."""
        self.now += 4000 * clocks
        self.model.advance(self.now)

    def quiet(self) -> None:
        """The bench found the DUT quiet."""
        self.wait(3000)
        self.model.quiet(self.now)

    # -- QP1 in -----------------------------------------------------------------------------------

    def mad(self, psn: int = 0, size: int = 256, **bth: Any) -> Frame:
        """A datagram to the DUT."""
        fields = {"opcode": opcodes.UD_SEND_ONLY, "dest_qp": QP1, "psn": psn, "pkey": 0xFFFF} | bth
        frame = envelope(self.path, Bth(**fields))
        frame.deth = Deth(GENERAL_QKEY, QP1)
        frame.payload = bytes((psn + i) & 0xFF for i in range(size))
        return frame

    def arrive(self, frame: Frame) -> bytes:
        """``frame`` comes in; returns its bytes."""
        data = build(frame)
        time = self._tick()
        self._emit(FrameIn(time, time + 4000, "roce_rx", data))
        return data

    def place(self, data: bytes, slot: int | None = None, offset: int = 0) -> None:
        """The DUT writes ``data`` into an element (default: the next one)."""
        number = self.placed if slot is None else slot
        element = self.memory_one.rq + self.one.element * (number % self.one.rq_depth)
        self.write(RX, element + offset, data)

    def write(self, port: str, addr: int, data: bytes) -> None:
        """The DUT writes memory."""
        self._write(port, addr, data)

    def ring(self) -> None:
        """The DUT counts one element more and rings the doorbell of QP1."""
        self.placed += 1
        index = self.placed % self.one.rq_depth
        self.write(RX, self.memory_one.rq_doorbell, index.to_bytes(4, "little"))

    def store(self, data: bytes) -> None:
        """The DUT stores a whole frame without its ICRC and announces it."""
        self.place(data[:-4])
        self.ring()

    def consume(self, count: int) -> None:
        """Software gives elements back: RQCI shows ``count`` in all."""
        self.register("RQCI", (count - 1) % self.one.rq_depth + 1, QP1)

    # -- QP1 out ----------------------------------------------------------------------------------

    def outgoing(self, frame: Frame) -> bytes:
        """Software posts ``frame`` on QP1 and the DUT fetches the WQE; returns the frame without ICRC."""
        stored, number = build(frame)[:-4], self.sent
        self.sent += 1
        slot, laddr = number % self.one.sq_depth, PAYLOAD + 0x1000 * number
        wqe = build_wqe(number, Verb.SEND.wqe_opcode, laddr, len(stored))
        self._emit(HostWrite(self._tick(), laddr, stored))
        self._emit(HostWrite(self._tick(), self.memory_one.sq + 64 * slot, wqe))
        self.register("SQPI", number % self.one.sq_depth + 1, QP1)
        time = self._tick()
        self._emit(MemRead(time, time + 4000, FETCH, self.memory_one.sq + 64 * slot, wqe))
        return stored

    def fetch_payload(self, stored: bytes, number: int = 0) -> None:
        """The DUT reads the frame of WQE ``number``."""
        time = self._tick()
        self._emit(MemRead(time, time + 4000, TX_READ, PAYLOAD + 0x1000 * number, stored))

    def leave(self, data: bytes) -> None:
        """``data`` leaves the DUT."""
        time = self._tick()
        self._emit(FrameOut(time, time + 4000, "tx", data))

    def complete(self, number: int = 0) -> None:
        """The DUT writes CQE and doorbell of WQE ``number``."""
        cqe = number.to_bytes(2, "little") + bytes((Verb.SEND.wqe_opcode, 0))
        self.write(CQ, self.memory_one.cq + 4 * (number % self.one.sq_depth), cqe)
        self.write(CQ, self.memory_one.cq_doorbell, (number % self.one.sq_depth + 1).to_bytes(4, "little"))

    def transmit(self, frame: Frame) -> bytes:
        """Post, fetch, send and complete one frame as a good DUT does; returns what left."""
        stored = self.outgoing(frame)
        number = self.sent - 1
        self.fetch_payload(stored, number)
        data = with_icrc(stored)
        self.leave(data)
        self.complete(number)
        return data

    # -- data QP ----------------------------------------------------------------------------------

    def request(self, psn: int, payload: bytes = b"hello", ecn: int = 0, opcode: int = 0x04) -> Frame:
        """A one-packet request for the data QP, marked with ``ecn``."""
        config = self.endpoint.config
        back = EndpointConfig(
            QP,
            QP,
            config.peer_mac,
            config.mac,
            config.peer_ip,
            config.ip,
            traffic_class=ecn,
            pkey=config.pkey,
        )
        frame = envelope(back, Bth(opcode, QP, psn, config.pkey, ack_req=True))
        frame.payload = payload
        return frame

    def cnp(self, psn: int = 0) -> Frame:
        """A CNP for the data QP."""
        frame = self.request(psn, b"", opcode=opcodes.CNP)
        assert frame.bth is not None
        frame.bth.ack_req, frame.bth.becn = False, True
        return frame

    # -- verdict ----------------------------------------------------------------------------------

    def verdict(self) -> list[str]:
        """End the run and return the rules of all findings, in order."""
        return [finding.rule for finding in self.findings()]

    def findings(self) -> list[Finding]:
        """End the run and return its findings."""
        self.wait(60_000)
        self.model.finish()
        return self.model.rules.findings

    def proven(self, rule: str) -> int:
        """How often ``rule`` was decided well."""
        return self.model.rules.evidence[rule]


def with_icrc(stored: bytes) -> bytes:
    """A frame as software prepares it, completed by its ICRC."""
    return stored + icrc_of(stored).to_bytes(4, "little")
