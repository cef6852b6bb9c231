"""The notifications of a group's masters, and which members have taken each of them (text 5.2.2)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from shaketable.harness.records import Record
from shaketable.node import events as e
from shaketable.node.core.env import Micros
from shaketable.node.events import Event
from shaketable.node.messages import Uuid

KEPT: Final = 100
"""of all masters together, the last ones"""
Number = tuple[Uuid, int]
"""of a notification: its author and its sequence id"""


class Told(NamedTuple):
    time: Micros
    place: int
    """of its event in the history"""
    by: str
    """its author's name"""
    event: e.NotificationPublished
    taken: tuple[Uuid, ...] = ()
    """the members that have taken it"""
    again: tuple[Uuid, ...] = ()
    """those of them to which it was sent again"""


class Notifications:
    def __init__(self) -> None:
        self.told: dict[Number, Told] = {}
        """in the order in which they were published"""
        self.lost: dict[Uuid, tuple[Uuid, int, int]] = {}
        """by member: an author, and between which two sequence ids its notifications will not come"""

    def copy(self) -> Notifications:
        other = Notifications()
        other.told, other.lost = dict(self.told), dict(self.lost)
        return other

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Notifications) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]  # it changes


def _published(of: Notifications, record: Record[e.NotificationPublished], place: int) -> None:
    event = record.event
    of.told[event.author, event.version] = Told(record.time, place, record.node, event)
    if len(of.told) > KEPT:
        del of.told[next(iter(of.told))]


def _taken(of: Notifications, record: Record[e.NotificationTaken], place: int) -> None:
    event, who = record.event, record.incarnation
    number = event.author, event.version
    told = of.told.get(number)
    if told is not None:
        again = (*told.again, who) if event.again else told.again
        of.told[number] = told._replace(taken=(*told.taken, who), again=again)


def _lost(of: Notifications, record: Record[e.NotificationsLost], place: int) -> None:
    of.lost[record.incarnation] = record.event.author, record.event.after, record.event.version


NOTIFICATION_FOLDS: Final[Mapping[type[Event], Callable[[Notifications, Any, int], None]]] = {
    e.NotificationPublished: _published,
    e.NotificationTaken: _taken,
    e.NotificationsLost: _lost,
}
