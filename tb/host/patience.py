"""Waiting, as all hosts do it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import ClassVar

US = 1_000_000
"""Picoseconds in a microsecond."""


class Patient:
    """A host that lets simulated time pass; ``sleep(ps)`` suspends the caller for that long.

    ``POLL_PS`` and ``LONGEST_POLL_PS`` bound the pause between two looks of a waiting call, ``LIMIT_PS`` is
    how long it waits unless told otherwise; all in picoseconds.
    """

    POLL_PS: ClassVar[int]
    LONGEST_POLL_PS: ClassVar[int]
    LIMIT_PS: ClassVar[int]

    def __init__(self, sleep: Callable[[int], Awaitable[None]]) -> None:
        self._sleep = sleep

    async def pause_ps(self, picoseconds: int) -> None:
        """Let simulated time pass."""
        await self._sleep(picoseconds)

    async def pause(self, microseconds: float) -> None:
        """Let simulated time pass."""
        await self._sleep(round(microseconds * US))

    async def wait_until(
        self, look: Callable[[], Awaitable[bool]], what: str, limit_ps: int | None = None
    ) -> None:
        """Look again and again until true, less often the longer it takes.

        Raises:
            TimeoutError: still false after ``limit_ps`` picoseconds.
        """
        limit = self.LIMIT_PS if limit_ps is None else limit_ps
        waited = 0
        while not await look():
            if waited >= limit:
                raise TimeoutError(f"{what} did not happen within {limit // US} us")
            pause = max(self.POLL_PS, min(waited // 8, self.LONGEST_POLL_PS))
            await self._sleep(pause)
            waited += pause
