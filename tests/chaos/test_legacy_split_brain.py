"""The old behaviours that the text on split-brain recovery names, in detail: who asks and hears whom, and in vain."""

from __future__ import annotations

from tests.chaos.red_and_green import told_by

from shaketable.chaos.legacy import legacy_split_brain as stories
from shaketable.harness.runs.run import Options, run_simulated
from shaketable.node.events import AddressRemembered, Merged, MergeJudged, SplitBrainSearchBegan, SplitBrainSearchEnded


def test_with_nothing_remembered_both_masters_search_where_nobody_is() -> None:
    """The one address that is left is that of the bridge."""
    legacy = run_simulated(stories.legacy_only_configured, Options("sim"))
    for master in ("n2", "n4"):
        asked = [event.addresses for event in told_by(legacy, master, SplitBrainSearchBegan)]
        assert len(asked) > 5
        assert max(asked) <= 3
        answers = [event.answered for event in told_by(legacy, master, SplitBrainSearchEnded)]
        assert set(answers) == {0}


def test_a_follower_s_word_is_what_brings_the_parts_together() -> None:
    real = run_simulated(stories.a_follower_that_answers, Options("sim"))
    (heard,) = told_by(real, "n4", AddressRemembered)
    assert heard.reason == "127.0.0.1:5702 follows it"
    legacy = run_simulated(stories.legacy_silent_followers, Options("sim"))
    assert told_by(legacy, "n4", AddressRemembered) == []


def test_who_has_to_go_over_knows_it_in_vain_where_it_does_not_learn_where() -> None:
    legacy = run_simulated(stories.legacy_one_sided_search, Options("sim"))
    judged_by_it = [event.decision for event in told_by(legacy, "n2", MergeJudged)]
    assert judged_by_it
    assert set(judged_by_it) == {"merge"}
    assert told_by(legacy, "n2", Merged) == []
    assert told_by(legacy, "n2", AddressRemembered) == []
