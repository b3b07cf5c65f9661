"""The verbs-like interface every RoCE target offers to tests.

A transport test written against ``Host`` runs on any target that implements it; what is special to one
target (its registers, rings and doorbells) stays below. All calls that reach the device are coroutines.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

from ref_model.rocev2.segment import Verb


class Access(IntEnum):
    """What a remote peer may do with a memory region (ERNIC coding of ACCESSDESC[3:0])."""

    READ = 0
    WRITE = 1
    BOTH = 2


@dataclass(slots=True)
class WorkRequest:
    """One message to send or to fetch.

    ``payload`` is placed in host memory by the host: at ``laddr`` if given, else in a fresh buffer whose
    address is ``align_offset`` modulo 64. ``va`` and ``rkey`` (WRITE, READ) name remote memory. A READ has
    no payload but a ``length``: so many bytes of the buffer are poisoned and then fetched. ``value`` is the
    32-bit immediate or the key to invalidate. ``wrid`` (16 bits) comes back in the completion; None lets the
    host number them. ``opcode`` overrides the code of the verb (illegal ones included), ``sdata`` the inline
    copy of up to 16 bytes.
    """

    verb: Verb
    payload: bytes = b""
    va: int = 0
    rkey: int = 0
    value: int = 0
    wrid: int | None = None
    laddr: int | None = None
    align_offset: int = 0
    opcode: int | None = None
    sdata: bytes | None = None
    length: int = 0


@dataclass(frozen=True, slots=True)
class WorkCompletion:
    """End of one work request as the host sees it."""

    wrid: int
    opcode: int
    error: bool


@dataclass(frozen=True, slots=True)
class ReceiveSlot:
    """A receive ring element that was filled: running number since creation, address, size in bytes."""

    number: int
    addr: int
    size: int


@dataclass(slots=True)
class Mr:
    """A registered memory region: table ``row``, 32-bit ``rkey``, remote ``va``, host ``addr``, bytes."""

    row: int
    rkey: int
    va: int
    addr: int
    length: int
    pd: int
    access: int


COMPLETIONS_KEPT = 4096


@dataclass(slots=True)
class Qp:
    """A created queue pair; ``config`` is the target's configuration object.

    ``under_way`` holds (WRID, opcode) of what is posted and not yet seen as completed, ``completions`` the
    last ones seen. ``rq_shift`` is the ring slot of the first received message.
    """

    number: int
    config: Any
    posted: int = 0
    completed: int = 0
    received: int = 0
    freed: int = 0
    rq_shift: int = 0
    under_way: deque[tuple[int, int]] = field(default_factory=deque)
    completions: deque[WorkCompletion] = field(default_factory=lambda: deque(maxlen=COMPLETIONS_KEPT))

    @property
    def in_flight(self) -> int:
        """Work requests posted and not yet seen as completed."""
        return self.posted - self.completed


class Host(ABC):
    """Driver side of a RoCE device."""

    @abstractmethod
    async def open(self) -> None:
        """Bring the device up (global configuration, enable)."""

    @abstractmethod
    async def create_qp(self, config: Any) -> Qp:
        """Create and enable a queue pair."""

    @abstractmethod
    async def destroy_qp(self, qp: Qp) -> None:
        """Delete an idle queue pair."""

    @abstractmethod
    async def register_mr(self, pd: int, length: int, **options: Any) -> Mr:
        """Make a memory region known to the device."""

    @abstractmethod
    async def deregister_mr(self, mr: Mr) -> None:
        """Withdraw a memory region."""

    @abstractmethod
    async def post_send(self, qp: Qp, *requests: WorkRequest) -> list[int]:
        """Post requests with one doorbell; returns their WRIDs. Waits for room in the queue."""

    @abstractmethod
    async def poll_cq(self, qp: Qp) -> list[WorkCompletion]:
        """Completions that are new since the last call, without waiting."""

    @abstractmethod
    async def poll_recv(self, qp: Qp) -> list[ReceiveSlot]:
        """Receive elements filled since the last call, without waiting."""

    @abstractmethod
    async def free_recv(self, qp: Qp, count: int) -> None:
        """Give the oldest ``count`` used receive elements back to the device."""
