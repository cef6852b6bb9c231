"""The destination's side of a migration: it takes the data in, and commits when the master says so.

From the text on avoiding data loss on migration, 2.1: the destination gets the new table with the commit, before
anybody else, and the master commits only when that is acknowledged. What has come is put aside until then: a rolled
back SHIFT UP leaves just what the old index held."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from shaketable.node.events import MigrationBegan, MigrationRefused
from shaketable.node.messages import (
    CompletedMigration,
    Member,
    MigrationCommit,
    MigrationCommitAnswer,
    MigrationInfo,
    StartCopy,
    StartCopyAnswer,
    TableState,
)
from shaketable.node.partition.replication import checked
from shaketable.node.partition.state import STRANGER, ActiveMigration, PartitionState
from shaketable.node.partition.table import Table

Refusal = tuple[bool, str]
"""whether it is final, and why"""


class Receiving:
    def __init__(
        self,
        state: PartitionState,
        begin: Callable[[ActiveMigration], None],
        install: Callable[[Table, Sequence[CompletedMigration], str], None],
        strangers_in: Callable[[TableState], list[str]],
        put_off: Callable[[int, Member, Sequence[str]], None],
        expect: Callable[[Member, str, Callable[[bytes], None]], None],
        forget: Callable[[str], None],
    ) -> None:
        self._state = state
        self._begin_at_services = begin
        self._install = install
        self._strangers_in = strangers_in
        self._put_off = put_off
        self._expect = expect
        self._forget = forget
        self._too_early: dict[int, StartCopy] = {}
        """by partition: asked before the table came by which I can take it"""

    def on_start_copy(self, message: StartCopy) -> None:
        state, ms, info = self._state, self._state.membership, message.info
        reason = state.not_mine(message.target) or ("" if ms.is_member(message.sender) else STRANGER)
        if reason:
            state.env.report(MigrationRefused(info.partition, info.id, message.sender, False, reason))
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
            self._begin_at_services(active)
            self._expect(message.sender, info.id, partial(self._came, message.sender, active))
        state.send(message.sender.address, StartCopyAnswer(ms.me, message.request, True, True, ""))

    def table_came(self) -> None:
        """From my master, with what is under way. Who asked for a copy before that need not ask again."""
        state, master = self._state, self._state.membership.master
        for partition, message in list(self._too_early.items()):
            ours = master is not None and message.info.master == master.uuid
            if ours and message.info.version <= state.table.version:
                del self._too_early[partition]
                self.on_start_copy(message)

    def members_changed(self, removed: Sequence[Member]) -> None:
        """Who has left does not ask again, and nothing that its plan says is done."""
        gone = [member.uuid for member in removed]
        for partition, message in list(self._too_early.items()):
            if message.sender.uuid in gone or message.info.master in gone:
                del self._too_early[partition]

    def _refusal(self, message: StartCopy) -> Refusal | None:
        state, ms, info = self._state, self._state.membership, message.info
        if ms.master is None or info.master != ms.master.uuid:
            return False, "my master is another one"
        if state.searching:
            return True, "it is of a master before me"
        if state.table.version < info.version:
            return False, f"my table is older: {state.table.version}, not {info.version}"
        if info.owner != message.sender.uuid:
            return True, "the sender does not own this partition"
        if state.row(info.partition) != info.row:
            return True, "my row of this partition is another one"
        migration = info.migration
        if migration.destination != ms.me.uuid or migration.destination_current_index != state.my_index(info.partition):
            return True, "I am not whom it means"
        if info.id in state.completed or state.has_ended(info):
            return True, "it has ended"
        if info.partition in state.active:
            return True, f"migration {state.active[info.partition].info.id} of this partition has not ended here"
        return None

    def _refuse_copy(self, message: StartCopy, final: bool, reason: str) -> None:
        state, info = self._state, message.info
        state.env.report(MigrationRefused(info.partition, info.id, message.sender, final, reason))
        answer = StartCopyAnswer(state.membership.me, message.request, False, final, reason)
        state.send(message.sender.address, answer)

    def _came(self, owner: Member, active: ActiveMigration, data: bytes) -> None:
        info = active.info
        try:
            active.data = checked(self._state, info.partition, info.migration.destination_new_index, data)
        except ValueError as error:
            active.unreadable = str(error)
            self._state.env.report(MigrationRefused(info.partition, info.id, owner, True, active.unreadable))

    def on_migration_commit(self, message: MigrationCommit) -> None:
        state, ms, info = self._state, self._state.membership, message.info
        refusal = self._refusal_to_commit(message)
        if refusal is not None:
            final, reason = refusal
            state.env.report(MigrationRefused(info.partition, info.id, message.sender, final, reason))
            answer = MigrationCommitAnswer(ms.me, message.request, False, final, reason)
        else:
            if info.id not in state.completed:
                self._install(Table.of(message.table, state.table), message.completed, "commit")
            answer = MigrationCommitAnswer(ms.me, message.request, True, True, "")
        state.send(message.sender.address, answer)

    def _refusal_to_commit(self, message: MigrationCommit) -> Refusal | None:
        state, ms, info = self._state, self._state.membership, message.info
        if elsewhere := state.not_mine(message.target):
            return message.target != ms.me.uuid, elsewhere
        if message.sender != ms.master or ms.master is ms.me:
            return False, "it is not from my master"  # who decides without me when it knows that I have left it
        entry = state.completed.get(info.id)
        if entry is not None:
            return None if entry.successful else (True, "it is rolled back already")
        active = state.active.get(info.partition)
        if active is None or active.info.id != info.id or active.owns:
            return True, "I do not know this migration"
        if active.data is None:
            return True, active.unreadable or "not all of its data have come"
        if message.table.version <= state.table.version:
            return True, f"my table is newer: {state.table.version}"
        if not any(each.info.id == info.id and each.successful for each in message.completed):
            return True, "the completed migrations that came with it lack it"
        if strangers := self._strangers_in(message.table):
            self._put_off(message.table.version, message.sender, strangers)
            return False, "its table names somebody whom I do not know"
        return None

    def ended(self, info: MigrationInfo) -> None:
        self._forget(info.id)
