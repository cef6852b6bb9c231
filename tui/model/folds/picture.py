"""What is known at one place of a history: the harness's own fold, and what only a screen asks for.

Each part of a picture is a small fold of its own, in a file of its own. A picture can be copied, so that a screen may
go back in time without reading the history from its beginning."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from shaketable.harness.records import FaultWithoutEffect, NodeConfigured, NodeEnded, NodeNamed, NodeSpawned, Record
from shaketable.harness.seen.run import RUNNING, NodeSeen, Observed
from shaketable.node import events as e
from shaketable.node.core.env import Micros
from shaketable.node.messages import Uuid
from shaketable.tui.model.folds import link_ends, membership, movements, table_search
from shaketable.tui.model.folds.doubts import DOUBT_FOLDS, Doubts
from shaketable.tui.model.folds.faults import FAULT_FOLDS, Faults
from shaketable.tui.model.folds.membership import MEMBERSHIP_FOLDS, Membership
from shaketable.tui.model.folds.movements import Movements
from shaketable.tui.model.folds.node_picture import DECISIONS, Decision, NodePicture
from shaketable.tui.model.folds.notifications import NOTIFICATION_FOLDS, Notifications
from shaketable.tui.model.folds.table_search import TableSearch


class Picture:
    def __init__(self) -> None:
        self.observed = Observed(keys=False)
        self.extras: dict[str, NodePicture] = {}
        self.movements = Movements()
        """migrations on their way, with their bytes"""
        self.faults: Faults = {}
        """by number, what the harness's fold leaves out"""
        self.configured: dict[str, Mapping[str, object]] = {}
        """by node, its own settings, where it has some"""
        self.doubts = Doubts()
        self.notifications = Notifications()
        self.touched = 0
        """how many records may have changed how a link stands"""
        self.touched_group = 0
        """and how a group does: who watches whom, and which notifications have come"""
        self.count = 0
        """of records that it is made of"""
        self.at: Micros = 0
        """when the last of them was told, by the node's own order; `observed.time` is the latest of all"""

    def apply(self, record: Record) -> None:
        if record.node:
            extra = self.extras.get(record.node)
            if extra is None:
                if record.node not in self.observed.nodes:
                    self._without_beginning(record.node, record.incarnation, record.event)
                extra = self.extra(record.node)
            extra.last.append(self.count)
        self.change(record)
        self.count += 1
        self.at = record.time

    def change(self, record: Record) -> None:
        """All that a record changes, but for its own place in the history."""
        time, node, incarnation, _, event, _ = record
        self.observed.apply(record)
        if node:
            fold = _FOLDS.get(type(event))
            if fold is not None and not self.observed.is_former(incarnation):
                fold(self, self.extras[node], record)
        elif type(event) is NodeSpawned:
            self.begin_afresh(event.peer)
        elif type(event) is NodeConfigured:
            self.configured[event.peer] = event.settings
        elif (of_fault := FAULT_FOLDS.get(type(event))) is not None:
            of_fault(self.faults, time, event)
        if type(event) in _OF_LINKS:
            self.touched += 1
        if type(event) in _OF_A_GROUP:
            self.touched_group += 1

    def passed(self, names: Sequence[str], at: Micros) -> None:
        """After so many records, told by these, have been applied as `change` does: the last of them at this time."""
        remember = {name: self.extras[name].last.append for name in frozenset(names) if name}
        nobody = deque[int](maxlen=0).append
        for place, name in enumerate(names, self.count):
            remember.get(name, nobody)(place)
        self.count += len(names)
        self.at = at
        self.observed.time = max(self.observed.time, at)

    def extra(self, node: str) -> NodePicture:
        found = self.extras.get(node)
        if found is None:
            found = self.extras[node] = NodePicture()
        return found

    def copy(self) -> Picture:
        """It and this one no longer change each other."""
        other = Picture()
        other.observed = self.observed.copy()
        other.extras = {name: extra.copy() for name, extra in self.extras.items()}
        other.movements = self.movements.copy()
        other.doubts, other.notifications = self.doubts.copy(), self.notifications.copy()
        other.faults, other.touched, other.touched_group = dict(self.faults), self.touched, self.touched_group
        other.configured = dict(self.configured)
        other.count, other.at = self.count, self.at
        return other

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Picture) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]  # it changes

    def nodes(self) -> list[NodeSeen]:
        return list(self.observed.nodes.values())

    def begin_afresh(self, node: str) -> None:
        """A new incarnation; what the one before has told last is still of interest."""
        self.extras[node] = NodePicture(last=self.extra(node).last)

    def _without_beginning(self, name: str, incarnation: Uuid, event: e.Event) -> None:
        """A node of which nobody has said that it was started, for the history lacks its beginning."""
        node = NodeSeen(name, "", RUNNING, incarnation, joined=True)
        listed = getattr(event, "members", None) or ()
        node.address = next((m.address for m in listed if m.uuid == incarnation), "")
        if node.address:
            self.observed.names[node.address] = name
        self.observed.nodes[name] = node
        self.observed.node_of[incarnation] = name


# What each kind of event changes, beside the harness's fold

_OF_LINKS: Final = frozenset(
    (
        *(NodeNamed, NodeSpawned, NodeEnded, e.Started, e.Joined, e.Stopped, e.Failed, e.Held, e.Released),
        *(e.LinkUp, e.LinkDown, e.LinkClosed, e.LinkSilent, e.LinkHeard, e.Suspected, e.SuspicionEnded),
        *(e.ViewInstalled, e.FilterMatched, *FAULT_FOLDS, FaultWithoutEffect),
        *(e.HeartbeatTargets, e.ProbeFailed, e.SuspectReported),
    )
)

