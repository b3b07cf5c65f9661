"""Playing a capture file into the running DUT."""

from __future__ import annotations

from pathlib import Path

from tb.partner.replay import Rewriter, plan
from tb.pcap import read_capture
from tb.sequences.connect import Bench


async def play(
    bench: Bench, path: str | Path, speed: float | None = 1.0, rewriter: Rewriter | None = None
) -> int:
    """Send the frames of ``path`` to the DUT, RoCE ones to the RoCE input, others to the other one.

    ``speed`` 1.0 keeps the captured spacing, 2.0 halves it, None sends without gaps. Returns the frames
    sent. Raises UserError for a file that is no readable Ethernet capture.
    """
    played = 0
    elapsed = 0
    for frame in plan(read_capture(path), speed, rewriter):
        if frame.offset_ps > elapsed:
            await bench.host.pause((frame.offset_ps - elapsed) / 1_000_000)
            elapsed = frame.offset_ps
        if frame.roce:
            bench.partner.inject(frame.data)
        else:
            bench.env.other_mac.send_nowait(frame.data)
        played += 1
    return played
