"""The environment tested against itself: each way of going blind (E1 to E8) makes a run fail."""

from __future__ import annotations

from pathlib import Path

import pytest

from tb.cli.classify import KILLED, classify, fault_activated
from tb.runner import Job, load_binding, run
from tb.runner.mutants import read_manifest
from tb.runner.results import seeds_without_effect

TEST = "send_only"


def outcome(
    folder: Path, *tampers: str, mutant: int = 0, seed: int = 1, test: str = TEST, dut: str = "ernic"
) -> dict[str, object]:
    """Run ``test`` with a damaged environment."""
    job = Job(
        dut=dut,
        test=test,
        seed=seed,
        sim="verilator",
        mutant=mutant,
        tampers=tampers,
        out_dir=folder / "-".join((*tampers, str(mutant), str(seed))),
    )
    return run(job)


@pytest.mark.parametrize(
    "tamper",
    [
        "monitor_cut",  # E1
        "no_compare",  # E2
        "evidence_early",  # E5
        "no_drain",  # E6
        "dead_dut",  # E7
        "no_reset",  # E8
    ],
)
def test_run_fails(tamper: str, tmp_path: Path) -> None:
    """A blind monitor, comparator, end of test, DUT or reset never passes."""
    assert outcome(tmp_path, tamper)["verdict"] != "pass"


@pytest.mark.parametrize("tamper", ["monitor_cut", "dead_dut", "no_reset"])
def test_run_of_the_other_target_fails(tamper: str, tmp_path: Path) -> None:
    """What an environment has of its own is its monitors, its reset and how it waits for the DUT."""
    assert outcome(tmp_path, tamper, test="type1_standard", dut="rclink")["verdict"] != "pass"


def test_fed_by_the_dut(tmp_path: Path) -> None:
    """E3: a model that believes the DUT lets a payload fault live, and qualification says so."""
    fault = next(one for one in read_manifest(load_binding("ernic")).mutants if "ERN-054" in one.rules)

    def kind(*tampers: str) -> str:
        golden = outcome(tmp_path, *tampers, test=fault.test)
        broken = outcome(tmp_path, *tampers, test=fault.test, mutant=fault.number)
        acted = fault_activated(Path(str(broken["out_dir"])), fault.number)
        return classify(fault, 1, golden, broken, acted).outcome

    assert kind() == KILLED
    assert kind("fed_by_dut") != KILLED


def test_seed_ignored(tmp_path: Path) -> None:
    """E4: two seeds have to give two stimuli; the regression compares their digests."""

    def stimuli(*tampers: str) -> list[str]:
        runs = [outcome(tmp_path, *tampers, seed=seed) for seed in (1, 2)]
        return [str(one["digests"]["stimulus"]) for one in runs]  # type: ignore[index]

    assert len(set(stimuli())) == 2
    assert len(set(stimuli("seed_ignored"))) == 1
    assert seeds_without_effect(
        [{"test": "a", "seed": seed, "digests": {"stimulus": "x"}} for seed in (1, 2)]
    )


def test_undamaged(tmp_path: Path) -> None:
    """The same run without damage passes: the failures above are due to the damage."""
    assert outcome(tmp_path)["verdict"] == "pass"
