"""Client of a packet port without READY: a packet may start only while the client holds a token of its type.

Sits on the FrameAgent of the port; ``returned`` takes the events of the token port, whose first word has a
bit per kind. Packets wait for tokens in the order in which they were asked for, by kind; ``credit=False``
sends without one, which a right client never does.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping

from cocotb.triggers import Event

from ref_model.errors import UserError
from ref_model.events import SideBand
from tb.agents.mac import FrameAgent
from tb.agents.pins import TransferAborted


class TokenClient:
    """Keeps the tokens of each kind; ``kinds``: token bit -> tokens after reset."""

    def __init__(self, agent: FrameAgent, kinds: Mapping[int, int]) -> None:
        self._agent = agent
        self._initial = dict(kinds)
        self._waiting: dict[int, deque[tuple[Event, list[bool]]]] = {kind: deque() for kind in kinds}
        self.tokens = dict(kinds)

    def reset(self) -> None:
        """The DUT was reset: all tokens are back, packets that waited for one are dropped."""
        self.tokens = dict(self._initial)
        for queue in self._waiting.values():
            while queue:
                queue.popleft()[0].set()

    @property
    def idle(self) -> bool:
        """Whether no packet waits for a token or is under way into the DUT."""
        return self._agent.input_idle and not any(self._waiting.values())

    def returned(self, pulse: SideBand) -> None:
        """A pulse of the token port; a bit per kind."""
        for kind, queue in self._waiting.items():
            if not pulse.values[0] & kind:
                continue
            if queue:
                woken, granted = queue.popleft()
                granted[0] = True
                woken.set()
            else:
                self.tokens[kind] += 1

    async def send(self, kind: int, data: bytes, user: tuple[int, ...], credit: bool = True) -> None:
        """Queue a packet once there is a token for it; returns when it is queued.

        Raises:
            UserError: no such kind.
            TransferAborted: a reset came before the token.
        """
        if kind not in self.tokens:
            raise UserError(f"token kind {kind}, allowed are {', '.join(map(str, self.tokens))}")
        if credit:
            await self._take(kind)
        self._agent.send_nowait(data, user=user)

    async def _take(self, kind: int) -> None:
        if self.tokens[kind] > 0:
            self.tokens[kind] -= 1
            return
        waiter: tuple[Event, list[bool]] = (Event(), [False])
        self._waiting[kind].append(waiter)
        await waiter[0].wait()
        if not waiter[1][0]:
            raise TransferAborted("a reset came before the token of a packet")
