"""Of the check "leadership agrees": the first of those that are well takes over (text 5.2.2.1).

It is judged at each member that comes to lead in the place of a master that is dead or shuts down. Another member of
its view, which comes before it in the order of the election, was passed over. That is wrong if both had been well for
as long as a suspicion may take, and so had the links between them. The former master itself chooses who follows it when
it shuts down: so its links count then, too."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from shaketable.harness.checks.groups.reading import TAKES_OVER, kind_of
from shaketable.harness.checks.groups.rest import installed
from shaketable.harness.checks.groups.steady import Steady
from shaketable.harness.checks.shared.circumstances import Circumstances, both_ways
from shaketable.harness.history.history import History, Process
from shaketable.harness.records import Record
from shaketable.node.config import BY_SENIORITY, WATCHDOG
from shaketable.node.core.env import SECOND, Micros
from shaketable.node.events import LeadershipTaken, Started, Suspected
from shaketable.node.gms.election import member_order
from shaketable.node.messages import Uuid

APART: Final[Micros] = SECOND
"""Members that start sooner one after the other may be in any order of age: their clocks differ."""


class Successors:
    def __init__(self, history: History, circumstances: Circumstances) -> None:
        self._history = history
        self._all = circumstances
        self._steady = Steady(circumstances)
        self._started = {record.incarnation: record.time for record in history.of(Started)}
        """a member's age counts from then, and not from when it found a master"""
        self._doubted: dict[tuple[Uuid, Uuid], list[Micros]] = {}
        """when a member began to doubt another one"""
        for record in history.of(Suspected):
            self._doubted.setdefault((record.incarnation, record.event.peer.uuid), []).append(record.time)

    def judge(self) -> None:
        for record in self._history.of(LeadershipTaken):
            taker = self._history.by_uuid.get(record.incarnation)
            if record.event.why not in TAKES_OVER or record.time > self._history.end or taker is None:
                continue
            former, since = self._steady.master_of(taker.uuid, record.time - 1)
            for other in self._others(taker, record.time):
                if other.uuid != former and self.comes_before(other, taker):
                    self._judge(record, taker, other, former, since)

    def _others(self, taker: Process, time: Micros) -> Iterator[Process]:
        """Of its last view before."""
        view = installed(taker, time - 1)
        for member in view.view.members if view is not None else ():
            other = self._history.by_uuid.get(member.uuid)
            if other is not None and other is not taker:
                yield other

    def comes_before(self, other: Process, taker: Process) -> bool:
        """In the order of the election, whatever their clocks say."""
        assert other.member is not None
        assert taker.member is not None
        settings = self._all.settings_of(taker.node)
        if kind_of(self._history, other.member, settings) == WATCHDOG:
            return False
        if settings.gms_election != BY_SENIORITY:
            return member_order(other.member.address) < member_order(taker.member.address)
        elder, younger = self._started.get(other.uuid), self._started.get(taker.uuid)
        return elder is not None and younger is not None and elder + APART < younger

    def _judge(self, record: Record, taker: Process, other: Process, former: Uuid, since: Micros) -> None:
        """The other one must have followed the same master, and neither may have been shaken as long as they did."""
        own = self._all.bounds_of(taker.node)
        theirs, as_long = self._steady.master_of(other.uuid, record.time - 1)
        begin, end = max(record.time - 2 * own.group.unheard_master, since, as_long), record.time
        if other.ended is not None and other.ended.time <= end + own.allowance:
            return
        if not former or theirs != former or any(map(self._steady.leaves, (taker, other))):
            return
        if any(since <= time < as_long for time in self._doubted.get((taker.uuid, former), ())):
            return  # it was the first when it began to doubt that one
        master = self._history.by_uuid.get(former)
        nodes = [taker.node, other.node]
        pairs = [(taker.node, other.node)]
        if master is not None:
            pairs += [(taker.node, master.node), (other.node, master.node)]
        links = [link for pair in pairs for link in both_ways(*pair)]
        if self._all.touched(begin, end + own.allowance, nodes=nodes, links=links):
            return
        late = any(self._all.late_between(each.uuid, begin, end) for each in (taker, other))
        whom = self._history.name(other)
        said = f"{self._history.name(taker)} takes over, and {whom}, which comes before it, was well."
        self._all.accuse(said, [record], late=late)
