"""Planted bugs of the partition service: members that break one rule each, of the table or of how a migration ends.

Behaviour that the text itself calls broken is in node/legacy/."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import msgspec
from tests.reasons import reason_in

from shaketable.node.cluster.member import ClusterMember
from shaketable.node.cluster.partition.control import Control
from shaketable.node.cluster.partition.finishing import Finishing
from shaketable.node.cluster.partition.migrating import Migrating
from shaketable.node.cluster.partition.planner import COPY, MOVE, SHIFT_DOWN
from shaketable.node.cluster.partition.publishing import Publishing
from shaketable.node.cluster.partition.search import Search
from shaketable.node.cluster.partition.services import SOURCE, PartitionMigrationEvent
from shaketable.node.cluster.partition.table import Table
from shaketable.node.cluster.partition.under_way import UnderWay
from shaketable.node.cluster.partitions import Partitions
from shaketable.node.events import CompletedDropped
from shaketable.node.messages import (
    NOWHERE,
    Address,
    CompletedMigration,
    FetchedTable,
    Member,
    Message,
    Migration,
    MigrationAnswer,
    MigrationInfo,
    PublishTable,
)
from shaketable.node.why import Because, Why, because


class _OwnTableOnly(Search):
    def begin(self) -> None:
        self._state.searching = True
        self._end_if_all_answered()


class _LooksNowhere(Partitions):
    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.search.__class__ = _OwnTableOnly


class LooksNowhere(ClusterMember):
    """Table order: a new master asks nobody for a newer table, and goes on from its own."""

    partition_service = _LooksNowhere


class _TakesAnybodysTable(Partitions):
    def receive(self, message: Message) -> None:
        if isinstance(message, PublishTable) and message.sender != self._membership.master:
            table = Table.of(message.table, self.state.table)
            if table.version > self.state.table.version:
                self.publishing.install(message.sender, table, message.completed, because(Why.PUBLISHED))
                return
        super().receive(message)


class TakesAnybodysTable(ClusterMember):
    """Table order: whoever sends a newer table is believed."""

    partition_service = _TakesAnybodysTable


class _TheHottestOnly(Search):
    def _take(self, newest: Table, who: Member, answers: list[FetchedTable]) -> None:
        rows = {partition: row[:2] for partition, row in enumerate(newest.rows)}
        super()._take(newest.with_rows(rows).at_version(newest.version), who, answers)


class _FindsLess(Partitions):
    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.search.__class__ = _TheHottestOnly


class FindsLess(ClusterMember):
    """Table order: a new master takes the newest table, but not all of it."""

    partition_service = _FindsLess


class _WithItsBackups(Control):
    def _run(self) -> None:
        state = self._state
        present = {member.uuid: True for member in state.membership.view.members}
        rows = {
            partition: (row[0], *[None] * (len(row) - 1))
            for partition, row in enumerate(state.table.rows)
            if not all(uuid in present for uuid in row if uuid is not None) and row[0] in present
        }
        if rows and state.membership.leads and not state.searching and not self._under_way:
            self._publishing.change(state.table.with_rows(rows), "repaired", rows, (), reason_in("somebody has left"))
        super()._run()


class _RepairsTooMuch(Partitions):
    control_loop = _WithItsBackups


class RepairsTooMuch(ClusterMember):
    """Replica count: if a backup has left, the master takes all backups of that partition off, and fills them anew."""

    partition_service = _RepairsTooMuch


class _StepsOfOne(Migrating):
    def _roll_back(self, each: UnderWay, reason: Because, left: bool) -> None:
        self._state.table = self._state.table.at_version(self._state.table.version - 1)
        super()._roll_back(each, reason, left)


class _RaisesByOne(Partitions):
    migrations = _StepsOfOne


class RaisesByOne(ClusterMember):
    """Table order: the version that a lost destination may have is given to the table without its migration."""

    partition_service = _RaisesByOne


class _ClearsBeforeItMoves(Migrating):
    def start(self, info: MigrationInfo) -> None:
        index, table = info.migration.source_current_index, self._state.table
        if info.migration.type in (MOVE, SHIFT_DOWN) and index > 0:
            rows = {info.partition: (*info.row[:index], None, *info.row[index + 1 :])}
            self._publishing.change(
                table.with_rows(rows), "cleared", rows, (), reason_in(f"index {index}, for who comes")
            )
            copy = Migration(COPY, None, NOWHERE, NOWHERE, info.migration.destination, NOWHERE, index)
            version, row = self._state.table.version, rows[info.partition]
            info = msgspec.structs.replace(info, migration=copy, version=version, row=row)
            self._publishing.publish(change=True)
        super().start(info)


class _ClearsFirst(Partitions):
    migrations = _ClearsBeforeItMoves


class ClearsFirst(ClusterMember):
    """Replica count: the old backup is cleared, then the new one gets its copy."""

    partition_service = _ClearsFirst


class _OneIndexAtATime(Migrating):
    def _prepared(self, info: MigrationInfo) -> tuple[Table, CompletedMigration]:
        if info.migration.type == SHIFT_DOWN:
            half = msgspec.structs.replace(info.migration, source_new_index=NOWHERE)
            info = msgspec.structs.replace(info, migration=half)
        return super()._prepared(info)


class _ShiftsDownByHalves(Partitions):
    migrations = _OneIndexAtATime


class ShiftsDownByHalves(ClusterMember):
    """Replica count: a SHIFT DOWN gives the index to its destination, and leaves the old owner for another time."""

    partition_service = _ShiftsDownByHalves


class _WithoutTheDestination(Migrating):
    def _commit(self, each: UnderWay) -> None:
        self._committed(each)


class _CommitsByItself(Partitions):
    migrations = _WithoutTheDestination


class CommitsByItself(ClusterMember):
    """Commit order: the master commits as soon as the data are there; the destination learns it as all others do."""

    partition_service = _CommitsByItself


class SourceCommitsAtOnce(ClusterMember):
    """Commit order: the owner takes it for done when it has sent all data, and deletes them."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        state = self.partitions.state
        send = state.send

        def send_and_finish(to: Address, message: Message) -> None:
            send(to, message)
            if isinstance(message, MigrationAnswer) and message.copied:
                for active in [each for each in state.active.values() if each.owns]:
                    self.partitions.finishing.finish(CompletedMigration(active.info, True, state.table.version))

        state.send = send_and_finish


