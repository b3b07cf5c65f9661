"""Which rule a completion EQE breaks that no possible state of its CQ permits."""

from __future__ import annotations

from ref_model.hermon_cq.cq import Cq
from ref_model.hermon_cq.ports import ANY, SOLICITED
from ref_model.hermon_cq.shared import Context


def unexpected_event(ctx: Context, cq: Cq) -> tuple[str, str, str]:
    """Rule, what was expected and why; ``cq`` had no event to send."""
    arm, counted = cq.arm, cq.arm.counted
    if cq.pi > counted.pi and any(state.armed for state in arm.states):
        return "HCQ-105", "an EQE behind the write response of its CQE", "the response is outstanding"
    armed = [state.armed for state in arm.states if state.armed is not None]
    if not armed:
        return _none_waits(cq)
    if cq.error_answer:
        return "HCQ-078", "no completion event", "the CQE had an error response"
    low = min(state.low for state in arm.states)
    request = armed[0]
    if request.kind not in (ANY, SOLICITED):
        why = f"CQE {request.target & 0xFFFFFF:#x} is not written"
        return "HCQ-049/waits", "no event yet", why
    newest = counted.pi
    if request.kind == SOLICITED:
        newest = -1 if counted.solicited is None else counted.solicited + 1
        if newest <= request.target:
            since = any(counted.pi > entry.since for entry in armed)  # in one order at least
            why = "no solicited CQE is there"
            return ("HCQ-047/plain" if since else "HCQ-048/plain"), "no event yet", why
    if newest <= request.target:
        # By an older counter, of the doorbell before or of the DB record, a CQE would be there.
        older = "HCQ-052" in cq.marks or cq.outstanding(cq.published[-1][1]) > 0
        why = f"no CQE from index {request.target & 0xFFFFFF:#x} on is there"
        return ("HCQ-052" if older else "HCQ-045/waits"), "no event yet", why
    if cq.resized_at == counted.pi - 1 and counted.seen < counted.pi:
        return "HCQ-094", "no event yet", "the resize CQE causes none"
    if newest <= low:
        return "HCQ-063", "no event yet", "an earlier event covered all unread CQEs"
    count, period = arm.moderation.limits[-1]
    why = f"{counted.pi - low} CQEs since the last event, count {count}, period {period}"
    return ("HCQ-068" if period else "HCQ-066/early"), "no event yet", why


def _none_waits(cq: Cq) -> tuple[str, str, str]:
    counted = cq.arm.counted
    if cq.ignored:
        return cq.ignored, "no event", "the doorbell had to be ignored, or its event discarded"
    if cq.half:
        return "HCQ-055", "no event before the second dword", "the first dword of a doorbell alone"
    if not cq.events:
        if cq.number_of_life > 1:
            return "HCQ-114", "no event", "no request was made since the CQ was created anew"
        return "HCQ-061", "no event", "no request was made"
    if not cq.arm.moderation.off:
        return "HCQ-069", "no event", "no request waits, whatever moderation says"
    if counted.pi > cq.last_event_pi:
        return "HCQ-061", "no event", "no request waits since the last event"
    return "HCQ-060", "one event", "the event of the request was sent"
