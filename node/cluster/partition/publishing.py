"""The partition table on its way from the master to all others, and what a follower makes of it.

From text 3.1.1 and 3.2.1: only the master changes the table; others take a newer one, and only from the master. Each
table brings the completed migrations; the master keeps one of those until every member has acknowledged a table of its
version or a later one, others keep just what came with the last table. A table that names somebody unknown is put off,
and the member list asked for. A periodic publish cures a lost one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from shaketable.node.cluster.partition.state import PartitionState
from shaketable.node.cluster.partition.table import Table
from shaketable.node.cluster.partition.under_way import MigrationsUnderWay
from shaketable.node.cluster.service.updates import Updates
from shaketable.node.core.env import Every
from shaketable.node.events import CompletedDropped, TableChanged, TableInstalled, TablePublished, TableRefused
from shaketable.node.messages import (
    CompletedMigration,
    Member,
    MemberListWanted,
    PublishTable,
    Row,
    TableAcknowledged,
    TableState,
    Uuid,
)
from shaketable.node.why import Because, Why, because


class Publishing:
    def __init__(
        self,
        state: PartitionState,
        *,
        under_way: MigrationsUnderWay,
        updates: Updates,
        installed: Callable[[Table, Sequence[CompletedMigration]], None],
        told_under_way: Callable[[], None],
    ) -> None:
        """`installed` hears of each new table: which was there before, and the completed migrations that are new.
        `told_under_way` is called when my master has said which migrations are under way; `under_way` is what I say of
        them as the master."""
        self._state = state
        self._under_way = under_way
        self._updates = updates
        self._installed = installed
        self._told_under_way = told_under_way
        self._acknowledged: dict[Uuid, int] = {}
        self._former: dict[Uuid, bool] = {}
        """who was a member and is none any more: a table may still name them"""
        self._put_off: PublishTable | None = None
        self._owes: Member | None = None
        """the master to whom I have not acknowledged its table yet"""
        self._periodic: Every | None = None

    # The master's side

    def change(
        self,
        table: Table,
        change: str,
        rows: Mapping[int, Row],
        completed: Iterable[CompletedMigration],
        reason: Because,
    ) -> None:
        """My own table is this from now on; `completed` has ended with it."""
        state = self._state
        before, state.table = state.table, table
        new = [entry for entry in completed if state.completed.get(entry.info.id) != entry]
        state.completed.update((entry.info.id, entry) for entry in new)
        told = tuple((partition, table.rows[partition]) for partition in rows)
        state.env.report(TableChanged(table.version, table.stamp, change, told, *reason))
        self._changed(before, new)
        self.drop_completed()

    def publish(self, *, change: bool) -> None:
        state, ms = self._state, self._state.membership
        if not ms.leads or state.searching or state.table.version == 0:
            return
        others = ms.others()
        if not others:
            return
        ids = tuple(state.completed)
        state.env.report(TablePublished(state.table.version, state.table.stamp, len(others), ids, change))
        self.publish_to(others)

    def publish_to(self, members: Iterable[Member]) -> None:
        """Without another word, where somebody has missed the last one."""
        state, ms = self._state, self._state.membership
        table, completed = state.table.state(), tuple(state.completed.values())
        under_way, requested = self._under_way.told()
        for member in members:
            state.env.send(member.address, PublishTable(ms.me, member.uuid, table, completed, under_way, requested))

    def on_acknowledged(self, message: TableAcknowledged) -> None:
        ms, sender = self._state.membership, message.sender
        if ms.leads and ms.is_member(sender) and message.target == ms.me.uuid:
            self._acknowledged[sender.uuid] = max(message.version, self._acknowledged.get(sender.uuid, 0))
            self.drop_completed()

    def has_acknowledged(self, uuid: Uuid, version: int) -> bool:
        return self._acknowledged.get(uuid, 0) >= version

    def drop_completed(self) -> None:
        """Those that everybody knows of."""
        state, ms = self._state, self._state.membership
        if not state.completed or not ms.leads or state.searching:
            return
        known_by_all = min((self._acknowledged.get(m.uuid, 0) for m in ms.others()), default=state.table.version)
        dropped = [key for key, entry in state.completed.items() if entry.version <= known_by_all]
        if dropped:
            for key in dropped:
                del state.completed[key]
            state.env.report(CompletedDropped(tuple(dropped)))

    def begins_to_lead(self) -> None:
        """Other acknowledgements were given to somebody else."""
        self._acknowledged.clear()

    def on_member_list_wanted(self, message: MemberListWanted) -> None:
        ms = self._state.membership
        if ms.leads and ms.is_member(message.sender) and message.target == ms.me.uuid:
            self._updates.send_to([message.sender])

    # The follower's side

    def on_publish(self, message: PublishTable) -> None:
        state, ms = self._state, self._state.membership
        sender, version = message.sender, message.table.version
        if elsewhere := state.not_mine(message.target):
            self._refuse(version, sender, elsewhere)
            return
        if sender != ms.master or ms.master is ms.me:
            self._refuse(version, sender, because(Why.NOT_FROM_MY_MASTER))
            return
        if version < state.table.version:
            self._refuse(version, sender, because(Why.TABLE_IS_OLD, state.table.version))
        elif strangers := self.strangers_in(message.table):
            self._put_off = message
            self.put_off(version, sender, strangers)
            return
        else:
            table = Table.of(message.table, state.table)
            if version > state.table.version:
                self.install(sender, table, message.completed, because(Why.PUBLISHED))
            elif table.stamp != state.table.stamp:
                self._refuse(version, sender, because(Why.SAME_VERSION))
            else:
                self._retain(message.completed)
            state.told = sender.uuid, message.under_way, message.requested
            self._told_under_way()
        self._owes = sender
        self.acknowledge()

    def acknowledge(self) -> None:
        """Once I serve all that I own by promotion: what my backups hold may be cleared then."""
        state, ms, master = self._state, self._state.membership, self._owes
        if master is None or state.promoting:
            return
        self._owes = None
        if master == ms.master:
            state.env.send(master.address, TableAcknowledged(ms.me, master.uuid, state.table.version))

    def install(self, sender: Member, table: Table, completed: Sequence[CompletedMigration], reason: Because) -> None:
        """`sender`: whose table it is. It is my master's, or the history tells that it is not."""
        state = self._state
        before, state.table = state.table, table
        new = [entry for entry in completed if entry.info.id not in state.completed]
        self._retain(completed)
        ids = tuple(state.completed)
        state.env.report(TableInstalled(table.version, table.stamp, sender, ids, *reason))
        self._changed(before, new)

    def _retain(self, completed: Sequence[CompletedMigration]) -> None:
        self._state.completed = {entry.info.id: entry for entry in completed}

    def strangers_in(self, table: TableState) -> list[Uuid]:
        """The members that the table names and that I have never heard of: my member list is older than the table."""
        known = self._state.membership.known
        return [uuid for uuid in table.uuids if uuid not in known and uuid not in self._former]

    def put_off(self, version: int, sender: Member, strangers: Sequence[Uuid]) -> None:
        state, ms = self._state, self._state.membership
        state.env.report(TableRefused(version, sender, True, *because(Why.NAMES_A_STRANGER, strangers[0])))
        state.env.send(sender.address, MemberListWanted(ms.me, sender.uuid))

    def _refuse(self, version: int, sender: Member, reason: Because) -> None:
        self._state.env.report(TableRefused(version, sender, False, *reason))

    # Both

    def members_changed(self, removed: Iterable[Member]) -> None:
        for member in removed:
            self._former[member.uuid] = True
            self._acknowledged.pop(member.uuid, None)
        waiting, self._put_off = self._put_off, None
        if waiting is not None:
            self.on_publish(waiting)

    def _changed(self, before: Table, completed: Sequence[CompletedMigration]) -> None:
        if self._periodic is None:
            interval = self._state.settings.partition_table_send_interval
            self._periodic = Every(self._state.env, interval, lambda: self.publish(change=False))
        self._installed(before, completed)
