"""What a member of a group believes of the others, and what its application was told, by its own events."""

from __future__ import annotations

import pytest
from tests.reasons import reason_in
from tests.tui.model.folds.test_picture_parts import N1, N2, N3, N4, picture_of
from tests.tui.panels.stories import session_of

from shaketable.node import events as e
from shaketable.node.events import Event
from shaketable.node.messages import Member
from shaketable.tui.model.folds import membership as m
from shaketable.tui.model.folds.picture import Picture

Told = tuple[Member | None, Event]
IN_VIEW: tuple[Told, ...] = (
    (N2, e.MasterFollowed(N1, *reason_in("add"))),
    (N2, e.NotificationTaken(3, "u1", N2, "add", False)),
    (N2, e.ViewInstalled(3, "u1", N1, (N1, N2, N3), *reason_in("add"))),
    (N2, e.Joined(False, *reason_in("add"))),
)


def signal(name: str, peer: Member, version: int = 0) -> Told:
    return N2, e.Signalled(name, peer, version, "u1")


def states(picture: Picture) -> list[str]:
    """Of n1 to n4, as n2 takes them to be."""
    node, of = picture.observed.nodes["n2"], picture.extra("n2").membership
    return [m.believed(node, of, m.view_of(node, of), each.uuid) for each in (N1, N2, N3, N4)]


SUSPECTED: Told = (N2, e.Suspected(N3, *reason_in("by word of n1")))
CASES: dict[str, tuple[tuple[Told, ...], list[str]]] = {
    "who is in the view lives": ((), [m.ALIVE, m.ALIVE, m.ALIVE, m.UNKNOWN]),
    "and is ready when its application is told": (
        (signal("JOINED_AND_READY", N3, 4),),
        [m.ALIVE, m.ALIVE, m.READY, m.UNKNOWN],
    ),
    "a doubt comes before that": (
        (signal("JOINED_AND_READY", N3, 4), SUSPECTED, signal("FAILURE_SUSPECTED", N3)),
        [m.ALIVE, m.ALIVE, m.IN_DOUBT, m.UNKNOWN],
    ),
    "and its end restores it": (
        (
            *(signal("JOINED_AND_READY", N3, 4), SUSPECTED, signal("FAILURE_SUSPECTED", N3)),
            *((N2, e.SuspicionEnded(N3, *reason_in("it was heard"))), signal("NO_LONGER_SUSPECTED", N3)),
        ),
        [m.ALIVE, m.ALIVE, m.READY, m.UNKNOWN],
    ),
    "a failure is one when the view lacks it": (
        (signal("FAILURE", N3, 5), (N2, e.ViewInstalled(5, "u1", N1, (N1, N2), *reason_in("failure")))),
        [m.ALIVE, m.ALIVE, m.FAILED, m.UNKNOWN],
    ),
    "a planned shutdown is none": (
        (
            signal("PLANNED_SHUTDOWN", N3, 5),
            (N2, e.ViewInstalled(5, "u1", N1, (N1, N2), *reason_in("planned shutdown"))),
        ),
        [m.ALIVE, m.ALIVE, m.LEFT, m.UNKNOWN],
    ),
    "who failed and is back with another master's view lives": (
        (signal("FAILURE", N3, 5), (N2, e.ViewInstalled(9, "u3", N3, (N3, N1, N2), *reason_in("add")))),
        [m.ALIVE, m.ALIVE, m.ALIVE, m.UNKNOWN],
    ),
    "who asks to be added again has no view": (
        ((N2, e.ReadmissionAsked(N1, *reason_in("its view lacks me"))),),
        [m.UNKNOWN] * 4,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_a_member_believes_of_each(name: str) -> None:
    told, expected = CASES[name]
    assert states(picture_of(*IN_VIEW, *told)) == expected


def test_who_was_added_again_has_a_view_again() -> None:
    asks: Told = (N2, e.ReadmissionAsked(N1, *reason_in("its view lacks me")))
    of = picture_of(*IN_VIEW, asks).extra("n2").membership
    assert of.asks_again == (N1, "its view lacks me")
    again: Told = (N2, e.NotificationTaken(7, "u1", N2, "add", False))
    of = picture_of(*IN_VIEW, asks, again).extra("n2").membership
    assert (of.asks_again, of.taken) == (None, (7, "u1"))


def test_what_was_told_stands_in_its_order_and_only_the_last_are_kept() -> None:
    many = m.NOTICES + 5
    of = picture_of(*(signal("JOIN", N3, number) for number in range(many))).extra("n2").membership
    assert of.told == many
    assert [notice.event.version for notice in of.notices] == list(range(5, many))


def test_a_silence_is_over_when_its_probe_has_not_failed_again() -> None:
    silent: Told = (N4, e.ProbeFailed(N3, *reason_in("it has not answered a probe"), 900))
    reported: Told = (N4, e.SuspectReported(N1, N3))
    of = picture_of(*IN_VIEW, silent, reported).extra("n4").membership
    (silence,) = m.silent(of, 6000, renewed=1000)
    assert (silence.since, silence.silent_for, silence.reported_to) == (6000, 900, N1)
    assert m.silent(of, 7000, renewed=1000) == [silence]
    assert m.silent(of, 7001, renewed=1000) == []


def test_who_lacks_notifications_has_them_when_the_last_has_come() -> None:
    asked: Told = (N2, e.NotificationsAsked(3, "u1", N1, 5))
    taken = [(N2, e.NotificationTaken(number, "u1", N3, "joined and ready", True)) for number in (4, 5)]
    lacks = [picture_of(*IN_VIEW, asked, *taken[:some]).extra("n2").membership.lacks for some in range(3)]
    assert lacks == [(3, 5), (3, 5), None]
    lost: Told = (N2, e.NotificationsLost(6, "u1", 3))
    assert picture_of(*IN_VIEW, asked, lost).extra("n2").membership.lacks is None


def test_a_master_leads_until_it_follows_another() -> None:
    leads: tuple[Told, ...] = (
        (N2, e.LeadershipTaken(9, *reason_in("said so"))),
        (N2, e.MasterFollowed(N2, *reason_in("said so"))),
    )
    assert picture_of(*IN_VIEW, *leads).extra("n2").membership.leads_from == (9, "said so")
    for end in (
        e.MasterFollowed(N1, *reason_in("it ranks before me")),
        e.LeadershipYielded(N1, *reason_in("it ranks before me")),
    ):
        assert picture_of(*IN_VIEW, *leads, (N2, end)).extra("n2").membership.leads_from is None


def test_a_picture_that_is_copied_goes_on_alone_and_comes_to_the_same() -> None:
    session = session_of("chaos/groups/group_masters.py", "group-master-crashes-ring-by-order", 1)
    records, whole = list(session.store), Picture()
    for record in records:
        whole.apply(record)
    begun = Picture()
    for record in records[:170]:
        begun.apply(record)
    copy = begun.copy()
    for record in records[170:]:
        begun.apply(record)
    assert (copy == begun, begun == whole) == (False, True)
    for record in records[170:]:
        copy.apply(record)
    assert copy == whole
