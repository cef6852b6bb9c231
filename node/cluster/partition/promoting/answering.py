"""The backup's side: it says what it has that a promoted owner lacks, and sends that.

Not before its own table says who the owner is: from then on it refuses the writes of the one before, so that nothing is
added to what it has told."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from shaketable.node.cluster.partition.state import PartitionState
from shaketable.node.cluster.partition.store import MapStore
from shaketable.node.cluster.partition.streams import Streams
from shaketable.node.messages import HeldVersions, Member, MoreHeld, MoreWanted, ReplicaComes, ReplicaWanted, Uuid
from shaketable.node.why import Because


class Answering:
    def __init__(self, state: PartitionState, *, store: MapStore, streams: Streams) -> None:
        self._state = state
        self._store = store
        self._streams = streams
        self._sent: dict[Uuid, tuple[str, bool]] = {}
        """by asker, the last stream to it, and whether it is coming or has come"""

    def on_more_wanted(self, message: MoreWanted) -> None:
        if not self._is_for_me(message.sender, message.target):
            return
        state = self._state
        done = state.table.version >= message.table_version
        found: list[HeldVersions] = []
        for held in message.versions if done else ():
            if self._owns(message.sender, held.partition):
                later = self._store.later_than(held.partition, held.replica, held.maps)
                if later:
                    found.append(HeldVersions(held.partition, held.replica, later))
        answer = MoreHeld(state.membership.me, message.request, done, tuple(found))
        state.send(message.sender.address, answer)

    def on_replica_wanted(self, message: ReplicaWanted) -> None:
        owner = message.sender
        if not self._is_for_me(owner, message.target):
            return
        state = self._state
        stream, coming = self._sent.get(owner.uuid, ("", False))
        if stream != message.stream:  # else it is asked again
            coming = state.table.version >= message.table_version and self._owns(owner, message.partition)
            self._sent[owner.uuid] = message.stream, coming
            if coming:
                data = self._store.copies(message.partition)
                self._streams.send(owner, message.stream, data, partial(self._ended, owner.uuid, message.stream))
        state.send(owner.address, ReplicaComes(state.membership.me, message.request, coming))

    def members_changed(self, removed: Sequence[Member]) -> None:
        for member in removed:
            self._sent.pop(member.uuid, None)

    def _ended(self, owner: Uuid, stream: str, done: bool, reason: Because | None) -> None:
        if not done and self._sent.get(owner) == (stream, True):
            self._sent[owner] = stream, False

    def _owns(self, owner: Member, partition: int) -> bool:
        """And I am a backup of it."""
        row = self._state.row(partition)
        return bool(row) and row[0] == owner.uuid and self._state.me in row

    def _is_for_me(self, sender: Member, target: Uuid) -> bool:
        ms = self._state.membership
        return ms.joined and target == ms.me.uuid and ms.is_member(sender)