_OF_A_GROUP: Final = frozenset(
    (
        *(NodeNamed, NodeSpawned, NodeEnded, NodeConfigured, e.Started, e.Joined, e.Stopped, e.Failed),
        *(e.MasterFollowed, e.ViewInstalled, e.HeartbeatTargets, e.ReadmissionAsked, e.NotificationsAsked),
        *(*DOUBT_FOLDS, *NOTIFICATION_FOLDS),
    )
)

Fold = Callable[[Picture, NodePicture, Record], None]


def _started(picture: Picture, extra: NodePicture, record: Record) -> None:
    picture.begin_afresh(record.node)


def _followed(picture: Picture, extra: NodePicture, record: Record) -> None:
    master = picture.observed.nodes[record.node].master
    if extra.group is not None and (master is None or master.uuid != record.incarnation):
        extra.group.leads_from = None


def _decided(picture: Picture, extra: NodePicture, record: Record) -> None:
    event: Any = record.event
    extra.decisions = (*extra.decisions, Decision(record.time, picture.count, event))[-DECISIONS:]


def _search_began(picture: Picture, extra: NodePicture, record: Record) -> None:
    event: Any = record.event
    extra.search = table_search.began(record.time, event)


def _planned(picture: Picture, extra: NodePicture, record: Record) -> None:
    event: Any = record.event
    extra.plan = event


def _signalled(picture: Picture, extra: NodePicture, record: Record) -> None:
    event: Any = record.event
    membership.signalled(_membership(picture, extra), record.time, picture.count, event)


def _doubts(picture: Picture, extra: NodePicture, record: Record) -> None:
    DOUBT_FOLDS[type(record.event)](picture.doubts, record)


def _notifications(picture: Picture, extra: NodePicture, record: Record) -> None:
    NOTIFICATION_FOLDS[type(record.event)](picture.notifications, record, picture.count)


def _announced(picture: Picture, extra: NodePicture, record: Record) -> None:
    event: Any = record.event
    membership.announced(_membership(picture, extra), record.incarnation, event)


def _part(of: Callable[[Picture, NodePicture], Any], fold: Callable[[Any, Micros, Any], object]) -> Fold:
    """A fold of one part of a node's picture, or of the whole, if there is that part."""

    def folded(picture: Picture, extra: NodePicture, record: Record) -> None:
        part = of(picture, extra)
        if part is not None:
            fold(part, record.time, record.event)

    return folded


def _all(*folds: Fold) -> Fold:
    if len(folds) == 1:
        return folds[0]

    def folded(picture: Picture, extra: NodePicture, record: Record) -> None:
        for fold in folds:
            fold(picture, extra, record)

    return folded


def _sends(picture: Picture, extra: NodePicture) -> link_ends.Ends:
    return extra.sends


def _hears(picture: Picture, extra: NodePicture) -> link_ends.Ends:
    return extra.hears


def _dropped(picture: Picture, extra: NodePicture) -> link_ends.Dropped:
    return extra.dropped


def _search(picture: Picture, extra: NodePicture) -> TableSearch | None:
    return extra.search


def _membership(picture: Picture, extra: NodePicture) -> Membership:
    if extra.group is None:
        extra.group = Membership()
    return extra.group


def _movements(picture: Picture, extra: NodePicture) -> Movements:
    return picture.movements


_ALONE: Final[Mapping[type[e.Event], Fold]] = {
    e.Started: _started,
    e.MasterFollowed: _followed,
    **dict.fromkeys((e.LinkUp, e.LinkDown, e.LinkClosed), _part(_sends, link_ends.told)),
    **dict.fromkeys((e.LinkSilent, e.LinkHeard), _part(_hears, link_ends.told)),
    e.FramesDropped: _part(_dropped, link_ends.dropped),
    e.DisconnectionResolved: _decided,
    e.DisconnectionUnresolved: _decided,
    e.TableSearchBegan: _search_began,
    e.TableFetched: _part(_search, table_search.fetched),
    e.TableSearchEnded: _all(_part(_search, table_search.ended), _part(_movements, movements.search_ended)),
    e.PartitionsPlanned: _planned,
    e.MigrationRequested: _part(_movements, movements.requested),
    e.MigrationBegan: _part(_movements, movements.began),
    e.ChunkSent: _part(_movements, movements.sent),
    e.ChunkArrived: _part(_movements, movements.arrived),
    e.MigrationCopied: _part(_movements, movements.copied),
    e.CommitSent: _part(_movements, movements.commit_sent),
    e.MigrationFinished: _part(_movements, movements.finished),
    e.Signalled: _signalled,
    e.HealthAnnouncedToAll: _announced,
    **{kind: _part(_membership, fold) for kind, fold in MEMBERSHIP_FOLDS.items()},
}
_SHARED: Final = (
    _ALONE,
    dict[type[e.Event], Fold].fromkeys(DOUBT_FOLDS, _doubts),
    dict[type[e.Event], Fold].fromkeys(NOTIFICATION_FOLDS, _notifications),
)
_FOLDS: Final[Mapping[type[e.Event], Fold]] = {
    kind: _all(*(of[kind] for of in _SHARED if kind in of)) for kind in {kind: True for of in _SHARED for kind in of}
}
