"""Three members with data in partitions, the table given by hand: what an owner writes reaches the backups named."""

from __future__ import annotations

from typing import Any

from tests.node.cluster.partition.members_on_wires import Nodes

from shaketable.node.cluster.partition.antientropy import AntiEntropy
from shaketable.node.cluster.partition.parts import Parts
from shaketable.node.cluster.partition.state import ActiveMigration
from shaketable.node.cluster.partition.store import MapStore
from shaketable.node.cluster.partition.streams import Streams
from shaketable.node.cluster.partition.table import Table
from shaketable.node.config import FAST
from shaketable.node.core.env import SECOND, Micros
from shaketable.node.events import BackupSynced
from shaketable.node.messages import (
    Chunk,
    ChunkReceived,
    Member,
    Message,
    Migration,
    MigrationInfo,
    ReplicaVersions,
    ReplicaVersionsAnswer,
    Row,
    StartSync,
)

H: Micros = FAST.heartbeat_interval
INTERVAL = 30 * SECOND
MOVE = Migration("MOVE", None, -1, -1, None, -1, 1)


class Cluster(Nodes):
    """Members A, B and C; by default A owns the only partition, B is the first backup and C the second."""

    def __init__(self, rows: list[str] | None = None, maps: str = "data=2", **changed: Any) -> None:
        super().__init__(3, FAST, maps=maps, backup_sync_interval=INTERVAL, **changed)
        self.stores = [MapStore(node.state) for node in self.nodes]
        self.streams = [Streams(node.state, of=Chunk) for node in self.nodes]
        self.services: list[AntiEntropy] = []
        for node, store, streams in zip(self.nodes, self.stores, self.streams, strict=True):
            node.state.services = (store,)
            parts = Parts(node.state, handle=node.handle)
            self.services.append(AntiEntropy(node.state, store=store, streams=streams, parts=parts))
            handlers = {
                Chunk: streams.on_chunk,
                ChunkReceived: streams.on_chunk_received,
                ReplicaVersions: self.services[-1].on_replica_versions,
                ReplicaVersionsAnswer: self.services[-1].on_replica_versions_answer,
                StartSync: self.services[-1].on_start_sync,
            }
            node.handle = lambda message, handlers=handlers: handlers[type(message)](message)  # type: ignore[misc]
        self.clock = 0
        for number in range(3):
            self.table(number, rows or ["ABC"])

    def row(self, word: str) -> Row:
        return tuple(None if letter == "-" else self.members["ABC".index(letter)].uuid for letter in word)

    def table(self, number: int, rows: list[str]) -> None:
        """One version later."""
        state = self.nodes[number].state
        state.table = Table(state.table.version + 1, [self.row(word) for word in rows])
        self.services[number].table_changed()

    def write(self, holders: str, value: str = "x", key: str = "k", partition: int = 0, name: str = "data") -> int:
        """At the owner, the first of them, and at the backups that do not miss it."""
        self.clock += 1
        owner, *backups = ["ABC".index(letter) for letter in holders]
        write = self.stores[owner].write(partition, name, "c", self.clock, "put", key, value.encode())
        for backup in backups:
            self.stores[backup].take(partition, write)
        return write.version

    def reads(self, key: str = "k", partition: int = 0, name: str = "data") -> list[bytes | None]:
        return [store.read(partition, name, key) for store in self.stores]

    def run(self, time: Micros = INTERVAL + SECOND) -> None:
        self.world.run(time)

    def sent(self, kind: type[Message], number: int = 0) -> list[Any]:
        return [message for _, message in self.nodes[number].sent if isinstance(message, kind)]

    def migrates(self, number: int, partition: int = 0) -> None:
        state = self.nodes[number].state
        info = MigrationInfo("m", state.me, partition, MOVE, state.table.version, state.row(partition))
        state.active[partition] = ActiveMigration(info, owns=number == 0)
        self.services[number].migration_begins(partition)

    def synced(self, number: int) -> list[tuple[int, int, Member, Any]]:
        told = [event for event in self.nodes[number].events if isinstance(event, BackupSynced)]
        return [(event.partition, event.replica, event.peer, event.maps) for event in told]
