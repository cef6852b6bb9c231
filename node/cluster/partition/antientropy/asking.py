"""The owner asks its backups whether they have what they should have: all every so often, those in doubt soon again.

One small message at a time to each backup, for it may be at the end of a thin link; the next when it has answered."""

from __future__ import annotations

from typing import Final

from shaketable.node.cluster.partition.antientropy.syncing import Doubts, Syncing
from shaketable.node.cluster.partition.parts import Parts
from shaketable.node.cluster.partition.state import PartitionState
from shaketable.node.cluster.partition.store import MapStore
from shaketable.node.core.env import Every, Timer
from shaketable.node.messages import HeldVersions, ReplicaVersions, ReplicaVersionsAnswer, Uuid

ENOUGH: Final = 1024
"""bytes, about, of one message"""


class Asking:
    def __init__(
        self, state: PartitionState, *, store: MapStore, parts: Parts, doubts: Doubts, syncing: Syncing
    ) -> None:
        self._state = state
        self._env = state.env
        self._store = store
        self._parts = parts
        self.doubts = doubts
        self._syncing = syncing
        self._to_ask: dict[Uuid, dict[int, bool]] = {}
        """by backup, of which partitions"""
        self._patience: dict[Uuid, Timer] = {}
        """by backup: it has not answered yet"""
        self._periodic: Every | None = None
        self._soon: Timer | None = None

    def doubt(self, partition: int, holder: Uuid) -> None:
        if self._versions(partition, holder):
            self.doubts[partition, holder] = False
            self._ask_soon()

    def table_changed(self) -> None:
        state = self._state
        if self._periodic is None and state.table.version > 0:
            self._periodic = Every(self._env, state.settings.backup_sync_interval, self._ask_all)
        for partition, holder in list(self.doubts):
            if not self._versions(partition, holder):  # off the row, or at an index that holds nothing
                del self.doubts[partition, holder]

    def ask(self, partition: int, holder: Uuid) -> None:
        self._to_ask.setdefault(holder, {})[partition] = True
        self.go_on(holder)

    def _ask_all(self) -> None:
        me = self._state.me
        for partition, row in enumerate(self._state.table.rows):
            if row and row[0] == me:
                for holder in row[1:]:
                    # A backup to which a large write is on its way cannot have it yet.
                    if holder is not None and not self._parts.bring_a_write(holder, partition):
                        self._to_ask.setdefault(holder, {})[partition] = True
        self._go_on_with_all()

    def _ask_soon(self) -> None:
        if self._soon is None and self.doubts:
            self._soon = self._env.call_later(self._state.settings.heartbeat_interval, self._ask_doubted)

    def _ask_doubted(self) -> None:
        self._soon = None
        for partition, holder in self.doubts:
            self._to_ask.setdefault(holder, {})[partition] = True
        self._go_on_with_all()
        self._ask_soon()

    def _go_on_with_all(self) -> None:
        for holder in list(self._to_ask):
            self.go_on(holder)

    def go_on(self, holder: Uuid) -> None:
        """The next message to this backup, if none is open."""
        if holder in self._patience:
            return
        state, member = self._state, self._state.member(holder)
        if member is not None and (versions := self._next(holder)):
            state.send(
                member.address, ReplicaVersions(state.membership.me, holder, state.table.version, tuple(versions))
            )
            patience = 2 * state.settings.heartbeat_interval
            self._patience[holder] = self._env.call_later(patience, lambda: self._silent(holder))
        else:
            self._to_ask.pop(holder, None)

    def _next(self, holder: Uuid) -> list[HeldVersions]:
        to_ask = self._to_ask.get(holder, {})
        found: list[HeldVersions] = []
        size = 0
        while to_ask and size < ENOUGH:
            partition = next(iter(to_ask))
            del to_ask[partition]
            state = self._state
            if self._syncing.is_wanted(partition, holder) or partition in state.active or partition in state.promoting:
                continue
            versions = self._versions(partition, holder)
            if versions:
                replica = self._state.table.index_of(partition, holder)
                found.append(HeldVersions(partition, replica, versions))
                size += 10 + sum([12 + len(name.encode()) for name, _ in versions])
                if (partition, holder) in self.doubts:
                    self.doubts[partition, holder] = True
        return found

    def _versions(self, partition: int, holder: Uuid) -> tuple[tuple[str, int], ...]:
        """Empty: it is no backup of mine, or nothing was ever written that it should have."""
        replica = self._replica(partition, holder)
        return self._store.versions(partition, replica) if replica is not None else ()

    def _replica(self, partition: int, holder: Uuid) -> int | None:
        """None: it is no backup of mine."""
        row = self._state.row(partition)
        return row.index(holder) if row and row[0] == self._state.me and holder in row[1:] else None

    def _silent(self, holder: Uuid) -> None:
        """Not today: it is asked again when all are."""
        del self._patience[holder]
        self._to_ask.pop(holder, None)

    def answered(self, answer: ReplicaVersionsAnswer) -> None:
        holder = answer.sender.uuid
        timer = self._patience.pop(holder, None)
        if timer is not None:
            timer.cancel()
        for partition, replica in answer.same:
            if self._syncing.is_wanted(partition, holder):
                continue  # it is asked once more when they have come
            if self.doubts.get((partition, holder)) and self._replica(partition, holder) == replica:
                del self.doubts[partition, holder]
        for partition, replica in answer.different:
            if self._replica(partition, holder) == replica:
                self.doubts[partition, holder] = True
        self._ask_soon()
