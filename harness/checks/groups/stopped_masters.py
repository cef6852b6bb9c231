"""Of the check "leadership agrees": a master that stops, and has told nobody else to lead, is followed at once.

It says to all that it has stopped (rulings 5.3). The first of its view in the order of the election takes over when it
hears that. So it is judged where that one has the same view and was well, and so was the master's link to it."""

from __future__ import annotations

from shaketable.harness.checks.groups.reading import UNDER_WAY
from shaketable.harness.checks.groups.rest import installed
from shaketable.harness.checks.groups.steady import Steady
from shaketable.harness.checks.groups.successors import Successors
from shaketable.harness.checks.shared.circumstances import Circumstances
from shaketable.harness.faults.node_kinds import LEAVE
from shaketable.harness.history.history import History, Process
from shaketable.harness.history.words.cluster import rounded
from shaketable.harness.records import Record
from shaketable.node.core.env import Micros
from shaketable.node.events import LeadershipTaken, Stopped


class StoppedMasters:
    def __init__(self, history: History, circumstances: Circumstances) -> None:
        self._history = history
        self._all = circumstances
        self._steady = Steady(circumstances)
        self._order = Successors(history, circumstances)
        self._taken = history.of(LeadershipTaken)

    def judge(self) -> None:
        for record in self._history.of(Stopped):
            master = self._history.by_uuid.get(record.incarnation)
            follows, since = self._steady.master_of(record.incarnation, record.time)
            if master is None or follows != master.uuid or since > record.time - UNDER_WAY:
                continue
            view = installed(master, record.time)
            members = view.view.members if view is not None else ()
            others = [self._history.by_uuid.get(each.uuid) for each in members if each != master.member]
            there = [each for each in others if each is not None]
            first = [each for each in there if not any(self._order.comes_before(other, each) for other in there)]
            if len(first) == 1 and len(there) == len(others):
                self._judge(record, master, first[0])

    def _judge(self, record: Record, master: Process, first: Process) -> None:
        own = self._all.bounds_of(first.node)
        begin, due = record.time - UNDER_WAY, record.time + UNDER_WAY + own.allowance
        if due > self._history.end or any(begin <= each.time <= due for each in self._taken):
            return
        if not self._follows_it(master, first, begin, due) or self._are_shaken(master, first, begin, due):
            return
        late = self._all.late_between(first.uuid, begin, due)
        said = f"{self._history.name(master)} leads and stops, and {self._history.name(first)}, which comes after it, "
        self._all.accuse(f"{said}does not take over within {rounded(due - record.time)}.", [record], late=late)

    def _follows_it(self, master: Process, first: Process, begin: Micros, due: Micros) -> bool:
        follows, since = self._steady.master_of(first.uuid, begin)
        if follows != master.uuid or since > begin or not self._steady.goes_on(first, begin, due):
            return False
        mine, theirs = installed(master, due), installed(first, begin)
        if mine is None or theirs is None:
            return False
        return (mine.view.version, mine.view.author) == (theirs.view.version, theirs.view.author)

    def _are_shaken(self, master: Process, first: Process, begin: Micros, due: Micros) -> bool:
        links = (f"{master.node}->{first.node}",)
        if self._all.shifted(due, links=links):
            return True
        return self._all.shaken(master.node, begin, due, but=(LEAVE,)) or self._all.touched(
            begin, due, nodes=(first.node,), links=links
        )
