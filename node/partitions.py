"""The partition service: wires its parts below, and routes messages to them.

As in `member.py`, the parts do not know each other: each gets the shared state and the few callables that it needs, and
what follows from a changed list or table is called in written order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Final

from shaketable.node.cluster.views import Membership
from shaketable.node.commands import Command
from shaketable.node.messages import (
    Address,
    AssignPartitions,
    Backup,
    BackupAnswer,
    Chunk,
    ChunkReceived,
    CompletedMigration,
    FetchedTable,
    FetchTable,
    Member,
    MemberListWanted,
    MergeEntries,
    MergeEntriesAnswer,
    Message,
    MigrationAnswer,
    MigrationCommit,
    MigrationCommitAnswer,
    MigrationInfo,
    MigrationRequest,
    MoreHeld,
    MoreWanted,
    Operation,
    OperationAnswer,
    PublishTable,
    ReplicaComes,
    ReplicaVersions,
    ReplicaVersionsAnswer,
    ReplicaWanted,
    StartCopy,
    StartCopyAnswer,
    StartSync,
    TableAcknowledged,
    Uuid,
)
from shaketable.node.partition.antientropy import AntiEntropy
from shaketable.node.partition.backups import Backups
from shaketable.node.partition.clients import Clients
from shaketable.node.partition.control import Control
from shaketable.node.partition.finishing import Finishing
from shaketable.node.partition.leaving import Leaving
from shaketable.node.partition.merging import Bringing, SettingAside, Taking
from shaketable.node.partition.migrating import Migrating
from shaketable.node.partition.operations import Operations
from shaketable.node.partition.promoting import Answering, Promoting
from shaketable.node.partition.publishing import Publishing
from shaketable.node.partition.receiving import Receiving
from shaketable.node.partition.records import Records
from shaketable.node.partition.routing import Routing
from shaketable.node.partition.safety import Safety
from shaketable.node.partition.search import Search
from shaketable.node.partition.sending import Sending
from shaketable.node.partition.services import MigrationAwareService
from shaketable.node.partition.state import ActiveMigration, PartitionState
from shaketable.node.partition.store import MapStore
from shaketable.node.partition.streams import Streams
from shaketable.node.partition.table import Table
from shaketable.node.requests import Requests


class Partitions:
    control_loop: ClassVar[type[Control]] = Control
    migrations: ClassVar[type[Migrating]] = Migrating
    """a legacy fault has its own"""

    def __init__(
        self,
        membership: Membership,
        requests: Requests,
        send: Callable[[Address, Message], None],
        send_list_to: Callable[[Sequence[Member]], None],
    ) -> None:
        self.state = state = PartitionState(membership, requests, send)
        self._membership = membership
        self._led = False
        self.store = MapStore(state)
        state.services = (self.store,)
        self.operations = Operations(state, self.store)
        self.taking = Taking(state, self.store, self.operations.not_now, self.operations.write_merged)
        self.records = Records(state, [self.store.forget, self.operations.forget, self.taking.forget])
        self.backups = Backups(state, self.store)
        self.routing = Routing(state)
        self.clients = Clients(state, self.routing.invoke, self.store.stock)
        self.streams = Streams(state)
        self.antientropy = AntiEntropy(state, self.store, self.streams)
        self.promoting = Promoting(
            state,
            self.store,
            self.streams.expect,
            self.streams.forget,
            self.streams.came_at,
            self._serve,
            self._look,
        )
        self.answering = Answering(state, self.store, self.streams.send)
        self.finishing = Finishing(state, self._ended, self.promoting.begin, self.antientropy.owns)
        self.publishing = Publishing(
            state,
            self._table_changed,
            lambda: self.migrating.told(),
            self._told_under_way,
            send_list_to,
        )
        self.sending = Sending(state, self._begun, self._busy, self.streams.send, self.streams.cancel)
        self.receiving = Receiving(
            state,
            self._begun,
            self.publishing.install,
            self.publishing.strangers_in,
            self.publishing.put_off,
            self.streams.expect,
            self.streams.forget,
        )
        self.leaving = Leaving(state, lambda member: self.migrating.takes_part(member))
        self.migrating = self.migrations(
            state,
            self.publishing.change,
            self._publish,
            self.finishing.finish,
            lambda partition, successful, left: self.control.ended(partition, successful, left),
        )
        self.control = self.control_loop(
            state,
            self.publishing.change,
            self._publish,
            self.migrating.start,
            self.migrating.is_migrating,
            lambda: len(self.migrating.under_way),
            lambda: self.migrating.is_committing,
            self.leaving.is_leaving,
            self.publishing.has_acknowledged,
            lambda: self.safety.look(),
        )
        self.search = Search(state, self.publishing.change, self._searched)
        self.bringing = Bringing(state, self.routing.ask_for_a_table, self._look)
        self.going_over = SettingAside(state, self.store, self.publishing.publish_to)
        self.safety = Safety(
            state, lambda: self.control.idle, lambda: len(self.antientropy.doubts), lambda: self.bringing.to_bring
        )
        self.leaving.plan_afresh = self.control.begin
        self.operations.idle = self.sending.idle
        self.operations.doubt = self._doubt
        self.backups.dirty = self.antientropy.dirty

    def plug_in(self, services: Sequence[MigrationAwareService]) -> None:
        """Beside the maps, and in the same order on all members."""
        self.state.services = (*self.state.services, *services)

    def end(self, reason: str) -> None:
        """My identity ends, for I merge: each open operation returns, and what I own is set aside."""
        self.clients.end()
        self.routing.end(reason)
        self.going_over.end(self.bringing.rest())

    def take_over(self, former: Partitions) -> None:
        """Of the identity before mine: its clients go on, and what it has set aside I bring."""
        self.clients.take_over(former.clients)
        self.bringing.take_over(former.going_over.entries)

    @property
    def has_table(self) -> bool:
        return self.state.table.version > 0

    def hold_migrations(self, held: bool) -> None:
        """None begins while somebody is about to merge; then they go on."""
        self.control.hold(held)

    def migrates(self) -> bool:
        """Or something else stands before a merge: who owns a partition would not set aside all that there is of it."""
        return bool(self.migrating.under_way) or self.state.searching or not self.control.all_owners_serve()

    def receive(self, message: Message) -> None:
        kind = type(message)
        HANDLERS[kind](self, message)
        if kind not in OFTEN:
            self.safety.look()

    def command(self, command: Command) -> None:
        self.clients.command(command)

    def link_up(self, to: Address) -> None:
        self.streams.link_up(to)

    def may_go(self, member: Member) -> bool:
        return self.leaving.may_go(member)

    def members_changed(
        self, added: Sequence[Member], removed: Sequence[Member], *, heard_of_table: bool = False
    ) -> None:
        """After each installed list. `heard_of_table`: who accepted my claim has one."""
        self.streams.members_changed(removed)
        self.antientropy.members_changed(removed)
        self.sending.members_changed()
        self.receiving.members_changed(removed)
        self.answering.members_changed(removed)
        self.leaving.members_changed(removed)
        self.publishing.members_changed(removed)
        if self._membership.leads:
            self._leads(added, removed, heard_of_table)
        elif self._led:
            self._led = False
            self.search.give_up()
            self.migrating.give_up()
            self.control.give_up()
        self.promoting.members_changed(removed)
        self.operations.members_changed(removed)
        self.records.members_changed(removed)
        self.routing.members_changed()
        self.bringing.go_on()
        self.safety.look()

    def _leads(self, added: Sequence[Member], removed: Sequence[Member], heard_of_table: bool) -> None:
        if not self._led:
            self._led = True
            self.publishing.begins_to_lead()
            if self.has_table or heard_of_table:
                self.search.begin()
            return
        # What is on the queue is of the list before: it goes first.
        gone_and_come = ", ".join([*[f"{m.address} left" for m in removed], *[f"{m.address} joined" for m in added]])
        self.control.members_changed(gone_and_come)
        self.search.members_changed(removed)
        self.migrating.members_changed(removed)
        self.publishing.drop_completed()

    def _searched(self) -> None:
        """The new master has the most recent table: now all can go on."""
        self._publish()
        self.control.searched()
        self.publishing.drop_completed()

    def _table_changed(self, before: Table, completed: Sequence[CompletedMigration]) -> None:
        for entry in completed:
            self.sending.decided(entry.info)
        self.promoting.table_changed()
        self.finishing.installed(before, completed)
        self.antientropy.table_changed()
        self.operations.table_changed()
        self.routing.table_changed()
        self.bringing.go_on()

    def _told_under_way(self) -> None:
        self.finishing.told_under_way()
        self.receiving.table_came()

    def _begun(self, active: ActiveMigration) -> None:
        self.antientropy.migration_begins(active.info.partition)
        self.finishing.begin(active)

    def _ended(self, active: ActiveMigration) -> None:
        info: MigrationInfo = active.info
        if active.owns:
            self.sending.ended(info)
        else:
            self.receiving.ended(info)

    def _doubt(self, partition: int, holder: Uuid) -> None:
        self.antientropy.doubt(partition, holder)
        self.safety.look()

    def _look(self) -> None:
        self.safety.look()

    def _busy(self, partition: int) -> bool:
        """A migration of it begins later: `idle` tells."""
        return partition in self.state.promoting or self.operations.busy(partition)

    def _serve(self, partitions: Sequence[int]) -> None:
        """I own them by promotion, and have all that is to be had of them."""
        for partition in partitions:
            for service in self.state.services:
                service.promoted(partition, self.state.table.version)
        self.antientropy.owns(partitions)
        for partition in partitions:
            self.sending.idle(partition)
        self.publishing.acknowledge()
        self.control.owners_serve()

    def _on_table_acknowledged(self, message: TableAcknowledged) -> None:
        self.publishing.on_acknowledged(message)
        self.control.owners_serve()

    def _publish(self) -> None:
        self.publishing.publish(change=True)

    def _on_assign_partitions(self, message: AssignPartitions) -> None:
        if self._membership.leads and self._membership.is_member(message.sender):
            self.control.want()

    def _on_answer(
        self,
        message: FetchedTable
        | MigrationAnswer
        | StartCopyAnswer
        | MigrationCommitAnswer
        | OperationAnswer
        | BackupAnswer
        | MergeEntriesAnswer
        | MoreHeld
        | ReplicaComes,
    ) -> None:
        self.state.requests.answered(message.request, message)


OFTEN: Final = frozenset(
    (
        Chunk,
        Operation,
        OperationAnswer,
        Backup,
        BackupAnswer,
        MergeEntries,
        MergeEntriesAnswer,
        MoreWanted,
        ReplicaWanted,
        ReplicaVersions,
        StartSync,
    )
)
"""Of these there are many, and none changes whether a member is safe; every other kind may."""

# One for all members: most of a campaign never get any of these.
HANDLERS: Final[Mapping[type[Message], Callable[[Partitions, Any], None]]] = {
    AssignPartitions: Partitions._on_assign_partitions,
    PublishTable: lambda self, message: self.publishing.on_publish(message),
    TableAcknowledged: Partitions._on_table_acknowledged,
    MemberListWanted: lambda self, message: self.publishing.on_member_list_wanted(message),
    FetchTable: lambda self, message: self.search.on_fetch_table(message),
    FetchedTable: Partitions._on_answer,
    MigrationRequest: lambda self, message: self.sending.on_migration_request(message),
    MigrationAnswer: Partitions._on_answer,
    StartCopy: lambda self, message: self.receiving.on_start_copy(message),
    StartCopyAnswer: Partitions._on_answer,
    Chunk: lambda self, message: self.streams.on_chunk(message),
    ChunkReceived: lambda self, message: self.streams.on_chunk_received(message),
    MigrationCommit: lambda self, message: self.receiving.on_migration_commit(message),
    MigrationCommitAnswer: Partitions._on_answer,
    Operation: lambda self, message: self.operations.on_operation(message),
    OperationAnswer: Partitions._on_answer,
    Backup: lambda self, message: self.backups.on_backup(message),
    BackupAnswer: Partitions._on_answer,
    MergeEntries: lambda self, message: self.taking.on_merge_entries(message),
    MergeEntriesAnswer: Partitions._on_answer,
    MoreWanted: lambda self, message: self.answering.on_more_wanted(message),
    MoreHeld: Partitions._on_answer,
    ReplicaWanted: lambda self, message: self.answering.on_replica_wanted(message),
    ReplicaComes: Partitions._on_answer,
    ReplicaVersions: lambda self, message: self.antientropy.on_replica_versions(message),
    ReplicaVersionsAnswer: lambda self, message: self.antientropy.on_replica_versions_answer(message),
    StartSync: lambda self, message: self.antientropy.on_start_sync(message),
}
