"""A member comes to an end of joining (text 1.5).

However messages get lost, a joiner founds a cluster of its own when the longest join time is over. So links and what is
lost on them are no excuse. The time counts from the last start of any node, since nodes that start vote, and from the
last time at which a node slept, was held, or had its clock set. A node that goes over to another cluster first has some
time to be admitted there. A node that was refused has ended."""

from __future__ import annotations

from typing import Final

from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.checks.result import CheckResult, Findings, counted
from shaketable.harness.checks.shared.ending import to_the_end
from shaketable.harness.history.history import FaultFacts, History
from shaketable.harness.history.words.cluster import rounded
from shaketable.node.core.env import Micros
from shaketable.node.events import Held, Joined, MergeFailed, Merging, Released, Started, StoodStill

NAME: Final = "joined"
RULE: Final = (
    "A node that starts, and is not refused, has joined a cluster or founded one within the longest time that joining "
    "may take."
)
NEEDS: Final = (Joined, Started)


def check(history: History, bounds: Bounds) -> CheckResult:
    findings = Findings(history)
    joined = {(record.node, record.incarnation): record for record in history.of(Joined)}
    disturbed = max(
        (record.time for kind in (Started, Held, Released, StoodStill, MergeFailed) for record in history.of(kind)),
        default=0,
    )
    disturbed = max([disturbed, *(time for facts in history.faults.values() for time in _times(facts))])
    merging = {record.node for record in history.of(Merging)}
    seen = pending = 0
    for started in history.of(Started):
        key = started.node, started.incarnation
        process = history.processes.get(key)
        if process is None or started.time > history.end:
            continue
        if key in joined:
            seen += 1
            continue
        if not process.alive or not history.executing(process):
            continue
        own = Bounds(history.settings_of(started.node, bounds.settings), bounds.allowance)
        over = own.settings.max_join_merge_target if started.node in merging else 0
        due = max(started.time, disturbed) + own.forming + over
        if history.end < due:
            pending += 1
            continue
        seen += 1
        took = rounded(history.end - started.time)
        said = f"{history.name(process)} has not joined {took} after its start, and has {rounded(own.forming)} for it."
        findings.add(said, to_the_end(history, [started]))
    looked_at = f"{counted(seen, 'start')}"
    return findings.result(NAME, RULE, looked_at, seen, pending=pending)


def _times(facts: FaultFacts) -> list[Micros]:
    """When a fault that is not one of links or messages was there."""
    if facts.asked.event.links or facts.kind.filters is not None:
        return []
    return [record.time for record in (facts.took, facts.ended) if record is not None]
