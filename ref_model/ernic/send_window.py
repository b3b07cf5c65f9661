"""The work of one QP as it shows: posted, started, sent and not acknowledged yet.

``next_psn`` is the number of the next new packet, ``cursor`` the one due now (lower while the DUT resends),
``una`` the oldest one not acknowledged.
"""

from __future__ import annotations

from collections import deque

from ref_model.ernic.config import QpConfig
from ref_model.ernic.packet import Message
from ref_model.ernic.rings import RingIndex
from ref_model.ernic.work_entries import WorkEntries
from ref_model.rocev2.psn import psn_add, psn_diff
from ref_model.rocev2.segment import Verb
from ref_model.spans import Spans
from ref_model.wire import Frame, Reth


class SendWindow:
    """Send queue entries and packets between posting and acknowledgement."""

    def __init__(self, sources: Spans) -> None:
        """Start without entries, PSN 0; ``sources`` gets the payloads of entries that were fetched."""
        self.sq = RingIndex()
        self.entries = WorkEntries(sources)
        self.started = 0
        self.sent_messages = 0
        self.next_psn = self.cursor = self.una = 0
        self.messages: deque[Message] = deque()
        self.current: Message | None = None
        self.fatal = False
        self.reads = 0  # READs among the messages
        self.gone: deque[Message] = deque(maxlen=8)  # READs that completed
        self.after_read = False  # the last new message was a READ
        self.empty: int | None = None  # PSN of the last message, if it has no payload
        self.acked_beyond: int | None = None  # PSN of an ACK for what follows a READ without its data
        self.implied = 0  # PSN up to which READ responses acknowledged
        self.late: int | None = None  # PSN of an ACK that may have come before the fatal state

    def revive(self, ended: int) -> None:
        """Software re-initialised the QP, of which ``ended`` WQEs are over; it presets the PSN separately."""
        self.fatal = False
        self.started = self.sq.count = ended
        self.gone.clear()
        self.acked_beyond = None
        self.after_read = False
        self.entries.clear()

    def clear(self) -> None:
        """The QP is fatal: nothing waits for an acknowledgement any more."""
        self.reads = 0
        self.acked_beyond = None
        self.messages.clear()
        self.current = None
        self.late = None

    def abandon(self) -> None:
        """The model lets go of the QP: nothing waits any more."""
        self.una = self.next_psn
        self.entries.clear()

    def preset_psn(self, psn: int) -> None:
        """SQPSN was written on an idle QP."""
        if not self.messages:
            self.next_psn = self.cursor = self.una = psn

    # -- what there is ----------------------------------------------------------------------------

    @property
    def idle(self) -> bool:
        """Return whether nothing is posted or outstanding."""
        return not self.messages and self.started >= self.sq.count

    def illegal_entry(self, conn: QpConfig) -> bool:
        """Return whether the next WQE to start was fetched and has a reserved opcode."""
        if self.started >= self.sq.count or self.current is not None or self.fatal or not conn.sq_depth:
            return False
        entry = self.entries.get(self.started % conn.sq_depth)
        return entry is not None and Verb.from_wqe_opcode(entry.opcode) is None

    def outstanding(self, psn: int) -> bool:
        """Return whether the packet with ``psn`` was sent and is not acknowledged."""
        return psn_diff(psn, self.una) >= 0 and psn_diff(psn, self.next_psn) < 0

    def find(self, psn: int) -> tuple[Message, int] | None:
        """Return the message of the packet with ``psn``, and the place of the packet in it."""
        for message in self.messages:
            index = psn_diff(psn, message.first_psn)
            if 0 <= index < message.span:
                return message, index
        return None

    def known_to(self) -> int:
        """Return the PSN up to which the DUT may take everything as acknowledged."""
        beyond = self.acked_beyond
        if beyond is None or not self.outstanding(beyond):
            return self.una
        return psn_add(beyond, 1)

    # -- READs ------------------------------------------------------------------------------------

    def limit_of_data(self, upto: int, at_best: bool = False) -> int:
        """Return ``upto`` or the PSN of the oldest READ response that is missing before it.

        ``at_best``: the DUT took every response that it was free to take.
        """
        for message in self.messages:
            fetch = message.fetch
            if fetch is None or not message.sent:
                continue
            have = max(fetch.received, fetch.maybe) if at_best else fetch.received
            if have < fetch.span:
                missing = psn_add(message.first_psn, have)
                return missing if psn_diff(upto, missing) > 0 else upto
        return upto

    def is_read(self, psn: int) -> bool:
        """Return whether ``psn`` belongs to a READ."""
        everything = (*self.messages, *self.gone)
        return any(m.fetch is not None and 0 <= psn_diff(psn, m.first_psn) < m.span for m in everything)

    def repeats_read(self, psn: int, reth: Reth | None) -> bool:
        """Return whether a packet with ``psn`` and ``reth`` asks again for a READ that is complete."""
        return any(
            message.fetch is not None
            and 0 <= psn_diff(psn, message.first_psn) < message.span
            and reth == message.fetch.request(psn_diff(psn, message.first_psn))
            for message in self.gone
        )

    def stands_for(self, psn: int, oldest: int) -> bool:
        """Return whether a resend that begins at ``psn`` begins with ``oldest`` or the start of its READ."""
        if psn == oldest:
            return True
        return any(
            message.fetch is not None
            and message.first_psn == psn
            and 0 <= psn_diff(oldest, psn) < message.span
            for message in (*self.messages, *self.gone)
        )

    def inside_last_read(self, psn: int, frame: Frame, restarting: bool) -> bool:
        """Return whether ``psn`` is one of the last READ's though its packet does not ask for the rest.

        ``restarting``: there is a permission to go back.
        """
        if not (self.after_read and self.messages) or self.cursor != self.next_psn:
            return False
        message = self.messages[-1]
        index = psn_diff(psn, message.first_psn)
        fetch = message.fetch
        asked_again = frame.reth is not None and (psn == self.una or restarting)
        inside = fetch is not None and 0 < index < message.span
        return inside and not asked_again and (fetch is None or frame.reth != fetch.request(index))
