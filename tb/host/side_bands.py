"""Doorbells of queue pairs in handshake mode, as user logic beside the device rings them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from ref_model.errors import UserError

Send = Callable[[int, int], Awaitable[None]]
"""Offers (address, value) on one side band and returns when the device took it."""


class SideBands:
    """The inbound side bands by the register they write.

    ``base`` is added to the register's address: the device decodes the low bits, so a system address is as
    good as a bare offset.
    """

    def __init__(self, ports: Mapping[str, Send]) -> None:
        """``ports``: what offers a write of SQPI and of RQCI."""
        self._ports = ports
        self.base = 0

    async def ring(self, name: str, address: int, value: int) -> None:
        """Offer ``value`` (16 bits) for register ``name`` at ``address``; UserError for other registers."""
        if name not in self._ports:
            raise UserError(f"no side band writes {name}; allowed: {', '.join(self._ports)}")
        await self._ports[name](self.base + address, value)
