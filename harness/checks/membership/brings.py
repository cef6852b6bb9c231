"""Of the check "nothing waits": who goes over to another part brings its data there, or gives them up in time.

Nobody is asked anew once the patience of the member that brings them is over. A member that is asked then is waited for
as long again, whatever is broken. A member that slept meanwhile is not judged."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.checks.result import Findings
from shaketable.harness.checks.shared.circumstances import span_of
from shaketable.harness.checks.shared.ending import to_the_end
from shaketable.harness.history.history import History
from shaketable.harness.history.words.cluster import rounded
from shaketable.harness.records import NodeSpawned, Record
from shaketable.node.core.env import Micros
from shaketable.node.events import (
    EntriesMerged,
    EntriesSetAside,
    Event,
    Held,
    Joined,
    MergeDataDone,
    Merging,
    RoundLate,
    StoodStill,
)


class Brings:
    def __init__(self, history: History, findings: Findings, bounds_of: Callable[[str], Bounds]) -> None:
        self._history = history
        self._findings = findings
        self._bounds_of = bounds_of
        self._sleeps = [span_of(fault) for fault in history.faults.values() if fault.kind.sleeps_at_once]
        self._something: dict[str, bool] = {}
        """nodes that go over to another part, and whether they have data for it"""
        self._since: dict[str, Record] = {}
        """by node: when it had joined there, or last had something decided"""

    def something(self, node: str) -> bool:
        return self._something.get(node, False)

    def see(self, record: Record) -> None:
        learn = _LEARNS.get(type(record.event))
        if learn is not None:
            learn(self, record, record.event)

    def _sets_aside(self, record: Record, event: EntriesSetAside) -> None:
        self._something[record.node] = bool(event.entries or event.not_brought)

    def _finds_owners(self, record: Record, event: Joined | EntriesMerged) -> None:
        if self.something(record.node):
            self._since[record.node] = record

    def _is_not_judged(self, record: Record, event: Event) -> None:
        """It goes over once more, or has not run for a while."""
        self._since.pop(record.node, None)

    def _done(self, record: Record, event: MergeDataDone) -> None:
        since = self._since.pop(record.node, None)
        if since is not None:
            self._judge(since, record)
        self._something.pop(record.node, None)

    def _begins_anew(self, record: Record, event: NodeSpawned) -> None:
        self._something.pop(event.peer, None)
        self._since.pop(event.peer, None)

    def at_the_end(self) -> None:
        for since in self._since.values():
            process = self._history.by_uuid.get(since.incarnation)
            if process is not None and process.alive and self._history.executing(process):
                self._judge(since)

    def _judge(self, since: Record, done: Record | None = None) -> None:
        end = self._history.end if done is None else done.time
        own = self._bounds_of(since.node)
        took = end - since.time
        within = 2 * own.settings.merge_data_patience + own.settings.operation_retry + own.allowance
        if took <= within or self._slept(since, end):
            return
        who = self._history.names.process(since.node, since.incarnation)
        proof = to_the_end(self._history, [since]) if done is None else [since, done]
        said = f"{who} brings data, and for {rounded(took)} has neither had any decided nor given them up"
        self._findings.add(f"{said}; it has {rounded(within)}.", proof)

    def _slept(self, since: Record, end: Micros) -> bool:
        return any(
            span.begin <= end and span.end >= since.time and (since.node in span.nodes or span.kind.everywhere)
            for span in self._sleeps
        )


_LEARNS: Final[Mapping[type[Event], Callable[[Brings, Record, Any], None]]] = {
    EntriesSetAside: Brings._sets_aside,
    Joined: Brings._finds_owners,
    EntriesMerged: Brings._finds_owners,
    **dict.fromkeys((Merging, Held, StoodStill, RoundLate), Brings._is_not_judged),
    MergeDataDone: Brings._done,
    NodeSpawned: Brings._begins_anew,
}
NEEDS: Final = (EntriesSetAside, Joined, MergeDataDone)
