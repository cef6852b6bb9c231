"""The partition service: wires its parts below, and routes messages to them.

As in `member.py`, each part gets those that it stands on; what it asks of one that stands on it goes through here, and
what follows from a changed list or table is called in written order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Final

from shaketable.node.cluster.partition.antientropy import AntiEntropy
from shaketable.node.cluster.partition.backups import Backups
from shaketable.node.cluster.partition.clients import Clients
from shaketable.node.cluster.partition.control import Control
from shaketable.node.cluster.partition.finishing import Finishing
from shaketable.node.cluster.partition.leaving import Leaving
from shaketable.node.cluster.partition.merging import Bringing, SettingAside, Taking
from shaketable.node.cluster.partition.migrating import Migrating
from shaketable.node.cluster.partition.operations import Operations
from shaketable.node.cluster.partition.parts import Parts
from shaketable.node.cluster.partition.promoting import Answering, Promoting
from shaketable.node.cluster.partition.publishing import Publishing
from shaketable.node.cluster.partition.receiving import Receiving
from shaketable.node.cluster.partition.records import Records
from shaketable.node.cluster.partition.routing import Routing
from shaketable.node.cluster.partition.safety import Safety
from shaketable.node.cluster.partition.search import Search
from shaketable.node.cluster.partition.sending import Sending
from shaketable.node.cluster.partition.services import MigrationAwareService
from shaketable.node.cluster.partition.state import ActiveMigration, PartitionState
from shaketable.node.cluster.partition.store import MapStore
from shaketable.node.cluster.partition.streams import Streams
from shaketable.node.cluster.partition.table import Table
from shaketable.node.cluster.partition.under_way import MigrationsUnderWay
from shaketable.node.cluster.service.updates import Updates
from shaketable.node.cluster.service.views import Membership
from shaketable.node.core.commands import Command
from shaketable.node.core.handlers import handlers_of
from shaketable.node.core.requests import Requests
from shaketable.node.messages import (
    Address,
    AssignPartitions,
    Backup,
    BackupAnswer,
    Chunk,
    ChunkReceived,
    CompletedMigration,
    FetchedTable,
    Member,
    MergeEntries,
    MergeEntriesAnswer,
    Message,
    MigrationAnswer,
    MigrationCommitAnswer,
    MigrationInfo,
    MoreHeld,
    MoreWanted,
    Operation,
    OperationAnswer,
    Part,
    ReplicaComes,
    ReplicaVersions,
    ReplicaWanted,
    StartCopyAnswer,
    StartSync,
    TableAcknowledged,
    Uuid,
)
from shaketable.node.why import Because, Why, because


class Partitions:
    control_loop: ClassVar[type[Control]] = Control
    migrations: ClassVar[type[Migrating]] = Migrating
    """a legacy fault has its own"""

    def __init__(
        self,
        membership: Membership,
        *,
        requests: Requests,
        send: Callable[[Address, Message], None],
        updates: Updates,
    ) -> None:
        self.state = state = PartitionState(membership, requests=requests, send=send)
        self._membership = membership
        self._led = False
        self._handlers: Mapping[type[Message], Callable[[Any], None]] | None = None
        """made for the first message: most members of a campaign never get any"""
        # The data that are held here, and how they travel: streams carry them whole, a large value goes in parts, and
        # anti-entropy compares and mends.
        self.store = MapStore(state)
        state.services = (self.store,)
        self.streams = Streams(state, of=Chunk)
        self.parts = Parts(state, handle=self.receive)
        self.antientropy = AntiEntropy(state, store=self.store, streams=self.streams, parts=self.parts)

        # Operations: the caller's side, the owner's, the backup's; and what is remembered of their clients.
        self.routing = Routing(state, parts=self.parts)
        self.clients = Clients(state, routing=self.routing, store=self.store)
        self.operations = Operations(
            state, store=self.store, antientropy=self.antientropy, parts=self.parts, look=self._look
        )
        self.backups = Backups(state, store=self.store, antientropy=self.antientropy)
        self.taking = Taking(state, store=self.store, operations=self.operations)
        self.records = Records(state, kept_by=(self.store, self.operations, self.taking))

        # A backup whose owner is gone: it asks the other backups for what it may lack before it serves.
        self.promoting = Promoting(state, store=self.store, streams=self.streams, serve=self._serve, look=self._look)
        self.answering = Answering(state, store=self.store, streams=self.streams)

        # The table, and a migration from its request to its end: owner, destination, master. All hear of its end by the
        # table alone, so the table's part is told what is under way and does not ask who has it.
        self.under_way = MigrationsUnderWay()
        self.publishing = Publishing(
            state,
            under_way=self.under_way,
            updates=updates,
            installed=self._table_changed,
            told_under_way=self._told_under_way,
        )
        self.finishing = Finishing(
            state, promoting=self.promoting, antientropy=self.antientropy, ended=self._no_longer_active
        )
        self.sending = Sending(state, operations=self.operations, finishing=self.finishing, streams=self.streams)
        self.receiving = Receiving(state, publishing=self.publishing, finishing=self.finishing, streams=self.streams)
        self.migrating = self.migrations(
            state,
            under_way=self.under_way,
            publishing=self.publishing,
            finishing=self.finishing,
            ended=self._migrated,
        )

        # What the master decides: its plan, who may leave, and where a new one goes on.
        self.control = self.control_loop(
            state, publishing=self.publishing, migrating=self.migrating, under_way=self.under_way, look=self._look
        )
        self.leaving = Leaving(state, control=self.control, under_way=self.under_way)
        self.search = Search(state, publishing=self.publishing, control=self.control)

        # Data that merge: brought here by the members that come, set aside by those that go.
        self.bringing = Bringing(state, routing=self.routing, parts=self.parts, look=self._look)
        self.going_over = SettingAside(state, store=self.store, publishing=self.publishing)

        # Whether all is in place: it looks at what each of the others has left to do.
        self.safety = Safety(state, control=self.control, antientropy=self.antientropy, bringing=self.bringing)

    def plug_in(self, services: Sequence[MigrationAwareService]) -> None:
        """Beside the maps, and in the same order on all members."""
        self.state.services = (*self.state.services, *services)

    def end(self, reason: Because) -> None:
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

    def before_a_merge(self) -> Because | None:
        """What has to end first: else the owner of a partition would not set aside all that there is of it."""
        if self.under_way:
            return because(Why.MIGRATION_UNDER_WAY)
        if self.state.searching:
            return because(Why.SEARCHING)
        return None if self.control.all_owners_serve() else because(Why.OWNERS_NOT_HEARD)

    def receive(self, message: Message) -> None:
        kind = type(message)
        handlers = self._handlers
        if handlers is None:
            handlers = self._handlers = self._handlers_now()
        handlers[kind](message)
        if kind not in OFTEN:
            self.safety.look()

    def _handlers_now(self) -> Mapping[type[Message], Callable[[Any], None]]:
        return handlers_of(
            self._on_assign_partitions,
            self.publishing.on_publish,
            self._on_table_acknowledged,
            self.publishing.on_member_list_wanted,
            self.search.on_fetch_table,
            self.sending.on_migration_request,
            self.receiving.on_start_copy,
            self.receiving.on_migration_commit,
            self._on_chunk,
            self._on_chunk_received,
            self.parts.on_part,
            self.operations.on_operation,
            self.backups.on_backup,
            self.taking.on_merge_entries,
            self.answering.on_more_wanted,
            self.answering.on_replica_wanted,
            self.antientropy.on_replica_versions,
            self.antientropy.on_replica_versions_answer,
            self.antientropy.on_start_sync,
            self._on_answer,
        )

    def command(self, command: Command) -> None:
        self.clients.command(command)

    def link_up(self, to: Address) -> None:
        self.streams.link_up(to)
        self.parts.link_up(to)

    def may_go(self, member: Member) -> bool:
        return self.leaving.may_go(member)

    @property
    def brings(self) -> bool:
        return self.bringing.to_bring > 0

    def replicas_of(self, uuid: Uuid) -> int:
        return self.state.replicas_of(uuid)

    def members_changed(
        self, added: Sequence[Member], removed: Sequence[Member], *, heard_of_table: bool = False
    ) -> None:
        """After each installed list. `heard_of_table`: who accepted my claim has one."""
        self.streams.members_changed(removed)
        self.parts.members_changed(removed)
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
        # The queue is of the list before: it goes first.
        gone_and_come = ", ".join([*[f"{m.address} left" for m in removed], *[f"{m.address} joined" for m in added]])
        self.control.members_changed(because(_CHANGES[bool(removed), bool(added)], gone_and_come))
        self.search.members_changed(removed)
        self.migrating.members_changed(removed)
        self.publishing.drop_completed()

    # What a part asks of those that stand on it

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

    def _no_longer_active(self, active: ActiveMigration) -> None:
        info: MigrationInfo = active.info
        if active.owns:
            self.sending.ended(info)
        else:
            self.receiving.ended(info)

    def _migrated(self, partition: int, *, successful: bool, left: bool) -> None:
        self.control.ended(partition, successful=successful, left=left)

    def _look(self) -> None:
        self.safety.look()

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

    # Messages of more than one part

    def _on_chunk(self, message: Chunk) -> None:
        self.streams.on_chunk(message)

    def _on_chunk_received(self, message: ChunkReceived) -> None:
        self.streams.on_chunk_received(message)
        self.parts.on_part_received(message)

    def _on_table_acknowledged(self, message: TableAcknowledged) -> None:
        self.publishing.on_acknowledged(message)
        self.control.owners_serve()

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


_CHANGES: Final = {
    (False, False): Why.SAME_MEMBERS,
    (False, True): Why.MEMBERS_JOINED,
    (True, False): Why.MEMBERS_LEFT,
    (True, True): Why.MEMBERS_LEFT_AND_JOINED,
}
"""by whether somebody has left, and whether somebody has joined"""

OFTEN: Final = frozenset(
    (
        Chunk,
        Operation,
        OperationAnswer,
        Backup,
        BackupAnswer,
        Part,
        MergeEntries,
        MergeEntriesAnswer,
        MoreWanted,
        ReplicaWanted,
        ReplicaVersions,
        StartSync,
    )
)
"""Of these there are many, and none changes whether a member is safe; every other kind may."""
