"""Suspicions on time, and with a cause (text 1.2), by the settings of each node.

As long as nothing is broken nobody is suspected. A run without a fault, such as a script's quiet twin, is judged by
that alone, until something breaks from outside: a node dies by itself, or the links fail.

- The only other reasons for a suspicion are explicit suspicion and a restart. A member is removed only for a suspicion,
  a decision or a leave.
- If a side's rounds were later than half the timeout, a violation becomes unknown.
- A side that another fault touched is not judged: it was asleep, held, under load, or its clock was set.
- If messages were slow or held back, or a clock was set, only the words of suspicions and lost connections are judged.
- With the detector `phi-accrual` only lost connections and master confirmations are judged."""

from __future__ import annotations

from typing import Final

from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.checks.detection.lost_connections import LostConnections
from shaketable.harness.checks.detection.reasons import Reasons
from shaketable.harness.checks.detection.silences import Silences
from shaketable.harness.checks.result import CheckResult, Watch, counted
from shaketable.harness.checks.shared.circumstances import NO_CHANGE, Circumstances, change_of
from shaketable.harness.history.history import History
from shaketable.harness.history.words.cluster import rounded
from shaketable.harness.records import FaultEnded, FaultTook, NodeEnded, NodeSpawned, Record, ScriptEnded
from shaketable.harness.seen.run import NodeSeen, Observed
from shaketable.node.events import (
    DisconnectionResolved,
    ExplicitSuspicionReceived,
    Failed,
    Joined,
    LinkClosed,
    LinkDown,
    LinkUp,
    MergeJudged,
    Merging,
    Started,
    Stopped,
    Suspected,
    SuspicionEnded,
    ViewInstalled,
)
from shaketable.node.messages import Uuid

NAME: Final = "detection"
RULE: Final = (
    "A silence is suspected within its timeout, give or take an interval, and a lost connection within the grace and a"
    " round. Nobody is suspected or removed without a cause."
)
NEEDS: Final = (
    DisconnectionResolved,
    ExplicitSuspicionReceived,
    Joined,
    LinkClosed,
    LinkDown,
    LinkUp,
    MergeJudged,
    Started,
    Suspected,
    ViewInstalled,
)


def check(history: History, bounds: Bounds) -> CheckResult | Watch:
    circumstances = Circumstances(history, bounds)
    return _Broken(circumstances) if circumstances.spans else _quiet(circumstances)


_BY_NODES: Final = (LinkUp, LinkDown, LinkClosed, ViewInstalled, Suspected, SuspicionEnded, Stopped, Failed, Merging)
_BY_HARNESS: Final = (FaultTook, FaultEnded, NodeSpawned, NodeEnded, ScriptEnded)
_TELLING: Final = frozenset((*_BY_NODES, *_BY_HARNESS))
"""kinds of events after which something may be due, or judged"""


def _quiet(circumstances: Circumstances) -> CheckResult:
    history = circumstances.history
    _accuse_of_suspicions(circumstances)
    joined = sum(process.joined for process in history.processes.values())
    Reasons(circumstances).judge_removals()
    looked_at = f"{counted(joined, 'member')} over {rounded(history.end)}, and nothing was broken"
    return _result(circumstances, looked_at, joined, [])


def _accuse_of_suspicions(circumstances: Circumstances) -> None:
    """As long as nothing is broken."""
    history, until = circumstances.history, circumstances.broken_from()
    for record in history.of(Suspected):
        event = record.event
        if record.time >= until:
            break  # that proves nothing, or the world clears up
        if _has_gone_over(history, event.peer.uuid, record):
            continue  # who was suspected is there no more
        late = circumstances.ever_very_late(record.incarnation) or circumstances.ever_very_late(event.peer.uuid)
        suspecting = history.names.process(record.node, record.incarnation)
        said = f"{suspecting} suspects {history.names.member(event.peer)} ({event.reason}), and nothing was broken."
        circumstances.accuse(said, [record], late=late)


def _has_gone_over(history: History, uuid: Uuid, now: Record) -> bool:
    """To another part of the cluster, as somebody else."""
    process = history.by_uuid.get(uuid)
    ended = process.ended if process is not None else None
    return ended is not None and isinstance(ended.event, Merging) and ended.time <= now.time


class _Broken:
    def __init__(self, circumstances: Circumstances) -> None:
        self._circumstances = circumstances
        self._connections = LostConnections(circumstances)
        self._silences = Silences(circumstances)

    def see(self, record: Record, node: NodeSeen | None, seen: Observed) -> None:
        event = record.event
        if type(event) not in _TELLING:
            return
        self._connections.pass_time(record.time, seen)
        self._silences.pass_time(record.time, seen)
        if node is not None:
            change = NO_CHANGE
            if type(event) is ViewInstalled:
                change = change_of(node.members, event.members, record.incarnation)
            self._connections.see(record, node, change)
            self._silences.see(record, node, seen, change)
        elif not record.node:
            self._silences.see_harness(record, seen)

    def result(self) -> CheckResult:
        if not self._circumstances.history.faults:
            _accuse_of_suspicions(self._circumstances)
        reasons = Reasons(self._circumstances)
        reasons.judge_removals()
        reasons.judge_suspicions()
        told, lasting, lost = self._silences.told, self._silences.lasting, self._connections.judged
        looked_at = (
            f"{counted(told, 'suspicion')} after a silence, {counted(lasting, 'lasting silence')}, "
            f"{counted(lost, 'lost connection')}"
        )
        notes = []
        if self._silences.unbounded:
            without = ", ".join(self._silences.unbounded)
            notes.append(f"{without}: how soon silence is suspected is not judged (phi-accrual)")
        return _result(self._circumstances, looked_at, told + lasting + lost, notes)


def _result(circumstances: Circumstances, looked_at: str, count: int, notes: list[str]) -> CheckResult:
    excused = circumstances.excused
    if excused:
        notes.append(f"{counted(excused, 'suspicion')} while heartbeat rounds were very late")
    return circumstances.findings.result(NAME, RULE, looked_at, count, unknown=bool(excused), notes=notes)
