"""Of the check "group detection": a member that is told that its master is silent tries that itself (rulings 5.3).

A watcher of the master tells the member that is next in line. That one probes the master, which takes R at most, and no
time where its link is known to be down. If it is dead, the member doubts it then, or tells yet another one. It is
judged where the master had ended before, and the member was well and went on following it."""

from __future__ import annotations

from shaketable.harness.checks.groups.own_links import OwnLinks
from shaketable.harness.checks.groups.reading import UNDER_WAY, speaks_of, told
from shaketable.harness.checks.groups.steady import Steady
from shaketable.harness.checks.shared.circumstances import Circumstances
from shaketable.harness.history.history import History
from shaketable.harness.history.words.cluster import rounded
from shaketable.harness.records import Record
from shaketable.node.core.env import Micros
from shaketable.node.events import Suspected, SuspectReported, SuspectReportHeard, SuspicionEnded
from shaketable.node.messages import Member


class ReportsHeard:
    def __init__(self, history: History, circumstances: Circumstances) -> None:
        self._history = history
        self._all = circumstances
        self._steady = Steady(circumstances)
        self._links = OwnLinks(history)
        self._said = told(history, Suspected, SuspectReported, SuspicionEnded)

    def judge(self) -> None:
        for record in self._history.of(SuspectReportHeard):
            suspect = record.event.suspect
            follows, since = self._steady.master_of(record.incarnation, record.time)
            master = self._history.by_uuid.get(suspect.uuid)
            if follows != suspect.uuid or master is None or master.ended is None:
                continue
            if master.ended.time <= record.time - UNDER_WAY:
                self._judge(record, suspect, since)

    def _judge(self, record: Record, suspect: Member, since: Micros) -> None:
        own, member = self._all.bounds_of(record.node), self._history.by_uuid.get(record.incarnation)
        due = record.time + UNDER_WAY + own.allowance
        is_down = self._links.down_since(record.incarnation, suspect.address, due)
        if is_down is None or is_down > record.time:
            due += own.settings.gms_probe_timeout
        if member is None or due > self._history.end or not self._steady.goes_on(member, record.time, due):
            return
        if self._all.touched(record.time, due, nodes=(record.node,)) or self._has_said(record, suspect, since, due):
            return
        late = self._all.late_between(record.incarnation, record.time, due)
        who, whom = self._history.name(member), self._history.names.member(suspect)
        said = f"{who} hears that its master {whom} is silent, which is dead, and {rounded(due - record.time)} later "
        self._all.accuse(f"{said}it has neither doubted it nor told another one.", [record], late=late)

    def _has_said(self, record: Record, suspect: Member, since: Micros, due: Micros) -> bool:
        """Since it follows it. If it trusted it again, it asks another member first."""
        return speaks_of(self._said.get(record.incarnation, ()), suspect, since, due)
