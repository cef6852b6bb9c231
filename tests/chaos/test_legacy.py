"""Each old behaviour that the texts name: its story breaks the rule that it is about, and is green without it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from tests.chaos.red_and_green import is_green, is_red_as_said
from tests.lengths import LONG, mostly_by_night, one_in

from shaketable.chaos.legacy import legacy_faults, legacy_migrations, legacy_split_brain
from shaketable.harness.runs.judging import judged
from shaketable.harness.runs.run import Options, run_real, run_simulated
from shaketable.harness.scripting.scripts import Script, scripts_of
from shaketable.node.config import LEGACY_FAULTS
from shaketable.node.legacy import MEMBERS

Pair = tuple[Script, Script]


@dataclass(frozen=True)
class Told:
    """The stories of one text, each with the old behaviour and without it."""

    file: str
    seeds: int
    pairs: tuple[Pair, ...]
    sooner: Mapping[str, object] = field(default_factory=dict)
    """in the real world: nothing hangs on these but how long the settle bound is"""


SOONER = {"mastership_claim_timeout_seconds": 1, "member_list_publish_interval_seconds": 1}
TEXTS = (
    Told(
        legacy_faults.__file__,
        50,
        (
            (legacy_faults.legacy_unordered_updates, legacy_faults.ordered_updates),
            (legacy_faults.legacy_missed_removal, legacy_faults.missed_removal),
            (legacy_faults.legacy_stale_overwrite, legacy_faults.no_stale_overwrite),
        ),
        SOONER,
    ),
    Told(
        legacy_migrations.__file__,
        12,
        (
            (legacy_migrations.legacy_own_tables, legacy_migrations.one_table),
            (legacy_migrations.legacy_stale_table, legacy_migrations.the_newest_table),
            (legacy_migrations.legacy_lone_decisions, legacy_migrations.one_outcome),
            (legacy_migrations.legacy_lone_decisions_leak, legacy_migrations.one_outcome_without_leak),
            (legacy_migrations.legacy_cleared_backups, legacy_migrations.migrated_backups),
            (legacy_migrations.legacy_late_backups, legacy_migrations.copied_backups),
        ),
    ),
    Told(
        legacy_split_brain.__file__,
        20,
        (
            (legacy_split_brain.legacy_only_configured, legacy_split_brain.remembered),
            (legacy_split_brain.legacy_silent_followers, legacy_split_brain.a_follower_that_answers),
            (legacy_split_brain.legacy_one_sided_search, legacy_split_brain.a_search_from_either_side),
        ),
        SOONER,
    ),
)


FEW = 1
"""seeds that are not long"""
EACH_PAIR = [
    *(pytest.param(text, *pair, range(1, FEW + 1), id=pair[0].name) for text in TEXTS for pair in text.pairs),
    *(
        pytest.param(text, *pair, range(FEW + 1, text.seeds + 1), id=f"{pair[0].name}-more-seeds", marks=LONG)
        for text in TEXTS
        for pair in text.pairs
    ),
]
EACH_BROKEN = [pytest.param(text, pair[0], id=pair[0].name) for text in TEXTS for pair in text.pairs]
WAITED_FOR = (legacy_split_brain.legacy_silent_followers, legacy_split_brain.legacy_one_sided_search)
"""To see that a split never heals takes a minute of true time: in the real world the first of the three stands for them
here, and `shaketable run chaos/legacy/legacy_split_brain.py` runs them all."""


@pytest.mark.parametrize(("text", "legacy", "real", "seeds"), mostly_by_night(3, EACH_PAIR))
@pytest.mark.parametrize("preset", ["default", "fast"])
def test_it_is_red_with_the_fault_and_green_without_it(
    text: Told, legacy: Script, real: Script, preset: str, seeds: range
) -> None:
    for seed in seeds:
        is_red_as_said(run_simulated(legacy, Options("sim", seed=seed, preset=preset)))
        is_green(run_simulated(real, Options("sim", seed=seed, preset=preset)), legacy)


@pytest.mark.parametrize(("text", "legacy"), EACH_BROKEN)
def test_without_its_fault_the_same_script_is_told_that_nothing_broke(text: Told, legacy: Script) -> None:
    verdict = judged(run_simulated(legacy, Options("sim", values={"legacy_fault": "none"})))
    assert verdict.outcome == "failed"
    assert f"{legacy.expects_violation} was expected to be broken, and it held" in " ".join(
        reason.text for reason in verdict.reasons
    )


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: Path(text.file).stem)
def test_every_story_with_a_violation_has_its_pair(text: Told) -> None:
    broken = [script.name for script in scripts_of(Path(text.file)) if script.expects_violation]
    assert [legacy.name for legacy, _ in text.pairs] == broken


def test_every_fault_has_its_member_and_its_story() -> None:
    stories = [script for text in TEXTS for script in scripts_of(Path(text.file)) if script.expects_violation]
    told = [Options("sim").settings(script).legacy_fault for script in stories]
    assert list(dict.fromkeys(told)) == list(LEGACY_FAULTS)
    assert set(MEMBERS) == {"none", *LEGACY_FAULTS}


@pytest.mark.parametrize(
    ("text", "legacy"), one_in(4, [each for each in EACH_BROKEN if each.values[1] not in WAITED_FOR])
)
def test_it_is_red_on_real_processes(text: Told, legacy: Script, tmp_path: Path) -> None:
    is_red_as_said(run_real(legacy, Options("real", values=text.sooner), folder=tmp_path))
