"""The things that a member has told before of plans, tables, migrations, backups and streams."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from shaketable.harness.records import Record
from shaketable.node.core.env import Micros
from shaketable.node.events import (
    BackupDiffers,
    BackupHadMore,
    BackupMissed,
    BackupSynced,
    EntriesBrought,
    EntriesMerged,
    EntriesSetAside,
    Event,
    Joined,
    MemberRemoved,
    MigrationFinished,
    MigrationRequested,
    OperationCalled,
    OperationReturned,
    PartitionsPlanned,
    PlanCancelled,
    PlanDone,
    RoundLate,
    StoodStill,
    TableChanged,
    TableFetched,
    TableInstalled,
    TableSearchBegan,
    TableSearchEnded,
    ViewInstalled,
)
from shaketable.node.messages import Member, MigrationInfo, Uuid
from shaketable.node.why import Why

State = tuple[int, int, tuple[Member, ...]]
"""of a member: version and checksum of its table, and its list"""


class Called(NamedTuple):
    """Of an operation: when it was called, and which table and list the master and the owner had then."""

    time: Micros
    event: OperationCalled
    tables: Mapping[Uuid, State]


class Tables:
    def __init__(self) -> None:
        self.planned: dict[Uuid, int] = {}
        """by master: how many migrations of its plan it has not begun"""
        self.plan_done: dict[Uuid, bool] = {}
        """by master: nothing has come since by which it could have made another one"""
        self.fetched: dict[Uuid, list[TableFetched]] = {}
        """by new master: the answers of its last search"""
        self.requested: dict[str, MigrationInfo] = {}
        """migrations, by id"""
        self.after: dict[str, str] = {}
        """by migration, the one before it in the plan of its partition"""
        self.finds_owners_since: dict[Uuid, Micros] = {}
        """by member that brings what merges: when it had joined, or last had something decided"""
        self.takes_part: dict[tuple[Uuid, str, str], bool] = {}
        """by process, migration and role"""
        self.begun: dict[tuple[Uuid, str], bool] = {}
        """by process and migration: it has told that it takes part, whether or not that has ended"""
        self.differs: Counter[tuple[Uuid, int, Uuid]] = Counter()
        """by backup, partition and its owner: so often it has said so, and has not been mended for that word"""
        self.mended: dict[tuple[Uuid, int, Uuid], bool] = {}
        """by backup, partition and its owner: it has been mended, and neither of them has got another table since, nor
        has anybody written to that partition"""
        self._differs_since: dict[tuple[Uuid, int, Uuid], Micros] = {}
        """by backup, partition and its owner: when it first said so since it was mended last"""
        self._writing: dict[tuple[Uuid, str], int] = {}
        """by member and client: to which partition, if that has not ended"""
        self._merging: dict[int, bool] = {}
        """partitions to which somebody has brought what merges"""
        self.promoted: dict[tuple[Uuid, int], Micros] = {}
        """by member and partition: when, the last time"""
        self.ended: dict[str, Uuid] = {}
        """migrations that have ended, each with its master"""
        self.last_chunk: dict[tuple[Uuid, str], int] = {}
        """by sender and stream"""
        self.bytes_sent: dict[tuple[Uuid, str], int] = {}
        """by sender and stream that has been sent to its end"""
        self.arrived: dict[tuple[Uuid, str], tuple[int, int]] = {}
        """by receiver and stream: the last chunk, and the bytes of all"""
        self.came_at: dict[tuple[Uuid, Uuid], Micros] = {}
        """by receiver and sender: when data came last, of any partition"""
        self.writes: Counter[tuple[int, str]] = Counter()
        """by partition and map: how many were called"""
        self.missed: dict[tuple[Uuid, int], bool] = {}
        """by backup and partition: an owner did without it at a write"""
        self.left_out: dict[tuple[Uuid, int, Uuid], Micros] = {}
        """by owner, partition and backup: when it last said that it did without it at a write"""
        self.table_since: dict[Uuid, Micros] = {}
        """by member: its table"""
        self.told_of_table: dict[Uuid, int] = {}
        """by member: the number of the event by which it told of its table last"""
        self.called: dict[tuple[Uuid, str], Called] = {}
        """by member and client: its last operation that changes something"""
        self.asked: dict[tuple[Uuid, str], OperationCalled] = {}
        """by member and client: its last operation"""
        self.used = False
        """somebody has used the data, or brings some"""
        self.undisturbed = True
        """nothing has been broken, and nobody has left, ended or stood still"""

    def learn(self, record: Record) -> None:
        learn = LEARNS.get(type(record.event))
        if learn is not None:
            learn(self, record, record.event)

    def _perhaps_another_plan(self, record: Record, event: Event) -> None:
        self.plan_done.pop(record.incarnation, None)

    def _planned(self, record: Record, event: PartitionsPlanned) -> None:
        self._perhaps_another_plan(record, event)
        self.planned[record.incarnation] = event.migrations
        for _, _, _, ids in event.plans:
            self.after.update(zip(ids[1:], ids, strict=False))

    def _requested(self, record: Record, event: MigrationRequested) -> None:
        self.requested[event.info.id] = event.info
        self._begun(record.incarnation)

    def _changed(self, record: Record, event: TableChanged) -> None:
        self.told_of_table[record.incarnation] = record.sequence
        self._another_table(record.incarnation)
        self._perhaps_another_plan(record, event)
        if event.why is Why.INDEX_CLEARED:
            self._begun(record.incarnation)

    def _begun(self, master: Uuid) -> None:
        self.planned[master] = self.planned.get(master, 0) - 1

    def _done(self, record: Record, event: PlanDone) -> None:
        self.planned[record.incarnation] = 0
        self.plan_done[record.incarnation] = True

    def _cancelled(self, record: Record, event: PlanCancelled) -> None:
        self._perhaps_another_plan(record, event)
        self.planned[record.incarnation] = 0

    def _searches(self, record: Record, event: TableSearchBegan) -> None:
        self.fetched[record.incarnation] = []

    def _fetched(self, record: Record, event: TableFetched) -> None:
        self.fetched.setdefault(record.incarnation, []).append(event)

    def _installed(self, record: Record, event: TableInstalled) -> None:
        self.table_since[record.incarnation] = record.time
        self._another_table(record.incarnation)
        self.told_of_table[record.incarnation] = record.sequence

    def _finds_owners(self, record: Record, event: EntriesMerged | Joined) -> None:
        self.finds_owners_since[record.incarnation] = record.time

    def _ended(self, record: Record, event: MigrationFinished) -> None:
        self._perhaps_another_plan(record, event)
        if event.role == "master":
            self.ended[event.migration] = record.incarnation

    def _differs(self, record: Record, event: BackupDiffers) -> None:
        self._differs_since.setdefault((record.incarnation, event.partition, event.peer.uuid), record.time)

    def _is_mended(self, record: Record, event: BackupSynced) -> None:
        """A write that its owner did without may have been behind what has come."""
        me, partition, owner = which = record.incarnation, event.partition, event.peer.uuid
        since = self._differs_since.pop(which, record.time)
        written = partition in self._merging or partition in self._writing.values()
        if not written and self.left_out.get((owner, partition, me), -1) < since:
            self.mended[which] = True

    def _writes(self, record: Record, event: OperationCalled) -> None:
        self.used = True
        if event.does != "get":
            self._writing[record.incarnation, event.client] = event.partition
            self._not_as_mended(lambda backup, partition, owner: partition == event.partition)

    def _written(self, record: Record, event: OperationReturned) -> None:
        self._writing.pop((record.incarnation, event.client), None)

    def _brings(self, record: Record, event: EntriesBrought) -> None:
        self._merging[event.partition] = True
        self._not_as_mended(lambda backup, partition, owner: partition == event.partition)

    def _not_as_mended(self, which: Callable[[Uuid, int, Uuid], bool]) -> None:
        for each in [each for each in self.mended if which(*each)]:
            del self.mended[each]

    def _another_table(self, member: Uuid) -> None:
        self._not_as_mended(lambda backup, partition, owner: member in (backup, owner))

    def _had_more(self, record: Record, event: BackupHadMore) -> None:
        self._another_table(record.incarnation)

    def _missed(self, record: Record, event: BackupMissed) -> None:
        self.missed[event.peer.uuid, event.partition] = True
        self.left_out[record.incarnation, event.partition, event.peer.uuid] = record.time

    def _used(self, record: Record, event: Event) -> None:
        self.used = True

    def _disturbed(self, record: Record, event: Event) -> None:
        self.undisturbed = False


LEARNS: Final[Mapping[type[Event], Callable[[Tables, Record, Any], None]]] = {
    **dict.fromkeys((ViewInstalled, TableSearchEnded), Tables._perhaps_another_plan),
    MigrationFinished: Tables._ended,
    PartitionsPlanned: Tables._planned,
    MigrationRequested: Tables._requested,
    TableChanged: Tables._changed,
    PlanDone: Tables._done,
    PlanCancelled: Tables._cancelled,
    TableSearchBegan: Tables._searches,
    TableFetched: Tables._fetched,
    TableInstalled: Tables._installed,
    **dict.fromkeys((EntriesMerged, Joined), Tables._finds_owners),
    BackupMissed: Tables._missed,
    BackupDiffers: Tables._differs,
    BackupHadMore: Tables._had_more,
    BackupSynced: Tables._is_mended,
    OperationCalled: Tables._writes,
    OperationReturned: Tables._written,
    EntriesBrought: Tables._brings,
    EntriesSetAside: Tables._used,
    **dict.fromkeys((RoundLate, StoodStill, MemberRemoved), Tables._disturbed),
}
