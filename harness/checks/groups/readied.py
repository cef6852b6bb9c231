"""Of the check "joins in order": a member that has been added is soon told to all as joined and ready.

Its application is ready `gms_ready_after` later, and it tells that to its master in each period until all are told
(rulings 5.7). It is judged where neither it nor its master was shaken, or the link to the master, and where the master
leads on. A master tells that once in each stay of a member, and not before that one's application can have said so."""

from __future__ import annotations

from shaketable.harness.checks.groups.reading import ADD, NEW_MASTER, READY, UNDER_WAY, kind_of, published, told
from shaketable.harness.checks.groups.steady import Steady
from shaketable.harness.checks.shared.circumstances import Circumstances
from shaketable.harness.history.history import History, Process
from shaketable.harness.history.words.cluster import rounded
from shaketable.harness.records import Record
from shaketable.node.config import CORE
from shaketable.node.core.env import Micros
from shaketable.node.events import (
    Joined,
    NotificationPublished,
    NotificationTaken,
)
from shaketable.node.messages import Member, Uuid


class Readied:
    def __init__(self, history: History, circumstances: Circumstances) -> None:
        self._history = history
        self._all = circumstances
        self._steady = Steady(circumstances)
        self._taken = told(history, NotificationTaken)
        self._joined = {record.incarnation: record.time for record in reversed(history.of(Joined))}
        """for the first time"""
        self._ready: dict[tuple[Uuid, Uuid], list[Micros]] = {}
        """by the author and the member"""
        for record in published(history).values():
            if record.event.change == READY and record.event.peer is not None:
                self._ready.setdefault((record.incarnation, record.event.peer.uuid), []).append(record.time)

    def judge(self) -> None:
        self._judge_repeats()
        for record in published(self._history).values():
            peer, master = record.event.peer, self._history.by_uuid.get(record.incarnation)
            if record.event.change != ADD or peer is None or master is None:
                continue
            newcomer = self._history.by_uuid.get(peer.uuid)
            if newcomer is not None and kind_of(self._history, peer, self._all.settings_of(newcomer.node)) == CORE:
                self._judge(record, master, newcomer)

    def _judge_repeats(self) -> None:
        for records in told(self._history, NotificationPublished).values():
            ready: dict[Uuid, Record] = {}
            for record in records:
                event = record.event
                if event.change == NEW_MASTER:
                    ready = {}
                elif event.peer is not None:
                    before = ready.pop(event.peer.uuid, None)
                    if event.change == READY:
                        self._judge_haste(record, event.peer)
                        ready[event.peer.uuid] = record
                        if before is not None:
                            self._accuse_of_repeat(before, record, event.peer)

    def _judge_haste(self, record: Record, peer: Member) -> None:
        newcomer, joined = self._history.by_uuid.get(peer.uuid), self._joined.get(peer.uuid)
        if newcomer is None or joined is None or self._all.stopped(newcomer.node, joined, record.time):
            return
        own = self._all.bounds_of(newcomer.node)
        if record.time < joined + own.settings.gms_ready_after - own.allowance:
            who, whom = self._history.names.process(record.node, record.incarnation), self._history.name(newcomer)
            said = (
                f"{who} tells all that {whom} is ready {rounded(record.time - joined)} after that one has joined, and "
            )
            self._all.findings.add(f"{said}its application needs {rounded(own.settings.gms_ready_after)}.", [record])

    def _accuse_of_repeat(self, before: Record, record: Record, peer: Member) -> None:
        who, whom = self._history.names.process(record.node, record.incarnation), self._history.names.member(peer)
        said = f"{who} tells all for the second time that {whom} is ready, which has begun no other stay."
        self._all.findings.add(said, [before, record])

    def _judge(self, record: Record[NotificationPublished], master: Process, newcomer: Process) -> None:
        own = self._all.bounds_of(newcomer.node)
        heard = self._heard(record, newcomer)
        if heard is None:
            return
        begin = record.time - UNDER_WAY
        due = heard + own.settings.gms_ready_after + own.settings.gms_heartbeat_period + UNDER_WAY + own.allowance
        if due > self._history.end or not all(self._steady.goes_on(each, heard, due) for each in (master, newcomer)):
            return
        if any(time <= due for time in self._ready.get((master.uuid, newcomer.uuid), ()) if time >= record.time):
            return
        nodes, link = (master.node, newcomer.node), f"{newcomer.node}->{master.node}"
        if self._all.touched(begin, due, nodes=nodes, links=(link,)):
            return
        late = any(self._all.late_between(each.uuid, begin, due) for each in (master, newcomer))
        said = f"{self._history.name(master)} adds {self._history.name(newcomer)}, and tells nobody within "
        self._all.accuse(f"{said}{rounded(due - heard)} that it is ready.", [record], late=late)

    def _heard(self, added: Record[NotificationPublished], newcomer: Process) -> Micros | None:
        key = added.event.version, added.incarnation
        return next(
            (r.time for r in self._taken.get(newcomer.uuid, ()) if (r.event.version, r.event.author) == key), None
        )
