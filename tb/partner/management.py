"""Management datagrams and congestion notification packets at the link partner: no RC endpoint has them."""

from __future__ import annotations

from collections import Counter

from ref_model.wire import INFO, Frame

MANAGEMENT_QP = 1
"""Queue pair number of management datagrams on either side."""

GENERAL_QKEY = 0x8001_0000
"""Q_Key of management datagrams."""


class ManagementPort:
    """What the DUT sent outside connections: ``datagrams``, and ``notifications`` (CNPs) by DestQP."""

    def __init__(self) -> None:
        """Nothing was received yet."""
        self.datagrams: list[Frame] = []
        self.notifications: Counter[int] = Counter()

    def take(self, frame: Frame) -> bool:
        """Keep ``frame`` if it is a datagram or a CNP; returns whether it is."""
        bth = frame.bth
        if bth is None or not is_managed(frame):
            return False
        if INFO[bth.opcode].kind == "cnp":
            self.notifications[bth.dest_qp] += 1
        else:
            self.datagrams.append(frame)
        return True


def is_managed(frame: Frame) -> bool:
    """Return whether ``frame`` is a UD datagram or a CNP."""
    info = None if frame.bth is None else INFO.get(frame.bth.opcode)
    return info is not None and info.kind in ("ud", "cnp")


def managed_problem(qp: int, frame: Frame) -> str | None:
    """Return why no peer may send this datagram or CNP to DUT queue pair ``qp``, or None."""
    bth, deth = frame.bth, frame.deth
    assert bth is not None
    if frame.icrc_ok is False or frame.ip_checksum_ok is False:
        return "wrong check sum"
    if bth.dest_qp != qp:
        return f"meant for QP {bth.dest_qp:#x}"
    if INFO[bth.opcode].kind == "cnp":
        return "CNP with payload" if frame.payload or any(frame.cnp_reserved or b"") else None
    if qp != MANAGEMENT_QP or deth is None:
        return "datagram outside QP1"
    return None if deth.qkey == GENERAL_QKEY else f"datagram with Q_Key {deth.qkey:#x}"
