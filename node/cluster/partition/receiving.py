"""The destination's side of a migration: it takes the data in, and commits when the master says so.

From text 3.2.1: the destination gets the new table with the commit, before anybody else, and the master commits only
when that is acknowledged. Data that have come are put aside until then: a rolled back SHIFT UP leaves just what the old
index held."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from shaketable.node.cluster.partition.finishing import Finishing
from shaketable.node.cluster.partition.publishing import Publishing
from shaketable.node.cluster.partition.replication import checked
from shaketable.node.cluster.partition.state import ActiveMigration, PartitionState
from shaketable.node.cluster.partition.streams import Streams
from shaketable.node.cluster.partition.table import Table
from shaketable.node.events import MigrationBegan, MigrationRefused
from shaketable.node.messages import (
    Member,
    MigrationCommit,
    MigrationCommitAnswer,
    MigrationInfo,
    StartCopy,
    StartCopyAnswer,
)
from shaketable.node.why import Because, Why, because

Refusal = tuple[bool, Because]
"""whether it is final, and why"""


class Receiving:
    def __init__(
        self,
        state: PartitionState,
        *,
        publishing: Publishing,
        finishing: Finishing,
        streams: Streams,
    ) -> None:
        self._state = state
        self._publishing = publishing
        self._finishing = finishing
        self._streams = streams
        self._too_early: dict[int, StartCopy] = {}
        """by partition: asked before the table came by which I can take it"""

    def on_start_copy(self, message: StartCopy) -> None:
        state, ms, info = self._state, self._state.membership, message.info
        reason = state.not_mine(message.target) or (
            None if ms.is_member(message.sender) else because(Why.SENT_BY_A_STRANGER)
        )
        if reason:
            state.env.report(MigrationRefused(info.partition, info.id, message.sender, False, *reason))
            return
        active = state.active.get(info.partition)
        if active is None or active.info.id != info.id:  # else it is asked again: my answer was lost
            refusal = self._refusal(message)
            if refusal is not None:
                if not refusal[0]:
                    self._too_early[info.partition] = message
                self._refuse_copy(message, *refusal)
                return
            active = ActiveMigration(info, owns=False)
            state.active[info.partition] = active
            state.env.report(MigrationBegan(info.partition, info.id, "destination"))
            self._finishing.begin(active)
            self._streams.expect(message.sender, info.id, partial(self._came, message.sender, active))
        state.send(message.sender.address, StartCopyAnswer(ms.me, message.request, True, True, None))

    def table_came(self) -> None:
        """The table came from my master, with what is under way. A member that asked for a copy earlier need not ask
        again."""
        state, master = self._state, self._state.membership.master
        for partition, message in list(self._too_early.items()):
            ours = master is not None and message.info.master == master.uuid
            if ours and message.info.version <= state.table.version:
                del self._too_early[partition]
                self.on_start_copy(message)

    def members_changed(self, removed: Sequence[Member]) -> None:
        """A member that has left does not ask again, and nothing that its plan says is done."""
        gone = [member.uuid for member in removed]
        for partition, message in list(self._too_early.items()):
            if message.sender.uuid in gone or message.info.master in gone:
                del self._too_early[partition]

    def _refusal(self, message: StartCopy) -> Refusal | None:
        state, ms, info = self._state, self._state.membership, message.info
        if ms.master is None or info.master != ms.master.uuid:
            return False, because(Why.ANOTHER_MASTER)
        if state.searching:
            return True, because(Why.MASTER_BEFORE_ME)
        if state.table.version < info.version:
            return False, because(Why.MY_TABLE_IS_OLDER, state.table.version, info.version)
        if info.owner != message.sender.uuid:
            return True, because(Why.SENT_BY_NO_OWNER)
        if state.row(info.partition) != info.row:
            return True, because(Why.ANOTHER_ROW)
        migration = info.migration
        if migration.destination != ms.me.uuid or migration.destination_current_index != state.my_index(info.partition):
            return True, because(Why.NOT_WHOM_IT_MEANS)
        if info.id in state.completed or state.has_ended(info):
            return True, because(Why.HAS_ENDED)
        if info.partition in state.active:
            return True, because(Why.PARTITION_NOT_ENDED_HERE, state.active[info.partition].info.id)
        return None

    def _refuse_copy(self, message: StartCopy, final: bool, reason: Because) -> None:
        state, info = self._state, message.info
        state.env.report(MigrationRefused(info.partition, info.id, message.sender, final, *reason))
        answer = StartCopyAnswer(state.membership.me, message.request, False, final, reason)
        state.send(message.sender.address, answer)

    def _came(self, owner: Member, active: ActiveMigration, data: bytes) -> None:
        info = active.info
        try:
            active.data = checked(self._state, info.partition, info.migration.destination_new_index, data)
        except ValueError as error:
            active.unreadable = because(Why.UNREADABLE, error)
            self._state.env.report(MigrationRefused(info.partition, info.id, owner, True, *active.unreadable))

    def on_migration_commit(self, message: MigrationCommit) -> None:
        state, ms, info = self._state, self._state.membership, message.info
        refusal = self._refusal_to_commit(message)
        if refusal is not None:
            final, reason = refusal
            state.env.report(MigrationRefused(info.partition, info.id, message.sender, final, *reason))
            answer = MigrationCommitAnswer(ms.me, message.request, False, final, reason)
        else:
            if info.id not in state.completed:
                table = Table.of(message.table, state.table)
                self._publishing.install(message.sender, table, message.completed, because(Why.COMMIT))
            answer = MigrationCommitAnswer(ms.me, message.request, True, True, None)
        state.send(message.sender.address, answer)

    def _refusal_to_commit(self, message: MigrationCommit) -> Refusal | None:
        state, ms, info = self._state, self._state.membership, message.info
        if elsewhere := state.not_mine(message.target):
            return message.target != ms.me.uuid, elsewhere
        if message.sender != ms.master or ms.master is ms.me:
            # Not final: the sender decides without me when it knows that I have left it.
            return False, because(Why.REQUEST_NOT_FROM_MY_MASTER)
        entry = state.completed.get(info.id)
        if entry is not None:
            return None if entry.successful else (True, because(Why.ROLLED_BACK))
        active = state.active.get(info.partition)
        if active is None or active.info.id != info.id or active.owns:
            return True, because(Why.UNKNOWN_MIGRATION)
        if active.data is None:
            return True, active.unreadable or because(Why.DATA_MISSING)
        if message.table.version <= state.table.version:
            return True, because(Why.MY_TABLE_IS_NEWER, state.table.version)
        if not any(each.info.id == info.id and each.successful for each in message.completed):
            return True, because(Why.NOT_AMONG_THE_COMPLETED)
        if strangers := self._publishing.strangers_in(message.table):
            self._publishing.put_off(message.table.version, message.sender, strangers)
            return False, because(Why.TABLE_NAMES_A_STRANGER)
        return None

    def ended(self, info: MigrationInfo) -> None:
        self._streams.forget(info.id)
