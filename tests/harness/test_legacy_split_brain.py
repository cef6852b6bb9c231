"""Each old behaviour that the text on split-brain recovery names: its story never heals, and the checks that name the
rule are red; without it the same steps are green."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.harness.red_and_green import is_green, is_red_as_said

from shaketable.chaos import legacy_split_brain as stories
from shaketable.harness.judging import judged
from shaketable.harness.run import Finished, Options, run_real, run_simulated
from shaketable.harness.scripts import Script
from shaketable.node.events import AddressRemembered, Merged, MergeJudged, SplitBrainSearchBegan, SplitBrainSearchEnded

SEEDS = range(1, 21)
PAIRS = [
    (stories.legacy_only_configured, stories.remembered),
    (stories.legacy_silent_followers, stories.a_follower_that_answers),
    (stories.legacy_one_sided_search, stories.a_search_from_either_side),
]
BROKEN = [pair[0] for pair in PAIRS]


@pytest.mark.parametrize(("legacy", "real"), PAIRS, ids=[pair[0].name for pair in PAIRS])
@pytest.mark.parametrize("preset", ["default", "fast"])
def test_it_is_red_with_the_fault_and_green_without_it(legacy: Script, real: Script, preset: str) -> None:
    for seed in SEEDS:
        is_red_as_said(run_simulated(legacy, Options("sim", seed=seed, preset=preset)))
        is_green(run_simulated(real, Options("sim", seed=seed, preset=preset)), legacy)


@pytest.mark.parametrize("legacy", BROKEN, ids=lambda script: script.name)
def test_without_its_fault_the_same_script_does_not_pass(legacy: Script) -> None:
    """It says itself that they are to stay apart."""
    verdict = judged(run_simulated(legacy, Options("sim", values={"legacy_fault": "none"})))
    assert verdict.outcome == "failed"
    assert f"{legacy.expects_violation} was expected to be broken, and it held" in " ".join(
        reason.text for reason in verdict.reasons
    )


def told_by(finished: Finished, node: str, *kinds: type) -> list[object]:
    return [record.event for record in finished.records if record.node == node and isinstance(record.event, kinds)]


def test_with_nothing_remembered_both_masters_search_where_nobody_is() -> None:
    """The one address that is left is that of the bridge."""
    legacy = run_simulated(stories.legacy_only_configured, Options("sim"))
    for master in ("n2", "n4"):
        asked = [
            e.addresses for e in told_by(legacy, master, SplitBrainSearchBegan) if isinstance(e, SplitBrainSearchBegan)
        ]
        assert len(asked) > 5
        assert max(asked) <= 3
        answers = [
            e.answered for e in told_by(legacy, master, SplitBrainSearchEnded) if isinstance(e, SplitBrainSearchEnded)
        ]
        assert set(answers) == {0}


def test_a_follower_s_word_is_what_brings_the_parts_together() -> None:
    real = run_simulated(stories.a_follower_that_answers, Options("sim"))
    (heard,) = [e for e in told_by(real, "n4", AddressRemembered) if isinstance(e, AddressRemembered)]
    assert heard.reason == "127.0.0.1:5702 follows it"
    legacy = run_simulated(stories.legacy_silent_followers, Options("sim"))
    assert told_by(legacy, "n4", AddressRemembered) == []


def test_who_has_to_go_over_knows_it_in_vain_where_it_does_not_learn_where() -> None:
    legacy = run_simulated(stories.legacy_one_sided_search, Options("sim"))
    judged_by_it = [e.decision for e in told_by(legacy, "n2", MergeJudged) if isinstance(e, MergeJudged)]
    assert judged_by_it
    assert set(judged_by_it) == {"merge"}
    assert told_by(legacy, "n2", Merged, AddressRemembered) == []


@pytest.mark.parametrize("legacy", BROKEN, ids=lambda script: script.name)
def test_it_is_red_on_real_processes(legacy: Script, tmp_path: Path) -> None:
    # Nothing hangs on these two times but how long the settle bound is.
    sooner = {"mastership_claim_timeout_seconds": 1, "member_list_publish_interval_seconds": 1}
    is_red_as_said(run_real(legacy, Options("real", values=sooner), folder=tmp_path))
