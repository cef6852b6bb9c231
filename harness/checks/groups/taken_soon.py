"""Of the check "same notifications": a member soon takes what its master tells it, and so does one that it has just
added. It soon goes over to the one that leads after its master.

It is judged where the member has all that came before, and both were well, and so was the master's link to it. Before
a member is added it must have followed nobody, and have asked in the stay that it is in. The new master must have had
the same last word of the one before. No datagrams carry notifications there, for these may be lost."""

from __future__ import annotations

from collections.abc import Mapping

from shaketable.harness.checks.groups.own_links import OwnLinks
from shaketable.harness.checks.groups.reading import ADD, NEW_MASTER, UNDER_WAY, Told, had_when, told
from shaketable.harness.checks.groups.steady import Steady
from shaketable.harness.checks.shared.circumstances import Circumstances, both_ways
from shaketable.harness.history.history import History, Process
from shaketable.harness.history.words.cluster import rounded
from shaketable.harness.records import Record, tells
from shaketable.node.config import NO_UDP
from shaketable.node.core.env import Micros
from shaketable.node.events import MasterFollowed, NotificationPublished, ReadmissionAsked, Started
from shaketable.node.messages import Uuid

Published = Mapping[Told, Record[NotificationPublished]]


class TakenSoon:
    def __init__(self, history: History, circumstances: Circumstances, published: Published) -> None:
        self._history = history
        self._all = circumstances
        self._published = published
        self._steady = Steady(circumstances)
        self._links = OwnLinks(history)
        self._begun = told(history, Started, ReadmissionAsked)
        self._had = had_when(history)

    def judge(self) -> None:
        for record in self._published.values():
            master = self._history.by_uuid.get(record.incarnation)
            if master is None:
                continue
            for member in record.event.members:
                other = self._history.by_uuid.get(member.uuid)
                if other is not None and other is not master:
                    if record.event.change == NEW_MASTER:
                        self._judge_follower(record, master, other)
                    else:
                        self._judge(record, master, other)

    def _judge_follower(self, record: Record[NotificationPublished], master: Process, other: Process) -> None:
        own, former = self._all.bounds_of(other.node), record.event.peer
        begin, due = record.time - UNDER_WAY, record.time + own.settings.discovery_retry + UNDER_WAY + own.allowance
        follows, since = self._steady.master_of(other.uuid, record.time)
        if former is None or follows != former.uuid or since > begin or due > self._history.end:
            return
        last = self._last(other.uuid, former.uuid, due)
        if not last or last != self._last(master.uuid, former.uuid, record.time):
            return
        if not self._steady.goes_on(other, begin, due) or self._is_kept_from_it(master, other, begin, record.time, due):
            return
        late = any(self._all.late_between(each.uuid, record.time, due) for each in (master, other))
        said = f"{self._history.name(other)} goes on to follow {self._history.names.member(former)}, though "
        said += f"{self._history.name(master)} leads after that one and has told it so, "
        self._all.accuse(f"{said}{rounded(due - record.time)} before.", [record], late=late)

    def _judge(self, record: Record[NotificationPublished], master: Process, other: Process) -> None:
        own = self._all.bounds_of(other.node)
        due = record.time + own.settings.discovery_retry + UNDER_WAY + own.allowance
        last = self._last(other.uuid, record.incarnation, due)
        if due > self._history.end or last >= record.event.version:
            return
        is_added = record.event.change == ADD and record.event.peer == other.member
        if is_added:
            begin = self._looks_since(other, record, due)
            if begin is None:
                return
        else:
            begin = record.time - UNDER_WAY
            follows, since = self._steady.master_of(other.uuid, record.time)
            if follows != master.uuid or since > begin or last != record.event.version - 1:
                return
            if not self._steady.goes_on(other, begin, due):
                return
        if self._is_kept_from_it(master, other, begin, record.time, due):
            return
        late = any(self._all.late_between(each.uuid, record.time, due) for each in (master, other))
        who, by = self._history.name(other), self._history.name(master)
        does = "has added it" if is_added else "tells it"
        said = f"{who} does not take notification {record.event.version}, by which {by} {does}, within "
        self._all.accuse(f"{said}{rounded(due - record.time)}.", [record], late=late)

    def _last(self, of: Uuid, author: Uuid, due: Micros) -> int:
        """That it has by then."""
        had = self._had.get((of, author), ())
        return max((version for time, version in had if time <= due), default=0)

    def _looks_since(self, other: Process, record: Record, due: Micros) -> Micros | None:
        """It follows nobody until this one comes, and stays there. None: it does something else."""
        begun = [each for each in self._begun.get(other.uuid, ()) if each.time <= due]
        changes = self._steady.changes(other.uuid, due)
        if not begun or begun[-1].time > record.time or (other.ended is not None and other.ended.time <= due):
            return None
        asks_anew = isinstance(begun[-1].event, ReadmissionAsked)
        if asks_anew and record.time - begun[-1].time <= UNDER_WAY:
            return None  # its master answers a question of the stay before
        followed = [each for each in changes if tells(each, MasterFollowed) and each.sequence > begun[-1].sequence]
        if any(each.event.master.uuid != record.incarnation for each in followed):
            return None
        return None if self._steady.leaves(other, due) else begun[-1].time

    def _is_kept_from_it(self, master: Process, other: Process, begin: Micros, told_at: Micros, due: Micros) -> bool:
        assert other.member is not None
        nodes, links = (master.node, other.node), both_ways(master.node, other.node)
        if any(self._all.settings_of(node).gms_udp != NO_UDP for node in nodes):
            return True
        if self._all.touched(begin, due, nodes=nodes, links=links) or any(
            self._all.stopped(node, begin, due) for node in nodes
        ):
            return True
        if self._all.shifted(due, nodes=nodes, links=links):
            return True
        return not self._links.held(master.uuid, other.member.address, told_at, due)
