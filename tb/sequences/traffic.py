"""Traffic in the words of the host and of the peer."""

from __future__ import annotations

import random
from collections.abc import Iterable

from ref_model.rocev2.segment import Verb
from tb.host import Mr, WorkRequest
from tb.sequences.connect import Bench, Link

SEND_VERBS = (Verb.SEND, Verb.SEND_IMM, Verb.SEND_INV)
WRITE_VERBS = (Verb.WRITE, Verb.WRITE_IMM)
ALL_VERBS = SEND_VERBS + WRITE_VERBS
READ_TOO = (*ALL_VERBS, Verb.READ)

REMOTE_VA = 0x7F00_1234_5000
"""Remote address used for WRITEs to and READs from the peer (which accepts any)."""

REMOTE_KEY = 0xA5C3_0F17
"""Remote key used for WRITEs and READs; all four bytes differ."""


def length_classes(pmtu: int) -> list[int]:
    """Message lengths around every packet boundary that matters."""
    return [
        1,
        2,
        3,
        4,
        5,
        15,
        16,
        17,
        63,
        64,
        65,
        pmtu - 1,
        pmtu,
        pmtu + 1,
        2 * pmtu,
        2 * pmtu + 1,
        3 * pmtu - 3,
    ]


def request(rng: random.Random, verb: Verb, length: int, align_offset: int = 0) -> WorkRequest:
    """A work request with random payload and value; of a READ, the bytes to fetch."""
    if verb is Verb.READ:
        va = REMOTE_VA + rng.randrange(1 << 20)
        return WorkRequest(verb, va=va, rkey=REMOTE_KEY, align_offset=align_offset, length=length)
    return WorkRequest(
        verb,
        rng.randbytes(length),
        va=REMOTE_VA + rng.randrange(1 << 20) if verb.is_write else 0,
        rkey=REMOTE_KEY if verb.is_write else 0,
        value=rng.randrange(1 << 32) if verb.has_immediate or verb.has_invalidate else 0,
        align_offset=align_offset,
    )


async def post_all(
    bench: Bench, link: Link, requests: Iterable[WorkRequest], one_doorbell: bool = False
) -> None:
    """Post requests, each with its own doorbell unless told otherwise, and wait for all completions."""
    posted = list(requests)
    if one_doorbell:
        await bench.host.post_send(link.qp, *posted)
    else:
        for entry in posted:
            await bench.host.post_send(link.qp, entry)
    await bench.host.wait_completions(link.qp)


def peer_post(
    link: Link, rng: random.Random, verb: Verb, length: int, mr: Mr | None = None, offset: int = 0
) -> None:
    """Queue one message at the peer; WRITEs and READs go to ``offset`` in region ``mr``
    (``bench.partner.service`` starts it).
    """
    if verb is Verb.READ:
        assert mr is not None
        link.peer.post_read(mr.va + offset, mr.rkey, length)
        return
    payload = rng.randbytes(length)
    value = rng.randrange(1 << 32)
    if verb.is_write:
        assert mr is not None
        link.peer.post_write(mr.va + offset, mr.rkey, payload, value if verb is Verb.WRITE_IMM else None)
    elif verb is Verb.SEND_IMM:
        link.peer.post_send(payload, imm=value)
    elif verb is Verb.SEND_INV:
        link.peer.post_send(payload, inv=value)
    else:
        link.peer.post_send(payload)


async def consume(bench: Bench, links: Iterable[Link], rng: random.Random, busy: float = 0.3) -> None:
    """Endlessly look for received messages and free their elements, now and then late (start it as a task).

    A ring index cannot tell a whole new lap from nothing new, so somebody has to look often enough. ``busy``
    is the probability that a look frees nothing.
    """
    watched = list(links)
    while True:
        for link in watched:
            await bench.host.poll_recv(link.qp)
            used = link.qp.received - link.qp.freed
            if used and rng.random() >= busy:
                await bench.host.free_recv(link.qp, used)
        await bench.host.pause(0.25)


async def peer_done(bench: Bench, link: Link, limit_ps: int = 300_000_000) -> None:
    """Start what is queued at the peer and wait until it is acknowledged, freeing receive elements
    meanwhile.
    """
    bench.partner.service()

    async def done() -> bool:
        await bench.host.poll_recv(link.qp)
        used = link.qp.received - link.qp.freed
        if used:
            await bench.host.free_recv(link.qp, used)
        return link.peer.requester.idle or link.peer.failed

    await bench.host.wait_until(done, f"peer of QP {link.number} finished", limit_ps)
