"""Watches what the partner itself sends: a frame no RC peer may send, without a declared fault, is a bench
error.

This is a second opinion on the endpoint, written from the rules and not from its code: bytes are parsed
again, new requests must follow in PSN and opcode order (a READ takes a PSN for each response), a resent
packet must equal the first sending or ask for the rest of a READ, an acknowledgement must name a request the
DUT has sent, and a READ response must have a PSN, and the position that goes with it, of a READ the DUT asked
for.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any, Protocol

from ref_model.rocev2.psn import psn_add, psn_diff
from ref_model.rocev2.segment import response_count
from ref_model.wire import INFO, Frame, OpInfo, ParseError, Reth, parse_shared
from tb.partner.management import is_managed, managed_problem

HISTORY = 1024
"""Sent packets remembered per connection to compare resends with."""

_STABLE = ("reth", "immdt", "ieth", "payload")


@dataclass(slots=True)
class _Connection:
    next_psn: int
    highest_request: int | None = None
    pmtu: int = 1024
    inside: str | None = None
    asked: OrderedDict[int, int] = field(default_factory=OrderedDict)  # first PSN of a READ -> its responses
    sent: OrderedDict[int, tuple[object, ...]] = field(default_factory=OrderedDict)


class Checker(Protocol):
    """What the partner tells whoever watches it."""

    def open(self, qp: int, first_psn: int, pmtu: int) -> None:
        """A connection to DUT queue pair ``qp`` begins; the partner's first request packet has
        ``first_psn``, full packets carry ``pmtu`` bytes.
        """

    def heard(self, qp: int, opcode: int, psn: int, length: int = 0) -> None:
        """The DUT sent a frame with this BTH (and RETH length) to the partner."""

    def sending(self, qp: int, data: bytes) -> None:
        """The partner is about to send ``data`` (before any fault)."""


class Notes:
    """Keeps what the partner tells for a checker that works later, and perhaps elsewhere."""

    def __init__(self) -> None:
        """Nothing was told yet."""
        self._told: list[tuple[Any, ...]] = []

    def open(self, qp: int, first_psn: int, pmtu: int) -> None:
        """See :class:`Checker`."""
        self._told.append(("open", qp, first_psn, pmtu))

    def heard(self, qp: int, opcode: int, psn: int, length: int = 0) -> None:
        """See :class:`Checker`."""
        self._told.append(("heard", qp, opcode, psn, length))

    def sending(self, qp: int, data: bytes) -> None:
        """See :class:`Checker`."""
        self._told.append(("sending", qp, data))

    def take(self) -> list[tuple[Any, ...]]:
        """What was told since the last call: name of the method, arguments."""
        told, self._told = self._told, []
        return told


class LegalityChecker:
    """One state per DUT queue pair; ``problems`` collects one line per illegal frame."""

    def __init__(self) -> None:
        """Start with no connection."""
        self.problems: list[str] = []
        self._connections: dict[int, _Connection] = {}

    def open(self, qp: int, first_psn: int, pmtu: int) -> None:
        """A connection to DUT queue pair ``qp`` begins; the partner's first request packet has
        ``first_psn``, full packets carry ``pmtu`` bytes.
        """
        self._connections[qp] = _Connection(first_psn, pmtu=pmtu)

    def heard(self, qp: int, opcode: int, psn: int, length: int = 0) -> None:
        """The DUT sent a frame with this BTH (and RETH length) to the partner."""
        connection, info = self._connections.get(qp), INFO.get(opcode)
        if connection is None or info is None or info.kind not in ("send", "write", "read_req"):
            return
        if info.kind == "read_req":
            connection.asked[psn] = max(response_count(length, connection.pmtu), connection.asked.get(psn, 0))
            if len(connection.asked) > HISTORY:
                connection.asked.popitem(last=False)
        best = connection.highest_request
        if best is None or psn_diff(psn, best) > 0:
            connection.highest_request = psn

    def sending(self, qp: int, data: bytes) -> None:
        """The partner is about to send ``data`` (before any fault)."""
        problem = self._problem(qp, data)
        if problem is not None:
            self.problems.append(f"partner, QP {qp}: {problem}")

    def _problem(self, qp: int, data: bytes) -> str | None:
        try:
            frame = parse_shared(data)
        except ParseError as error:
            return f"unreadable frame ({error.reason})"
        bth, connection = frame.bth, self._connections.get(qp)
        if is_managed(frame):
            return managed_problem(qp, frame)
        if bth is None or connection is None:
            return "frame without a connection"
        if frame.icrc_ok is False or frame.ip_checksum_ok is False:
            return "wrong check sum"
        info = INFO.get(bth.opcode)
        if info is None:
            return f"opcode {bth.opcode:#04x} does not exist"
        if info.kind == "ack":
            best = connection.highest_request
            if best is None or psn_diff(bth.psn, best) > 0:
                return f"acknowledgement of PSN {bth.psn:#08x} which the DUT has not sent"
            return None
        if info.kind == "read_resp":
            return self._response_problem(connection, info, bth.psn)
        ahead = psn_diff(bth.psn, connection.next_psn)
        content = (bth.opcode, *(getattr(frame, name) for name in _STABLE))
        if ahead > 0:
            return f"PSN {bth.psn:#08x} leaves a gap, next is {connection.next_psn:#08x}"
        if ahead < 0:
            first = connection.sent.get(bth.psn)
            if info.kind == "read_req" and first is None:
                return self._rest_problem(connection, frame)
            return "resent packet differs from the first sending" if first not in (None, content) else None
        if connection.inside is None and not info.first:
            return f"{info.name} outside a message"
        if connection.inside is not None and (info.first or info.kind != connection.inside):
            return f"{info.name} inside a {connection.inside} message"
        connection.inside = None if info.last else info.kind
        span = (
            response_count(frame.reth.length, connection.pmtu)
            if info.kind == "read_req" and frame.reth
            else 1
        )
        connection.next_psn = psn_add(bth.psn, span)
        connection.sent[bth.psn] = content
        if len(connection.sent) > HISTORY:
            connection.sent.popitem(last=False)
        return None

    @staticmethod
    def _response_problem(connection: _Connection, info: OpInfo, psn: int) -> str | None:
        """A response must have the position of its PSN in a READ the DUT asked for."""
        for first, count in reversed(connection.asked.items()):
            index = psn_diff(psn, first)
            if 0 <= index < count and (info.first, info.last) == (index == 0, index == count - 1):
                return None
        return f"{info.name} with PSN {psn:#08x} fits no READ of the DUT"

    @staticmethod
    def _rest_problem(connection: _Connection, frame: Frame) -> str | None:
        """A READ asked again in part must ask for the end of the READ that holds its PSN."""
        bth, reth = frame.bth, frame.reth
        assert bth is not None and reth is not None
        for first, content in reversed(connection.sent.items()):
            whole = content[1]
            index = psn_diff(bth.psn, first)
            if isinstance(whole, Reth) and 0 < index < response_count(whole.length, connection.pmtu):
                done = index * connection.pmtu
                rest = Reth(whole.va + done & (1 << 64) - 1, whole.rkey, whole.length - done)
                return None if reth == rest else "a READ in part does not ask for the rest"
        return None
