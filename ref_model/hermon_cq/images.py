"""Output images of QUERY_CQ and HW2SW_CQ against what is known of the CQ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ref_model.hermon_cq import context
from ref_model.hermon_cq.arm_states import FIRED, HALF, State, ahead
from ref_model.hermon_cq.cq import PUBLISHED, Cq
from ref_model.rules import Rules

MASK = 0xFFFFFF
_RULES = {
    **dict.fromkeys(("oi", "cc"), "HCQ-002"),
    **dict.fromkeys(("page_offset", "usr_page", "log_cq_size"), "HCQ-003"),
    **dict.fromkeys(("cq_max_count", "cq_period", "c_eqn"), "HCQ-004"),
    **dict.fromkeys(("mtt_base_addr_h", "log2_page_size", "mtt_base_addr_l"), "HCQ-005"),
    **dict.fromkeys(("db_record_addr_h", "db_record_addr_l"), "HCQ-006"),
}
#: Other orders of bytes: bytes of a word and of the units whose order is reversed.
_ORDERS = (
    (4, 1, "the bytes of each dword are big-endian"),
    (8, 4, "dwords lie in their order, not in pairs exchanged"),
    (8, 1, "dwords are big-endian, not little-endian words of 64 bits"),
)
_RING = ("page_offset", "log_cq_size", "mtt_base_addr_h", "log2_page_size", "mtt_base_addr_l")


@dataclass(slots=True)
class Before:
    """What was possible when the command started."""

    values: dict[str, int]
    complete: int  #: CQEs that were complete
    shown: set[int | None]
    states: set[State]
    fault: object
    marks: tuple[str, ...]  #: rules a special turn since the request put to the test


def before(cq: Cq) -> Before:
    """Take down the state of ``cq`` at the start of a command."""
    cq.arm.spread()
    arm = cq.arm
    return Before(dict(cq.values), arm.counted.pi, arm.shown(), set(arm.states), cq.fault, tuple(cq.marks))


class Images:
    """Judges images; findings are of the CQ."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules

    def judge(self, cq: Cq, image: bytes, start: Before, final: bool) -> None:
        """``image`` was written between ``start`` and now; ``final``: by HW2SW_CQ."""
        seen = context.decode(image)
        if self._swapped(cq, image):
            return
        good = self._software_fields(cq, seen)
        self._status(cq, seen["status"], start)
        self._counters(cq, seen, start, final)
        self._state(cq, seen["st"], start)
        if good:
            for rule in cq.turns:
                self._rules.met(rule, "the image after a special turn", cq.scope)
            cq.turns.clear()

    def _swapped(self, cq: Cq, image: bytes) -> bool:
        """HCQ-001: the dwords are big-endian and in their order."""
        ours = {name: cq.values[name] for name in context.names("sw")}

        def shows(data: bytes) -> bool:
            seen = context.decode(data)
            return all(seen[name] == value for name, value in ours.items())

        if shows(image):
            self._rules.met("HCQ-001", "layout of the image", cq.scope)
            return False
        for word, unit, why in _ORDERS:
            if shows(_mirrored(image, word, unit)):
                self._rules.fail("HCQ-001", context.encode(cq.values), image, why, cq.scope)
                return True
        return False

    def _software_fields(self, cq: Cq, seen: Mapping[str, int]) -> bool:
        good = True
        for name in context.names("sw"):
            rule = _RULES[name]
            if cq.resized_at is not None and name in _RING:
                rule = "HCQ-092"
            elif "HCQ-093" in cq.turns and name not in _RING:
                rule = "HCQ-093"
            elif "HCQ-021" in cq.turns:
                rule = "HCQ-021"
            elif "HCQ-097" in cq.turns:
                rule = "HCQ-097"
            elif "HCQ-025" in cq.turns:
                rule = "HCQ-025"
            if not self._rules.eq(rule, cq.values[name], seen[name], f"{name} of the image", cq.scope):
                good = False
                break
            if rule != _RULES[name]:
                self._rules.met(_RULES[name], f"{name} of the image", cq.scope)
        return good

    def _status(self, cq: Cq, seen: int, start: Before) -> None:
        rules = self._rules
        if cq.fault is not None and cq.fault_certain and start.fault is cq.fault:
            code = cq.fault.status
            if seen in (9, 0xA):
                rule = "HCQ-073/status" if code == 9 else "HCQ-077/status"
                rules.eq(rule, code, seen, "status of the error", cq.scope)
            rules.eq("HCQ-008", code, seen, "status of a CQ in error", cq.scope)
            return
        if cq.fault is None and not cq.reports:
            rule = "HCQ-080" if seen == 9 and cq.oi == {True} else "HCQ-008"
            rules.eq(rule, 0, seen, "status of a good CQ", cq.scope)
            if cq.oi == {True}:
                rules.met("HCQ-080", "no overflow with oi = 1", cq.scope)
            return
        rules.one_of("HCQ-008", (0, 9, 0xA), seen, "status", cq.scope, sure=False)

    def _counters(self, cq: Cq, seen: Mapping[str, int], start: Before, final: bool) -> None:
        if cq.number_of_life == 1 and not self._as_created(cq, seen):
            return
        rules = self._rules
        low, high = (cq.pi if final else start.complete), cq.pi
        producer = seen["producer_counter"]
        in_error = cq.fault is not None
        above = (producer - low) & MASK
        legal = above <= high - low + in_error
        rule = self._producer_rule(cq, final)
        want = f"{low & MASK:#x}" + (f" .. {high & MASK:#x}" if high != low else "")
        if legal:
            rules.met(rule, "producer_counter", cq.scope, sure=low == high)
            rules.met("HCQ-009", "counters of the image", cq.scope, sure=low == high)
            if not cq.reports:
                rules.met("HCQ-120/counter", "producer_counter", cq.scope, sure=low == high)
            if low == high and rule != "HCQ-037":
                rules.met("HCQ-037", "producer_counter", cq.scope)
            cq.shown = high if low == high else None
        else:
            rules.fail(rule, want, f"{producer:#x}", "producer_counter", cq.scope)
        self._consumer(cq, seen["consumer_counter"])
        self._solicited(cq, seen["solicit_producer_indx"])
        self._notified(cq, seen["last_notified_indx"], start)
        if cq.number_of_life > 1:  # what is left of a former life is told as that
            self._as_created(cq, seen)

    def _as_created(self, cq: Cq, seen: Mapping[str, int]) -> bool:
        """HCQ-010: whether the counters of a CQ that nothing has happened to are those of its start."""
        if cq.events or cq.arm.waits or cq.pi != cq.start:
            return True
        zero = (seen["producer_counter"], seen["consumer_counter"])
        return self._rules.eq("HCQ-010/zero", (cq.start & MASK,) * 2, zero, "counters of a new CQ", cq.scope)

    def _consumer(self, cq: Cq, seen: int) -> None:
        """HCQ-042: the start value or one that was published; only the newest are remembered one by one."""
        if True in cq.oi or cq.capacity_free:
            return
        published = {ci for _, ci in cq.published} | {cq.start & MASK}
        why = "consumer_counter is one that was published"
        if seen in published or len(cq.published) < PUBLISHED:
            sure = seen != cq.start & MASK
            self._rules.one_of("HCQ-042", published, seen, why, cq.scope, sure=sure)
        elif cq.pi - cq.start < HALF:
            high = ahead(cq.published[0][1], cq.start)
            self._rules.in_range("HCQ-042", 0, high, ahead(seen, cq.start), why, cq.scope, sure=False)

    @staticmethod
    def _producer_rule(cq: Cq, final: bool) -> str:
        if cq.fault is not None:
            return "HCQ-073/counter"
        if final:
            return "HCQ-113"
        if cq.collapsed:
            return "HCQ-086/counter"
        if cq.pi >> 24 > cq.start >> 24:
            return "HCQ-038"
        if cq.pi == cq.start and cq.number_of_life > 1:
            return "HCQ-114"
        if cq.shown == cq.pi:
            return "HCQ-120/counter"
        if cq.resized_at is not None:
            return "HCQ-089"
        return "HCQ-037"

    def _solicited(self, cq: Cq, seen: int) -> None:
        newest = cq.arm.counted.solicited
        if newest is None or cq.pi != cq.arm.counted.pi:
            return
        allowed = {newest & MASK, newest + 1 & MASK}
        rule = "HCQ-009" if seen not in allowed and _cut(seen, newest, newest + 1) else "HCQ-039"
        self._rules.one_of(rule, allowed, seen, "solicit_producer_indx", cq.scope)

    def _notified(self, cq: Cq, seen: int, start: Before) -> None:
        """HCQ-040: between the counter at the fire condition and that at the EQE."""
        states = cq.arm.states | start.states
        if any(not state.ever for state in states):
            return
        legal = any((seen - state.low) & MASK <= state.high - state.low for state in states)
        low, high = min(state.low for state in states), max(state.high for state in states)
        want = f"{low & MASK:#x} .. {high & MASK:#x}"
        if legal or any(state.due for state in states):
            self._rules.met("HCQ-040", "last_notified_indx", cq.scope, sure=legal)
        else:
            rule = "HCQ-009" if _cut(seen, low, high) else "HCQ-040"
            self._rules.fail(rule, want, f"{seen:#x}", "last_notified_indx", cq.scope)

    def _state(self, cq: Cq, seen: int, start: Before) -> None:
        allowed = cq.arm.shown() | start.shown
        if None in allowed or cq.arm.dropped():
            return
        fired = allowed == {0xA}
        rule = "HCQ-007/fired" if fired else "HCQ-007/armed"
        if start.marks and not fired and seen in (0, FIRED):
            rule = start.marks[-1]  # a request that is gone: like an event that never comes
        self._rules.one_of(rule, allowed, seen, "st", cq.scope, sure=len(allowed) == 1)


def _mirrored(image: bytes, word: int, unit: int) -> bytes:
    """``image`` with the units of each word in reverse order; sizes in bytes."""
    places = (at + step for at in range(0, len(image), word) for step in reversed(range(0, word, unit)))
    return b"".join(image[place : place + unit] for place in places)


def _cut(seen: int, low: int, high: int) -> bool:
    """Whether a counter that lies between ``low`` and ``high`` is shown without its upper eight bits."""
    return seen <= 0xFFFF < low & MASK and (seen - low) & 0xFFFF <= high - low
