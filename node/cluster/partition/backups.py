"""A backup's side of a write: the owner sends it, and counts this member among its holders once it says so.

From text 3.1.1: who owns a partition is known by the master's table alone, and a write of somebody who owned it once is
refused."""

from __future__ import annotations

from typing import Protocol

from shaketable.node.cluster.partition.held import Write
from shaketable.node.cluster.partition.state import PartitionState
from shaketable.node.cluster.partition.store import MapStore
from shaketable.node.messages import NOWHERE, Backup, BackupAnswer
from shaketable.node.why import Because, Why, because

Refusal = tuple[bool, Because]
"""whether it is final, and why"""


class Mends(Protocol):
    def dirty(self, partition: int) -> None:
        """A write to this partition is missing here."""


class Backups:
    def __init__(self, state: PartitionState, *, store: MapStore, antientropy: Mends) -> None:
        self._state = state
        self._store = store
        self._antientropy = antientropy

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
                refusal = True, because(Why.LATER_WRITES_CAME)
            missed = taken == "late" or self._store.misses_a_write(message.partition, message.map)
        final, reason = refusal or (True, None)
        answer = BackupAnswer(self._state.membership.me, message.request, refusal is None, final, reason)
        self._state.send(message.sender.address, answer)
        if missed:
            self._antientropy.dirty(message.partition)

    def _refusal(self, message: Backup) -> Refusal | None:
        """None: it is taken."""
        state, ms = self._state, self._state.membership
        if message.target != ms.me.uuid:
            return True, because(Why.ANOTHER_ONE_HERE)
        row = state.row(message.partition)
        owns = bool(row) and row[0] == message.sender.uuid and ms.is_member(message.sender)
        index = row.index(ms.me.uuid) if ms.me.uuid in row else NOWHERE
        if owns and index == message.replica != 0:
            backups = self._store.backup_counts.get(message.map, 0)
            return None if index <= backups else (True, because(Why.INDEX_HOLDS_NOTHING))
        if state.table.version < message.table_version:
            return False, because(Why.NEWER_TABLE_WANTED, state.table.version)
        if owns:
            return True, because(Why.NOT_THAT_INDEX)
        return True, because(Why.SENDER_OWNER_NO_MORE)
