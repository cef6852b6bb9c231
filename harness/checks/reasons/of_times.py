"""Of times: nobody gives up before its time for that is over, or goes on for longer; and what a master sends every so
often it sends then.

A time counts from what the member told when it began to wait, by its own settings. While it did not run it could not
end anything. A run with a clock that was set is not judged."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, Final, NamedTuple

from shaketable.harness.checks.reasons.known import Known, Wrongs
from shaketable.harness.checks.reasons.of_merges import kept
from shaketable.harness.checks.shared.circumstances import FOR_EVER
from shaketable.harness.checks.shared.leading import leads
from shaketable.harness.history.history import History
from shaketable.harness.history.words.cluster import rounded
from shaketable.harness.records import NodeSpawned, Record
from shaketable.harness.seen.run import NodeSeen
from shaketable.node.core.env import Micros
from shaketable.node.events import (
    BackupNotHeard,
    ClaimAnswered,
    ClaimFinished,
    ClaimStarted,
    Event,
    Joined,
    Leaving,
    MasterFollowed,
    MergeBegan,
    MergeFailed,
    Merging,
    OperationCalled,
    OperationReturned,
    ReplicaPromoted,
    RoundLate,
    SplitBrainSearchBegan,
    SplitBrainSearchEnded,
    StoodStill,
    Stopped,
    TableChanged,
    TableInstalled,
    TablePublished,
    TableSearchBegan,
    TableSearchEnded,
    ViewInstalled,
    ViewPublished,
)
from shaketable.node.messages import Uuid
from shaketable.node.why import Why

_LIST: Final = "list"
_TABLE: Final = "table"
_CLAIM: Final = "claim"
_SEARCH: Final = "search"
_BACKUP: Final = "backup"


class Waits(NamedTuple):
    """Something that a member has to have done by then."""

    began: Record
    most: Micros
    said: str
    goes_on: Callable[[], bool] = lambda: True
    """whether it has not become needless"""


class Times:
    def __init__(self, history: History, known: Known) -> None:
        self._history = history
        self._known = known
        self._waits: dict[Uuid, dict[str, Waits]] = {}
        self._runs_since: dict[str, Micros] = {}
        """by node: when its process began, whatever its identity is"""
        self._late: dict[str, list[tuple[Micros, Micros]]] = {}
        """by node: when it was late, and by how much"""
        self._table_sent: dict[Uuid, Micros] = {}
        self._look_at: dict[Uuid, Micros] = {}
        """by member: until then it can be late with nothing, and what it has to send is as it was"""

    def learn_of_others(self, record: Record) -> None:
        """Of the harness, and of a node's driver."""
        match event := record.event:
            case NodeSpawned():
                self._runs_since[event.peer] = record.time
            case StoodStill():
                self._late.setdefault(record.node, []).append((record.time, event.lasted))

    def judge(self, record: Record, node: NodeSeen) -> Wrongs:
        """By what was told before."""
        if self._known.clocks_set:
            return
        me, kind = record.incarnation, type(record.event)
        if record.time > self._look_at.get(me, -1):
            waits = self._waits.setdefault(me, {})
            self._sends_every_so_often(record, node, waits)
            over = [what for what, each in waits.items() if self._is_over(each, record.node, record.time)]
            for each in [waits.pop(what) for what in over]:
                if each.goes_on():
                    yield self._words(each, record.time)
            most = min((each.began.time + each.most for each in waits.values()), default=FOR_EVER)
            self._look_at[me] = -1 if over else most
        judge = _JUDGES.get(kind)
        if judge is not None:
            yield from judge(self, record, record.event, node)
        if kind in _CHANGES:
            self._look_at[me] = -1

    def at_the_end(self) -> Iterator[tuple[Record, str]]:
        """For those that still run: all that they have not done."""
        end = self._history.end
        for me, waits in self._waits.items():
            process = self._history.by_uuid.get(me)
            if process is None or process.ended is not None or not self._history.executing(process):
                continue
            node = self._known.seen.nodes[process.node]
            for what, each in waits.items():
                if _sends(node).get(what, True) and self._is_over(each, process.node, end) and each.goes_on():
                    yield each.began, self._words(each, end)

    def _is_over(self, waits: Waits, node: str, now: Micros) -> bool:
        """Nobody tells that it was late by less than an interval."""
        over = now - waits.began.time - waits.most
        over -= self._known.allowance + self._known.settings_of(node).heartbeat_interval
        if over <= 0:
            return False
        late = sum(most for time, most in self._late.get(node, ()) if time >= waits.began.time)
        return over > late + self._known.slept_for(node, waits.began.time, now)

    @staticmethod
    def _words(waits: Waits, now: Micros) -> str:
        return f"{waits.said} for {rounded(now - waits.began.time)}; it has {rounded(waits.most)}"

    def _sends_every_so_often(self, record: Record, node: NodeSeen, waits: dict[str, Waits]) -> None:
        s, sends = self._known.settings_of(record.node), _sends(node)
        for what, most in ((_LIST, s.member_list_publish_interval), (_TABLE, s.partition_table_send_interval)):
            if not sends[what]:
                waits.pop(what, None)
            elif what not in waits:
                waits[what] = Waits(record, most, f"leads, and has not sent its {what} to all")

    def _too_soon(self, record: Record, since: Micros | None, within: Micros, said: str) -> Wrongs:
        if since is not None and record.time - since + self._known.allowance < within:
            yield f"{said} after {rounded(record.time - since)}, and has {rounded(within)}"

    def _opens(
        self, record: Record, what: str, most: Micros, said: str, goes_on: Callable[[], bool] = lambda: True
    ) -> None:
        me = record.incarnation
        self._waits[me][what] = Waits(record, most, said, goes_on)
        self._look_at[me] = min(self._look_at[me], record.time + most)

    def _closes(self, record: Record, what: str) -> Waits | None:
        return self._waits[record.incarnation].pop(what, None)

    # What begins

    def _claims(self, record: Record, event: ClaimStarted, node: NodeSeen) -> Wrongs:
        most = self._known.settings_of(record.node).mastership_claim_timeout
        self._opens(record, _CLAIM, most, "claims a mastership")
        yield from ()

    def _searches(self, record: Record, event: SplitBrainSearchBegan, node: NodeSeen) -> Wrongs:
        """A master that an answer names, or that asks meanwhile, is asked later."""
        s, since = self._known.settings_of(record.node), self._runs_since.get(record.node)
        self._opens(record, _SEARCH, 3 * s.merge_validation_timeout, "looks for other parts")
        yield from self._too_soon(record, since, s.merge_first_run_delay, "looks for other parts, as a node that runs")

    def _calls(self, record: Record, event: OperationCalled, node: NodeSeen) -> Wrongs:
        s = self._known.settings_of(record.node)
        most = s.operation_timeout + s.backup_timeout + s.heartbeat_interval
        self._opens(record, f"of {event.client}", most, f"has client {event.client} wait for {event.number}")
        yield from ()

    def _is_promoted(self, record: Record, event: ReplicaPromoted, node: NodeSeen) -> Wrongs:
        """A backup without the table that says so may get it late, or not at all."""
        s, seen = self._known.settings_of(record.node), self._known.seen
        master = seen.is_current(node.master) if node.master is not None else None
        row = master.partitions.rows.get(event.partition, ()) if master is not None else ()
        most = s.partition_table_send_interval + 3 * s.backup_timeout
        for uuid in row[1 : max(s.backup_counts.values()) + 1] if row[:1] == (record.incarnation,) else ():
            backup = seen.nodes.get(seen.node_of.get(uuid or "", ""))
            if backup is not None and backup.incarnation == uuid and backup.partitions.version < event.version:
                said = f"waits in partition {event.partition} for {backup.name}, whose table is older,"
                self._opens(
                    record, _backup(event.partition, uuid), most, said, partial(_is_behind, backup, uuid, event.version)
                )
        yield from ()

    # What ends

    def _has_another_table(self, record: Record, event: Event, node: NodeSeen) -> Wrongs:
        """By which it may own other partitions, with other backups."""
        waits = self._waits[record.incarnation]
        for what in [what for what in waits if what.startswith(_BACKUP)]:
            del waits[what]
        yield from ()

    def _answered(self, record: Record, event: ClaimAnswered, node: NodeSeen) -> Wrongs:
        claim = self._waits[record.incarnation].get(_CLAIM)
        if event.answer == "silent" and claim is not None:
            who = self._known.names.member(event.peer)
            yield from self._too_soon(record, claim.began.time, claim.most, f"waits no longer for {who} in its claim")

    def _claimed(self, record: Record, event: ClaimFinished, node: NodeSeen) -> Wrongs:
        self._closes(record, _CLAIM)
        yield from ()

    def _searched(self, record: Record, event: SplitBrainSearchEnded, node: NodeSeen) -> Wrongs:
        search, s = self._closes(record, _SEARCH), self._known.settings_of(record.node)
        if event.why is Why.SOME_SILENT and search is not None:
            waits = min(s.heartbeat_interval, kept(s) // 4)
            yield from self._too_soon(record, search.began.time, waits, "waits for no more answers of other parts")

    def _returned(self, record: Record, event: OperationReturned, node: NodeSeen) -> Wrongs:
        called, within = (
            self._closes(record, f"of {event.client}"),
            self._known.settings_of(record.node).operation_timeout,
        )
        if event.outcome == "unknown" and event.why is not Why.MEMBER_GOES_OVER and called is not None:
            said = f"has client {event.client} give {event.number} up"
            yield from self._too_soon(record, called.began.time, within, said)

    def _not_heard(self, record: Record, event: BackupNotHeard, node: NodeSeen) -> Wrongs:
        """In whichever partition it was promoted first: a silent backup is waited for in none."""
        self._closes(record, _backup(event.partition, event.peer.uuid))
        since = [time for (me, _), time in self._known.tables.promoted.items() if me == record.incarnation]
        if event.why is Why.SILENT and since:
            said = (
                f"serves partition {event.partition} without {self._known.names.member(event.peer)}, which is silent,"
            )
            yield from self._too_soon(record, min(since), self._known.settings_of(record.node).backup_timeout, said)

    def _stopped(self, record: Record, event: Stopped, node: NodeSeen) -> Wrongs:
        if event.why is Why.LEFT_UNANSWERED:
            since = self._known.merges.leaving.get(record.incarnation)
            within = self._known.settings_of(record.node).graceful_shutdown_max_wait
            yield from self._too_soon(record, since, within, "leaves without an answer")

    def _is_to_leave(self, record: Record, event: Leaving, node: NodeSeen) -> Wrongs:
        most = 2 * self._known.settings_of(record.node).graceful_shutdown_max_wait
        self._opens(record, "leave", most, "has been told to leave, and is there")
        yield from ()

    def _failed(self, record: Record, event: MergeFailed, node: NodeSeen) -> Wrongs:
        if event.why is Why.NOT_ADMITTED:
            since, s = self._known.began.get(record.incarnation), self._known.settings_of(record.node)
            yield from self._too_soon(record, since, s.max_join_merge_target, "gives up the part to which it goes")

    def _joined(self, record: Record, event: Joined, node: NodeSeen) -> Wrongs:
        """Its patience is counted in rounds, of which the first one may be shorter."""
        if event.founded and event.why is not Why.NO_OTHER_ADDRESS:
            known, s = self._known, self._known.settings_of(record.node)
            since = known.looks_since.get(record.incarnation) if record.node in self._runs_since else None
            yield from self._too_soon(record, since, s.join_patience - s.join_retry, "founds a cluster")

    def _goes_over(self, record: Record, event: Merging, node: NodeSeen) -> Wrongs:
        self._waits.pop(record.incarnation, None)
        yield from ()

    # What comes every so often

    def _list_sent(self, record: Record, event: ViewPublished, node: NodeSeen) -> Wrongs:
        self._sent(record, _LIST, to_all=not event.change and event.to == len(node.members) - 1)
        yield from ()

    def _table_is_sent(self, record: Record, event: TablePublished, node: NodeSeen) -> Wrongs:
        if event.change:
            return
        self._sent(record, _TABLE, to_all=True)
        since, within = (
            self._table_sent.get(record.incarnation),
            self._known.settings_of(record.node).partition_table_send_interval,
        )
        self._table_sent[record.incarnation] = record.time
        yield from self._too_soon(record, since, within, "sends its table again, with no change,")

    def _sent(self, record: Record, what: str, *, to_all: bool) -> None:
        waits = self._waits[record.incarnation]
        if to_all and what in waits:
            waits[what] = waits[what]._replace(began=record)

    def _was_late(self, record: Record, event: RoundLate, node: NodeSeen) -> Wrongs:
        self._late.setdefault(record.node, []).append((record.time, event.lateness))
        yield from ()


def _backup(partition: int, uuid: Uuid) -> str:
    return f"{_BACKUP} {partition} {uuid}"


def _is_behind(backup: NodeSeen, uuid: Uuid, version: int) -> bool:
    return backup.running and backup.incarnation == uuid and backup.partitions.version < version


def _sends(node: NodeSeen) -> Mapping[str, bool]:
    """By kind: whether it has to send that every so often."""
    lists = leads(node) and len(node.members) > 1
    return {_LIST: lists, _TABLE: lists and node.partitions.version > 0 and not node.partitions.searching}


_CHANGES: Final[frozenset[type[Event]]] = frozenset(
    (
        ClaimFinished,
        ClaimStarted,
        Joined,
        MasterFollowed,
        MergeBegan,
        TableChanged,
        TableInstalled,
        TableSearchBegan,
        TableSearchEnded,
        ViewInstalled,
    )
)
"""after these it may lead or not, and have a list or a table to send or not"""
_JUDGES: Final[Mapping[type[Event], Callable[[Times, Record, Any, NodeSeen], Wrongs]]] = {
    ClaimStarted: Times._claims,
    ClaimAnswered: Times._answered,
    ClaimFinished: Times._claimed,
    SplitBrainSearchBegan: Times._searches,
    SplitBrainSearchEnded: Times._searched,
    OperationCalled: Times._calls,
    OperationReturned: Times._returned,
    BackupNotHeard: Times._not_heard,
    ReplicaPromoted: Times._is_promoted,
    **dict.fromkeys((TableChanged, TableInstalled, ViewInstalled), Times._has_another_table),
    Leaving: Times._is_to_leave,
    Stopped: Times._stopped,
    MergeFailed: Times._failed,
    Joined: Times._joined,
    Merging: Times._goes_over,
    ViewPublished: Times._list_sent,
    TablePublished: Times._table_is_sent,
    RoundLate: Times._was_late,
}
NEEDS: Final = tuple(_JUDGES)
