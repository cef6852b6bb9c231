"""Each old behaviour that the text on migrations names: its story loses data, or leaks them, and the check that names
the rule is red; without it the same steps are green."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.harness.red_and_green import is_green, is_red_as_said

from shaketable.chaos import legacy_migrations
from shaketable.harness.judging import judged
from shaketable.harness.run import Finished, Options, run_real, run_simulated
from shaketable.harness.scripts import Script
from shaketable.node.events import ReplicaDropped, ReplicaPromoted, TableChanged

SEEDS = range(1, 13)
PAIRS = [
    (legacy_migrations.legacy_own_tables, legacy_migrations.one_table),
    (legacy_migrations.legacy_stale_table, legacy_migrations.the_newest_table),
    (legacy_migrations.legacy_lone_decisions, legacy_migrations.one_outcome),
    (legacy_migrations.legacy_lone_decisions_leak, legacy_migrations.one_outcome_without_leak),
    (legacy_migrations.legacy_cleared_backups, legacy_migrations.migrated_backups),
    (legacy_migrations.legacy_late_backups, legacy_migrations.copied_backups),
]
BROKEN = [pair[0] for pair in PAIRS]


@pytest.mark.parametrize(("legacy", "real"), PAIRS, ids=[pair[0].name for pair in PAIRS])
@pytest.mark.parametrize("preset", ["default", "fast"])
def test_it_is_red_with_the_fault_and_green_without_it(legacy: Script, real: Script, preset: str) -> None:
    for seed in SEEDS:
        is_red_as_said(run_simulated(legacy, Options("sim", seed=seed, preset=preset)))
        is_green(run_simulated(real, Options("sim", seed=seed, preset=preset)), legacy)


@pytest.mark.parametrize("legacy", BROKEN, ids=lambda script: script.name)
def test_without_its_fault_the_same_script_is_told_that_nothing_broke(legacy: Script) -> None:
    verdict = judged(run_simulated(legacy, Options("sim", values={"legacy_fault": "none"})))
    assert verdict.outcome == "failed"
    assert f"{legacy.expects_violation} was expected to be broken, and it held" in " ".join(
        reason.text for reason in verdict.reasons
    )


def told_by(finished: Finished, node: str, *kinds: type) -> list[object]:
    return [record.event for record in finished.records if record.node == node and isinstance(record.event, kinds)]


def test_the_first_backup_promotes_itself_once_more_than_its_master_does() -> None:
    legacy = run_simulated(legacy_migrations.legacy_own_tables, Options("sim"))
    assert told_by(legacy, "n3", TableChanged)
    assert told_by(legacy, "n3", ReplicaDropped)
    versions = [event.version for event in told_by(legacy, "n3", ReplicaPromoted) if isinstance(event, ReplicaPromoted)]
    assert sorted(set(versions)) == [1, 2]
    real = run_simulated(legacy_migrations.one_table, Options("sim"))
    assert told_by(real, "n3", TableChanged, ReplicaDropped) == []
    versions = [event.version for event in told_by(real, "n3", ReplicaPromoted) if isinstance(event, ReplicaPromoted)]
    assert sorted(set(versions)) == [2]


@pytest.mark.parametrize("legacy", BROKEN, ids=lambda script: script.name)
def test_it_is_red_on_real_processes(legacy: Script, tmp_path: Path) -> None:
    is_red_as_said(run_real(legacy, Options("real"), folder=tmp_path))
