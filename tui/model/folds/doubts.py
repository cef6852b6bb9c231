"""The members of a group that are in doubt: since when, by whose word, and what came of it (text 5.2.2.1).

A doubt is one, however many members share it. The master announces it, verifies it, and says how it ended."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from shaketable.harness.records import Record
from shaketable.node import events as e
from shaketable.node.core.env import Micros
from shaketable.node.events import Event
from shaketable.node.messages import Member, Uuid

OPEN: Final = "open"
CLEARED: Final = "cleared"
DEAD: Final = "dead"
LEFT: Final = "left"
"""it was about to shut down"""
MOST: Final = 50
"""that are kept of those that are over"""


class Word(NamedTuple):
    """A member has told it to all."""

    time: Micros
    by: str
    """its name"""


class Doubt(NamedTuple):
    member: Member
    since: Micros
    reason: str
    by: tuple[str, ...]
    """the names of those that doubt it, the first one first"""
    announced: Word | None = None
    """as in doubt"""
    state: str = OPEN
    ended: Word | None = None
    told: int = 0
    """the notification of its end; 0: none so far"""


class Doubts:
    def __init__(self) -> None:
        self.of: dict[Uuid, Doubt] = {}
        """the last one of each member, in the order in which they began"""
        self.past: tuple[Doubt, ...] = ()
        """those before"""

    def copy(self) -> Doubts:
        other = Doubts()
        other.of, other.past = dict(self.of), self.past
        return other

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Doubts) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]  # it changes

    def forget(self, uuid: Uuid) -> None:
        """Its next doubt is another one."""
        over = self.of.pop(uuid, None)
        if over is not None:
            self.past = (*self.past, over)[-MOST:]


def _suspected(doubts: Doubts, record: Record[e.Suspected]) -> None:
    event, uuid = record.event, record.event.peer.uuid
    known = doubts.of.get(uuid)
    if known is not None and known.state == CLEARED and not known.by:
        doubts.forget(uuid)
        known = None
    if known is None:
        doubts.of[uuid] = Doubt(event.peer, record.time, event.reason, (record.node,))
    elif record.node not in known.by:
        doubts.of[uuid] = known._replace(by=(*known.by, record.node))


def _trusted(doubts: Doubts, record: Record[e.SuspicionEnded]) -> None:
    """The member that announced a doubt says how it ends. One that nobody announced ends with the last that had it."""
    uuid = record.event.peer.uuid
    known = doubts.of.get(uuid)
    if known is None:
        return
    known = known._replace(by=tuple(name for name in known.by if name != record.node))
    if known.state == OPEN and not known.by:
        known = known._replace(state=CLEARED, ended=Word(record.time, record.node))
    doubts.of[uuid] = known


def _announced(doubts: Doubts, record: Record[e.HealthAnnouncedToAll]) -> None:
    event, word = record.event, Word(record.time, record.node)
    known = doubts.of.get(event.peer.uuid)
    if known is None or known.state in (DEAD, LEFT):
        return
    if event.state == "in doubt":
        known = known._replace(announced=word, state=OPEN, ended=None)
    elif event.state == "alive":
        known = known._replace(state=CLEARED, ended=word)
    elif event.state == "dead":
        known = known._replace(state=DEAD, ended=word)
    doubts.of[event.peer.uuid] = known


def _published(doubts: Doubts, record: Record[e.NotificationPublished]) -> None:
    """Its end is told, also where nobody had announced it as dead; or it is back."""
    event = record.event
    known = doubts.of.get(event.peer.uuid) if event.peer is not None else None
    if known is None:
        return
    over = {"failure": DEAD, "planned shutdown": LEFT}.get(event.change)
    if event.change == "add" and known.state != OPEN:
        doubts.forget(known.member.uuid)
    elif over is not None and known.state in (OPEN, CLEARED):
        ended = Word(record.time, record.node)
        doubts.of[known.member.uuid] = known._replace(state=over, ended=ended, told=event.version)
    elif over is not None and not known.told:
        doubts.of[known.member.uuid] = known._replace(state=over, told=event.version)


DOUBT_FOLDS: Final[Mapping[type[Event], Callable[[Doubts, Any], None]]] = {
    e.Suspected: _suspected,
    e.SuspicionEnded: _trusted,
    e.HealthAnnouncedToAll: _announced,
    e.NotificationPublished: _published,
}
