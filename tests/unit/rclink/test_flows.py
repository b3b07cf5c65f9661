"""Flows and rates: what closes them, what must not, and devices that get it wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ref_model.link import LinkFaults
from ref_model.rclink import ports
from ref_model.rclink.config import Flow
from ref_model.rclink.endpoint import Receiver, Regulator, Sender
from tests.unit.rclink.pair import GOOD, US, Pair, Parts, Setup

CLEAN = LinkFaults(delay_ps=500_000)
PLENTY = 0xFFF0
MAC, VCS = ports.MAC_CREDIT_RST, ports.CBFC_RESET
BANK1, BANK2, TYPE2 = 1 << 1, 1 << 2, 1 << 5


def regulator(**methods: Callable[..., Any]) -> Parts:
    """A regulator with some methods replaced."""
    return (Sender, Receiver, type("Faulty", (Regulator,), methods))


def fields(**afh: int) -> dict[tuple[str, str], int]:
    """Fields of AFH_CFG_EN on top of a check of all TYPE1 flows with one packet in reserve."""
    names: dict[str, int] = {
        "software_ctrl_cbfc_vc_status": 0xFF,
        **{f"rx_type1_req_bank{bank}_cbfc_en": 1 for bank in range(4)},
        "rx_type1_ack_cbfc_en": 1,
        "rx_type2_cbfc_en": 1,
        "type1_credit_uf_limit_cbfc": 2,
        "type2_credit_uf_limit_cbfc": 1,
        "ack_credit_uf_limit_cbfc": 1,
        "stop_cbfc_en": 0,
        **afh,
    }
    return {("AFH_CFG_EN", name): value for name, value in names.items()}


def loaded(parts: Parts, bank1: int, setup: Setup | None = None) -> Pair:
    """Both sides loaded; bank 1 of side 0 with ``bank1`` credits of 64 bytes."""
    pair = Pair(setup or Setup(fields=fields(), timeout_us=500), CLEAN, parts=parts)
    for number in (0, 1):
        pair.side_band(number, ports.CBFC_LOAD, 0xFF, 64, PLENTY, 4)
    pair.side_band(0, ports.CBFC_LOAD, BANK1, 64, bank1, 4)
    pair.run(US)
    return pair


def burst(pair: Pair, qp: int, count: int) -> None:
    """``count`` packets of the largest size."""
    for _ in range(count):
        pair.send(0, qp, pair.rng.randbytes(1344))


def always(self: Regulator, flow: Flow) -> bool:
    return True


def free(self: Regulator, flow: Flow, length: int) -> None:
    """Frames cost nothing."""


def all_closed(self: Regulator, flow: Flow) -> bool:
    """One closed flow closes all of them."""
    flows = (Flow.BANK1, Flow.BANK2)
    return all(Regulator.flow_open(self, other) for other in flows) and Regulator.flow_open(self, flow)


def status_wins(self: Regulator, flow: Flow) -> bool:
    """A software status bit of 1 opens a channel that lacks credit once it was 0."""
    device = self.endpoint.device
    was = getattr(self, "was", 0xFF)
    self.was = was & device.vc_status  # type: ignore[attr-defined]
    vc = device.vcs[flow]
    if device.vc_status >> vc & 1 and not was >> vc & 1:
        return True
    return Regulator.flow_open(self, flow)


def dynamic_for_all(self: Regulator, flow: Flow, vc: int) -> bool:
    return self.credit[vc] >= 1


def never_dynamic(self: Regulator, flow: Flow, vc: int) -> bool:
    return self.credit[vc] >= 2 * self.need(vc, self.endpoint.device.largest[flow])


def judged(pair: Pair) -> list[str]:
    """Rules found broken on side 0, the end of the test included."""
    pair.sides[0].model.finish()
    return [finding.rule for finding in pair.sides[0].findings]


def verdict(pair: Pair, faulty: bool, rule: str) -> None:
    """Golden runs are clean; a fault is first told by ``rule``."""
    if faulty:
        found = judged(pair)
        assert found and found[0] == rule, found[:4]
    else:
        assert pair.finish() == []


@pytest.mark.parametrize("faulty", [False, True])
def test_independent_channels(faulty: bool) -> None:
    pair = loaded(regulator(flow_open=all_closed) if faulty else GOOD, 50)
    burst(pair, 1, 4)
    pair.run(4 * US)
    burst(pair, 2, 4)
    pair.run(60 * US)
    pair.side_band(0, ports.CBFC_RETURN, BANK1, 46)
    pair.run(4 * US)
    pair.side_band(0, ports.CBFC_RETURN, BANK1, 46)
    pair.drain(200 * US)
    verdict(pair, faulty, "RCL-083")
    if not faulty:
        assert pair.sides[0].model.rules.evidence["RCL-083"]


@pytest.mark.parametrize(
    ("parts", "rule"),
    [(GOOD, ""), (regulator(flow_open=always), "RCL-080"), (regulator(flow_open=status_wins), "RCL-081")],
    ids=["golden", "status ignored", "status opens"],
)
def test_software_status(parts: Parts, rule: str) -> None:
    pair = loaded(parts, 50 if rule != "RCL-080" else PLENTY)
    burst(pair, 1, 2)
    pair.run(4 * US)
    pair.write(0, "QP_ID_SET", 1)
    pair.set(0, "AFH_CFG_EN", software_ctrl_cbfc_vc_status=0xFF & ~BANK1)
    pair.run(2 * US)
    burst(pair, 1, 2)
    pair.run(4 * US)
    pair.set(0, "AFH_CFG_EN", software_ctrl_cbfc_vc_status=0xFF)
    pair.run(4 * US)
    pair.side_band(0, ports.CBFC_RETURN, BANK1, 46)
    pair.run(4 * US)
    pair.side_band(0, ports.CBFC_RETURN, BANK1, 46)
    pair.drain(200 * US)
    verdict(pair, bool(rule), rule)


@pytest.mark.parametrize(
    ("parts", "rule"),
    [(GOOD, ""), (regulator(enough=dynamic_for_all), "RCL-079")],
    ids=["golden", "below one packet"],
)
def test_dynamic_limit(parts: Parts, rule: str) -> None:
    setup = Setup(fields=fields(type1_dyn_uf_limit_cbfc_en=1), timeout_us=500)
    pair = loaded(parts, 50, setup)
    burst(pair, 1, 4)
    pair.run(4 * US)
    if not rule:
        assert pair.sides[0].endpoint.regulator.credit[1] < 22
    pair.side_band(0, ports.CBFC_RETURN, BANK1, 44)
    pair.run(4 * US)
    pair.side_band(0, ports.CBFC_RETURN, BANK1, 44)
    pair.drain(200 * US)
    verdict(pair, bool(rule), rule)


def test_dynamic_limit_not_used() -> None:
    """With the dynamic limit a packet has to go down to one largest packet."""
    setup = Setup(fields=fields(type1_dyn_uf_limit_cbfc_en=1), timeout_us=500)
    pair = loaded(regulator(enough=never_dynamic), 50, setup)
    burst(pair, 1, 2)
    pair.run(60 * US)
    assert judged(pair)[0] == "RCL-079"


@pytest.mark.parametrize("faulty", [False, True])
def test_reset_of_all_credit(faulty: bool) -> None:
    pair = loaded(regulator(flow_open=always, sent=free) if faulty else GOOD, PLENTY)
    burst(pair, 1, 1)
    pair.run(4 * US)
    pair.side_band(0, ports.CBFC_RESET)
    pair.run(2 * US)
    pair.settle()
    burst(pair, 1, 1)
    if faulty:
        pair.run(4 * US)
    else:
        pair.run(2 * US)
        pair.side_band(0, ports.CBFC_LOAD, 0xFF, 64, PLENTY, 4)
        pair.drain(200 * US)
    verdict(pair, faulty, "RCL-084")


@pytest.mark.parametrize("faulty", [False, True])
def test_reset_of_all_credit_keeps_the_cells(faulty: bool) -> None:
    def all_gone(self: Regulator) -> None:
        Regulator.wipe(self)
        self.cells = 0

    setup = Setup(fields={**fields(rx_type2_cbfc_en=0), ("X_MISC_CFG", "x_multi_credit_ctrl_en"): 1})
    pair = loaded(regulator(wipe=all_gone) if faulty else GOOD, PLENTY, setup)
    pair.side_band(0, ports.SET_TYPE2_RATE, 0x3FFFFF)
    pair.side_band(0, ports.CBFC_RESET)
    pair.run(2 * US)
    pair.multicast(0, 1, pair.rng.randbytes(200))
    pair.run(200 * US)
    pair.side_band(0, ports.CBFC_LOAD, 0xFF, 64, PLENTY, 4)
    pair.drain(200 * US)
    verdict(pair, faulty, "RCL-084")


def test_flow_without_a_check_needs_no_credit() -> None:
    setup = Setup(fields=fields(rx_type1_req_bank1_cbfc_en=0), timeout_us=500)
    pair = loaded(GOOD, 1, setup)
    burst(pair, 1, 2)
    pair.drain(200 * US)
    assert pair.finish() == []
    assert pair.sides[0].model.rules.evidence["RCL-134"]


def test_check_of_a_flow_that_has_none() -> None:
    def enabled(self: Regulator, flow: Flow) -> bool:
        return self.credit[self.endpoint.device.vcs[flow]] > 22

    setup = Setup(fields=fields(rx_type1_req_bank1_cbfc_en=0), timeout_us=500)
    pair = loaded(regulator(flow_open=enabled), 1, setup)
    burst(pair, 1, 2)
    pair.run(60 * US)
    assert judged(pair)[0] in ("RCL-056", "RCL-134")


@pytest.mark.parametrize("faulty", [False, True])
def test_type2_needs_both_credits(faulty: bool) -> None:
    setup = Setup(fields={**fields(), ("X_MISC_CFG", "x_multi_credit_ctrl_en"): 1})

    def cbfc_only(self: Regulator, flow: Flow) -> bool:
        self.cells = 2048
        return Regulator.flow_open(self, flow)

    parts = regulator(flow_open=cbfc_only) if faulty else GOOD
    pair = Pair(setup, CLEAN, parts=parts, knobs={"TYPE2_CRD_RST_NUM": 20})
    pair.side_band(0, ports.CBFC_LOAD, 0xFF, 64, PLENTY, 4)
    pair.run(US)
    for group in range(3):
        pair.multicast(0, group, pair.rng.randbytes(1200))
    pair.run(10 * US)
    pair.side_band(0, ports.TYPE2_CRD, 10)
    pair.run(10 * US)
    pair.side_band(0, ports.TYPE2_CRD, 10)
    pair.drain(100 * US)
    verdict(pair, faulty, "RCL-085")


# -- rate -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("faulty", [False, True])
def test_rate_zero_stops_at_once(faulty: bool) -> None:
    def deaf(self: Regulator, number: int, rate: int) -> None:
        if rate:
            Regulator.set_rate(self, number, rate)

    pair = Pair(Setup(timeout_us=500), CLEAN, parts=regulator(set_rate=deaf) if faulty else GOOD)
    burst(pair, 1, 1)
    pair.run(4 * US)
    pair.side_band(0, ports.SET_CC_RATE, 0, 1)
    pair.run(2 * US)
    burst(pair, 1, 2)
    burst(pair, 2, 2)
    pair.run(10 * US)
    pair.side_band(0, ports.SET_CC_RATE, 100_000, 1)
    pair.drain(200 * US)
    verdict(pair, faulty, "RCL-069")
    if not faulty:
        assert pair.sides[0].model.rules.evidence["RCL-071"]


@pytest.mark.parametrize("faulty", [False, True])
def test_masked_queue_pair_blocks_no_other(faulty: bool) -> None:
    def oldest_only(self: Sender) -> object:
        first = next(iter(self.slots.values()), None)
        waiting = next((slot for slot in self.slots.values() if not slot.granted), None)
        return waiting if first is not None and waiting is not None and self.eligible(waiting) else None

    parts: Parts = (type("Faulty", (Sender,), {"choose": oldest_only}), Receiver, Regulator)
    pair = Pair(Setup(timeout_us=500), CLEAN, parts=parts if faulty else GOOD)
    pair.side_band(0, ports.SET_CC_RATE, 0, 1)
    pair.run(2 * US)
    burst(pair, 1, 2)
    burst(pair, 2, 2)
    pair.run(50 * US)
    pair.side_band(0, ports.SET_CC_RATE, 100_000, 1)
    pair.drain(200 * US)
    verdict(pair, faulty, "RCL-073")


@pytest.mark.parametrize("faulty", [False, True])
def test_rate_command_during_recovery(faulty: bool) -> None:
    """A disabled queue pair at rate 0 ignores commands at the port until it is enabled again."""
    pair = Pair(Setup(timeout_us=500), CLEAN)
    endpoint = pair.sides[0].endpoint
    pair.write(0, "QP_ID_SET", 1)
    pair.set(0, "QP_CONTROL_STATUS", qp_en=0)
    pair.write(0, "TX_SPEED_MEM", 0)
    pair.run(2 * US)
    locked = endpoint.regulator.set_rate
    if not faulty:
        endpoint.regulator.set_rate = lambda number, rate: None  # type: ignore[method-assign]
    pair.side_band(0, ports.SET_CC_RATE, 5000, 1)
    endpoint.regulator.set_rate = locked  # type: ignore[method-assign]
    pair.run(2 * US)
    pair.set(0, "QP_CONTROL_STATUS", qp_en=1)
    pair.run(2 * US)
    burst(pair, 1, 1)
    pair.run(50 * US)
    found = judged(pair)
    assert found[:1] == (["RCL-135"] if faulty else []), found


def test_downstream_reset() -> None:
    for stuck in (False, True):
        pair = loaded(GOOD, PLENTY)
        burst(pair, 1, 2)
        pair.run(4 * US)
        pair.side_band(0, ports.CBFC_RESET)
        pair.run(US)
        burst(pair, 1, 2)
        pair.run(US)
        pair.side_band(0, ports.MAC_CREDIT_RST)
        pair.side_band(0, ports.CBFC_LOAD, 0xFF, 64, PLENTY, 4)
        if stuck:
            pair.sides[0].endpoint.sender.choose = lambda: None  # type: ignore[method-assign]
            pair.run(60 * US)
            assert judged(pair)[0] == "RCL-127"
        else:
            pair.drain(200 * US)
            assert pair.finish() == []
            assert pair.sides[0].model.rules.evidence["RCL-127"]


@pytest.mark.parametrize(
    ("pulses", "rule"), [((MAC,), "RCL-056"), ((MAC, VCS), "RCL-127"), ((VCS, MAC), "RCL-127")]
)
def test_packets_that_wait_at_a_downstream_reset(pulses: tuple[str, ...], rule: str) -> None:
    """Both credits are reset, in any order: what waits has to leave; one alone is no such reset."""
    for stuck in (False, True):
        pair = Pair(Setup(timeout_us=500), CLEAN, knobs={"MAC_TX_CRD_INIT": 24})
        burst(pair, 1, 4)
        pair.run(4 * US)
        for pulse in pulses:
            pair.side_band(0, pulse)
        if stuck:
            pair.sides[0].endpoint.sender.choose = lambda: None  # type: ignore[method-assign]
        pair.run(US)
        pair.sides[0].model.advance(pair.now)
        assert bool(pair.sides[0].model.rules.evidence["RCL-127"]) == (not stuck and rule == "RCL-127")
        pair.run(60 * US)
        pair.sides[0].model.finish()
        found = [finding.rule for finding in pair.sides[0].findings]
        assert found[:1] == ([rule] if stuck else found[:1])
