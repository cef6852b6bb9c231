"""When nothing is broken and nothing happens any more, nobody waits for anything.

In a time of rest no fault is on, and nobody tells of anything but what comes back by itself: periodic lists and tables,
searches for other parts that find nothing, and what clients do. After a while everything that had begun must have ended
by then, for nothing will happen that could end it. Two members that suspect each other may do so for ever. A run with a
clock that was set is not judged: its node may still wait by its own clock. A promoted owner hears each backup, where
nothing was broken for as long as it asks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.checks.membership.at_rest import (
    kept_links,
    known_to_all,
    lacking,
    open_things,
    prompt,
)
from shaketable.harness.checks.membership.brings import NEEDS as OF_BRINGING
from shaketable.harness.checks.membership.brings import Brings
from shaketable.harness.checks.result import CheckResult, Findings, Watch, counted
from shaketable.harness.checks.shared.circumstances import both_ways, outside, span_of
from shaketable.harness.checks.shared.ending import to_the_end
from shaketable.harness.faults.node_kinds import DROP
from shaketable.harness.history.history import History
from shaketable.harness.history.words.cluster import rounded
from shaketable.harness.records import (
    Expected,
    FabricRestored,
    FabricTrouble,
    HarnessLate,
    Record,
    ScriptEnded,
    StepBegan,
)
from shaketable.harness.seen.run import NodeSeen, Observed
from shaketable.node.core.env import Micros
from shaketable.node.events import (
    AddressForgotten,
    BackupDiffers,
    BackupMissed,
    BackupNotHeard,
    ClaimFinished,
    CompletedDropped,
    Event,
    ExplicitSuspicionReceived,
    Joined,
    Leaving,
    LinkClosed,
    LinkDown,
    MemberRemoved,
    Merged,
    MergeFailed,
    MergeJudged,
    MigrationFinished,
    OperationCalled,
    OperationReturned,
    RoundLate,
    SplitBrainSearchBegan,
    SplitBrainSearchEnded,
    Started,
    StockTaken,
    StoodStill,
    Stopped,
    SuspicionEnded,
    TableChanged,
    TableInstalled,
    TablePublished,
    TableSearchEnded,
    ViewIgnored,
    ViewInstalled,
    ViewPublished,
)
from shaketable.node.messages import Address, Uuid
from shaketable.node.why import Why

NAME: Final = "nothing waits"
RULE: Final = (
    "When nothing is broken and nothing happens any more, nobody waits: after a while each node has joined, whoever "
    "leaves has stopped, claims, searches and migrations have ended, all have their master's list and table, no "
    "link to a former member is up, and all is safe; a master knows that all know of the migrations that have ended. "
    "Operations of clients are answered at once. Data that merge are brought or given up within twice the patience for "
    "that, whatever is broken."
)
COMES_BACK: Final[frozenset[type[Event]]] = frozenset(
    (
        *(StepBegan, Expected, ScriptEnded, AddressForgotten, SplitBrainSearchBegan, SplitBrainSearchEnded),
        *(OperationCalled, OperationReturned, BackupMissed, BackupDiffers, StockTaken),
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
        self._known_to_all = known_to_all(bounds)
        self._last: Record | None = None
        """what happened last"""
        self._leaving: dict[Uuid, bool] = {}
        self._links_broken = False
        """by themselves, or by somebody else"""
        self._let_go: dict[Uuid, Record[MemberRemoved]] = {}
        """members that left, and when their master took them off its list"""
        self._former: dict[Uuid, dict[Address, bool]] = {}
        """by member, where members of its list were and are none now"""
        self._called: dict[tuple[Uuid, str], Record] = {}
        """by member and client: the operation that has not returned"""
        self._seen: Observed | None = None
        self._spans = [*map(span_of, history.faults.values()), *outside(history)]
        self._clocks_set = any(fault.kind.sets_clock for fault in history.faults.values())
        self._brings = Brings(history, self.findings, self._bounds_of)

    def see(self, record: Record, node: NodeSeen | None, seen: Observed) -> None:
        self._seen = seen
        event, kind = record.event, type(record.event)
        if not self._clocks_set:
            self._brings.see(record)
        if node is not None and kind in _SERVES:
            _SERVES[kind](self, record, event, seen)
        if comes_back(event):
            return
        self._judge(record.time - stood_still(event))
        self._last = record
        happens = _HAPPENS.get(kind)
        if happens is not None:
            happens(self, record, event, node)

    def _removed(self, record: Record[MemberRemoved], event: MemberRemoved, node: NodeSeen | None) -> None:
        if event.why is Why.LEFT:
            self._let_go[event.peer.uuid] = record

    def _links_broke(self, record: Record, event: FabricTrouble, node: NodeSeen | None) -> None:
        self._links_broken = True

    def _links_mended(self, record: Record, event: FabricRestored, node: NodeSeen | None) -> None:
        self._links_broken = False

    def _leaves(self, record: Record, event: Leaving, node: NodeSeen | None) -> None:
        self._leaving[record.incarnation] = True

    def _stopped(self, record: Record, event: Stopped, node: NodeSeen | None) -> None:
        let_go = self._let_go.pop(record.incarnation, None)
        if let_go is not None and self._seen is not None:
            self._let_go_in_time(let_go, record, self._seen)

    def _installed(self, record: Record, event: ViewInstalled, node: NodeSeen | None) -> None:
        if node is not None:
            former = self._former.setdefault(record.incarnation, {})
            former |= {member.address: True for member in node.members}
            for member in event.members:
                former.pop(member.address, None)

    def result(self) -> CheckResult:
        history, seen = self._history, self._seen
        self._judge(history.end)
        for uuid, let_go in self._let_go.items():
            process, ends = history.by_uuid.get(uuid), history.of(ScriptEnded)
            if seen is not None and ends and process is not None and process.alive and history.executing(process):
                self._let_go_in_time(let_go, ends[0], seen)
        self._brings.at_the_end()
        return self.findings.result(NAME, RULE, f"{counted(self.rests, 'time')} of rest", self.rests)

    def _judge(self, end: Micros) -> None:
        """The time from what happened last until now."""
        seen, last = self._seen, self._last
        if seen is None or last is None or self._clocks_set:
            return
        rest = end - last.time
        if rest < self._bounds.settings.heartbeat_interval or self._broken(seen):
            return
        judged = False
        for node in seen.awake():
            own = self._bounds_of(node.name)
            links = self._former.get(node.incarnation, {})
            open_ = list(open_things(node, own, last.time, self._leaving))
            if self._brings.something(node.name) and node.joined:
                open_.append(("has not said what became of the data that it brings", known_to_all(own) + own.operation))
            for doing, within in (*open_, *lacking(node, own, seen), *kept_links(node, own, seen, links)):
                if rest <= within:
                    continue
                who = self._history.names.process(node.name, node.incarnation)
                said = f"{who} {doing}, and nothing has happened for {rounded(rest)}; it has {rounded(within)}."
                self.findings.add(said, to_the_end(self._history, [last]))
            judged = True
        self.rests += judged
        self._judge_waiting_clients(end, last)

    def _broken(self, seen: Observed) -> bool:
        return self._links_broken or any(fault.active for fault in seen.faults.values())

    def _bounds_of(self, node: str) -> Bounds:
        return Bounds(self._history.settings_of(node, self._bounds.settings), self._bounds.allowance)

    def _let_go_in_time(self, let_go: Record[MemberRemoved], until: Record, seen: Observed) -> None:
        """Its master has answered when it took it off its list; if that was lost, it asks again."""
        if seen.calm >= let_go.time or self._broken(seen) or self._clocks_set:
            return
        leaver = let_go.event.peer
        own = self._bounds_of(seen.names.get(leaver.address, ""))
        took, within = until.time - let_go.time, 4 * own.settings.leave_retry + own.allowance
        if took > within:
            who = self._history.names.member(leaver)
            said = f"{who} has not left {rounded(took)} after it was let go, while nothing is broken"
            self.findings.add(f"{said}; it has {rounded(within)}.", [let_go, until])

    def _hears_of_its_master(self, record: Record, event: ExplicitSuspicionReceived, node: NodeSeen | None) -> None:
        """The answer by which it is let go was first on the link from its master."""
        let_go, cause = self._let_go.get(record.incarnation), record.cause
        if let_go is None or cause is None or let_go.incarnation != event.peer.uuid or cause.after < let_go.sequence:
            return
        if not self._touched(let_go, record):
            who = self._history.names.process(record.node, record.incarnation)
            said = f"{who} has not left when its master, which has let it go, says that it is no member"
            self.findings.add(f"{said}, while nothing is broken between them.", [let_go, record])

    def _touched(self, let_go: Record[MemberRemoved], until: Record) -> bool:
        """Something was broken at the leaver, its master or between them, beside that it was told to leave. Lost
        messages count only until it has asked once more."""
        if self._links_broken:
            return True
        one, other = let_go.node, until.node
        links = both_ways(one, other)
        own = self._bounds_of(other)
        asked = until.time - 2 * own.settings.leave_retry - own.allowance
        return any(
            span.begin <= until.time and span.end >= (max(let_go.time, asked) if span.kind is DROP else let_go.time)
            for span in self._spans
            if span.verb != "leave" and span.touches((one, other), links)
        )

    # Operations of clients

    def _calls(self, record: Record, event: OperationCalled, seen: Observed) -> None:
        self._called[record.incarnation, event.client] = record

    def _returned(self, record: Record, event: OperationReturned, seen: Observed) -> None:
        called = self._called.pop((record.incarnation, event.client), None)
        last = self._last
        if called is None or last is None or not self._rests(called.time, seen):
            return
        said = f"has client {event.client} return {event.number}"
        took, within = record.time - called.time, prompt(self._bounds_of(record.node))
        if event.outcome == "unknown":
            self._accuse(record, f"{said} with an unknown outcome ({event.reason}), while nothing is broken", called)
        elif took > within:
            self._accuse(
                record, f"{said} after {rounded(took)}, while nothing is broken; it has {rounded(within)}", called
            )

    def _missed(self, record: Record, event: BackupMissed, seen: Observed) -> None:
        if self._rests(record.time - self._bounds_of(record.node).settings.backup_timeout, seen):
            who = self._history.names.member(event.peer)
            self._accuse(record, f"does without {who} at a write ({event.reason}), and nothing is broken")

    def _not_heard(self, record: Record, event: BackupNotHeard, seen: Observed) -> None:
        """Somebody has ended before: else nobody would have been promoted."""
        if event.why is not Why.SILENT:
            return
        own = self._bounds_of(record.node)
        since = record.time - own.settings.backup_timeout - own.allowance
        if seen.calm < since and not self._broken(seen) and not self._clocks_set and seen.is_current(event.peer):
            who = self._history.names.member(event.peer)
            self._accuse(record, f"serves partition {event.partition} without {who}, and nothing is broken")

    def _rests(self, since: Micros, seen: Observed) -> bool:
        """By then nothing had happened for so long that all had the newest list and table; and nothing has since."""
        last = self._last
        if last is None or self._clocks_set or since <= last.time + self._known_to_all:
            return False
        return not self._broken(seen)

    def _judge_waiting_clients(self, end: Micros, last: Record) -> None:
        assert self._seen is not None
        for (incarnation, client), called in list(self._called.items()):
            within = prompt(self._bounds_of(called.node))
            node = self._seen.nodes.get(called.node)
            if node is None or node.incarnation != incarnation or not node.running:
                continue
            if self._rests(called.time, self._seen) and end - called.time > within:
                self._accuse(last, f"has client {client} wait for {rounded(end - called.time)}", called)

    def _accuse(self, record: Record, said: str, *others: Record) -> None:
        of = others[0] if others else record
        who = self._history.names.process(of.node, of.incarnation)
        self.findings.add(f"{who} {said}.", dict.fromkeys([*others, record]))


_SERVES: Final[Mapping[type[Event], Callable[[_Judge, Any, Any, Observed], None]]] = {
    OperationCalled: _Judge._calls,
    OperationReturned: _Judge._returned,
    BackupMissed: _Judge._missed,
    BackupNotHeard: _Judge._not_heard,
}
_HAPPENS: Final[Mapping[type[Event], Callable[[_Judge, Any, Any, NodeSeen | None], None]]] = {
    MemberRemoved: _Judge._removed,
    FabricTrouble: _Judge._links_broke,
    FabricRestored: _Judge._links_mended,
    Leaving: _Judge._leaves,
    ExplicitSuspicionReceived: _Judge._hears_of_its_master,
    Stopped: _Judge._stopped,
    ViewInstalled: _Judge._installed,
}
_LOST: Final[Mapping[type[Event], Callable[[Any], Micros]]] = {
    StoodStill: lambda event: event.lasted,
    **dict.fromkeys((RoundLate, HarnessLate), lambda event: event.lateness),
}
_PERHAPS: Final[Mapping[type[Event], Callable[[Any], bool]]] = {
    **dict.fromkeys((ViewPublished, TablePublished), lambda event: not event.change),
    ViewIgnored: lambda event: event.why is Why.NOT_NEWER,
    MergeJudged: lambda event: event.decision == "no",
}


def stood_still(event: Event) -> Micros:
    """So long somebody had not run when this was told: nobody need have done anything meanwhile."""
    lost = _LOST.get(type(event))
    return 0 if lost is None else lost(event)


def comes_back(event: Event) -> bool:
    perhaps = _PERHAPS.get(type(event))
    return type(event) in COMES_BACK if perhaps is None else perhaps(event)


NEEDS: Final = tuple(
    dict.fromkeys(
        (
            *(
                *_SERVES,
                *_HAPPENS,
                *_LOST,
                *_PERHAPS,
                *OF_BRINGING,
                Started,
                Joined,
                ClaimFinished,
                SuspicionEnded,
                LinkDown,
                LinkClosed,
            ),
            *(MergeFailed, Merged, SplitBrainSearchEnded),
            *(TableChanged, TableInstalled, TableSearchEnded, MigrationFinished, CompletedDropped),
        )
    )
)
