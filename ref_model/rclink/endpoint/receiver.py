"""Checks, delivery and acknowledgement in an endpoint."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ref_model.rclink import ports
from ref_model.wire.rclink import Frame, Kind, Opcode, ParseError, Rh, congestion_marked, lite_qpid, parse
from ref_model.wire.rclink.afh import COMPACT
from ref_model.wire.rclink.rh import KIND_BITS, NAK, RNR_NAK

if TYPE_CHECKING:
    from ref_model.rclink.endpoint.core import Endpoint

PSN_MASK = 4095
SOURCE_BITS = 0x3FF


@dataclass(slots=True)
class Channel:
    """Responder state of one queue pair."""

    expected: int = 0
    nak_sent: bool = False
    rnr_sent: bool = False
    echo: int = 0  #: timestamp of the newest request in order
    fack: int | None = None  #: timestamp of a request with Fack that waits for its ACK


@dataclass(slots=True)
class Answer:
    """An ACK or NAK that is due: ``kind`` 0, NAK or RNR_NAK; a NAK with its ``echo``, None: without."""

    qp: int
    kind: int
    echo: int | None = None


class Receiver:
    """TYPE1 responder of one endpoint, and what it takes of TYPE2."""

    remembered = 8  #: queue pairs in the filter of received CNPs

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self.channels: dict[int, Channel] = {}
        self.answers: deque[Answer] = deque()  # NAKs and ACKs that do not wait
        self.merged: dict[int, None] = {}  # queue pairs with an ACK pending, oldest first
        self.cnps: dict[int, None] = {}
        self.told: dict[int, int] = {}
        self.stop = 0
        #: What the PSN of an ACK lies beyond that of the newest request it covers.
        self.beyond = int(endpoint.knobs["ACK_PSN_MODE"] == "NEXT")

    def channel(self, number: int) -> Channel:
        """State of queue pair ``number``."""
        return self.channels.setdefault(number, Channel())

    def receive(self, data: bytes, error: int) -> None:
        """Take one frame from the MAC."""
        layout = self.endpoint.device.layout
        if layout is None:
            return
        try:
            frame = parse(data, layout)
        except ParseError:
            return
        if frame.kind is Kind.TYPE3 or self.damaged(error):
            return
        assert frame.addresses is not None
        source = frame.addresses.src & SOURCE_BITS
        if frame.kind is Kind.TYPE2:
            self._type2(frame, source)
        elif self.for_us(frame):
            if self.endpoint.device.lite:
                self._lite(frame, source)
            else:
                self._type1(frame, source)

    def damaged(self, error: int) -> bool:
        """Look at what the MAC says of a frame."""
        return error != 0

    def checked(self, frame: Frame) -> bool:
        """Look at the ICRC."""
        return frame.icrc_ok is not False

    def for_us(self, frame: Frame) -> bool:
        """Compare the destination address."""
        assert frame.addresses is not None
        own = self.endpoint.device.mac
        return frame.addresses.dst == (own & 0xFFFF if frame.format in COMPACT else own)

    def _type2(self, frame: Frame, source: int) -> None:
        if len(frame.payload) > self.endpoint.device.type2_len:
            self.endpoint.message(2, 2, 0, 12)
            return
        self.endpoint.deliver(frame.payload, 0, ports.ETYPE_TYPE2, source)

    def _lite(self, frame: Frame, source: int) -> None:
        endpoint = self.endpoint
        assert frame.addresses is not None and frame.bank is not None
        bits = (endpoint.values.qp_count - 1).bit_length()
        number = lite_qpid(frame.addresses.src, frame.bank, endpoint.device.bank_bits, bits)
        endpoint.deliver(frame.payload, number, ports.ETYPE_TYPE1, source)

    def _type1(self, frame: Frame, source: int) -> None:
        endpoint, rh = self.endpoint, frame.rh
        assert rh is not None
        if rh.opcode == Opcode.RESERVED:
            return
        config = endpoint.qp_config(rh.dest_qp)
        if config is None or not config.enabled:
            self.not_enabled(rh.dest_qp)
            return
        if not self.key_right(rh.pkey, config.key_rx) or not self.checked(frame):
            return
        if rh.opcode == Opcode.CNP:
            self.notified(rh.dest_qp)
        elif rh.opcode == Opcode.ACK:
            self._answered(frame)
        else:
            assert endpoint.device.layout is not None
            if congestion_marked(frame, endpoint.device.layout):
                self.cnps[rh.dest_qp] = None
            self.request(frame, source)

    def not_enabled(self, qp: int) -> None:
        """Report a frame for a queue pair that is disabled or absent."""
        self.endpoint.message(1, 5, qp & self.endpoint.values.qp_count - 1, 15)

    def key_right(self, key: int, expected: int) -> bool:
        """Compare the key of a frame."""
        return key == expected

    def notified(self, qp: int) -> None:
        """A CNP passed the checks."""
        self.endpoint.silence_over(qp)
        if self.passes(qp):
            self.endpoint.pulse(ports.RECV_CNP, qp)

    def passes(self, qp: int) -> bool:
        """Filter of received CNPs: the last queue pairs and when each was told."""
        endpoint = self.endpoint
        if not endpoint.device.cnp_merge:
            return True
        told = self.told.get(qp)
        if told is not None and endpoint.now - told <= endpoint.device.cnp_timer * endpoint.period:
            return False
        self.told.pop(qp, None)
        if len(self.told) >= self.remembered:
            del self.told[next(iter(self.told))]
        self.told[qp] = endpoint.now
        return True

    def _answered(self, frame: Frame) -> None:
        rh, sender = frame.rh, self.endpoint.sender
        assert rh is not None
        code = rh.code or 0
        kind = code & KIND_BITS
        if kind == NAK:
            count = sender.refuse(rh.dest_qp, rh.psn, None)
        elif kind == RNR_NAK:
            count = sender.refuse(rh.dest_qp, rh.psn, code & 0x1F)
        else:
            count = sender.acknowledge(rh.dest_qp, (rh.psn - self.beyond) & PSN_MASK)
        if rh.ts_en:
            rtt = (self.endpoint.timestamp() - rh.timestamp) & 0xFFFF
            self.endpoint.pulse(ports.RECV_ACK, rh.dest_qp, rtt, count, int(kind != 0))

    def request(self, frame: Frame, source: int) -> None:
        """A request that passed its checks, by its PSN."""
        rh = frame.rh
        assert rh is not None
        qp = rh.dest_qp
        channel = self.channel(qp)
        distance = (rh.psn - channel.expected) & PSN_MASK
        if distance == 0:
            if self._stopped(qp):
                if not channel.rnr_sent:
                    channel.rnr_sent = True
                    self.answers.append(Answer(qp, RNR_NAK, self._echo(rh)))
                return
            self.endpoint.deliver(frame.payload, qp, ports.ETYPE_TYPE1, source)
            channel.expected = (channel.expected + 1) & PSN_MASK
            channel.echo = rh.timestamp
            channel.rnr_sent = False
            self.rearm(channel)
            if rh.fack:
                channel.fack = rh.timestamp
                if not any(answer.qp == qp and not answer.kind for answer in self.answers):
                    self.answers.append(Answer(qp, 0))
                self.merged.pop(qp, None)
            else:
                self.merged[qp] = None
        elif distance < 2048:
            if not channel.nak_sent:
                channel.nak_sent = True
                self.answers.append(Answer(qp, NAK, self._echo(rh)))
        else:
            self.duplicate(frame, source)

    def _echo(self, rh: Rh) -> int | None:
        """Timestamp of the answer to ``rh``, None where it carries none."""
        return rh.timestamp if self.endpoint.device.ack_time or rh.fack else None

    def _stopped(self, qp: int) -> bool:
        device = self.endpoint.device
        bank = device.bank(qp)
        return bool(self.stop & device.flow_stop & device.stop_rnr & 1 << bank)

    def rearm(self, channel: Channel) -> None:
        """A request in order permits the next NAK."""
        channel.nak_sent = False

    def duplicate(self, frame: Frame, source: int) -> None:
        """A request that was taken before."""
        assert frame.rh is not None
        self.merged[frame.rh.dest_qp] = None

    def next_answer(self) -> tuple[int, int, int, int | None] | None:
        """Take the answer to send next: queue pair, PSN, syndrome, timestamp or None."""
        if self.answers:
            answer = self.answers.popleft()
            qp, kind, echo = answer.qp, answer.kind, answer.echo
        elif self.merged:
            qp, kind, echo = next(iter(self.merged)), 0, None
        else:
            return None
        self.merged.pop(qp, None)
        channel = self.channel(qp)
        if kind:
            code = 0 if kind == NAK else self.endpoint.device.rnr_code
            return qp, channel.expected, kind | code, echo
        timestamp = channel.fack if channel.fack is not None else None
        if self.endpoint.device.ack_time or timestamp is not None:
            timestamp = channel.echo
        channel.fack = None
        return qp, (channel.expected - 1 + self.beyond) & PSN_MASK, 0x1F, timestamp
