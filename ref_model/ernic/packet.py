"""Content of a request packet: what a WQE asks for against what left (requirements section 3 and 4).

The common case, everything as expected, is one comparison; only a deviation is taken apart field by
field to find the rule that owns it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from ref_model.ernic.config import QpConfig
from ref_model.ernic.context import Context
from ref_model.ernic.headers import REQUEST, check_headers, packet_diff
from ref_model.ernic.read_data import Fetch
from ref_model.rocev2.psn import psn_add
from ref_model.rocev2.segment import Segment, Verb
from ref_model.rules import Scope
from ref_model.wire import Bth, Frame, Reth, opcodes

INLINE_LIMIT = 16
#: Packets of a message from which on it counts as long (LONG_WRITE_CAP).
LONG = 16


@dataclass(slots=True)
class Message:
    """One WQE on its way: decoded entry, packets, PSNs."""

    number: int
    wrid: int
    opcode: int
    verb: Verb
    laddr: int
    length: int
    roffset: int
    rtag: int
    inline: bytes
    immediate: int
    segments: list[Segment]
    first_psn: int
    sent: int = 0
    copies: dict[int, bytes] = field(default_factory=dict)  # WRITE payload as first sent, by its offset
    fetch: Fetch | None = None  # of a READ

    @property
    def span(self) -> int:
        """PSNs the message takes: its packets, or the responses of a READ."""
        return len(self.segments) if self.fetch is None else self.fetch.span

    @property
    def last_psn(self) -> int:
        """PSN of the last packet or response."""
        return psn_add(self.first_psn, self.span - 1)


@dataclass(frozen=True, slots=True)
class Expected:
    """What a packet of a message has to carry; ``payloads`` are the allowed ones."""

    opcode: int
    length: int
    payloads: tuple[bytes, ...]
    inline: bool
    reth: Reth | None
    immediate: int | None
    key: int | None
    last: bool


def expect(ctx: Context, message: Message, part: Segment, again: bool = False) -> Expected:
    """Derive the content of packet ``part`` of ``message`` from the WQE and host memory.

    ``again``: it was sent before.
    """
    verb = message.verb
    inline = verb.is_send and 0 < message.length <= INLINE_LIMIT
    if part.length == 0 or verb is Verb.READ:
        payloads: tuple[bytes, ...] = (b"",)
    else:
        stored = ctx.memory.read(message.laddr + part.offset, part.length)
        payloads = (stored,)
        if inline:
            given = message.inline[: message.length]
            payloads = {"on": (given,), "off": (stored,)}.get(str(ctx.knobs["INLINE_SEND"]), (given, stored))
        copy = message.copies.get(part.offset) if again else None
        if copy is not None:
            payloads = ctx.retries.resend(copy, stored)
    addressed = part.first and (verb.is_write or verb is Verb.READ)
    return Expected(
        part.opcode,
        part.length,
        payloads,
        inline,
        Reth(message.roffset, message.rtag, message.length) if addressed else None,
        message.immediate if part.last and verb.has_immediate else None,
        message.immediate if part.last and verb.has_invalidate else None,
        part.last and verb is not Verb.READ,
    )


def judge(
    ctx: Context,
    scope: Scope,
    conn: QpConfig,
    frame: Frame,
    message: Message,
    part: Segment,
    again: bool,
    overtakes: Callable[[], bool],
) -> None:
    """Judge a request packet; ``again``: it was sent before; ``overtakes()``: it begins a later message."""
    bth, rules = frame.bth, ctx.rules
    assert bth is not None
    expected = expect(ctx, message, part, again)
    before = rules.findings_total
    word_ok = _word_ok(ctx, scope, frame, expected)
    same = (
        bth.opcode == expected.opcode
        and frame.payload in expected.payloads
        and frame.reth == expected.reth
        and word_ok
    )
    copy = message.copies.get(part.offset)
    if copy is not None and copy != ctx.memory.read(message.laddr + part.offset, part.length):
        why = "payload of a resent WRITE, memory at LADDR changed meanwhile"
        rules.one_of("ERN-090", expected.payloads, frame.payload, why, scope, knob="RETRY_SOURCE")
    elif message.verb.is_write and part.length and not again:
        message.copies[part.offset] = frame.payload
        ctx.retries.take(frame.payload)
    if again:
        rules.eq("ERN-082", True, same, "a resent packet is the original one", scope)
    elif same:
        rules.passed(_rules_met(message, expected), scope)
    elif part.first and overtakes():
        rules.fail("ERN-058", f"message {message.number}", "a later one", "messages leave in SQ order", scope)
    else:
        _take_apart(ctx, scope, frame, message, expected, word_ok)
    if expected.last:
        rules.eq("ERN-070", True, bth.ack_req, "A bit on the last or only packet", scope, knob="M_RULES")
    rules.eq("ERN-053", True, frame.icrc_ok, "ICRC over the frame", scope)
    check_headers(rules, conn, frame, REQUEST, scope, -part.length % 4)
    if rules.findings_total != before:
        head = Bth(part.opcode, conn.dest_qp, bth.psn, conn.pkey)
        content = {"reth": expected.reth, "immdt": expected.immediate, "ieth": expected.key}
        rules.explain(
            before, packet_diff(conn, rules.knobs, frame, head, payload=expected.payloads[0], **content)
        )


def _word_ok(ctx: Context, scope: Scope, frame: Frame, expected: Expected) -> bool:
    """Judge the byte order of the IMMDT word, a rule of its own; returns whether its value is right."""
    wanted, seen = (expected.immediate, expected.key), (frame.immdt, frame.ieth)
    swapped = (_swapped(expected.immediate), _swapped(expected.key))
    if seen not in (wanted, swapped):
        return False
    if wanted != (None, None):
        why = "IMMDT of the WQE, most significant byte first"
        telling = wanted != swapped
        ctx.rules.eq("ERN-052/order", wanted, seen, why, scope, knob="M_RULES", sure=telling)
    return True


def _swapped(word: int | None) -> int | None:
    return None if word is None else int.from_bytes(word.to_bytes(4, "big"), "little")


def _rules_met(message: Message, expected: Expected) -> tuple[str, ...]:
    """Return the rules a fresh and perfect packet is evidence for."""
    met: tuple[str, ...] = ("ERN-047", "ERN-058", "ERN-059")
    if expected.length:
        met += ("ERN-055",) if expected.inline else ("ERN-054",)
    elif message.length == 0:
        met += ("ERN-060",)
    if message.verb.is_write:
        met += ("ERN-051",)
    if expected.immediate is not None or expected.key is not None:
        met += ("ERN-052/value",)
    return met


def _take_apart(
    ctx: Context, scope: Scope, frame: Frame, message: Message, expected: Expected, word_ok: bool
) -> None:
    """Name the rules a fresh packet breaks."""
    rules, bth = ctx.rules, frame.bth
    assert bth is not None
    seen, wanted = opcodes.INFO.get(bth.opcode), opcodes.INFO[expected.opcode]
    recut = len(frame.payload) != expected.length
    if (
        message.sent >= LONG - 1
        and len(message.segments) > LONG
        and seen is not None
        and seen.last != wanted.last
    ):
        rules.fail("ERN-061", wanted.name, seen.name, f"message of {len(message.segments)} packets", scope)
    elif recut and frame.payload and seen is not None and seen.kind == wanted.kind and seen is not wanted:
        rules.fail("ERN-059", wanted.name, seen.name, "message cut at the PMTU", scope)
    else:
        rules.eq(
            "ERN-047", wanted.name, opcodes.name_of(bth.opcode), f"packet of a {message.verb.value}", scope
        )
    empty = "ERN-060" if message.length == 0 or not frame.payload else "ERN-059"
    rules.eq(empty, expected.length, len(frame.payload), f"payload of {message.length} bytes in all", scope)
    rules.eq("ERN-051", expected.reth, frame.reth, "RETH on the first or only WRITE packet", scope)
    if not word_ok:
        words = (expected.immediate, expected.key)
        rules.fail("ERN-052/value", words, (frame.immdt, frame.ieth), "IMMDT of the WQE", scope)
    source = "ERN-055" if expected.inline else "ERN-054"
    where = "the WQE" if expected.inline else f"LADDR {message.laddr:#x}"
    rules.one_of(source, expected.payloads, frame.payload, f"payload from {where}", scope)
