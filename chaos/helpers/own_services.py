"""Services of one's own that fail at first, as small as they can be: they keep nothing, and so lose nothing.

Named by the setting: partition_services = "shaketable.chaos.helpers.own_services:GivesLate"."""

from __future__ import annotations

from shaketable import PartitionMigrationEvent


class Empty:
    """Keeps nothing for any partition."""

    def __init__(self) -> None:
        self._asked: dict[int, bool] = {}

    def _fails_at_first(self, partition: int) -> None:
        """Each member has a service of its own: once for each partition there."""
        if partition not in self._asked:
            self._asked[partition] = True
            raise ValueError(f"partition {partition} is not at hand")

    def before_migration(self, event: PartitionMigrationEvent) -> None:
        assert event.current_replica_index != event.new_replica_index, "nobody tells of an index that stays"

    def commit_migration(self, event: PartitionMigrationEvent) -> None:
        pass

    def rollback_migration(self, event: PartitionMigrationEvent) -> None:
        pass

    def replication_data(self, partition: int, replica_index: int) -> bytes:
        return b""

    def replicate(self, partition: int, replica_index: int, data: bytes) -> None:
        pass

    def promoted(self, partition: int, table_version: int) -> None:
        pass


class GivesLate(Empty):
    """An owner has no data to send when it is asked for the first time."""

    def replication_data(self, partition: int, replica_index: int) -> bytes:
        self._fails_at_first(partition)
        return b""


class ReadsLate(Empty):
    """A destination cannot read what comes for the first time."""

    def check_data(self, partition: int, replica_index: int, data: bytes) -> None:
        self._fails_at_first(partition)
