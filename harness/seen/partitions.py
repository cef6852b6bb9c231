"""What is known of one node's partitions: its table, the migrations it runs or takes part in, its clients, its stock.

A part of the fold of a history (run.py): conditions, checks and screens see it, the master's queue above all.
A part that no event of the partition service touches stays empty and costs nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from shaketable.harness.seen.copies import alike
from shaketable.node.events import (
    ChunkArrived,
    ChunkSent,
    CommitSent,
    CompletedDropped,
    Event,
    MigrationBegan,
    MigrationCopied,
    MigrationFinished,
    MigrationRequested,
    OperationCalled,
    OperationReturned,
    PartitionsPlanned,
    PlanCancelled,
    PlanDone,
    SafetyChanged,
    StockTaken,
    TableChanged,
    TableFetched,
    TableInstalled,
    TablePublished,
    TableSearchBegan,
    TableSearchEnded,
)
from shaketable.node.messages import MigrationInfo, Row, Uuid


@dataclass(slots=True)
class MigrationSeen:
    """A migration that the master has under way."""

    info: MigrationInfo
    phase: str = "requested"
    """first "requested", then "copied" or "not copied", then "commit sent", until it has finished"""

    @property
    def partition(self) -> int:
        return self.info.partition


@dataclass(slots=True)
class StreamSeen:
    """The data of one migration, or of a backup that is mended, at one end of the stream."""

    peer: Uuid
    sends: bool
    chunks: int = 0
    bytes: int = 0
    total: int | None = None
    """only the sender knows it"""


@dataclass(slots=True)
class ClientSeen:
    """A client. It does one operation at a time, and counts them from 1."""

    called: int = 0
    returned: int = 0
    last: OperationReturned | None = None
    outcomes: dict[str, int] = field(default_factory=dict)

    @property
    def waits(self) -> bool:
        return self.called > self.returned

    def copy(self) -> ClientSeen:
        other = alike(self)
        other.outcomes = dict(self.outcomes)
        return other


@dataclass(slots=True)
class PartitionsSeen:
    """A node's partitions and data, and its clients."""

    version: int = 0
    """version of its partition table; 0: it has none"""
    stamp: int = 0
    """checksum of the table's content"""
    rows: dict[int, Row] = field(default_factory=dict)
    """of a master: the holders of each partition; a follower with this version has the same table"""
    searching: bool = False
    """whether, as a new master, it looks for the most recent table"""
    found: dict[Uuid, int] = field(default_factory=dict)
    """by member that it asked, the version that it answered; -1: no answer yet"""
    planned: int = 0
    """number of migrations in its plan"""
    targets: dict[int, Row] = field(default_factory=dict)
    """by partition, the row that its plan gives it, if that is another one"""
    queue: dict[str, int] = field(default_factory=dict)
    """of a master: the migrations that have not begun, each with its partition, in the order of the plan"""
    under_way: dict[str, MigrationSeen] = field(default_factory=dict)
    """of a master: the migrations that have begun and not finished"""
    active: dict[str, tuple[int, str]] = field(default_factory=dict)
    """of a participant: the migrations whose end it has not learnt, with partition and role"""
    completed: dict[str, bool] = field(default_factory=dict)
    """completed migrations; of a master those that not all members know yet"""
    done: dict[bool, int] = field(default_factory=dict)
    """of a master: how many migrations have succeeded (True), and how many have not (False)"""
    streams: dict[str, StreamSeen] = field(default_factory=dict)
    """data under way, of migrations and of backups that are mended"""
    safe: bool | None = None
    """None: it has not said"""
    why_not_safe: str = ""
    clients: dict[str, ClientSeen] = field(default_factory=dict)
    """by name, as in `Work`"""
    stock: StockTaken | None = None
    """its last stock"""
    stocks_taken: int = 0

    @property
    def operations_open(self) -> int:
        """How many of its clients wait for an answer."""
        return sum(client.waits for client in self.clients.values())

    def client(self, name: str) -> ClientSeen:
        """The client of this name, also if it has not called yet."""
        return self.clients.get(name) or ClientSeen()

    def copy(self) -> PartitionsSeen:
        """It and this one no longer change each other."""
        other = alike(self)  # targets and queue are made afresh by each plan, but the queue gets shorter
        other.rows, other.found, other.queue = dict(self.rows), dict(self.found), dict(self.queue)
        other.under_way = {each: alike(migration) for each, migration in self.under_way.items()}
        other.active, other.completed, other.done = dict(self.active), dict(self.completed), dict(self.done)
        other.streams = {each: alike(stream) for each, stream in self.streams.items()}
        other.clients = {name: client.copy() for name, client in self.clients.items()}
        return other


def _changed(seen: PartitionsSeen, event: TableChanged) -> None:
    seen.version, seen.stamp = event.version, event.stamp
    if event.change == "found":
        seen.rows = {}
    seen.rows.update(event.rows)
    if event.change == "cleared":  # nobody is asked for that migration, and no other event tells its end
        for partition, _ in event.rows:
            first = next((each for each, queued in seen.queue.items() if queued == partition), "")
            seen.queue.pop(first, None)


