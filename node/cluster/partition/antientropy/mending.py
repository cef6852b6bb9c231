"""A backup's side: it compares what it has with what its owner has, asks for the data, and puts them in their place.

Only its owner by its own table mends it, and nobody while the partition is migrating here. The store adds the writes of
the meantime to what comes; where it cannot, and where the row is another one by then, nothing is replaced."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from shaketable.node.cluster.partition.replication import unpacked
from shaketable.node.cluster.partition.state import PartitionState
from shaketable.node.cluster.partition.store import MapStore
from shaketable.node.cluster.partition.streams import Streams
from shaketable.node.core.env import Micros
from shaketable.node.events import BackupDiffers, BackupSynced, ChunkRefused
from shaketable.node.messages import Member, ReplicaVersions, ReplicaVersionsAnswer, Row, StartSync
from shaketable.node.why import Because, Why, because


@dataclass(frozen=True, slots=True)
class Sync:
    partition: int
    replica: int
    owner: Member
    stream: str
    row: Row


class Mending:
    def __init__(self, state: PartitionState, *, store: MapStore, streams: Streams) -> None:
        self._state = state
        self._store = store
        self._streams = streams
        self._syncs: dict[int, Sync] = {}
        self._told: dict[int, Micros] = {}
        """by partition, when I last told its owner, unasked, that a write is missing"""

    def compare(self, message: ReplicaVersions) -> None:
        same, different = [], []
        for held in message.versions:
            if not self._may_mend(message.sender, held.partition, held.replica):
                continue
            which = held.partition, held.replica
            if self._store.versions(*which) == held.maps:
                same.append(which)
            else:
                different.append(which)
                self._state.env.report(BackupDiffers(*which, message.sender))
        self._answer(message.sender, same, different)

    def dirty(self, partition: int) -> None:
        """Told again only if nothing comes of it."""
        state, now = self._state, self._state.env.now()
        owner, replica = state.member(state.table.owner(partition)), state.my_index(partition)
        if owner is None or not self._may_mend(owner, partition, replica) or partition in self._syncs:
            return
        told = self._told.get(partition)
        if told is None or now - told >= 2 * state.settings.heartbeat_interval:
            self._told[partition] = now
            state.env.report(BackupDiffers(partition, replica, owner))
            self._answer(owner, [], [(partition, replica)])

    def _answer(self, owner: Member, same: list[tuple[int, int]], different: list[tuple[int, int]]) -> None:
        state = self._state
        me, version = state.membership.me, state.table.version
        state.send(owner.address, ReplicaVersionsAnswer(me, owner.uuid, version, tuple(same), tuple(different)))

    def _may_mend(self, owner: Member, partition: int, replica: int) -> bool:
        """It owns the partition, I am its backup at this index, and nothing of it moves here."""
        state = self._state
        row = state.row(partition)
        mine = 0 < replica < len(row) and row[replica] == state.me
        return mine and row[0] == owner.uuid and partition not in state.active

    def begin(self, message: StartSync) -> None:
        partition, replica = message.partition, message.replica
        if not self._may_mend(message.sender, partition, replica):
            return  # its chunks are of an unknown stream, so it learns
        self._give_up(partition)
        sync = Sync(partition, replica, message.sender, message.stream, self._state.row(partition))
        self._syncs[partition] = sync
        # Writes of the owner after it had packed its data are behind this message on its link. So may be an earlier one
        # that travels in parts: it is held when it comes.
        self._store.sync_begins(partition)
        self._streams.expect(message.sender, message.stream, partial(self._came, sync))

    def _came(self, sync: Sync, data: bytes) -> None:
        if self._syncs.get(sync.partition) is not sync:
            return
        del self._syncs[sync.partition]
        state, services = self._state, self._state.services
        reason: Because | None = because(Why.ROW_CHANGED)
        if self._may_mend(sync.owner, sync.partition, sync.replica) and state.row(sync.partition) == sync.row:
            try:
                blobs = unpacked(data)
                if len(blobs) != len(services):
                    raise ValueError(f"data for {len(blobs)} services, not {len(services)}")
                for service, blob in zip(services, blobs, strict=True):
                    service.replicate(sync.partition, sync.replica, blob)
                reason = None
            except ValueError as error:
                reason = because(Why.UNREADABLE, error)
        self._store.sync_ended(sync.partition)
        if reason:
            state.env.report(ChunkRefused(sync.owner, sync.stream, 0, *reason))
            return
        versions = self._store.versions(sync.partition, sync.replica)
        state.env.report(BackupSynced(sync.partition, sync.replica, sync.owner, versions))

    def migration_begins(self, partition: int) -> None:
        self._give_up(partition)

    def table_changed(self) -> None:
        for sync in list(self._syncs.values()):
            if self._state.row(sync.partition) != sync.row:
                self._give_up(sync.partition)

    def members_left(self, members: Sequence[Member]) -> None:
        for sync in list(self._syncs.values()):
            if sync.owner in members:
                self._give_up(sync.partition)

    def _give_up(self, partition: int) -> None:
        sync = self._syncs.pop(partition, None)
        if sync is not None:
            self._streams.forget(sync.stream)
            self._store.sync_ended(partition)
