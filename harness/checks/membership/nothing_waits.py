"""When nothing is broken and nothing happens any more, nobody waits for anything.

In a time of rest no fault is on, and nobody tells of anything but what comes back by itself: periodic lists and tables,
searches for other parts that find nothing, and what clients do. After a while everything that had begun must have ended
by then, for nothing will happen that could end it. A run with a clock that was set is not judged: its node may still
wait by its own clock."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.checks.result import CheckResult, Findings, Watch, counted
from shaketable.harness.checks.shared.ending import to_the_end
from shaketable.harness.history.history import History
from shaketable.harness.history.words.cluster import rounded
from shaketable.harness.records import Expected, Record, ScriptEnded, StepBegan
from shaketable.harness.seen.run import NodeSeen, Observed
from shaketable.node.core.env import Micros
from shaketable.node.events import (
    AddressForgotten,
    BackupMissed,
    Event,
    Leaving,
    MergeJudged,
    OperationCalled,
    OperationReturned,
    SplitBrainSearchBegan,
    SplitBrainSearchEnded,
    StockTaken,
    TablePublished,
    ViewIgnored,
    ViewPublished,
)
from shaketable.node.messages import Uuid
from shaketable.node.why import Why

NAME: Final = "nothing waits"
RULE: Final = (
    "When nothing is broken and nothing happens any more, nobody waits: after a while each node has joined, whoever "
    "leaves has stopped, claims, searches and migrations have ended, and all is safe."
)
COMES_BACK: Final[frozenset[type[Event]]] = frozenset(
    (
        *(StepBegan, Expected, ScriptEnded, AddressForgotten, SplitBrainSearchBegan, SplitBrainSearchEnded),
        *(OperationCalled, OperationReturned, BackupMissed, StockTaken),
    )
)
"""what may be told in a time of rest"""


def check(history: History, bounds: Bounds) -> CheckResult | Watch:
    return _Judge(history, bounds)


class _Judge:
    def __init__(self, history: History, bounds: Bounds) -> None:
        self.findings = Findings(history)
        self.rests = 0
        self._history = history
        self._bounds = bounds
        self._last: Record | None = None
        """what happened last"""
        self._leaving: dict[Uuid, bool] = {}
        self._seen: Observed | None = None
        self._clocks_set = any(fault.kind.sets_clock for fault in history.faults.values())

    def see(self, record: Record, node: NodeSeen | None, seen: Observed) -> None:
        self._seen = seen
        event = record.event
        if comes_back(event):
            return
        self._judge(record.time)
        self._last = record
        if isinstance(event, Leaving):
            self._leaving[record.incarnation] = True

    def result(self) -> CheckResult:
        self._judge(self._history.end)
        return self.findings.result(NAME, RULE, f"{counted(self.rests, 'time')} of rest", self.rests)

    def _judge(self, end: Micros) -> None:
        """The time from what happened last until now."""
        seen, last = self._seen, self._last
        if seen is None or last is None or self._clocks_set:
            return
        rest = end - last.time
        if rest < self._bounds.settings.heartbeat_interval or any(fault.active for fault in seen.faults.values()):
            return
        judged = False
        for node in seen.awake():
            for doing, within in self._open(node, last):
                if rest <= within:
                    continue
                who = self._history.names.process(node.name, node.incarnation)
                said = f"{who} {doing}, and nothing has happened for {rounded(rest)}; it has {rounded(within)}."
                self.findings.add(said, to_the_end(self._history, [last]))
            judged = True
        self.rests += judged

    def _open(self, node: NodeSeen, last: Record) -> Iterator[tuple[str, Micros]]:
        """For what it waits, and how long it may, when nothing happens."""
        own = Bounds(self._history.settings_of(node.name, self._bounds.settings), self._bounds.allowance)
        s, parts = own.settings, node.partitions
        told = own.lost_publish + s.partition_table_send_interval
        if not node.joined:
            batch = 0 if s.async_join else s.max_wait_before_join + s.wait_before_join
            yield (
                "has not joined",
                2 * (s.join_patience + s.startup_vote_timeout + s.join_retry) + batch + own.allowance,
            )
            return
        if node.claiming:
            yield "has not ended its claim", s.mastership_claim_timeout + own.allowance
        if node.incarnation in self._leaving:
            yield "has not left", told + 4 * s.leave_retry
        if node.merging.searching and (node.merging.last_search or 0) < last.time:
            yield "has not ended its search for other parts", 2 * s.merge_validation_timeout + own.allowance
        if node.merging.into is not None and node.incarnation != node.merging.into.uuid:
            yield "has not gone over to another part", told + s.max_join_merge_target
        if parts.searching:
            yield "has not ended its search for the newest table", told
        if parts.queue or parts.under_way:
            yield "has migrations to do", told + s.migration_pause
        if parts.active:
            yield "has a migration under way", told + s.migration_pause
        if parts.safe is False:
            yield (
                f"does not say that all is safe ({parts.why_not_safe})",
                told + s.migration_pause + 2 * s.backup_sync_interval,
            )


def comes_back(event: Event) -> bool:
    match event:
        case ViewPublished() | TablePublished():
            return not event.change
        case ViewIgnored():
            return event.why is Why.NOT_NEWER
        case MergeJudged():
            return event.decision == "no"
    return type(event) in COMES_BACK
