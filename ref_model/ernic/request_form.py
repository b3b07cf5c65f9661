"""Whether a request packet continues the message it belongs to, in kind and size (ERN-128, ERN-130)."""

from __future__ import annotations

from ref_model.ernic.config import QpConfig
from ref_model.ernic.received import Progress
from ref_model.wire import Frame, OpInfo

#: Requests that bring payload.
SUPPORTED = frozenset({"send", "write"})


def in_sequence(info: OpInfo | None, progress: Progress | None) -> bool:
    """Return whether a packet may follow what is in ``progress``."""
    if info is None or info.kind not in SUPPORTED:
        return progress is None
    if progress is None:
        return info.first
    return not info.first and info.kind == progress.kind


def length_defect(frame: Frame, info: OpInfo, progress: Progress | None, conn: QpConfig) -> str:
    """Return what is wrong with the size of a SEND or WRITE packet, or an empty string."""
    size = len(frame.payload)
    if not info.last and size != conn.pmtu:
        return f"first or middle packet with {size} bytes, PMTU {conn.pmtu}"
    if size > conn.pmtu:
        return f"packet with {size} bytes, PMTU {conn.pmtu}"
    if info.last and not info.first and size == 0:
        return "empty last packet"
    if info.kind == "write":
        total = progress.total if progress is not None else None
        if frame.reth is not None:
            total = frame.reth.length
        so_far = size + (progress.offset if progress is not None else 0)
        if total is not None and ((info.last and so_far != total) or (not info.last and so_far >= total)):
            return f"{so_far} bytes at this point, RETH length {total}"
    return ""