class _DeafToWhatIsCompleted(Search):
    def _take(self, newest: Table, who: Member, answers: list[FetchedTable]) -> None:
        super()._take(newest, who, [msgspec.structs.replace(answer, completed=()) for answer in answers])


class _UndoesWhatIsCompleted(Partitions):
    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.search.__class__ = _DeafToWhatIsCompleted


class UndoesWhatIsCompleted(ClusterMember):
    """Commit order: a new master rolls back what is active anywhere, though its destination has committed."""

    partition_service = _UndoesWhatIsCompleted


class _AllIsNews(Finishing):
    def installed(self, before: Table, completed: Sequence[CompletedMigration]) -> None:
        super().installed(before.at_version(0), completed)


class _DoesItAgain(Partitions):
    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.finishing.__class__ = _AllIsNews


class DoesItAgain(ClusterMember):
    """Commit order: what it has done and forgotten it does again, when a new master tells it that this is completed."""

    partition_service = _DoesItAgain


class _KeepsNothing(Finishing):
    def _event_of(self, partition: int, migration: Migration) -> PartitionMigrationEvent | None:
        event = super()._event_of(partition, migration)
        if event is not None and event.endpoint == SOURCE:
            return replace(event, new_replica_index=NOWHERE)
        return event


class _ShiftsOut(Partitions):
    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.finishing.__class__ = _KeepsNothing


class ShiftsOut(ClusterMember):
    """Commit order: who is to go to a colder index deletes all it has."""

    partition_service = _ShiftsOut


class _ForAMoment(Publishing):
    def drop_completed(self) -> None:
        state = self._state
        if state.completed and state.membership.leads and self._acknowledged:
            state.env.report(CompletedDropped(tuple(state.completed)))
            state.completed.clear()


class _ForgetsAtTheFirstAnswer(Partitions):
    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.publishing.__class__ = _ForAMoment


class ForgetsAtTheFirstAnswer(ClusterMember):
    """Completed list: one acknowledgement is enough to drop what others have yet to hear of."""

    partition_service = _ForgetsAtTheFirstAnswer


class _ForEver(Publishing):
    def _retain(self, completed: Sequence[CompletedMigration]) -> None:
        self._state.completed.update((entry.info.id, entry) for entry in completed)


class _KeepsOldOnes(Partitions):
    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.publishing.__class__ = _ForEver


class KeepsOldOnes(ClusterMember):
    """Completed list: a follower keeps each that it ever heard of."""

    partition_service = _KeepsOldOnes
