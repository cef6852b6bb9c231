"""What a script can look at: `cluster.seen` has it, as far as nodes have told it. Nothing of it is a step."""

from __future__ import annotations

from collections.abc import Sequence
from zlib import crc32

from shaketable.harness.conditions.data import master_of
from shaketable.harness.errors import ScriptError
from shaketable.harness.scripting.verbs.base import known_in, partition_in, whole
from shaketable.harness.scripting.world import World
from shaketable.harness.seen.run import NodeSeen
from shaketable.node.cluster.partition import planner
from shaketable.node.config import Settings
from shaketable.node.core.env import Micros
from shaketable.node.messages import Migration


class Seen:
    def __init__(self, world: World, settings: Settings, formed: Sequence[str]) -> None:
        self._world = world
        self._settings = settings
        self._formed = formed

    def now(self) -> Micros:
        """True time since the run began."""
        return self._world.now()

    def nodes(self) -> list[str]:
        """All nodes that this script has started so far, in that order, whether or not they still run."""
        return list(self._formed)

    def view(self, name: str) -> NodeSeen:
        """What this node believes, as far as it has reported it."""
        return self._world.observed.nodes[known_in(self._formed, name)]

    def members(self) -> list[str]:
        """The members by age, in the newest list of any node that is not ended, paused or held."""
        seen = self._world.observed
        joined = [n for n in seen.awake() if n.joined]
        return seen.names_of(max(joined, key=lambda n: n.version).members) if joined else []

    def master(self) -> str:
        """The first of `members()`."""
        members = self.members()
        if not members:
            raise ScriptError("nobody has joined, so there is no master")
        return members[0]

    def partition_of(self, key: str) -> int:
        """The partition of this key."""
        return crc32(key.encode()) % self._settings.partition_count

    def key_in(self, partition: int, number: int = 0) -> str:
        """A key of this partition. Each number gives another key."""
        partition_in(self._settings, partition)
        found = (f"k{n}" for n in range(10**9) if self.partition_of(f"k{n}") == partition)
        for _ in range(whole(number, "the number of a key")):
            next(found)
        return next(found)

    def row(self, partition: int) -> tuple[str | None, ...]:
        """The nodes that hold replica 0 (the owner), 1 and so on, by the master's table. None: nobody."""
        seen = self._world.observed
        master = master_of(seen)
        if master is None:
            raise ScriptError("nobody leads, so there is no table")
        if partition_in(self._settings, partition) not in master.partitions.rows:
            raise ScriptError(f"{master.name}, the master, has told of no partition table: use the data first")
        return seen.holders_of(master.partitions.rows[partition])

    def owner(self, partition: int) -> str:
        """The node that owns this partition. It must have an owner."""
        owner = self.row(partition)[0]
        if owner is None:
            raise ScriptError(f"nobody owns partition {partition} at the moment")
        return owner

    def plan(self) -> dict[int, tuple[str | None, ...]]:
        """The master's plan: the rows that partitions are to have, until the plan is carried out or cancelled."""
        seen = self._world.observed
        master = master_of(seen)
        targets = master.partitions.targets if master is not None else {}
        return {partition: seen.holders_of(row) for partition, row in targets.items()}

    def first_migration(self, partition: int) -> Migration:
        """The first migration that leads from this partition's row to its row in the master's plan."""
        planned = self.plan()
        if partition_in(self._settings, partition) not in planned:
            raise ScriptError(f"the master plans nothing for partition {partition}")
        migrations = planner.plan(self.row(partition), planned[partition])
        return migrations[planner.prioritised(migrations)[0]]

    def table_version(self, name: str) -> int:
        """The version of this node's table. 0: it has none."""
        return self.view(name).partitions.version
