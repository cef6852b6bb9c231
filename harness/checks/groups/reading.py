"""What the members of a group told, each in its own order: all that most of these checks need."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, TypeVar

from shaketable.harness.history.history import History
from shaketable.harness.records import Record
from shaketable.node.config import CORE, Settings
from shaketable.node.core.env import MILLISECOND, Micros
from shaketable.node.events import (
    Event,
    HeartbeatTargets,
    NotificationPublished,
    NotificationsLost,
    NotificationTaken,
    SuspectReported,
)
from shaketable.node.messages import Member, Uuid
from shaketable.node.why import Why

E = TypeVar("E", bound=Event)

Told = tuple[int, Uuid]
"""The key of a notification: its sequence id, and its publisher."""

ADD: Final = "add"
READY: Final = "joined and ready"
FAILURE: Final = "failure"
SHUTDOWN: Final = "planned shutdown"
NEW_MASTER: Final = "master change"

JOIN: Final = "JOIN"
JOINED_AND_READY: Final = "JOINED_AND_READY"
FAILED: Final = "FAILURE"
PLANNED_SHUTDOWN: Final = "PLANNED_SHUTDOWN"
LEADERSHIP: Final = "GROUP_LEADERSHIP"
SUSPECTED: Final = "FAILURE_SUSPECTED"
NO_LONGER_SUSPECTED: Final = "NO_LONGER_SUSPECTED"

TAKES_OVER: Final = (Why.MASTER_DEAD, Why.MASTER_STOPPED, Why.MASTER_SHUTS_DOWN)
"""why a member comes to lead in the place of another one"""
UNDER_WAY: Final[Micros] = 100 * MILLISECOND
"""A message that leaves a link alone has arrived by then."""


def told(history: History, *kinds: type[E]) -> dict[Uuid, list[Record[E]]]:
    """Events of these kinds by incarnation, each in its own order, up to the end of the script."""
    by: dict[Uuid, list[Record[E]]] = {}
    for kind in kinds:
        for record in history.of(kind):
            if record.time <= history.end:
                by.setdefault(record.incarnation, []).append(record)
    for records in by.values():
        records.sort(key=lambda record: record.sequence)
    return by


def had_when(history: History) -> dict[tuple[Uuid, Uuid], list[tuple[Micros, int]]]:
    """By a member and its master: when it had which notification, or knew it to be lost."""
    had: dict[tuple[Uuid, Uuid], list[tuple[Micros, int]]] = {}
    for taken in history.of(NotificationTaken):
        had.setdefault((taken.incarnation, taken.event.author), []).append((taken.time, taken.event.version))
    for lost in history.of(NotificationsLost):
        had.setdefault((lost.incarnation, lost.event.author), []).append((lost.time, lost.event.version - 1))
    return had


def speaks_of(said: Iterable[Record], whom: Member, begin: Micros, end: Micros) -> bool:
    """Some word of these, in this time: a suspicion, its end, or a report of it."""
    for each in said:
        event = each.event
        about = event.suspect if isinstance(event, SuspectReported) else getattr(event, "peer", None)
        if about == whom and begin <= each.time <= end:
            return True
    return False


def targets_throughout(
    targets: Sequence[Record[HeartbeatTargets]], begin: Micros, end: Micros
) -> HeartbeatTargets | None:
    """To whom a member sent its heartbeats, and from whom it expected some, all this time. None: that changed."""
    until = [each for each in targets if each.time <= end]
    return until[-1].event if until and until[-1].time <= begin else None


def is_added_itself(record: Record) -> bool:
    """By the notification that it takes."""
    event = record.event
    if not isinstance(event, NotificationTaken) or event.change != ADD:
        return False
    return event.peer is not None and event.peer.uuid == record.incarnation


def has_owed(history: History, uuid: Uuid, since: Micros) -> bool:
    """A member had the time to tell what follows at once from what it told then. The last words of a killed member may
    be lost."""
    process = history.by_uuid.get(uuid)
    if process is None or (process.alive and not history.executing(process)):
        return False
    end = history.end if process.ended is None else process.ended.time
    return end > since + UNDER_WAY


def published(history: History) -> dict[Told, Record[NotificationPublished]]:
    """Each notification where it was published first."""
    first: dict[Told, Record[NotificationPublished]] = {}
    for record in history.of(NotificationPublished):
        event = record.event
        if record.time <= history.end:
            first.setdefault((event.version, record.incarnation), record)
    return first


def repeats(history: History) -> frozenset[Told]:
    """Ends of members that are published again: a new master repeats recent ones, because its predecessor may have told
    only some members. A member that was in its view is not among them."""
    found: list[Told] = []
    for uuid, records in told(history, NotificationPublished).items():
        view: frozenset[Uuid] = frozenset()
        for record in records:
            event = record.event
            ends = event.change in (FAILURE, SHUTDOWN) and event.peer is not None
            if ends and event.peer is not None and event.peer.uuid not in view:
                found.append((event.version, uuid))
            view = frozenset(member.uuid for member in event.members)
    return frozenset(found)


def kind_of(history: History, member: Member, usual: Settings) -> str:
    """ "core", "spectator" or "watchdog", by its settings."""
    return history.settings_of(history.names.place(member.address), usual).gms_member_type


def is_core(history: History, member: Member, usual: Settings) -> bool:
    return kind_of(history, member, usual) == CORE


def of_whom(history: History, peer: Member | None) -> str:
    """ " of n3", behind the name of a change or a signal."""
    return f" of {history.names.member(peer)}" if peer is not None else ""
