"""Pause requests, frames that are not RoCE, and counting what leaves the device."""

from __future__ import annotations

import random
from collections.abc import Callable

from ref_model.events import FrameOut
from tb.sequences.connect import Bench

PATIENCE_PS = 900_000_000
"""Longer than LIVENESS_CLKS: when something is held back wrongly, the model speaks first."""

KINDS = (b"\x08\x06", b"\x08\x00", b"\x86\xdd", b"\x88\xcc")
TAGS = (b"", b"\x81\x00\x00\x05", b"\x88\xa8\x00\x01\x81\x00\x20\x02")


def pause_conf(
    roce: int | None = None, other: int | None = None, any_priority: bool = False, idle: int = 8
) -> int:
    """Value of XRNIC_PAUSE_CONF: priorities of the enabled classes; a disabled one has priority ``idle``."""
    first, second = (idle if line is None else line for line in (roce, other))
    enables = int(roce is not None) | int(other is not None) << 1
    return enables | first << 4 | second << 8 | int(any_priority) << 13


async def set_pause(
    bench: Bench, roce: int | None = None, other: int | None = None, any_priority: bool = False
) -> None:
    """Program the pause classes; the idle levels of the thresholds stay."""
    await bench.host.write("XRNIC_PAUSE_CONF", pause_conf(roce, other, any_priority))


def other_frame(rng: random.Random, length: int, tags: bytes = b"") -> bytes:
    """A frame that is not RoCE, ``length`` bytes with its tags."""
    head = rng.randbytes(12) + tags + rng.choice(KINDS)
    return head + rng.randbytes(length - len(head))


def look_alike(rng: random.Random, length: int) -> bytes:
    """An IPv4 UDP frame to port 4791 whose content is no RoCE packet."""
    head = rng.randbytes(12) + b"\x08\x00\x45\x00" + (length - 14).to_bytes(2, "big") + bytes(5) + b"\x11"
    ports = rng.randbytes(2) + (4791).to_bytes(2, "big")
    return head + bytes(2) + rng.randbytes(8) + ports + rng.randbytes(length - len(head) - 14)


def host_frames(bench: Bench, count: int, length: int = 300) -> None:
    """Queue frames of the host to be sent."""
    for _ in range(count):
        bench.env.host_stream.send_nowait(other_frame(bench.rng, length))


class Outlet:
    """Counts the frames that leave an output, by whether ``select`` takes them."""

    def __init__(
        self, bench: Bench, mac: str = "mac", select: Callable[[bytes], bool] = lambda data: True
    ) -> None:
        """Listen to ``mac`` of the environment from now on."""
        self._bench = bench
        self._select = select
        self.count = 0
        getattr(bench.env, mac).on_frame_out.append(self._take)

    def _take(self, event: FrameOut) -> None:
        self.count += self._select(event.data)

    async def wait(self, more: int) -> None:
        """Wait until ``more`` frames have left since now; TimeoutError after PATIENCE_PS."""
        wanted = self.count + more

        async def done() -> bool:
            return self.count >= wanted

        await self._bench.host.wait_until(done, f"{more} frames", PATIENCE_PS)


def is_roce(data: bytes) -> bool:
    """Whether a frame on the MAC output has the UDP port of RoCE (untagged, as the device sends them)."""
    offset = {b"\x08\x00": 36, b"\x86\xdd": 56}.get(data[12:14])
    return offset is not None and data[offset : offset + 2] == b"\x12\xb7"


async def until_requested(bench: Bench, up: bool, limit_ps: int = PATIENCE_PS) -> None:
    """Wait until the device requests a pause of any priority (``up``) or of none."""

    async def done() -> bool:
        return bool(bench.env.pause.monitor.requests) == up

    await bench.host.wait_until(done, f"pause request {'up' if up else 'down'}", limit_ps)
