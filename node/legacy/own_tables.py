"""Own tables: each member removes members that have left from its own partition table, and promotes itself.

Acts out text 3.0.2: a first backup that has made itself the owner gets a table of a master that has not noticed yet. In
that table it is a backup. So it clears its data, perhaps the last copy, and asks the owner for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from shaketable.node.cluster.partition.services import SOURCE, PartitionMigrationEvent
from shaketable.node.cluster.partition.table import Table
from shaketable.node.cluster.service.updates import Updates
from shaketable.node.cluster.service.views import Membership
from shaketable.node.core.requests import Requests
from shaketable.node.events import ReplicaDropped, TableChanged
from shaketable.node.legacy.any_table import AnyTable
from shaketable.node.legacy.noticing import Noticing, NoticingMember
from shaketable.node.messages import NOWHERE, Address, CompletedMigration, Member, Message, Row
from shaketable.node.why import Why, because


class EditsItsTable(Noticing, AnyTable):
    def __init__(
        self,
        membership: Membership,
        *,
        requests: Requests,
        send: Callable[[Address, Message], None],
        updates: Updates,
    ) -> None:
        super().__init__(membership, requests=requests, send=send, updates=updates)
        self._promoted_myself: dict[int, bool] = {}
        """by partition: I own it by my own table alone"""

    def noticed(self, gone: Sequence[Member]) -> None:
        state, without = self.state, {member.uuid: True for member in gone}
        rows: dict[int, Row] = {
            partition: tuple([uuid for uuid in row if uuid not in without])
            for partition, row in enumerate(state.table.rows)
            if any(uuid in without for uuid in row)
        }
        if not rows:
            return
        before = state.table
        state.table = table = before.with_rows(rows).at_version(before.version)
        reason = because(Why.NOTICED, gone[0].address)
        state.env.report(TableChanged(table.version, table.stamp, "repaired", tuple(rows.items()), *reason))
        mine = [partition for partition in rows if table.owner(partition) == state.me]
        self._table_changed(before, ())
        self._promoted_myself.update(dict.fromkeys(mine, True))

    def _table_changed(self, before: Table, completed: Sequence[CompletedMigration]) -> None:
        super()._table_changed(before, completed)
        state = self.state
        promoted, self._promoted_myself = self._promoted_myself, {}
        for partition in promoted:
            index = state.my_index(partition)
            if index > 0:
                event = PartitionMigrationEvent(SOURCE, partition, 0, NOWHERE)
                for service in state.services:
                    service.commit_migration(event)
                reason = because(Why.CLEARED_TO_BE_SYNCED)
                state.env.report(ReplicaDropped(partition, index, NOWHERE, "", state.table.version, *reason))


class OwnTables(NoticingMember):
    partition_service = EditsItsTable
