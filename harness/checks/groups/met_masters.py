"""Of the check "leadership agrees": two masters that learn of each other decide by the order of the election which one
stays (rulings 5.2).

Both decide alike, so one of them is left. A master that says that the other one stays gives way to it at once. The
order is not judged where one of the two shuts down, because such a master never stays."""

from __future__ import annotations

from shaketable.harness.checks.groups.reading import has_owed, told
from shaketable.harness.checks.groups.steady import Steady
from shaketable.harness.checks.groups.successors import Successors
from shaketable.harness.checks.shared.circumstances import Circumstances
from shaketable.harness.history.history import History
from shaketable.harness.records import Record
from shaketable.node.events import LeadershipYielded, MastersCollided


class MetMasters:
    def __init__(self, history: History, circumstances: Circumstances) -> None:
        self._history = history
        self._all = circumstances
        self._steady = Steady(circumstances)
        self._order = Successors(history, circumstances)
        self._yielded = told(history, LeadershipYielded)

    def judge(self) -> None:
        for record in self._history.of(MastersCollided):
            if record.time <= self._history.end:
                self._judge_order(record)
                if record.event.stays == record.event.peer:
                    self._judge_yielding(record)

    def _judge_order(self, record: Record[MastersCollided]) -> None:
        mine, other = (self._history.by_uuid.get(uuid) for uuid in (record.incarnation, record.event.peer.uuid))
        if mine is None or other is None or any(self._steady.leaves(each, record.time) for each in (mine, other)):
            return
        stays, goes = (other, mine) if record.event.stays == record.event.peer else (mine, other)
        if any(span.kind.sets_clock and span.touches((mine.node, other.node), ()) for span in self._all.spans):
            return  # by its clock a member is older than it is, or younger
        if self._order.comes_before(goes, stays):
            said = f"{self._history.name(mine)} says that {self._history.name(stays)} stays master, and "
            self._all.accuse(f"{said}{self._history.name(goes)} comes before it.", [record], late=False)

    def _judge_yielding(self, record: Record[MastersCollided]) -> None:
        """In the same step."""
        for each in self._yielded.get(record.incarnation, ()):
            if each.sequence > record.sequence and each.event.peer == record.event.peer:
                return
        if has_owed(self._history, record.incarnation, record.time):
            who = self._history.names.process(record.node, record.incarnation)
            said = f"{who} says that {self._history.names.member(record.event.peer)} stays master, and does not "
            self._all.accuse(f"{said}give way to it.", [record], late=False)
