"""What a service that keeps data in partitions is told of migrations: the way to plug one's own in.

From text 3.0.5: PartitionMigrationEvent with currentReplicaIndex and newReplicaIndex, MigrationAwareService with what
it does at commit and at rollback. Each member whose index of a partition changes gets exactly one `before_migration`
and then one `commit_migration` or `rollback_migration`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, Protocol, runtime_checkable

SOURCE: Final = "SOURCE"
DESTINATION: Final = "DESTINATION"


@dataclass(frozen=True, slots=True)
class PartitionMigrationEvent:
    """What a service is told of a migration, at its source and at its destination."""

    endpoint: Literal["SOURCE", "DESTINATION"]
    """SOURCE: this member gives an index up, or goes to a colder one; DESTINATION: it gets one, or a hotter one"""
    partition: int
    current_replica_index: int
    """-1: it holds nothing of the partition"""
    new_replica_index: int
    """once this is committed; -1: nothing any more"""


class MigrationAwareService(Protocol):
    def before_migration(self, event: PartitionMigrationEvent) -> None: ...

    def commit_migration(self, event: PartitionMigrationEvent) -> None:
        """The source removes what its new index does not hold: all for -1, and whatever has fewer backups than that
        index."""

    def rollback_migration(self, event: PartitionMigrationEvent) -> None:
        """All is as it was. Data that came for a new index were not handed over: `replicate` comes at commit."""

    def replication_data(self, partition: int, replica_index: int) -> bytes:
        """The owner: all that the holder of this index has to hold; None is the same as no bytes. ValueError, or
        anything else: there are none to send, and what they were for comes to nothing."""

    def replicate(self, partition: int, replica_index: int, data: bytes) -> None:
        """Holds that, and of the partition nothing else; just before `commit_migration` at a destination, and when
        anti-entropy mends a backup. ValueError, with nothing changed: it cannot read them."""

    def promoted(self, partition: int, table_version: int) -> None:
        """This member was a backup and is the owner by the table of this version: there was nobody to migrate from."""


@runtime_checkable
class ChecksData(Protocol):
    """What a service may do besides, and should: at the commit it is too late to refuse."""

    def check_data(self, partition: int, replica_index: int, data: bytes) -> None:
        """A copy has come whole, and the master has not decided yet. ValueError: `replicate` could not read it; so the
        migration is rolled back. Changes nothing."""
