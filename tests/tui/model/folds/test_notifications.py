"""The notifications of a group's masters, and which members have taken them."""

from __future__ import annotations

from tests.tui.model.folds.test_picture_parts import N1, N2, N3, picture_of

from shaketable.node import events as e
from shaketable.node.events import Event
from shaketable.node.messages import Member
from shaketable.tui.model.folds.notifications import KEPT

Told = tuple[Member | None, Event]


def publishes(number: int, who: Member = N1) -> Told:
    return who, e.NotificationPublished(number, who.uuid, N3, "add", (N1, N2, N3), 2)


def takes(who: Member, number: int, author: Member = N1, *, again: bool = False) -> Told:
    return who, e.NotificationTaken(number, author.uuid, N3, "add", again)


def test_each_has_those_that_have_taken_it() -> None:
    told = picture_of(publishes(5), takes(N1, 5), publishes(6), takes(N2, 5, again=True), takes(N1, 6)).notifications
    assert [(number, each.by, each.time, each.taken, each.again) for (_, number), each in told.told.items()] == [
        (5, "n1", 1000, (N1.uuid, N2.uuid), (N2.uuid,)),
        (6, "n1", 3000, (N1.uuid,), ()),
    ]


def test_two_masters_may_have_the_same_numbers() -> None:
    told = picture_of(publishes(5), publishes(5, N2), takes(N3, 5, N2)).notifications.told
    assert {author: each.taken for (author, _), each in told.items()} == {N1.uuid: (), N2.uuid: (N3.uuid,)}


def test_only_the_last_are_kept_and_what_is_gone_is_not_taken() -> None:
    told = picture_of(*map(publishes, range(1, KEPT + 4)), takes(N2, 1), takes(N2, 5)).notifications.told
    assert [number for _, number in told] == list(range(4, KEPT + 4))
    assert [number for (_, number), each in told.items() if each.taken] == [5]


def test_what_will_not_come_stands_with_the_member_that_lacks_it() -> None:
    picture = picture_of(publishes(5), (N2, e.NotificationsLost(9, N1.uuid, 3)))
    assert picture.notifications.lost == {N2.uuid: (N1.uuid, 3, 9)}


def test_what_was_copied_does_not_change() -> None:
    picture = picture_of(publishes(5), takes(N1, 5))
    copy = picture.copy()
    assert copy == picture
    picture.notifications.told.clear()
    assert len(copy.notifications.told) == 1
    assert copy != picture
