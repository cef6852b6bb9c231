"""Of the check "leadership agrees": a master that shuts down is followed at once (text 5.2.2.2).

It hands what it knows to the member that follows it, which takes over at once. A member that does not answer is passed
over. So it is judged where the first of its view in the order of the election was well, and the links between it and
the master too. If the whole group shuts down, the master waits for the others first."""

from __future__ import annotations

from collections.abc import Sequence

from shaketable.harness.checks.groups.reading import UNDER_WAY, told
from shaketable.harness.checks.groups.rest import installed
from shaketable.harness.checks.groups.steady import Steady
from shaketable.harness.checks.groups.successors import Successors
from shaketable.harness.checks.shared.circumstances import Circumstances, both_ways
from shaketable.harness.faults.node_kinds import LEAVE
from shaketable.harness.history.history import History, Process
from shaketable.harness.history.words.cluster import rounded
from shaketable.harness.records import Record
from shaketable.node.core.env import Micros
from shaketable.node.events import HealthAnnouncedToAll, LeadershipTaken, Leaving


class HandedOver:
    def __init__(self, history: History, circumstances: Circumstances) -> None:
        self._history = history
        self._all = circumstances
        self._steady = Steady(circumstances)
        self._order = Successors(history, circumstances)
        self._said = told(history, HealthAnnouncedToAll)
        self._taken = history.of(LeadershipTaken)

    def judge(self) -> None:
        for record in self._history.of(Leaving):
            master = self._history.by_uuid.get(record.incarnation)
            follows, since = self._steady.master_of(record.incarnation, record.time)
            if master is None or follows != master.uuid or self._with_the_group(record):
                continue
            view = installed(master, record.time)
            members = view.view.members if view is not None else ()
            others = [self._history.by_uuid.get(each.uuid) for each in members if each != master.member]
            there = [each for each in others if each is not None]
            if there and len(there) == len(others):
                self._judge(record, master, self._first(there), since)

    def _first(self, others: Sequence[Process]) -> Sequence[Process]:
        """More than one, if members have started together and their clocks decide."""
        return [each for each in others if not any(self._order.comes_before(other, each) for other in others)]

    def _with_the_group(self, record: Record) -> bool:
        return any(each.event.state == "group stopping" for each in self._said.get(record.incarnation, ()))

    def _judge(self, record: Record, master: Process, first: Sequence[Process], since: Micros) -> None:
        own = self._all.bounds_of(master.node)
        begin, due = record.time - UNDER_WAY, record.time + own.settings.discovery_retry + UNDER_WAY + own.allowance
        if due > self._history.end or since > begin or (master.ended is not None and master.ended.time <= due):
            return
        if any(each.incarnation != master.uuid and record.time <= each.time <= due for each in self._taken):
            return
        for each in first:
            follows, follows_since = self._steady.master_of(each.uuid, record.time)
            if follows != master.uuid or follows_since > begin or not self._steady.goes_on(each, begin, due):
                return
        if self._are_shaken(master, first, begin, due):
            return
        late = any(self._all.late_between(each.uuid, begin, due) for each in (master, *first))
        said = f"{self._history.name(master)} leads and shuts down, and nobody takes over within "
        self._all.accuse(f"{said}{rounded(due - record.time)}.", [record], late=late)

    def _are_shaken(self, master: Process, first: Sequence[Process], begin: Micros, due: Micros) -> bool:
        nodes = [each.node for each in first]
        links = [link for node in nodes for link in both_ways(master.node, node)]
        return self._all.shaken(master.node, begin, due, but=(LEAVE,)) or self._all.touched(
            begin, due, nodes=nodes, links=links
        )
