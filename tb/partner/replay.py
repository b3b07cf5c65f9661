"""Playing a captured trace into the DUT, optionally rewritten to match its configuration."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from ref_model.rocev2.psn import psn_add, psn_diff
from ref_model.wire import INFO, Frame, IPv4, IPv6, ParseError, build, parse, recompute

REQUEST_KINDS = ("send", "write", "read_req", "atomic")


@dataclass(frozen=True, slots=True)
class ReplayTarget:
    """Where a captured flow goes: DUT queue pair, addresses of both ends, expected PSN, P_Key."""

    qp: int
    mac: int
    ip: int
    peer_mac: int
    peer_ip: int
    expected_psn: int
    pkey: int = 0xFFFF


@dataclass(frozen=True, slots=True)
class ReplayFrame:
    """One frame to play: picoseconds after the start, whole bytes, whether it is RoCE."""

    offset_ps: int
    data: bytes
    roce: bool


@dataclass(slots=True)
class Rewriter:
    """Maps captured RoCE flows to targets, in order of first appearance, and renumbers their PSNs.

    A flow is a (destination address, destination queue pair) pair seen in request frames. Only requests of
    mapped flows are played; responses, other RoCE frames and flows beyond the list of targets are counted in
    ``left_out``. Key and address of a WRITE stay as captured unless ``rkey`` and ``va`` say otherwise.
    """

    targets: list[ReplayTarget]
    rkey: int | None = None
    va: int | None = None
    left_out: int = 0
    _flows: dict[tuple[int, int], tuple[ReplayTarget, int]] = field(default_factory=dict)
    _bases: dict[tuple[int, int], int] = field(default_factory=dict)

    def rewrite(self, frame: Frame) -> Frame | None:
        """The frame for the DUT with all check sums computed anew, None when it is not to be played."""
        bth, ip = frame.bth, frame.ip
        info = INFO.get(bth.opcode) if bth is not None else None
        if bth is None or ip is None or info is None or info.kind not in REQUEST_KINDS:
            self.left_out += 1
            return None
        key = (ip.dst, bth.dest_qp)
        if key not in self._flows:
            if len(self._flows) == len(self.targets):
                self.left_out += 1
                return None
            self._flows[key] = (self.targets[len(self._flows)], bth.psn)
        target, first_psn = self._flows[key]
        changed = recompute(frame)
        assert changed.bth is not None and isinstance(changed.ip, (IPv4, IPv6))
        changed.eth.dst, changed.eth.src = target.mac, target.peer_mac
        changed.ip.dst, changed.ip.src = target.ip, target.peer_ip
        changed.bth.dest_qp = target.qp
        changed.bth.pkey = target.pkey
        changed.bth.psn = psn_add(target.expected_psn, psn_diff(bth.psn, first_psn))
        if changed.reth is not None:
            if self.va is not None:
                base = self._bases.setdefault(key, changed.reth.va)
                changed.reth.va = self.va + changed.reth.va - base
            if self.rkey is not None:
                changed.reth.rkey = self.rkey
        return changed


def plan(
    capture: Iterable[tuple[int, bytes]], speed: float | None = 1.0, rewriter: Rewriter | None = None
) -> Iterator[ReplayFrame]:
    """Frames of ``capture`` (time in ps, bytes) with the offsets to play them at.

    ``speed`` 1.0 keeps the spacing, 2.0 halves it, None plays without gaps. Unreadable RoCE frames are
    played as captured, they test the DUT's drop rules.
    """
    start: int | None = None
    for time, data in capture:
        start = time if start is None else start
        offset = 0 if speed is None else int((time - start) / speed)
        try:
            frame = parse(data)
        except ParseError:
            yield ReplayFrame(offset, data, True)
            continue
        if frame.bth is None:
            yield ReplayFrame(offset, data, False)
        elif rewriter is None:
            yield ReplayFrame(offset, data, True)
        else:
            changed = rewriter.rewrite(frame)
            if changed is not None:
                yield ReplayFrame(offset, build(changed), True)
