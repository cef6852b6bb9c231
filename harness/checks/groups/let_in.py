"""Of the check "joins in order": a master that is asked to add a member does so at once (text 5.2.4).

A newcomer asks all addresses that it knows, again and again, which member is master, and asks that one to be added. It
is judged where it knows the address of a member that leads its group all the time, and follows nobody meanwhile. Its
time begins when it looks, or when all is over that was done to the two or the links between them."""

from __future__ import annotations

from collections.abc import Iterator

from shaketable.harness.checks.groups.at_rest import AtRest
from shaketable.harness.checks.groups.known import Known
from shaketable.harness.checks.groups.own_links import OwnLinks
from shaketable.harness.checks.groups.reading import ADD, UNDER_WAY, kind_of, told
from shaketable.harness.checks.groups.steady import Steady
from shaketable.harness.checks.shared.circumstances import Circumstances, both_ways
from shaketable.harness.history.history import History, Process
from shaketable.harness.history.words.cluster import rounded
from shaketable.harness.records import Record
from shaketable.node.config import WATCHDOG, Settings
from shaketable.node.core.env import Micros
from shaketable.node.events import LeadershipTaken, NotificationPublished, ReadmissionAsked, Started
from shaketable.node.messages import Uuid


class LetIn:
    def __init__(self, history: History, circumstances: Circumstances, usual: Settings) -> None:
        self._history = history
        self._all = circumstances
        self._steady = Steady(circumstances)
        self._links = OwnLinks(history)
        self._known = Known(history, usual)
        self._added: dict[tuple[Uuid, Uuid], list[Micros]] = {}
        """by a master and the member that it adds"""
        for record in history.of(NotificationPublished):
            if record.event.change == ADD and record.event.peer is not None:
                self._added.setdefault((record.incarnation, record.event.peer.uuid), []).append(record.time)
        self._leads = {record.incarnation: record.time for record in reversed(history.of(LeadershipTaken))}

    def judge(self) -> None:
        for records in told(self._history, Started, ReadmissionAsked).values():
            for record in records:
                newcomer = self._history.by_uuid.get(record.incarnation)
                if newcomer is not None and newcomer.member is not None:
                    for master in self._masters(record, newcomer):
                        self._judge(record, newcomer, master)

    def _masters(self, record: Record, newcomer: Process) -> Iterator[Process]:
        """Those that it asks, by its list."""
        assert newcomer.member is not None
        if kind_of(self._history, newcomer.member, self._all.settings_of(newcomer.node)) == WATCHDOG:
            return
        mine = AtRest(newcomer, None, record, None)
        for uuid, since in self._leads.items():
            master = self._history.by_uuid.get(uuid)
            if master is None or master is newcomer or master.member is None or since > record.time:
                continue
            theirs = AtRest(master, master.member, record, None)
            if self._known.asks(mine, theirs, record.time):
                yield master

    def _judge(self, record: Record, newcomer: Process, master: Process) -> None:
        own = self._all.bounds_of(newcomer.node)
        wait = 2 * own.settings.discovery_retry + UNDER_WAY + own.allowance
        begin = self._left_alone_from(record.time, wait, newcomer, master)
        due = begin + wait
        if due > self._history.end or (newcomer.ended is not None and newcomer.ended.time <= due):
            return
        if any(record.time <= time <= due for time in self._added.get((master.uuid, newcomer.uuid), ())):
            return
        if any(record.sequence < each.sequence for each in self._steady.changes(newcomer.uuid, due)):
            return
        if not self._steady.goes_on(master, begin - UNDER_WAY, due) or self._steady.leaves(newcomer, due):
            return
        if self._steady.master_of(master.uuid, begin)[0] != master.uuid:
            return
        if self._are_kept_apart(begin, newcomer, master, due):
            return
        late = any(self._all.late_between(each.uuid, begin, due) for each in (newcomer, master))
        said = (
            f"{self._history.name(newcomer)} looks for a master, and {self._history.name(master)}, which leads and is "
        )
        self._all.accuse(f"{said}asked by it, does not add it within {rounded(wait)}.", [record], late=late)

    def _left_alone_from(self, time: Micros, wait: Micros, newcomer: Process, master: Process) -> Micros:
        """When all is over that was done to them or to the links between them, for so long at least. A newcomer asks
        again and again."""
        nodes, links = (newcomer.node, master.node), both_ways(newcomer.node, master.node)
        for span in sorted(self._all.spans, key=lambda span: span.begin):
            if span.begin > time + wait:
                break
            if span.end >= time and span.touches(nodes, links):
                time = span.end + 1
        return time

    def _are_kept_apart(self, begin: Micros, newcomer: Process, master: Process, due: Micros) -> bool:
        assert newcomer.member is not None
        assert master.member is not None
        nodes, links = (newcomer.node, master.node), both_ways(newcomer.node, master.node)
        if any(self._all.stopped(node, begin, due) for node in nodes):
            return True
        if self._all.shifted(due, nodes=nodes, links=links):
            return True
        asked = begin + self._all.settings_of(newcomer.node).discovery_retry
        here, there = newcomer.member.address, master.member.address
        return not self._links.held(newcomer.uuid, there, asked, due) or not self._links.held(
            master.uuid, here, asked, due
        )
