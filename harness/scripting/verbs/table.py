"""Partitions as a script sees them: who holds what by the master's table, and conditions over tables and migrations."""

from __future__ import annotations

from zlib import crc32

from shaketable.harness import conditions_data as conditions
from shaketable.harness.conditions import Condition
from shaketable.harness.errors import ScriptError
from shaketable.harness.scripting.verbs.base import Verbs, whole
from shaketable.node.messages import MOST_REPLICAS


class TableVerbs(Verbs):
    def partition_of(self, key: str) -> int:
        return crc32(key.encode()) % self.settings.partition_count

    def key_in(self, partition: int, number: int = 0) -> str:
        """A key of this partition; another one for each number."""
        self._partition(partition)
        found = (f"k{n}" for n in range(10**9) if self.partition_of(f"k{n}") == partition)
        for _ in range(whole(number, "the number of a key")):
            next(found)
        return next(found)

    def row(self, partition: int) -> tuple[str | None, ...]:
        """The nodes that hold replica 0 (the owner), 1 and so on, by the table of the master; None: nobody."""
        seen = self._world.observed
        master = conditions.master_of(seen)
        if master is None:
            raise ScriptError("nobody leads, so there is no table")
        if self._partition(partition) not in master.partitions.rows:
            raise ScriptError(f"{master.name}, the master, has told of no partition table: use the data first")
        return seen.holders_of(master.partitions.rows[partition])

    def owner(self, partition: int) -> str:
        """Of a partition that has one."""
        owner = self.row(partition)[0]
        if owner is None:
            raise ScriptError(f"nobody owns partition {partition} at the moment")
        return owner

    def plan(self) -> dict[int, tuple[str | None, ...]]:
        """Of the master: the rows that partitions are to have, until the plan is carried out or cancelled."""
        seen = self._world.observed
        master = conditions.master_of(seen)
        targets = master.partitions.targets if master is not None else {}
        return {partition: seen.holders_of(row) for partition, row in targets.items()}

    def table_version(self, name: str) -> int:
        """Of the table that this node has; 0: it has none."""
        return self._world.observed.nodes[self._known(name)].partitions.version

    def is_safe(self) -> Condition:
        """All have settled, and every member that is awake says that all is in place and has its master's table. Once
        somebody has used the data, that is: before that nobody is safe."""
        return conditions.safe()

    def has_table(self, name: str, version: int | None = None) -> Condition:
        """It has the table of this very version, or with None any."""
        return conditions.has_table(
            self._known(name), None if version is None else whole(version, "a version of a table", least=1)
        )

    def searches(self, name: str) -> Condition:
        """As a new master it looks for the most recent table."""
        return conditions.searches(self._known(name))

    def migrates(self, partition: int | None = None) -> Condition:
        """A migration of this partition, or of any, is under way, by what its master has told."""
        return conditions.migrates(None if partition is None else self._partition(partition))

    def no_migrations(self) -> Condition:
        """None is under way, and none on the queue of a master; it may not have planned yet, though."""
        return conditions.no_migrations()

    def holds_replica(self, name: str, partition: int, index: int) -> Condition:
        """By the table of the master; index 0 is the owner."""
        if whole(index, "the index of a replica") >= MOST_REPLICAS:
            raise ScriptError(f"the index of a replica is at most {MOST_REPLICAS - 1}, not {index}")
        return conditions.holds_replica(self._known(name), self._partition(partition), index)

    def owns(self, name: str, partition: int) -> Condition:
        return self.holds_replica(name, partition, 0)

    def is_lost(self, partition: int) -> Condition:
        """Its master has told that all its replicas are gone, at some time of the run."""
        return conditions.lost(self._partition(partition))

    def _partition(self, number: int) -> int:
        if whole(number, "a partition") >= self.settings.partition_count:
            raise ScriptError(f"a partition is at most {self.settings.partition_count - 1} here, not {number}")
        return number
