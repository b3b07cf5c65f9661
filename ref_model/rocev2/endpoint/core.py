"""An active RC endpoint: requester and responder of one queue pair behind one frame interface."""

from __future__ import annotations

from collections import Counter

from ref_model.rocev2.endpoint.config import EndpointConfig
from ref_model.rocev2.endpoint.frames import ACKNOWLEDGE
from ref_model.rocev2.endpoint.requester import Completion, Requester
from ref_model.rocev2.endpoint.responder import Received, Responder
from ref_model.rocev2.segment import Verb
from ref_model.wire import INFO, Frame, IPv4, IPv6, ParseError, parse


class Endpoint:
    """One side of an RC connection, pure Python and driven by time in picoseconds.

    Feed frames with ``receive`` (whole Ethernet frames, ICRC included, no FCS), then send what ``poll``
    returns; ``next_deadline`` says when to poll again without an input. Frames that are not for this
    endpoint or are damaged are dropped and counted in ``dropped`` by reason.
    """

    def __init__(self, config: EndpointConfig) -> None:
        """Create both halves; the configuration object stays shared and may be changed while running."""
        self.config = config
        self.requester = Requester(config)
        self.responder = Responder(config)
        self.dropped: Counter[str] = Counter()

    @property
    def completions(self) -> list[Completion]:
        """Ended requests in the order they ended."""
        return self.requester.completions

    @property
    def received(self) -> list[Received]:
        """Messages received in order, SENDs and WRITEs."""
        return self.responder.received

    @property
    def idle(self) -> bool:
        """True when every posted request has ended and no acknowledgement is planned."""
        return self.requester.idle and self.responder.next_deadline() is None

    @property
    def failed(self) -> bool:
        """True after a fatal error of either half."""
        return self.requester.failed or self.responder.failed

    def post_send(self, payload: bytes, imm: int | None = None, inv: int | None = None) -> int:
        """Queue a SEND, with 32-bit immediate or key to invalidate if given; returns the request number."""
        if imm is not None:
            return self.requester.post(Verb.SEND_IMM, payload, value=imm)
        if inv is not None:
            return self.requester.post(Verb.SEND_INV, payload, value=inv)
        return self.requester.post(Verb.SEND, payload)

    def post_write(self, va: int, rkey: int, payload: bytes, imm: int | None = None) -> int:
        """Queue an RDMA WRITE to 64-bit ``va`` under 32-bit ``rkey``; returns the request number."""
        verb = Verb.WRITE if imm is None else Verb.WRITE_IMM
        return self.requester.post(verb, payload, va=va, rkey=rkey, value=imm or 0)

    def post_read(self, va: int, rkey: int, length: int) -> int:
        """Queue a READ of ``length`` bytes from 64-bit ``va`` under 32-bit ``rkey``; returns its number.

        The data comes with its completion.
        """
        return self.requester.post_read(va, rkey, length)

    def receive(self, now_ps: int, data: bytes) -> None:
        """Take one frame from the link."""
        try:
            frame = parse(data)
        except ParseError as error:
            self.dropped[error.reason] += 1
            return
        self.receive_frame(now_ps, frame)

    def receive_frame(self, now_ps: int, frame: Frame) -> None:
        """Take one parsed frame from the link."""
        reason = self._not_for_me(frame)
        if reason is not None:
            self.dropped[reason] += 1
            return
        assert frame.bth is not None
        if frame.bth.opcode == ACKNOWLEDGE and frame.aeth is not None:
            self.requester.acknowledge(now_ps, frame.bth.psn, frame.aeth.syndrome)
            return
        info = INFO.get(frame.bth.opcode)
        if info is not None and info.kind == "read_resp":
            self.requester.read_response(now_ps, frame)
        else:
            self.responder.receive(now_ps, frame)

    def refuse(self, now_ps: int, syndrome: int) -> None:
        """Answer the expected request with this NAK syndrome although it may be good (a misbehaving peer)."""
        self.responder.refuse(now_ps, syndrome)

    def release_acks(self, now_ps: int) -> None:
        """Acknowledge all that was accepted and is not acknowledged (policy HOLD)."""
        self.responder.release(now_ps)

    def poll(self, now_ps: int) -> list[bytes]:
        """Frames to put on the link now, acknowledgements first."""
        return self.responder.poll(now_ps) + self.requester.poll(now_ps)

    def next_deadline(self) -> int | None:
        """Earliest time at which poll() may return frames without a further input, None when never."""
        times = [t for t in (self.responder.next_deadline(), self.requester.next_deadline()) if t is not None]
        return min(times) if times else None

    def _not_for_me(self, frame: Frame) -> str | None:
        config, bth, ip = self.config, frame.bth, frame.ip
        if bth is None or frame.udp is None:
            return "not RoCE"
        if not isinstance(ip, IPv4 if config.ip_version == 4 else IPv6):
            return "IP version"
        if frame.icrc_ok is False:
            return "ICRC"
        if frame.ip_checksum_ok is False:
            return "IP checksum"
        if frame.eth.dst != config.mac or ip is None or ip.dst != config.ip:
            return "address"
        if bth.dest_qp != config.qp:
            return "queue pair"
        if bth.pkey & 0x7FFF != config.pkey & 0x7FFF:
            return "partition key"
        return None
