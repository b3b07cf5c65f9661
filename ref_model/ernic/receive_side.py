"""What the judges of the receive side of one QP share."""

from __future__ import annotations

from dataclasses import dataclass

from ref_model.ernic.acknowledgements import Acknowledgements
from ref_model.ernic.read_answers import ReadAnswers
from ref_model.ernic.receive_queue import ReceiveQueue
from ref_model.ernic.received import Received
from ref_model.ernic.shared import Shared
from ref_model.rules import Scope


@dataclass(frozen=True, slots=True)
class ReceiveSide:
    """State of the receive side of QP ``number`` and what it belongs to."""

    shared: Shared
    scope: Scope
    number: int
    queue: ReceiveQueue
    received: Received
    acks: Acknowledgements
    reads: ReadAnswers
