"""Of the check "same notifications": a member that lacks a notification learns of that soon, and asks for it.

Each heartbeat says how far its sender's master has come (rulings 5.1), and so does what stands for a heartbeat (rulings
7.8). So a member that gets heartbeats of one that has taken a notification knows of it within a period. A member's
first heartbeat goes to all (rulings 5.5), and tells them at once. Where the master sends no heartbeats, it tells that
once in a detection window.

It is judged where both follow the same master, were well all the time, and nothing touched the link between them. If
something did, the time begins anew when that is over."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from shaketable.harness.checks.groups.own_links import OwnLinks
from shaketable.harness.checks.groups.reading import ADD, NEW_MASTER, Told, told
from shaketable.harness.checks.groups.steady import Steady
from shaketable.harness.checks.shared.circumstances import FOR_EVER, Circumstances
from shaketable.harness.history.history import History, Process
from shaketable.harness.history.words.cluster import rounded
from shaketable.harness.records import Record
from shaketable.node.config import INFERRED, MASTER_AND_LIKELY, Settings
from shaketable.node.core.env import MILLISECOND, Micros
from shaketable.node.events import (
    HeartbeatTargets,
    MasterFollowed,
    NotificationPublished,
    NotificationsAsked,
    NotificationsLost,
    NotificationTaken,
)
from shaketable.node.messages import Uuid

UNDER_WAY: Final[Micros] = 150 * MILLISECOND
"""By then a message that leaves a link alone has arrived, and a gap that lasts has been asked about."""
Learning = tuple[Record, Process, Micros]
"""A member has taken a notification; another one has to know of it by this time."""


Published = Mapping[Told, Record[NotificationPublished]]


class Known(NamedTuple):
    version: int
    time: Micros


class Gaps:
    def __init__(self, history: History, circumstances: Circumstances, published: Published) -> None:
        self._history = history
        self._all = circumstances
        self._published = published
        self._targets = told(history, HeartbeatTargets)
        self._steady = Steady(circumstances)
        self._taken = told(history, NotificationTaken)
        self._links = OwnLinks(history)
        self._had: dict[tuple[Uuid, Uuid], list[Known]] = {}
        """by a member and its master, the notifications that it has, or knows to be lost"""
        self._asked: dict[tuple[Uuid, Uuid], list[Micros]] = {}
        for taken in history.of(NotificationTaken):
            self._has(taken, taken.event.author, taken.event.version)
        for lost in history.of(NotificationsLost):
            self._has(lost, lost.event.author, lost.event.version - 1)
        for asked in history.of(NotificationsAsked):
            self._asked.setdefault((asked.incarnation, asked.event.author), []).append(asked.time)

    def _has(self, record: Record, author: Uuid, version: int) -> None:
        self._had.setdefault((record.incarnation, author), []).append(Known(version, record.time))

    def judge(self) -> None:
        for records in self._taken.values():
            for record in records:
                published = self._published.get((record.event.version, record.event.author))
                if published is not None and published.event.change != NEW_MASTER:
                    for learning in self._must_tell(record, published.event):
                        self._judge_gap(*learning, record.event)

    def _must_tell(self, record: Record[NotificationTaken], published: NotificationPublished) -> Iterator[Learning]:
        """The members that its heartbeats tell of this one, and until when."""
        own = self._all.bounds_of(record.node)
        soon = record.time + UNDER_WAY + own.allowance
        to = [each.event.to for each in self._targets.get(record.incarnation, ()) if each.time <= record.time]
        first = self._begins_its_stay(record, published)
        for member in published.members:
            other = self._history.by_uuid.get(member.uuid)
            if other is None or member.uuid in (record.incarnation, record.event.author) or member == published.peer:
                continue
            if first:
                yield record, other, soon
            elif to and member.address in to[-1]:
                yield record, other, soon + own.settings.gms_heartbeat_period
            elif own.settings.gms_detection == MASTER_AND_LIKELY and record.event.author == record.incarnation:
                yield record, other, soon + own.settings.detection_window

    def _begins_its_stay(self, record: Record[NotificationTaken], published: NotificationPublished) -> bool:
        if published.change != ADD or published.peer is None or published.peer.uuid != record.incarnation:
            return False
        changes = self._steady.changes(record.incarnation, record.time)
        if not changes or record.time - changes[-1].time > MILLISECOND:
            return False
        # If another master has added it before, its first heartbeat is out already.
        return len(changes) == 1 or not isinstance(changes[-2].event, MasterFollowed)

    def _judge_gap(self, record: Record, other: Process, due: Micros, taken: NotificationTaken) -> None:
        """Most have taken it by then. If something stood in between, the next heartbeat after that tells it."""
        mine, begin, own = self._history.by_uuid.get(record.incarnation), record.time, self._all.bounds_of(record.node)
        while mine is not None and self._lacks(other, due, taken):
            until = self._in_between(mine, other, begin, due)
            if until is None:
                self._judge_while(record, mine, other, begin, due, taken)
                return
            begin, due = until + 1, until + 1 + self._next_heartbeat(own.settings) + UNDER_WAY + own.allowance
            if not self._sends(mine, other, begin):
                return

    def _next_heartbeat(self, settings: Settings) -> Micros:
        """A message that was lost may have stood for one."""
        return settings.gms_heartbeat_period * (2 if settings.gms_detection == INFERRED else 1)

    def _lacks(self, other: Process, due: Micros, taken: NotificationTaken) -> bool:
        had = [known.version for known in self._had.get((other.uuid, taken.author), ()) if known.time <= due]
        return bool(had) and max(had) < taken.version and due <= self._history.end

    def _sends(self, mine: Process, other: Process, time: Micros) -> bool:
        to = [each.event.to for each in self._targets.get(mine.uuid, ()) if each.time <= time]
        return bool(to) and other.member is not None and other.member.address in to[-1]

    def _in_between(self, mine: Process, other: Process, begin: Micros, end: Micros) -> Micros | None:
        """Until when something stood between the two in this time. None: nothing did."""
        nodes, links = (mine.node, other.node), (f"{mine.node}->{other.node}",)
        times = [s.end for s in self._all.spans if s.begin <= end and s.end >= begin and s.touches(nodes, links)]
        if other.member is not None:  # a heartbeat was sent when there was no connection
            times += self._links.came_up_at(mine.uuid, other.member.address, begin, end)
            if not times and self._links.down_since(mine.uuid, other.member.address, end) is not None:
                times = [*self._links.came_up_at(mine.uuid, other.member.address, end, FOR_EVER)[:1], FOR_EVER][:1]
        return max(times, default=None)

    def _judge_while(
        self, record: Record, mine: Process, other: Process, begin: Micros, due: Micros, taken: NotificationTaken
    ) -> None:
        had = [k.version for k in self._had.get((other.uuid, taken.author), ()) if k.time <= due]
        if any(begin - UNDER_WAY <= time <= due for time in self._asked.get((other.uuid, taken.author), ())):
            return
        if not self._may_be_asked_for(max(had), taken):
            return
        for each in (mine, other):
            follows, _ = self._steady.master_of(each.uuid, begin)
            if follows != taken.author or not self._steady.goes_on(each, begin, due):
                return
        if any(begin < each.time <= due for each in self._targets.get(mine.uuid, ())):
            return  # its heartbeats go elsewhere from then on
        names = self._history.names
        said = f"{self._history.name(other)} does not know of notification {taken.version} of "
        said += f"{names.author(taken.author)} {rounded(due - begin)} after "
        if begin > record.time:
            said += "they could reach each other again: "
        said += f"{self._history.name(mine)} took it, which "
        late = any(self._all.late_between(each.uuid, begin, due) for each in (mine, other))
        self._all.accuse(f"{said}sends it heartbeats.", [record], late=late)

    def _may_be_asked_for(self, last: int, taken: NotificationTaken) -> bool:
        """Another reign of the same master's is learned of in another way."""
        between = (self._published.get((version, taken.author)) for version in range(last + 1, taken.version + 1))
        return not any(each is not None and each.event.change == NEW_MASTER for each in between)
