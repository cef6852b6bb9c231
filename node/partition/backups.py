"""A backup's side of a write: the owner sends it, and counts this member among its holders once it says so.

From the text on avoiding data loss on migration, 1.1: who owns a partition is known by the master's table alone, and a
write of somebody who owned it once is refused."""

from __future__ import annotations

from collections.abc import Callable

from shaketable.node.messages import NOT_THE_OWNER, NOWHERE, Backup, BackupAnswer
from shaketable.node.partition.held import Write
from shaketable.node.partition.state import PartitionState
from shaketable.node.partition.store import MapStore

Refusal = tuple[bool, str]
"""whether it is final, and why"""


class Backups:
    def __init__(self, state: PartitionState, store: MapStore) -> None:
        self._state = state
        self._store = store
        self.dirty: Callable[[int], None] = lambda partition: None
        """a write to this partition is missing here"""

    def on_backup(self, message: Backup) -> None:
        refusal = self._refusal(message)
        missed = False
        if refusal is None:
            write = Write(
                message.version,
                message.map,
                message.client,
                message.number,
                message.does,
                message.key,
                message.value,
                message.updated,
                message.hits,
            )
            taken = self._store.take(message.partition, write)
            if taken == "late":
                refusal = True, "later writes have come before it"
            missed = taken == "late" or self._store.misses_a_write(message.partition, message.map)
        final, reason = refusal or (True, "")
        answer = BackupAnswer(self._state.membership.me, message.request, refusal is None, final, reason)
        self._state.send(message.sender.address, answer)
        if missed:
            self.dirty(message.partition)

    def _refusal(self, message: Backup) -> Refusal | None:
        """None: it is taken."""
        state, ms = self._state, self._state.membership
        if message.target != ms.me.uuid:
            return True, "I am another one at this address"
        row = state.row(message.partition)
        owns = bool(row) and row[0] == message.sender.uuid and ms.is_member(message.sender)
        index = row.index(ms.me.uuid) if ms.me.uuid in row else NOWHERE
        if owns and index == message.replica != 0:
            backups = self._store.backup_counts.get(message.map, 0)
            return None if index <= backups else (True, "this index holds nothing of this map")
        if state.table.version < message.table_version:
            return False, f"my table is older: {state.table.version}"
        if owns:
            return True, "I do not hold that index"
        return True, NOT_THE_OWNER
