"""Anti-entropy: owners compare versions with their backups, and mend those that differ.

Beyond the text on avoiding data loss on migration, which takes it for granted: every so often each owner sends its
backups the versions that they should have; one that differs gets all the data of that partition in a stream. Until a
backup is known to be whole it is in doubt, and a member whose backups are in doubt is not safe."""

from __future__ import annotations

from collections.abc import Sequence

from shaketable.node.cluster.partition.antientropy.asking import Asking
from shaketable.node.cluster.partition.antientropy.mending import Mending
from shaketable.node.cluster.partition.antientropy.syncing import Doubts, Syncing
from shaketable.node.cluster.partition.parts import Parts
from shaketable.node.cluster.partition.state import PartitionState
from shaketable.node.cluster.partition.store import MapStore
from shaketable.node.cluster.partition.streams import Streams
from shaketable.node.messages import Member, ReplicaVersions, ReplicaVersionsAnswer, StartSync, Uuid


class AntiEntropy:
    def __init__(self, state: PartitionState, *, store: MapStore, streams: Streams, parts: Parts) -> None:
        self._state = state
        self.doubts: Doubts = {}
        self._syncing = Syncing(state, streams=streams, doubts=self.doubts, synced=self._synced)
        self._asking = Asking(state, store=store, parts=parts, doubts=self.doubts, syncing=self._syncing)
        self._mending = Mending(state, store=store, streams=streams)

    def doubt(self, partition: int, holder: Uuid) -> None:
        """It did not say that it has a write."""
        self._asking.doubt(partition, holder)

    def owns(self, partitions: Sequence[int]) -> None:
        """I own them now, and nobody has told me what their backups have."""
        for partition in partitions:
            for holder in self._state.row(partition)[1:]:
                if holder is not None:
                    self._asking.doubt(partition, holder)

    def dirty(self, partition: int) -> None:
        """A write is missing here, of a partition of which I am a backup."""
        self._mending.dirty(partition)

    def migration_begins(self, partition: int) -> None:
        """I take part in it: what is on its way to mend me is of no use any more."""
        self._mending.migration_begins(partition)

    def table_changed(self) -> None:
        self._asking.table_changed()
        self._syncing.table_changed()
        self._mending.table_changed()

    def members_changed(self, removed: Sequence[Member]) -> None:
        self._mending.members_left(removed)

    def on_replica_versions(self, message: ReplicaVersions) -> None:
        if self._is_for_me(message.sender, message.target):
            self._mending.compare(message)

    def on_replica_versions_answer(self, message: ReplicaVersionsAnswer) -> None:
        if self._is_for_me(message.sender, message.target):
            self._asking.answered(message)
            for partition, replica in message.different:
                self._syncing.want(partition, replica, message.sender.uuid)
            self._syncing.go_on()
            self._asking.go_on(message.sender.uuid)

    def on_start_sync(self, message: StartSync) -> None:
        if self._is_for_me(message.sender, message.target):
            self._mending.begin(message)

    def _synced(self, partition: int, holder: Uuid) -> None:
        """All has arrived; whether it was of use there, the backup is asked."""
        self._asking.ask(partition, holder)

    def _is_for_me(self, sender: Member, target: Uuid) -> bool:
        ms = self._state.membership
        return ms.joined and target == ms.me.uuid and ms.is_member(sender)
