"""What a user plugs in, as small as it can be: a service that counts what was called, a policy, members."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from shaketable.node.cluster.member import ClusterMember
from shaketable.node.cluster.partition.merging.policies import MergeEntry
from shaketable.node.cluster.partition.services import PartitionMigrationEvent
from shaketable.node.config import Settings
from shaketable.node.core.env import Env
from shaketable.node.events import Failed
from shaketable.node.gms import GroupMember
from shaketable.node.messages import Address, Heartbeat, Message


class Calls:
    def __init__(self) -> None:
        self.counts: dict[int, int] = {}
        self.begun: list[PartitionMigrationEvent] = []
        self.ended: list[PartitionMigrationEvent] = []

    def called(self, partition: int) -> None:
        self.counts[partition] = self.counts.get(partition, 0) + 1

    def before_migration(self, event: PartitionMigrationEvent) -> None:
        self.begun.append(event)

    def commit_migration(self, event: PartitionMigrationEvent) -> None:
        self.ended.append(event)
        if event.new_replica_index not in (0, 1):  # one backup
            self.counts.pop(event.partition, None)

    def rollback_migration(self, event: PartitionMigrationEvent) -> None:
        self.ended.append(event)

    def replication_data(self, partition: int, replica_index: int) -> bytes:
        return self.counts.get(partition, 0).to_bytes(8, "big") if replica_index <= 1 else b""

    def replicate(self, partition: int, replica_index: int, data: bytes) -> None:
        count = int.from_bytes(data, "big")
        if count:
            self.counts[partition] = count
        else:
            self.counts.pop(partition, None)

    def promoted(self, partition: int, table_version: int) -> None:
        pass


class Lacking:
    """No such service: most of it is missing."""

    def before_migration(self, event: PartitionMigrationEvent) -> None:
        pass


class Shortest:
    """A merge policy: of two values the shorter one stays."""

    def merge(self, merging: MergeEntry, existing: MergeEntry | None) -> bytes | None:
        if existing is None or len(merging.value) < len(existing.value):
            return merging.value
        return existing.value


class Deaf(ClusterMember):
    """A member of a user's own: it hears no heartbeat."""

    def receive(self, message: Message) -> None:
        if not isinstance(message, Heartbeat):
            super().receive(message)


class DeafInAGroup(GroupMember):
    """It hears nothing at all."""

    def receive(self, message: Message) -> None:
        pass


class FailsInInit(ClusterMember):
    def __init__(self, env: Env, address: Address, addresses: Sequence[Address], settings: Settings) -> None:
        super().__init__(env, address, addresses, settings)
        raise ValueError("boom in init")


class GroupFailsInInit(GroupMember):
    def __init__(self, env: Env, address: Address, addresses: Sequence[Address], settings: Settings) -> None:
        raise SystemExit(0)


class Exits(ClusterMember):
    def start(self, **given: Any) -> None:
        raise SystemExit(0)


class Gone(BaseException):
    pass


class Vanishes(ClusterMember):
    def start(self, **given: Any) -> None:
        raise Gone("of no kind")


class ReportsNonsense(ClusterMember):
    def start(self, **given: Any) -> None:
        self.env.report("nonsense")  # type: ignore[arg-type]


class ReportsWrongFields(ClusterMember):
    def start(self, **given: Any) -> None:
        self.env.report(Failed(object()))  # type: ignore[arg-type]


class SendsNonsense(ClusterMember):
    def start(self, **given: Any) -> None:
        self.env.send(self.me.address, "nonsense")  # type: ignore[arg-type]


class FailingPolicy:
    def merge(self, merging: MergeEntry, existing: MergeEntry | None) -> bytes | None:
        raise Gone("no idea")
