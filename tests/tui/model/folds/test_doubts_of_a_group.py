"""Members of a group that are in doubt, and what came of it: one doubt a member, however many have it."""

from __future__ import annotations

import pytest
from tests.reasons import reason_in
from tests.tui.model.folds.test_picture_parts import N1, N2, N3, N4, picture_of

from shaketable.node import events as e
from shaketable.node.events import Event
from shaketable.node.messages import Change, Member
from shaketable.tui.model.folds import doubts as d
from shaketable.tui.model.folds.picture import Picture

Told = tuple[Member | None, Event]


def suspects(who: Member, whom: Member = N3) -> Told:
    return who, e.Suspected(whom, *reason_in("by word of n1"))


def trusts(who: Member, whom: Member = N3) -> Told:
    return who, e.SuspicionEnded(whom, *reason_in("it was heard"))


def says(state: str, who: Member = N1, whom: Member = N3) -> Told:
    return who, e.HealthAnnouncedToAll(whom, state)


def publishes(number: int, change: Change, peer: Member = N3) -> Told:
    return N1, e.NotificationPublished(number, N1.uuid, peer, change, (N1, N2, N4), 2)


def doubt_of(picture: Picture, member: Member = N3) -> tuple[str, tuple[str, ...], bool, int]:
    """How it stands, by whom it is doubted, whether that is announced, and as which notification its end is told."""
    of = picture.doubts.of[member.uuid]
    return of.state, of.by, of.announced is not None, of.told


CASES: dict[str, tuple[tuple[Told, ...], tuple[str, tuple[str, ...], bool, int]]] = {
    "one member has it": ((suspects(N1),), (d.OPEN, ("n1",), False, 0)),
    "all are told": (
        (suspects(N1), says("in doubt"), suspects(N2), suspects(N4)),
        (d.OPEN, ("n1", "n2", "n4"), True, 0),
    ),
    "it is alive, and some have yet to hear that": (
        (suspects(N1), says("in doubt"), suspects(N2), trusts(N1), says("alive")),
        (d.CLEARED, ("n2",), True, 0),
    ),
    "it was announced, and is open though its master has no doubt any more": (
        (suspects(N1), says("in doubt"), suspects(N2), trusts(N1)),
        (d.OPEN, ("n2",), True, 0),
    ),
    "the last one has given it up": ((suspects(N1), suspects(N2), trusts(N1), trusts(N2)), (d.CLEARED, (), False, 0)),
    "it is dead": ((suspects(N1), says("in doubt"), says("dead")), (d.DEAD, ("n1",), True, 0)),
    "and its failure is told": (
        (suspects(N1), says("in doubt"), says("dead"), publishes(7, "failure")),
        (d.DEAD, ("n1",), True, 7),
    ),
    "nobody has announced its death": ((suspects(N1), publishes(7, "failure")), (d.DEAD, ("n1",), False, 7)),
    "it left": ((suspects(N1), publishes(7, "planned shutdown")), (d.LEFT, ("n1",), False, 7)),
    "a late word does not wake the dead": (
        (suspects(N1), says("dead"), publishes(7, "failure"), says("alive"), suspects(N4)),
        (d.DEAD, ("n1", "n4"), False, 7),
    ),
    "a master's second doubt comes before the first is given up by all": (
        (suspects(N1), says("in doubt"), suspects(N2), says("alive"), says("in doubt")),
        (d.OPEN, ("n1", "n2"), True, 0),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_how_a_doubt_stands(name: str) -> None:
    told, expected = CASES[name]
    assert doubt_of(picture_of(*told)) == expected


def test_the_words_have_their_times_and_authors() -> None:
    of = picture_of(suspects(N2), says("in doubt"), says("dead")).doubts.of[N3.uuid]
    assert (of.since, of.announced, of.ended) == (1000, (2000, "n1"), (3000, "n1"))


def test_a_member_that_is_back_is_doubted_anew() -> None:
    picture = picture_of(suspects(N1), says("dead"), publishes(7, "failure"), publishes(8, "add"), suspects(N2))
    assert doubt_of(picture) == (d.OPEN, ("n2",), False, 0)
    assert [(of.state, of.told) for of in picture.doubts.past] == [(d.DEAD, 7)]


def test_a_doubt_after_one_that_all_gave_up_is_another_one() -> None:
    picture = picture_of(suspects(N1), trusts(N1), suspects(N4))
    assert doubt_of(picture) == (d.OPEN, ("n4",), False, 0)
    assert [of.since for of in picture.doubts.past] == [1000]


def test_of_those_that_are_over_only_the_last_are_kept() -> None:
    picture = picture_of(*(told for _ in range(d.MOST + 5) for told in (suspects(N1), trusts(N1))))
    assert len(picture.doubts.past) == d.MOST
    assert picture.doubts.of[N3.uuid].since == 1000 + 2000 * (d.MOST + 4)


def test_nobody_who_is_not_in_doubt_has_a_doubt() -> None:
    assert picture_of(says("stopping", N3, N3), says("alive"), publishes(7, "failure")).doubts.of == {}
