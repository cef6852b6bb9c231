"""The decision who goes over to whom, for any two lists: one answer, whoever asks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.node.messages.messages_by_chance import member

from shaketable.node.cluster.splitbrain.decision import MERGE, NO, STAY, best, bracketed, data_members, decide
from shaketable.node.messages import Member, MemberList

OPPOSITE = {MERGE: STAY, STAY: MERGE, NO: NO}
HOSTS = st.sampled_from(["127.0.0.1", "127.0.0.10", "10.0.0.1", "a", "b.example"])
ADDRESSES = st.builds("{}:{}".format, HOSTS, st.integers(5701, 5712))


@st.composite
def lists(draw: st.DrawFn, number: int) -> MemberList:
    addresses = draw(st.lists(ADDRESSES, min_size=1, max_size=5, unique=True))
    uuids = [f"{number:08x}-0000-4000-8000-{place:012x}" for place in range(len(addresses))]
    members = [Member(address, uuid, draw(st.booleans())) for address, uuid in zip(addresses, uuids, strict=True)]
    return MemberList(draw(st.integers(1, 9)), uuids[0], tuple(members))


def listed(*members: Member, version: int = 1) -> MemberList:
    return MemberList(version, members[0].uuid, members)


@given(lists(1), lists(2))
def test_both_sides_decide_the_same(mine: MemberList, theirs: MemberList) -> None:
    decision, reason = decide(mine, theirs)
    assert decide(theirs, mine)[0] == OPPOSITE[decision]
    assert reason


@given(lists(1), lists(2))
def test_parts_that_share_an_address_do_not_merge_and_all_others_do(mine: MemberList, theirs: MemberList) -> None:
    shared = {m.address for m in mine.members} & {m.address for m in theirs.members}
    assert (decide(mine, theirs)[0] == NO) == bool(shared)


@given(lists(1), lists(2), st.integers(1, 9))
def test_versions_and_the_order_of_followers_say_nothing(mine: MemberList, theirs: MemberList, version: int) -> None:
    turned = MemberList(version, theirs.author, (theirs.members[0], *reversed(theirs.members[1:])))
    assert decide(mine, turned)[0] == decide(mine, theirs)[0]


@given(st.lists(lists(1), min_size=1, max_size=4))
def test_the_best_target_is_one_that_the_others_would_go_over_to(views: list[MemberList]) -> None:
    into, view = best([(view.members[0], view) for view in views])
    assert into == view.members[0]
    for other in views:
        assert data_members(other) <= data_members(view)
        if not {m.address for m in other.members} & {m.address for m in view.members}:
            assert decide(view, other)[0] == STAY


@pytest.mark.parametrize(
    ("mine", "theirs", "decision"),
    [
        (listed(member(1), member(2)), listed(member(3)), STAY),
        (listed(member(1)), listed(member(2), member(3)), MERGE),
        (listed(member(1)), listed(member(2)), STAY),
        (listed(member(2)), listed(member(1)), MERGE),
        # Lite members do not count, not even many.
        (listed(member(1, lite=True), member(2, lite=True), member(3)), listed(member(4), member(5)), MERGE),
        (listed(member(1, lite=True)), listed(member(2)), MERGE),
        (listed(member(2, lite=True)), listed(member(1, lite=True)), MERGE),
        # An address counts, whatever its identity.
        (listed(member(1), member(2)), listed(member(3), member(2, life=1)), NO),
    ],
)
def test_by_hand(mine: MemberList, theirs: MemberList, decision: str) -> None:
    assert decide(mine, theirs)[0] == decision


def test_addresses_are_compared_as_text_with_their_brackets() -> None:
    """As in the real system: a longer port comes first, and a longer host before the one that it begins with. A bracket
    stands after capitals, where a colon would stand before them."""
    assert bracketed("127.0.0.1:5710") > bracketed("127.0.0.1:5709")
    assert bracketed("10.0.0.1:5701") > bracketed("10.0.0.10:5701")
    assert bracketed("10.0.0.1:10000") < bracketed("10.0.0.1:5701")
    assert bracketed("node:5701") > bracketed("nodeA:5701")
