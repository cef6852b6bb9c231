"""Of the check "group detection": a member that was asleep says how late its round was.

By that anybody knows what its deeds of that time prove. Rounds follow each other by a period. A round is late if it
comes more than a period after its time, or more than half of a detection window if that is less. It is judged where a
member's own counts show how long its rounds took, and one sleep alone lies between two of them."""

from __future__ import annotations

from itertools import pairwise

from shaketable.harness.checks.groups.reading import UNDER_WAY, told
from shaketable.harness.checks.groups.steady import Steady
from shaketable.harness.checks.shared.circumstances import Circumstances, Span
from shaketable.harness.faults.node_kinds import PAUSE
from shaketable.harness.history.history import History
from shaketable.harness.history.words.cluster import rounded
from shaketable.harness.records import Record
from shaketable.node.core.env import Micros
from shaketable.node.events import HeartbeatsCounted, RoundLate
from shaketable.node.messages import Uuid


class Sleeps:
    def __init__(self, history: History, circumstances: Circumstances) -> None:
        self._history = history
        self._all = circumstances
        self._steady = Steady(circumstances)
        self._late = told(history, RoundLate)
        self._spans = [span for span in circumstances.spans if span.kind.spoils_own_times]

    def judge(self) -> None:
        for uuid, records in told(self._history, HeartbeatsCounted).items():
            for before, record in pairwise(records):
                asleep = self._asleep(record.node, before.time, record.time)
                if asleep is not None and self._went_on(uuid, before, record):
                    self._judge(before, record, asleep)

    def _asleep(self, node: str, begin: Micros, end: Micros) -> Span | None:
        spans = [s for s in self._spans if (node in s.nodes or s.kind.everywhere) and s.begin <= end]
        spans = [s for s in spans if s.end >= begin or s.kind.sets_clock]
        one = spans[0] if len(spans) == 1 else None
        return one if one is not None and one.kind is PAUSE and begin < one.begin and one.end < end else None

    def _went_on(self, uuid: Uuid, before: Record, record: Record) -> bool:
        changes = self._steady.changes(uuid, record.time)
        return not any(each.time > before.time for each in changes)

    def _judge(self, before: Record, record: Record[HeartbeatsCounted], asleep: Span) -> None:
        own, uuid = self._all.bounds_of(record.node), record.incarnation
        period = own.settings.gms_heartbeat_period
        late = record.time - before.time - record.event.periods * period
        said_late = sum(r.event.lateness for r in self._late.get(uuid, ()) if before.time < r.time <= record.time)
        unsaid = late - said_late
        # A count that is not whole is told when its recipients change, perhaps just before the next round.
        since = 0 if record.event.periods == own.settings.gms_max_missed else period
        if unsaid <= min(period, own.settings.detection_window // 2) + since + UNDER_WAY + own.allowance:
            return
        who = self._history.names.process(record.node, uuid)
        said = (
            f"{who} was asleep for {rounded(asleep.end - asleep.begin)}, and {record.event.periods} of its rounds took "
        )
        said += f"{rounded(record.time - before.time)}. It does not say that they were {rounded(unsaid)} late."
        self._all.findings.add(said, [before, record])
