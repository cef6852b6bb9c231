"""Of the check "message cost": under "ring with inferred" other messages do stand for heartbeats.

There is one in any case. The member that sends its heartbeats to the master hears nothing from it, and asks it for a
sign every two detection windows (rulings 5.5). That question carries its heartbeat. It is judged over counts in a row
that are long enough for one question. In this time nobody shook the two, and the master said nothing else: any word of
it is as good as an answer. If its application had talked, that would have stood for heartbeats of its own."""

from __future__ import annotations

from collections.abc import Sequence

from shaketable.harness.checks.groups.reading import targets_throughout, told
from shaketable.harness.checks.groups.rest import installed
from shaketable.harness.checks.groups.steady import Steady
from shaketable.harness.checks.result import counted
from shaketable.harness.checks.shared.circumstances import Circumstances, both_ways
from shaketable.harness.history.history import History, Process
from shaketable.harness.records import Record
from shaketable.node.config import INFERRED
from shaketable.node.core.env import Micros
from shaketable.node.events import (
    HealthAnnouncedToAll,
    HeartbeatsCounted,
    HeartbeatTargets,
    NotificationPublished,
    NotificationsResent,
    SuspectReportHeard,
)


class Spared:
    def __init__(self, history: History, circumstances: Circumstances) -> None:
        self._history = history
        self._all = circumstances
        self._steady = Steady(circumstances)
        self._targets = told(history, HeartbeatTargets)
        words = HealthAnnouncedToAll, NotificationPublished, NotificationsResent, SuspectReportHeard
        self._words = told(history, *words)
        self._counts = told(history, HeartbeatsCounted)

    def judge(self) -> None:
        for uuid, records in self._counts.items():
            process = self._history.by_uuid.get(uuid)
            if process is not None and self._all.settings_of(process.node).gms_detection == INFERRED:
                self._judge_member(process, records)

    def _judge_member(self, process: Process, records: Sequence[Record[HeartbeatsCounted]]) -> None:
        """Each stretch without a spared heartbeat that is long enough."""
        own = self._all.settings_of(process.node)
        needed = 2 * own.gms_max_missed + 3
        stretch: list[Record[HeartbeatsCounted]] = []
        for record in records:
            stretch = [] if record.event.spared else [*stretch, record]
            if sum(each.event.periods for each in stretch) >= needed:
                self._judge(process, stretch)
                stretch = []

    def _judge(self, process: Process, stretch: Sequence[Record[HeartbeatsCounted]]) -> None:
        own = self._all.bounds_of(process.node)
        end, periods = stretch[-1].time, stretch[0].event.periods
        begin = stretch[0].time - periods * own.settings.gms_heartbeat_period - own.allowance
        follows, since = self._steady.master_of(process.uuid, end)
        master, view = self._history.by_uuid.get(follows), installed(process, end)
        if master is None or master is process or view is None or max(view.record.time, since) >= begin:
            return
        if not self._sends_to(process, master, begin, end):
            return
        if not self._is_silent(master, begin, end):
            return
        if not all(self._steady.goes_on(each, begin, end) for each in (process, master)):
            return
        nodes = process.node, master.node
        if self._all.touched(begin, end, nodes=nodes, links=both_ways(*nodes)):
            return
        late = any(self._all.late_between(each.uuid, begin, end) for each in (process, master))
        total = sum(each.event.periods for each in stretch)
        said = f"{self._history.name(process)} has spared no heartbeat in {counted(total, 'period')}: it hears nothing "
        said += f"from its master {self._history.name(master)}, and each question to it stands for one."
        self._all.accuse(said, [*stretch[:1], *stretch[-1:]][: len(stretch)], late=late)

    def _is_silent(self, master: Process, begin: Micros, end: Micros) -> bool:
        if any(begin <= each.time <= end for each in self._words.get(master.uuid, ())):
            return False
        counts = [each for each in self._counts.get(master.uuid, ()) if each.time >= begin]
        upto = next((number for number, each in enumerate(counts) if each.time >= end), None)
        return upto is not None and not any(each.event.spared for each in counts[: upto + 1])

    def _sends_to(self, process: Process, master: Process, begin: Micros, end: Micros) -> bool:
        """Its heartbeats go to the master, and it expects none of it, all the time."""
        assert master.member is not None
        targets, address = targets_throughout(self._targets.get(process.uuid, ()), begin, end), master.member.address
        return targets is not None and address in targets.to and address not in targets.watched
