"""Whatever is done to a few members that are cut apart: no two parts ever go over into each other, nobody ends as
neither a member nor one that searches, and when all is whole again all are one cluster."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.node.cluster.splitbrain.parts import story
from tests.reasons import reason_in

from shaketable.node.cluster.splitbrain import answering, handler
from shaketable.node.cluster.splitbrain.decision import MERGE, Decision
from shaketable.node.messages import MemberList
from shaketable.node.why import Because


@given(st.integers(0, 1 << 32), st.integers(2, 6))
@settings(max_examples=60, deadline=None)
def test_parts_become_one_again(seed: int, nodes: int) -> None:
    parts = story(seed, nodes)
    assert [view for view in parts.clusters() if view == ()] == [], "somebody is neither a member nor finds a cluster"
    assert len(parts.clusters()) <= 1, parts.clusters()
    assert parts.watch.going == [], "somebody is on its way for ever"


def test_there_are_merges_in_these_stories_and_some_that_fail() -> None:
    stories = [story(seed, 5) for seed in range(20)]
    assert sum(parts.watch.merges for parts in stories) > 20
    assert sum(parts.watch.failed for parts in stories) > 0


def test_two_that_both_have_to_go_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rule that a fix of the real system once broke: of equal parts one goes, not both."""

    def both(mine: MemberList, theirs: MemberList) -> tuple[Decision, Because]:
        return MERGE, reason_in("planted")

    monkeypatch.setattr(answering, "decide", both)
    monkeypatch.setattr(handler, "decide", both)
    with pytest.raises(AssertionError, match="goes to"):
        assert [story(seed, 4) for seed in range(20)] == []
