"""A software RCLINK with one fault is found by the rule the fault breaks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from ref_model.link import LinkFaults
from ref_model.rclink import frames, ports
from ref_model.rclink.config import Flow
from ref_model.rclink.endpoint import Receiver, Regulator, Sender
from ref_model.rclink.endpoint.receiver import Answer, Channel
from ref_model.rclink.endpoint.sender import Line, Slot
from ref_model.wire.rclink import Format, Frame, build
from ref_model.wire.rclink.rh import NAK
from tests.unit.rclink.pair import CLK, GOOD, US, Pair, Parts, Setup

LOSSY = LinkFaults(drop=0.08, delay_ps=500_000)
DUPLICATING = LinkFaults(duplicate=0.2, delay_ps=500_000)
CLEAN = LinkFaults(delay_ps=500_000)


def sender(**methods: Callable[..., Any]) -> Parts:
    """A sender with some methods replaced."""
    return (type("Faulty", (Sender,), methods), Receiver, Regulator)


def receiver(**methods: Callable[..., Any]) -> Parts:
    """A receiver with some methods replaced."""
    return (Sender, type("Faulty", (Receiver,), methods), Regulator)


def regulator(**methods: Callable[..., Any]) -> Parts:
    """A regulator with some methods replaced."""
    return (Sender, Receiver, type("Faulty", (Regulator,), methods))


@dataclass
class Case:
    """A fault, the conditions under which it acts, and the rules that may find it first."""

    name: str
    parts: Parts
    rules: set[str]
    setup: Setup = field(default_factory=Setup)
    link: LinkFaults = CLEAN
    packets: int = 120
    both: bool = True
    lossless_peer: bool = False


def never(*_: Any) -> None:
    """Do nothing."""


def one_only(self: Sender, line: Line) -> list[Slot]:
    return [slot for slot in line.slots if slot.granted][:1]


def forget_all(self: Sender, line: Line) -> list[Slot]:
    return []


def wrap_early(self: Sender, psn: int) -> int:
    return 1 if psn == 4095 else psn + 1


def others_too(self: Sender, line: Line) -> list[Slot]:
    return [slot for slot in self.slots.values() if slot.granted]


def newest(self: Sender) -> Slot | None:
    waiting = [slot for slot in self.slots.values() if self.eligible(slot)]
    first: dict[int, Slot] = {}
    for slot in waiting:
        first.setdefault(slot.qp, slot)
    return list(first.values())[-1] if first else None


def oldest(self: Sender) -> Slot | None:
    return next((slot for slot in self.slots.values() if self.eligible(slot)), None)


def banks_exclusive(self: Sender) -> Slot | None:
    waiting = [slot for slot in self.slots.values() if self.eligible(slot)]
    bank = self.endpoint.device.bank
    return next((slot for slot in waiting if bank(slot.qp) is not self.last_bank), None)


def lose_token(self: Sender, line: Line, count: int) -> None:
    Sender._release(self, line, count)
    if line.oldest % 8 == 0:
        self.endpoint._tokens.pop()


def extra_token(self: Sender, line: Line, count: int) -> None:
    Sender._release(self, line, count)
    self.endpoint.token(line.slots[0].qp if line.slots else 1)


def wrong_token(self: Sender, slot: Slot) -> None:
    Sender._free(self, slot)
    slot.qp = slot.qp % 3 + 1


def nak_frees_nothing(self: Sender, qp: int, psn: int, rnr: int | None) -> int:
    self.retry(self.line(qp), qp)
    return 0


def stale_frees(self: Sender, qp: int, psn: int) -> int:
    count = Sender.acknowledge(self, qp, psn)
    line = self.line(qp)
    if not count and line.slots and line.slots[0].sent:
        self._release(line, 1)
        return 1
    return count


def endless(self: Sender, line: Line, qp: int) -> None:
    line.retries += 1
    self.go_back(line)


def hasty(self: Sender, line: Line, qp: int) -> None:
    line.retries += 1
    if line.retries >= self.endpoint.device.retry_limit - 2:
        line.fatal = True
        line.timer = None
        self.endpoint.message(1, 2, qp, 3)
        return
    self.go_back(line)


def patient(more: int) -> Callable[[Sender, Line, int], None]:
    """``more`` repeats than the threshold minus one."""

    def retry(self: Sender, line: Line, qp: int) -> None:
        if line.retries < self.endpoint.device.retry_limit - 1 + more:
            line.retries += 1
            self.go_back(line)
            return
        line.retries = self.endpoint.device.retry_limit
        Sender.retry(self, line, qp)

    return retry


def early_timer(self: Sender, line: Line) -> None:
    Sender.restart(self, line)
    if line.timer is not None:
        line.timer -= 30 * US


def no_timer(self: Sender, now: int) -> None:
    for line in self.lines.values():
        if line.timer is not None and line.timer <= now:
            line.timer = None


def expire_newest(self: Sender, now: int) -> None:
    for line in self.lines.values():
        if line.timer is not None and line.timer <= now:
            line.timer = None
            self.again(line)[-1].granted = False


def expire_silently(self: Sender, now: int) -> None:
    for qp, line in self.lines.items():
        if line.timer is not None and line.timer <= now:
            line.timer = None
            self.retry(line, qp)


def changed_payload(self: Sender, line: Line) -> list[Slot]:
    again = Sender.again(self, line)
    for slot in again:
        slot.payload = bytes([slot.payload[0] ^ 1]) + slot.payload[1:]
    return again


def always_nak(self: Receiver, frame: Frame, source: int) -> None:
    assert frame.rh is not None
    channel: Channel = self.channel(frame.rh.dest_qp)
    channel.nak_sent = False
    Receiver.request(self, frame, source)


def expects_zero_early(self: Receiver, frame: Frame, source: int) -> None:
    assert frame.rh is not None
    Receiver.request(self, frame, source)
    channel = self.channel(frame.rh.dest_qp)
    channel.expected %= 4095


def deliver_again(self: Receiver, frame: Frame, source: int) -> None:
    assert frame.rh is not None
    self.endpoint.deliver(frame.payload, frame.rh.dest_qp, ports.ETYPE_TYPE1, source)
    Receiver.duplicate(self, frame, source)


def deliver_gap(self: Receiver, frame: Frame, source: int) -> None:
    assert frame.rh is not None
    ahead = (frame.rh.psn - self.channel(frame.rh.dest_qp).expected) & 4095
    if 0 < ahead < 2048:
        self.endpoint.deliver(frame.payload, frame.rh.dest_qp, ports.ETYPE_TYPE1, source)
    Receiver.request(self, frame, source)


def one_behind(self: Receiver) -> tuple[int, int, int, int | None] | None:
    found = Receiver.next_answer(self)
    if found is None or found[2] != 0x1F:
        return found
    return found[0], (found[1] - 1) & 4095, found[2], found[3]


def nak_ahead(self: Receiver) -> tuple[int, int, int, int | None] | None:
    found = Receiver.next_answer(self)
    if found is None or found[2] != 0x60:
        return found
    return found[0], (found[1] + 1) & 4095, found[2], found[3]


def nak_reserved(self: Receiver) -> tuple[int, int, int, int | None] | None:
    found = Receiver.next_answer(self)
    return (*found[:2], 0x40, found[3]) if found is not None and found[2] == 0x60 else found


def ack_reserved(self: Receiver) -> tuple[int, int, int, int | None] | None:
    found = Receiver.next_answer(self)
    return (*found[:2], 0x5F, found[3]) if found is not None and found[2] == 0x1F else found


def newer_by_value(self: Receiver, frame: Frame, source: int) -> None:
    assert frame.rh is not None
    if frame.rh.psn > self.channel(frame.rh.dest_qp).expected:
        self.answers.append(Answer(frame.rh.dest_qp, NAK))
    else:
        Receiver.duplicate(self, frame, source)


def no_echo(self: Receiver) -> tuple[int, int, int, int | None] | None:
    found = Receiver.next_answer(self)
    return None if found is None else (*found[:3], None)


def always_echo(self: Receiver) -> tuple[int, int, int, int | None] | None:
    found = Receiver.next_answer(self)
    return None if found is None else (*found[:3], self.channel(found[0]).echo)


def wrong_echo(self: Receiver) -> tuple[int, int, int, int | None] | None:
    found = Receiver.next_answer(self)
    if found is None or found[3] is None:
        return found
    return (*found[:3], (found[3] + 77) & 0xFFFF)


def twice(self: Receiver) -> tuple[int, int, int, int | None] | None:
    found = Receiver.next_answer(self)
    if found is not None and found[2] == 0x1F and not getattr(self, "again", False):
        self.merged[found[0]] = None
        self.again = True  # type: ignore[attr-defined]
    else:
        self.again = False  # type: ignore[attr-defined]
    return found


def more(self: Regulator, count: int, rate: int) -> bool:
    return count > rate


def unlimited(self: Regulator, count: int, rate: int) -> bool:
    return rate == 0


def no_debt(self: Regulator, now: int) -> None:
    length = self.endpoint.device.window_ns * 1000
    while self.window_end <= now:
        self.window_end += length
        for number in self.counts:
            self.counts[number] = 0
            self.check(number)


def short_window(self: Regulator, now: int) -> None:
    length = self.endpoint.device.window_ns * 700
    while self.window_end <= now:
        self.window_end += length
        for number, count in self.counts.items():
            if count:
                self.counts[number] = max(count - self.rates.get(number, 0), 0)
                self.check(number)


def always(self: Regulator, flow: Flow) -> bool:
    return True


def silent_mask(self: Regulator, number: int) -> None:
    self.masks[number] = self.exceeded(self.counts.get(number, 0), self.rates.get(number, 0))


ONE = Setup(qps=(1,), timeout_us=200)
SLOW = Setup(rate=1000, timeout_us=500)
QUICK = Setup(retry_limit=3, timeout_us=40)
PAUSES = {("XON_THR_RDMA", f"rx_type1_req_bank{bank}_pfc_en"): 1 for bank in range(4)}
PAUSED = Setup(fields=PAUSES, timeout_us=500)
IN_TURN = Setup(bank_rr=True, fields=PAUSES, timeout_us=500)
CASES = [
    Case("NAK flag never re-armed", receiver(rearm=never), {"RCL-043"}, ONE, LOSSY),
    Case("NAK for every gap packet", receiver(request=always_nak), {"RCL-042"}, link=LOSSY),
    Case("NAK one ahead", receiver(next_answer=nak_ahead), {"RCL-042"}, link=LOSSY),
    Case("NAK with the reserved syndrome", receiver(next_answer=nak_reserved), {"RCL-042"}, link=LOSSY),
    Case("ACK with the reserved syndrome", receiver(next_answer=ack_reserved), {"RCL-094"}),
    Case("newer by value", receiver(duplicate=newer_by_value), {"RCL-038"}, Setup(psn=4080), DUPLICATING),
    Case("retry resends one packet only", sender(again=one_only), {"RCL-045"}, ONE, LOSSY),
    Case("retry resends nothing", sender(again=forget_all), {"RCL-045", "RCL-048"}, ONE, LOSSY),
    Case("retry resends other queue pairs", sender(again=others_too), {"RCL-046"}, link=LOSSY),
    Case("retry changes the payload", sender(again=changed_payload), {"RCL-045"}, link=LOSSY),
    Case("PSN wrap off by one", sender(number=wrap_early), {"RCL-038"}, Setup(psn=4080)),
    Case("expected PSN wraps early", receiver(request=expects_zero_early), {"RCL-038"}, Setup(psn=4080)),
    Case("newest first", sender(choose=newest), {"RCL-056"}, PAUSED),
    Case("banks not in turn", sender(choose=oldest), {"RCL-057"}, IN_TURN),
    Case("pause ignored", regulator(flow_open=always), {"RCL-091"}, PAUSED),
    Case(
        "bank mask never released",
        sender(choose=banks_exclusive),
        {"RCL-058"},
        Setup(qps=(1,), bank_rr=True),
    ),
    Case("a token lost", sender(_release=lose_token), {"RCL-040", "RCL-041"}),
    Case("a token too many", sender(_release=extra_token), {"RCL-041"}),
    Case("token of another queue pair", sender(_free=wrong_token), {"RCL-041"}),
    Case("NAK acknowledges nothing", sender(refuse=nak_frees_nothing), {"RCL-047", "RCL-045"}),
    Case("stale ACK frees a slot", sender(acknowledge=stale_frees), {"RCL-049"}, link=DUPLICATING),
    Case("threshold ignored", sender(retry=endless), {"RCL-050", "RCL-051"}, QUICK),
    Case("two retries too many", sender(retry=patient(2)), {"RCL-050"}, QUICK),
    Case("fatal too early", sender(retry=hasty), {"RCL-050"}, Setup(retry_limit=6, timeout_us=40)),
    Case("timeout too early", sender(restart=early_timer), {"RCL-048"}, link=LOSSY),
    Case("no timeout", sender(expire=no_timer), {"RCL-048"}, ONE, LOSSY),
    Case("duplicate delivered", receiver(duplicate=deliver_again), {"RCL-044"}, link=DUPLICATING),
    Case("duplicate not acknowledged", receiver(duplicate=never), {"RCL-044"}, link=DUPLICATING),
    Case("request behind a gap delivered", receiver(request=deliver_gap), {"RCL-042"}, link=LOSSY),
    Case("ACK one behind", receiver(next_answer=one_behind), {"RCL-094"}),
    Case("ACK without its timestamp", receiver(next_answer=no_echo), {"RCL-019/ack"}),
    Case("timestamp where none belongs", receiver(next_answer=always_echo), {"RCL-019/ack"}),
    Case("wrong echo", receiver(next_answer=wrong_echo), {"RCL-019/ack"}, Setup(ack_time=True)),
    Case("ACK twice", receiver(next_answer=twice), {"RCL-094", "RCL-095"}),
    Case("greater for greater or equal", regulator(exceeded=more), {"RCL-064", "RCL-066"}),
    Case("rate ignored", regulator(exceeded=unlimited), {"RCL-064", "RCL-066"}, SLOW),
    Case("debt forgiven", regulator(advance=no_debt), {"RCL-065", "RCL-067"}, SLOW),
    Case("short windows", regulator(advance=short_window), {"RCL-068", "RCL-065", "RCL-064"}, SLOW),
    Case("mask not told", regulator(check=silent_mask), {"RCL-064", "RCL-066"}, SLOW),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_seeded_fault(case: Case) -> None:
    golden = Pair(case.setup, case.link, seed=5)
    act(golden, case)
    assert golden.finish() == []
    pair = Pair(case.setup, case.link, seed=5, parts=case.parts)
    act(pair, case)
    pair.sides[0].model.finish()
    found = [finding.rule for finding in pair.sides[0].findings]
    assert found and found[0] in case.rules, found[:5]


def test_one_repeat_more_is_legal() -> None:
    pair = Pair(QUICK, CLEAN, parts=sender(retry=patient(1)))
    act(pair, Case("threshold ignored", GOOD, set(), QUICK))
    assert pair.finish() == []


def act(pair: Pair, case: Case) -> None:
    """Traffic in which the fault shows."""
    if case.name.startswith("greater"):
        equality(pair)
        return
    if case.setup.fields is PAUSES:
        backlog(pair)
        return
    if case.name.startswith("NAK ack"):
        refuse_third(pair)
        return
    if case.name in ("threshold ignored", "two retries too many", "fatal too early"):
        pair.links[0].faults = LinkFaults(drop=1.0)
        for qp in pair.setup.qps:
            pair.send(0, qp, pair.random_packet())
        pair.run(400 * US)
        return
    pair.traffic(case.packets, limit=2000 * US)


TIMEOUTS = [
    ("golden", GOOD),
    ("newest packet", sender(expire=expire_newest)),
    ("too early", sender(restart=early_timer, expire=expire_silently)),
]


@pytest.mark.parametrize(("name", "parts"), TIMEOUTS, ids=[name for name, _ in TIMEOUTS])
def test_repeat_after_silence_before_its_pulse(name: str, parts: Parts) -> None:
    pair = Pair(Setup(qps=(1,), timeout_us=60), CLEAN, parts=parts)
    pair.links[0].faults = LinkFaults(drop=1.0)
    for _ in range(4):
        pair.send(0, 1, pair.random_packet())
    pair.run(100 * US)
    pair.links[0].faults = CLEAN
    pair.drain(500 * US)
    pair.sides[0].model.finish()
    found = [finding.rule for finding in pair.sides[0].findings]
    assert found[:1] == ([] if parts is GOOD else ["RCL-048"])


def equality(pair: Pair) -> None:
    """Ten packets of a tenth of the rate each, twice: the first time tells the phase of the windows."""
    pair.write(0, "QP_ID_SET", 1)
    pair.write(0, "TX_SPEED_MEM", 640)
    for _ in range(2):
        pair.run(20 * US)
        pair.run(pair.sides[0].endpoint.regulator.window_end - pair.now + 600 * CLK)
        for _ in range(14):
            pair.send(0, 1, pair.rng.randbytes(64))
        pair.drain(100 * US)


def backlog(pair: Pair) -> None:
    """Packets of all queue pairs gather while their flows are paused."""
    for _ in range(2):
        pair.side_band(0, ports.RX_PFC_REQ, 0xF)
        pair.run(US)
        for number in range(30):
            pair.send(0, 1 + number * number % 3, pair.rng.randbytes(1300))
        pair.run(2 * US)
        pair.side_band(0, ports.RX_PFC_REQ, 0)
        pair.drain(100 * US)


def refuse_third(pair: Pair) -> None:
    """The third of four packets is refused while nothing is acknowledged yet."""
    pair.links[0].faults = LinkFaults(drop=1.0)
    for _ in range(4):
        pair.send(0, 1, pair.random_packet())
    pair.run(US)
    peer = pair.sides[1].endpoint
    config = peer.qp_config(1)
    assert config is not None and peer.device.layout is not None
    pair.inject(0, build(frames.answer(peer.device, config, 2, 0x60, None), peer.device.layout))
    pair.links[0].faults = CLEAN
    pair.run(US)
    pair.inject(0, build(frames.answer(peer.device, config, 3, 0x1F, None), peer.device.layout))
    pair.run(50 * US)


CHECKED = Setup(
    fields={
        ("AFH_CFG_EN", "stop_cbfc_en"): 0,
        ("AFH_CFG_EN", "software_ctrl_cbfc_vc_status"): 0xFF,
        ("AFH_CFG_EN", "rx_type1_req_bank0_cbfc_en"): 1,
        ("AFH_CFG_EN", "rx_type1_req_bank1_cbfc_en"): 1,
        ("AFH_CFG_EN", "rx_type1_req_bank2_cbfc_en"): 1,
        ("AFH_CFG_EN", "rx_type1_req_bank3_cbfc_en"): 1,
        ("AFH_CFG_EN", "rx_type1_ack_cbfc_en"): 1,
        ("AFH_CFG_EN", "rx_type2_cbfc_en"): 1,
        ("AFH_CFG_EN", "type1_credit_uf_limit_cbfc"): 2,
        ("AFH_CFG_EN", "type2_credit_uf_limit_cbfc"): 1,
        ("AFH_CFG_EN", "ack_credit_uf_limit_cbfc"): 1,
    }
)
BANK1 = 1 << 1


def credits(pair: Pair) -> None:
    """Credit traffic: bank 1 runs dry and gets credit back, all others have plenty."""
    for number in (0, 1):
        pair.side_band(number, ports.CBFC_LOAD, 0xFF, 64, 0xFFF0, 4)
        pair.side_band(number, ports.CBFC_LOAD, BANK1, 64, 100, 4)
    pair.run(US)
    pair.send(0, 1, pair.rng.randbytes(100))
    pair.run(4 * US)
    pair.settle()
    for round_ in range(3):
        for _ in range(8):
            for qp in (1, 2):
                pair.send(0, qp, pair.random_packet())
        pair.multicast(0, round_, pair.random_packet())
        pair.run(8 * US)
        used = 100 - pair.sides[0].endpoint.regulator.credit[1]
        pair.settle()
        pair.side_band(0, ports.CBFC_RETURN, BANK1, max(used, 0))
        pair.run(4 * US)
    pair.drain(500 * US)


def floor(self: Regulator, vc: int, length: int) -> int:
    size, _, ovhd = self.channels[vc]
    return max(1, (length + ovhd) // size)


def no_limit(self: Regulator, flow: Flow, vc: int) -> bool:
    return self.credit[vc] >= self.need(vc, self.endpoint.device.largest[flow])


def no_check(self: Regulator, flow: Flow, vc: int) -> bool:
    return True


def everywhere(self: Regulator, bits: int, num: int) -> None:
    Regulator.give(self, 0xFF, num)


def lost_return(self: Regulator, bits: int, num: int) -> None:
    Regulator.give(self, bits, num - 1)


def no_use(self: Regulator, flow: Flow, length: int) -> None:
    """Frames cost nothing."""


def half_limit(self: Regulator, bits: int, size: int, limit: int, ovhd: int) -> None:
    Regulator.load(self, bits, size, limit // 2, ovhd)


CREDIT_CASES = [
    ("rounded down", regulator(need=floor), {"RCL-075"}),
    ("uf_limit ignored", regulator(enough=no_limit), {"RCL-078"}),
    ("credit not checked", regulator(enough=no_check), {"RCL-078"}),
    ("credit not used", regulator(sent=no_use), {"RCL-075", "RCL-078"}),
    ("returned to all", regulator(give=everywhere), {"RCL-076"}),
    ("return short", regulator(give=lost_return), {"RCL-075", "RCL-076", "RCL-077"}),
    ("limit not taken", regulator(load=half_limit), {"RCL-074"}),
]


def test_credits_without_a_fault() -> None:
    pair = Pair(CHECKED, CLEAN)
    credits(pair)
    assert pair.finish() == []
    evidence = pair.sides[0].model.rules.evidence
    assert evidence.keys() >= {"RCL-074", "RCL-075", "RCL-076", "RCL-078"}


@pytest.mark.parametrize(("name", "parts", "rules"), CREDIT_CASES, ids=[case[0] for case in CREDIT_CASES])
def test_credit_fault(name: str, parts: Parts, rules: set[str]) -> None:
    pair = Pair(CHECKED, CLEAN, parts=parts)
    if name == "limit not taken":
        pair.side_band(0, ports.CBFC_LOAD, BANK1, 64, 200, 4)
        pair.run(US)
        pair.settle()
    else:
        credits(pair)
        pair.settle()
    pair.sides[0].model.finish()
    found = [finding.rule for finding in pair.sides[0].findings]
    assert found and found[0] in rules, found[:5]


def test_parts_are_good_by_default() -> None:
    assert Pair().sides[0].endpoint.sender.__class__ is GOOD[0]
    assert Format.STANDARD is Setup().format