def _published(seen: PartitionsSeen, event: TablePublished) -> None:
    seen.completed = dict.fromkeys(event.completed, True)


def _installed(seen: PartitionsSeen, event: TableInstalled) -> None:
    seen.version, seen.stamp = event.version, event.stamp
    seen.completed = dict.fromkeys(event.completed, True)
    if seen.rows or seen.queue or seen.under_way or seen.planned:
        _forget_plans(seen)  # it follows another master: what it knew as one is of no use
        seen.rows, seen.under_way = {}, {}


def _dropped(seen: PartitionsSeen, event: CompletedDropped) -> None:
    for each in event.migrations:
        seen.completed.pop(each, None)


def _search_began(seen: PartitionsSeen, event: TableSearchBegan) -> None:
    seen.searching = True
    seen.found = {member.uuid: -1 for member in event.members}
    _forget_plans(seen)
    seen.under_way = {}


def _fetched(seen: PartitionsSeen, event: TableFetched) -> None:
    seen.found[event.peer.uuid] = event.version


def _search_ended(seen: PartitionsSeen, event: TableSearchEnded) -> None:
    seen.searching, seen.found = False, {}
    for each in (*event.committed, *event.rolled_back):
        seen.completed[each] = True


def _planned(seen: PartitionsSeen, event: PartitionsPlanned) -> None:
    seen.planned = event.migrations
    seen.targets = {partition: target for partition, _, target, _ in event.plans}
    seen.queue = {each: partition for partition, _, _, ids in event.plans for each in ids}


def _forget_plans(seen: PartitionsSeen, event: PlanCancelled | PlanDone | None = None) -> None:
    seen.planned, seen.targets, seen.queue = 0, {}, {}


def _requested(seen: PartitionsSeen, event: MigrationRequested) -> None:
    seen.queue.pop(event.info.id, None)
    seen.under_way[event.info.id] = MigrationSeen(event.info)


def _copied(seen: PartitionsSeen, event: MigrationCopied) -> None:
    if event.migration in seen.under_way:
        seen.under_way[event.migration].phase = "copied" if event.copied else "not copied"


def _commit_sent(seen: PartitionsSeen, event: CommitSent) -> None:
    if event.migration in seen.under_way:
        seen.under_way[event.migration].phase = "commit sent"


def _began(seen: PartitionsSeen, event: MigrationBegan) -> None:
    seen.active[event.migration] = (event.partition, event.role)


def _finished(seen: PartitionsSeen, event: MigrationFinished) -> None:
    """A master that takes part itself tells the end once for each of its roles."""
    seen.streams.pop(event.migration, None)
    seen.active.pop(event.migration, None)
    if event.role == "master":
        seen.queue.pop(event.migration, None)
        seen.under_way.pop(event.migration, None)
        seen.completed[event.migration] = True
        seen.done[event.successful] = seen.done.get(event.successful, 0) + 1


def _chunk_sent(seen: PartitionsSeen, event: ChunkSent) -> None:
    if event.bytes >= event.total:
        seen.streams.pop(event.stream, None)
        return
    seen.streams[event.stream] = StreamSeen(event.peer.uuid, True, event.number, event.bytes, event.total)


def _chunk_arrived(seen: PartitionsSeen, event: ChunkArrived) -> None:
    if event.last:
        seen.streams.pop(event.stream, None)
        return
    stream = seen.streams.setdefault(event.stream, StreamSeen(event.peer.uuid, False))
    stream.chunks, stream.bytes = event.number, stream.bytes + event.bytes


def _safety(seen: PartitionsSeen, event: SafetyChanged) -> None:
    seen.safe, seen.why_not_safe = event.safe, event.reason


def _called(seen: PartitionsSeen, event: OperationCalled) -> None:
    client = seen.clients.get(event.client)
    if client is None:
        client = seen.clients[event.client] = ClientSeen()
    client.called = event.number


def _returned(seen: PartitionsSeen, event: OperationReturned) -> None:
    client = seen.clients.get(event.client)
    if client is None:
        client = seen.clients[event.client] = ClientSeen()
    client.returned, client.last = event.number, event
    client.outcomes[event.outcome] = client.outcomes.get(event.outcome, 0) + 1


def _stock(seen: PartitionsSeen, event: StockTaken) -> None:
    seen.stock = event
    seen.stocks_taken += 1


PARTITION_FOLDS: Final[Mapping[type[Event], Callable[[PartitionsSeen, Any], None]]] = {
    TableChanged: _changed,
    TablePublished: _published,
    TableInstalled: _installed,
    CompletedDropped: _dropped,
    TableSearchBegan: _search_began,
    TableFetched: _fetched,
    TableSearchEnded: _search_ended,
    PartitionsPlanned: _planned,
    PlanCancelled: _forget_plans,
    PlanDone: _forget_plans,
    MigrationRequested: _requested,
    MigrationCopied: _copied,
    CommitSent: _commit_sent,
    MigrationBegan: _began,
    MigrationFinished: _finished,
    ChunkSent: _chunk_sent,
    ChunkArrived: _chunk_arrived,
    SafetyChanged: _safety,
    OperationCalled: _called,
    OperationReturned: _returned,
    StockTaken: _stock,
}
