"""Frames that software sends through QP1: whole frames from memory, to which the DUT adds the ICRC.

No acknowledgement exists for them. A WQE may complete once its payload was read (its buffer is free then)
and has to complete once its frame has left.
"""

from __future__ import annotations

from ref_model.ernic.completion import Completion
from ref_model.ernic.config import Device, QpConfig
from ref_model.ernic.management import ICRC_BYTES, QP1
from ref_model.ernic.requester import Requester
from ref_model.ernic.send_duty import SendDuty
from ref_model.ernic.work_entries import WorkEntry
from ref_model.events import MemRead
from ref_model.wire import INFO, Frame, ParseError, icrc_of, opcodes, parse_shared

#: Leading bytes of a frame that tell it from all others: Ethernet, IP and transport header.
TELLING_BYTES = 54


class ManagementDuty(SendDuty):
    """The frame that QP1 must send next."""

    @property
    def due(self) -> bool:
        """Whether the DUT owes the next frame of QP1 now."""
        return self._duty is not None and self._duty.open

    def arm(self, conn: QpConfig, device: Device) -> None:
        """Owe the frame of the next posted WQE."""
        window = self._window
        off = window.fatal or not (conn.enabled and device.enabled) or conn.recovery
        if off or window.sq.count <= window.started:
            self._ctx.deadlines.void(self._duty)
            return
        if self._duty is None or not self._duty.open:
            expected, why = f"the frame of QP1 WQE {window.started}", "a SEND is posted on QP1"
            self._duty = self._ctx.deadlines.must("ERN-193", expected, why, self._scope, self._ctx.liveness())


class ManagementRequester(Requester):
    """Judge of the send side of QP1; of the RC machinery only the send queue is in use."""

    duty_kind = ManagementDuty
    #: WQEs that may have completed although their frames have not been seen leaving yet.
    _ahead = 0
    _unread: tuple[int, set[int]] | None = None

    def stored(self, conn: QpConfig) -> bytes:
        """Return the frame the next WQE asks for, without ICRC; empty if no WQE was fetched."""
        entry = self._entry(self.window.started, conn)
        return b"" if entry is None else self._ctx.memory.read(entry.laddr, entry.length)

    def _entry(self, number: int, conn: QpConfig) -> WorkEntry | None:
        if number >= self.window.sq.count or not conn.sq_depth:
            return None
        return self.window.entries.get(number % conn.sq_depth)

    def claims(self, data: bytes, conn: QpConfig) -> bool:
        """Return whether a frame of the DUT came through QP1: no data QP sends such a frame."""
        stored = self.stored(conn)
        if stored and data[:TELLING_BYTES] == stored[:TELLING_BYTES]:
            return True
        frame = _readable(data)
        info = None if frame.bth is None else INFO.get(frame.bth.opcode)
        if info is None:
            return False
        if info.kind == "cnp":
            return _opcode(stored) == opcodes.CNP
        return info.kind == "ud" or bool(stored and frame.payload == stored)

    def sent(self, data: bytes, conn: QpConfig, device: Device, begin: int) -> Frame:
        """Judge a frame that came through QP1 and return it as far as it can be read."""
        rules, scope = self._ctx.rules, self._scope
        frame = _readable(data)
        scope.note(begin, "out", frame)
        entry = self._entry(self.window.started, conn)
        if not conn.enabled or conn.recovery:
            why = "QP disabled or under recovery"
            rules.fail("ERN-067/silence", "silence", "a QP1 frame", why, scope)
            return frame
        if entry is None or self.window.fatal:
            rules.fail("ERN-193", "no frame", data, "no fetched WQE of QP1 waits to be sent", scope)
            return frame
        stored = self.stored(conn)
        try:
            check = icrc_of(stored).to_bytes(ICRC_BYTES, "little")
        except ParseError:
            check = data[len(stored) :]  # not a RoCE frame: what its ICRC would be is nowhere said
        rules.eq("ERN-193", stored, data[: len(stored)], "the frame as it lies in memory", scope)
        behind = data[len(stored) :]
        rules.eq("ERN-193", ICRC_BYTES, len(behind), "the ICRC and nothing else is added", scope)
        rules.eq("ERN-053", check, behind, "ICRC of a QP1 frame", scope)
        rules.met("ERN-056", "each posted WQE is fetched and started once", scope)
        if self.window.started >= conn.sq_depth:
            rules.met("ERN-057", "the ring continues at slot 0", scope)
        self.duty.met()
        if not self._ahead:
            self._ended(entry, conn)
        self._ahead -= 1
        self.window.started += 1
        self.window.sent_messages += 1
        self._counters.wqe()
        self._counters.management_sent(frame)
        rules.alive((scope.name, "tx"))
        self.duty.arm(conn, device)
        return frame

    def payload_read(self, event: MemRead, conn: QpConfig) -> Frame | None:
        """The DUT read payload: once that of the oldest open WQE was read whole, it may complete.

        Returns the frame of that WQE when its last byte was read (it may have left the DUT's queue soon).
        """
        number = self.window.started + self._ahead
        entry = self._entry(number, conn)
        if entry is None:
            return None
        first, end = entry.laddr, entry.laddr + entry.length
        if self._unread is None or self._unread[0] != number:
            self._unread = number, set(range(first, end))
        read = range(max(event.addr, first), min(event.addr + len(event.data), end))
        unread = self._unread[1]
        unread.difference_update(read)
        if unread or not read:
            return None
        self._ended(entry, conn)
        return _readable(self._ctx.memory.read(first, end - first))

    def _ended(self, entry: WorkEntry, conn: QpConfig) -> None:
        """The oldest open WQE may complete from now on, and has to."""
        self._ahead += 1
        self._cq.complete(Completion(entry.wrid, entry.opcode, False), conn)
        self._counters.completion(QP1, conn)

    def die(self, conn: QpConfig) -> None:
        """QP1 turned fatal: what has not completed yet ends with ERRFLAG."""
        self.window.started += self._ahead
        self._ahead = 0
        super().die(conn)

    def revive(self) -> None:
        """Software re-initialised QP1."""
        super().revive()
        self._ahead = 0
        self._unread = None


def _readable(data: bytes) -> Frame:
    """Return ``data`` as a frame, as far as it can be read (one without ICRC cannot be read whole)."""
    try:
        return parse_shared(data)
    except ParseError as error:
        return error.partial


def _opcode(data: bytes) -> int | None:
    bth = _readable(data).bth if data else None
    return None if bth is None else bth.opcode
