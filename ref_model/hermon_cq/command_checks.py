"""What a command has to answer: refused for certain, legal for certain, or open."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto

from ref_model.hermon_cq import context
from ref_model.hermon_cq.arm_states import ahead
from ref_model.hermon_cq.cq import Cq
from ref_model.hermon_cq.ring import Ring
from ref_model.hermon_cq.shared import Context

SW2HW, HW2SW, QUERY, MODIFY = 0x16, 0x17, 0x18, 0x2C
RESIZE, MODERATE, ROUTE, FLAGS = range(4)
OPMODS = {SW2HW: (0, 1), HW2SW: (0, 1), QUERY: (0,), MODIFY: (RESIZE, MODERATE, ROUTE, FLAGS)}
BAD_SIZE = 0x40
#: Above this a page has more bits than the MTT entry.
_LARGEST_PAGE = 19
_RESIZE_FIELDS = ("log_cq_size", "page_offset", "log2_page_size", "mtt_base_addr_h", "mtt_base_addr_l")
_FIELDS = {
    RESIZE: _RESIZE_FIELDS,
    MODERATE: ("cq_max_count", "cq_period"),
    ROUTE: ("c_eqn",),
    FLAGS: ("oi",),
}


class Answer(Enum):
    """What the status may be."""

    OK = auto()
    REFUSE = auto()
    OPEN = auto()


@dataclass(slots=True)
class Expected:
    """``rule``: what a wrong answer breaks."""

    answer: Answer
    rule: str
    why: str


@dataclass(slots=True)
class Request:
    """One command as software wrote it."""

    opcode: int
    opmod: int
    cqn: int
    inbox: int
    outbox: int

    @property
    def resizes(self) -> bool:
        """Whether it is a resize."""
        return self.opcode == MODIFY and self.opmod == RESIZE


class Checks:
    """Judges commands before they run."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx

    def expect(self, request: Request, done: bool, cq: Cq | None, fields: dict[str, int]) -> Expected:
        """``done``: CFG.init_done; ``cq``: the CQ if hardware owns it; ``fields``: those of the mailbox."""
        config = self._ctx.config
        if request.opmod not in OPMODS.get(request.opcode, ()):
            return Expected(Answer.REFUSE, "HCQ-022", "unknown opcode or opmod")
        if not done:
            return Expected(Answer.REFUSE, "HCQ-024", "init_done is 0")
        if not config.reserved <= request.cqn < config.cqs:
            return Expected(Answer.REFUSE, "HCQ-019", f"CQ {request.cqn:#x} does not exist or is reserved")
        if request.opcode == SW2HW:
            if cq is not None:
                return Expected(Answer.REFUSE, "HCQ-016/fails", "hardware owns the CQ")
            return self._create(fields)
        if cq is None:
            rule = "HCQ-018"
            if request.cqn in self._ctx.forgotten:
                rule = "HCQ-110/state"
            return Expected(Answer.REFUSE, rule, "software owns the CQ")
        if request.opcode == MODIFY:
            return self._modify(request, cq, fields)
        rule = "HCQ-017/ends" if request.opcode == HW2SW else "HCQ-020"
        if cq.unreleased:
            return Expected(Answer.OK, "HCQ-025", "HW2SW_CQ was refused, hardware still owns the CQ")
        return Expected(Answer.OK, "HCQ-079" if cq.fault else rule, "a legal command")

    def _create(self, fields: dict[str, int]) -> Expected:
        choices = self._ctx.choices
        if fields["log_cq_size"] > self._ctx.config.max_log:
            return Expected(Answer.REFUSE, "HCQ-023", "larger than MAX_LOG_CQ")
        reserved = [name for name in context.names("reserved") if fields[name]]
        if reserved and not choices.sure("RSVD_MODE", "ignore"):
            rule = "HCQ-006" if reserved == ["reserved17"] else "HCQ-011"
            sure = choices.sure("RSVD_MODE", "refuse")
            return Expected(Answer.REFUSE if sure else Answer.OPEN, rule, f"{reserved[0]} is not 0")
        opened = self._open(fields)
        if opened:
            return Expected(Answer.OPEN, "HCQ-013", opened)
        if reserved:
            return Expected(Answer.OK, "HCQ-011", f"{reserved[0]} is not 0 and has no meaning")
        return Expected(Answer.OK, "HCQ-010/given" if fields["st"] else "HCQ-013", "a legal context")

    def _open(self, fields: Mapping[str, int]) -> str:
        """Why nothing says whether a creation is accepted, or ''."""
        accept = self._ctx.knobs["CREATE_ST_ACCEPT"]
        legal = {"0A": (0, 0xA), "0": (0,), "any": tuple(range(16))}[accept]
        if fields["st"] not in legal:
            return f"st {fields['st']:#x}"
        if any(fields[name] for name in context.names("hw") if name != "st"):
            return "fields of hardware are not 0"
        if fields["log_cq_size"] == 0:
            return "one entry"
        if fields["log2_page_size"] > _LARGEST_PAGE:
            return "page size"
        return "" if fields["c_eqn"] < self._ctx.config.eqs else "c_eqn names no EQ"

    def _modify(self, request: Request, cq: Cq, fields: dict[str, int]) -> Expected:
        rule = {RESIZE: "HCQ-091/accepts", FLAGS: "HCQ-083"}.get(request.opmod, "HCQ-021")
        if request.opmod == RESIZE and fields["log_cq_size"] > self._ctx.config.max_log:
            return Expected(Answer.REFUSE, "HCQ-023", "larger than MAX_LOG_CQ")
        if cq.fault is not None or cq.reports:
            # A report under way may yet bring the CQ into error.
            why = "the CQ is in error" if cq.fault else "reports are under way"
            if cq.fault is not None or request.opmod == RESIZE:
                return Expected(Answer.OPEN, rule, why)
        others = [name for name in fields if fields[name] and name not in _FIELDS[request.opmod]]
        if others:
            return Expected(Answer.OPEN, rule, f"{others[0]} of the mailbox is not 0")
        if request.opmod == ROUTE and fields["c_eqn"] >= self._ctx.config.eqs:
            return Expected(Answer.OPEN, rule, "c_eqn names no EQ")
        if request.opmod == FLAGS and (not fields["oi"] or cq.collapsed):
            return Expected(Answer.OPEN, rule, "clearing oi, or a collapsed CQ")
        if request.opmod == RESIZE:
            return self._resize(cq, fields, rule)
        return Expected(Answer.OK, rule, "a legal command")

    def _resize(self, cq: Cq, fields: dict[str, int], rule: str) -> Expected:
        size = 1 << fields["log_cq_size"]
        if size == cq.ring.size or size == 1 or fields["log2_page_size"] > _LARGEST_PAGE:
            return Expected(Answer.OPEN, rule, "same size, one entry, or page size")
        if True in cq.oi or cq.collapsed or cq.capacity_free:
            return Expected(Answer.OPEN, rule, "no capacity to go by")
        out = ahead(cq.pi, cq.published[-1][1])
        why = f"{out} CQEs outstanding, {size} entries"
        if out > size:
            return Expected(Answer.REFUSE, "HCQ-091/refuses", why)
        if out >= cq.ring.size - 1 or out >= size - 1:
            return Expected(Answer.OPEN, rule, why)
        return Expected(Answer.OK, rule, why)

    def filled(self, request: Request, ring: Ring) -> int:
        """Entries that the command writes into the ring before it ends."""
        by_firmware = self._ctx.choices.may("INIT_BY_FW", 1)
        return ring.slots if by_firmware and request.opmod == 0 else 0
