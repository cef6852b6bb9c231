"""Each fault that the text opens with: its story turns the check red that names the rule, and is green without it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.harness.red_and_green import is_green, is_red_as_said

from shaketable.chaos import legacy_faults, legacy_migrations, legacy_split_brain
from shaketable.harness.judging import judged
from shaketable.harness.run import Options, run_real, run_simulated
from shaketable.harness.scripts import Script, scripts_of
from shaketable.node.config import LEGACY_FAULTS
from shaketable.node.events import ViewIgnored, ViewInstalled
from shaketable.node.legacy import MEMBERS

SEEDS = range(1, 51)
PAIRS = [
    (legacy_faults.legacy_unordered_updates, legacy_faults.ordered_updates),
    (legacy_faults.legacy_missed_removal, legacy_faults.missed_removal),
    (legacy_faults.legacy_stale_overwrite, legacy_faults.no_stale_overwrite),
]
BROKEN = [pair[0] for pair in PAIRS]
OF_OTHERS = [
    script
    for stories in (legacy_migrations, legacy_split_brain)
    for script in scripts_of(Path(str(stories.__file__)))
    if script.expects_violation
]


@pytest.mark.parametrize(("legacy", "real"), PAIRS, ids=[pair[0].name for pair in PAIRS])
@pytest.mark.parametrize("preset", ["default", "fast"])
def test_it_is_red_with_the_fault_and_green_without_it(legacy: Script, real: Script, preset: str) -> None:
    for seed in SEEDS:
        is_red_as_said(run_simulated(legacy, Options("sim", seed=seed, preset=preset)))
        is_green(run_simulated(real, Options("sim", seed=seed, preset=preset)), legacy)


def test_the_real_member_ignores_the_late_list_and_says_so() -> None:
    records = run_simulated(legacy_faults.ordered_updates, Options("sim")).records
    told = [r.event for r in records if r.node == "n3"]
    (newest,) = [i for i, event in enumerate(told) if isinstance(event, ViewInstalled) and event.version == 4]
    late = [event for event in told[newest:] if isinstance(event, ViewIgnored)]
    assert [(event.version, event.reason) for event in late] == [(3, "not newer")]


@pytest.mark.parametrize("legacy", BROKEN, ids=lambda script: script.name)
def test_without_its_fault_the_same_script_is_told_that_nothing_broke(legacy: Script) -> None:
    verdict = judged(run_simulated(legacy, Options("sim", values={"legacy_fault": "none"})))
    assert verdict.outcome == "failed"
    assert f"{legacy.expects_violation} was expected to be broken, and it held" in " ".join(
        reason.text for reason in verdict.reasons
    )


def test_every_fault_has_its_member_and_its_story() -> None:
    told = [Options("sim").settings(script).legacy_fault for script in [*BROKEN, *OF_OTHERS]]
    assert list(dict.fromkeys(told)) == list(LEGACY_FAULTS)
    assert set(MEMBERS) == {"none", *LEGACY_FAULTS}


@pytest.mark.parametrize("legacy", BROKEN, ids=lambda script: script.name)
def test_it_is_red_on_real_processes(legacy: Script, tmp_path: Path) -> None:
    # Nothing hangs on these two times but how long the settle bound is.
    sooner = {"mastership_claim_timeout_seconds": 1, "member_list_publish_interval_seconds": 1}
    is_red_as_said(run_real(legacy, Options("real", values=sooner), folder=tmp_path))
