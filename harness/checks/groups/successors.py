"""Of the check "leadership agrees": the first of those that are well takes over (text 5.2.2.1).

It is judged at each member that comes to lead in the place of a master that is dead or shuts down. Another member of
its view, which comes before it in the order of the election, was passed over. That is wrong if both had been well for
as long as a suspicion may take, and so had the links between them. The former master itself chooses who follows it when
it shuts down: so its links count then, too."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from shaketable.harness.checks.groups.reading import kind_of, told
from shaketable.harness.checks.groups.rest import installed
from shaketable.harness.checks.shared.circumstances import Circumstances
from shaketable.harness.history.history import History, Process
from shaketable.harness.records import Record
from shaketable.node.config import BY_SENIORITY, WATCHDOG
from shaketable.node.core.env import SECOND, Micros
from shaketable.node.events import LeadershipTaken, Leaving, MasterFollowed, ReadmissionAsked
from shaketable.node.gms.election import member_order
from shaketable.node.messages import Uuid
from shaketable.node.why import Why

TAKES_OVER: Final = (Why.MASTER_DEAD, Why.MASTER_STOPPED, Why.MASTER_SHUTS_DOWN)
APART: Final[Micros] = SECOND
"""Members that start sooner one after the other may be in any order of age: their clocks differ."""


class Successors:
    def __init__(self, history: History, circumstances: Circumstances) -> None:
        self._history = history
        self._all = circumstances
        self._follows = told(history, MasterFollowed, ReadmissionAsked)
        self._leaving = told(history, Leaving)
        self._started = {process.uuid: process.installs[0].record.time for process in _members(history)}

    def judge(self) -> None:
        for record in self._history.of(LeadershipTaken):
            taker = self._history.by_uuid.get(record.incarnation)
            if record.event.why not in TAKES_OVER or record.time > self._history.end or taker is None:
                continue
            former, since = self._master_before(taker.uuid, record.time)
            for other in self._others(taker, record.time):
                if other.uuid != former and self._comes_before(other, taker):
                    self._judge(record, taker, other, former, since)

    def _master_before(self, of: Uuid, time: Micros) -> tuple[Uuid, Micros]:
        """And since when it was followed."""
        last = next((each for each in reversed(self._follows.get(of, ())) if each.time < time), None)
        if last is None or not isinstance(last.event, MasterFollowed):
            return "", time
        return last.event.master.uuid, last.time

    def _others(self, taker: Process, time: Micros) -> Iterator[Process]:
        """Of its last view before."""
        view = installed(taker, time - 1)
        for member in view.view.members if view is not None else ():
            other = self._history.by_uuid.get(member.uuid)
            if other is not None and other is not taker:
                yield other

    def _comes_before(self, other: Process, taker: Process) -> bool:
        assert other.member is not None
        assert taker.member is not None
        settings = self._all.settings_of(taker.node)
        if kind_of(self._history, other.member, settings) == WATCHDOG:
            return False
        if settings.gms_election != BY_SENIORITY:
            return member_order(other.member.address) < member_order(taker.member.address)
        mine, theirs = (self._started.get(each.uuid) for each in (taker, other))
        return mine is not None and theirs is not None and theirs + APART < mine

    def _judge(self, record: Record, taker: Process, other: Process, former: Uuid, since: Micros) -> None:
        """The other one must have followed the same master, and neither may have been shaken as long as they did."""
        own = self._all.bounds_of(taker.node)
        theirs, as_long = self._master_before(other.uuid, record.time)
        begin, end = max(record.time - 2 * own.group.unheard_master, since, as_long), record.time
        if other.ended is not None and other.ended.time <= end + own.allowance:
            return
        if not former or theirs != former or any(map(self._leaves, (taker, other))):
            return
        master = self._history.by_uuid.get(former)
        nodes = [taker.node, other.node]
        pairs = [(taker.node, other.node)]
        if master is not None:
            pairs += [(taker.node, master.node), (other.node, master.node)]
        links = [link for a, b in pairs for link in (f"{a}->{b}", f"{b}->{a}")]
        if self._all.touched(begin, end + own.allowance, nodes=nodes, links=links):
            return
        late = any(self._all.late_between(each.uuid, begin, end) for each in (taker, other))
        whom = self._history.name(other)
        said = f"{self._history.name(taker)} takes over, and {whom}, which comes before it, was well."
        self._all.accuse(said, [record], late=late)

    def _leaves(self, process: Process) -> bool:
        return process.uuid in self._leaving


def _members(history: History) -> Iterator[Process]:
    return (process for process in history.processes.values() if process.installs)
