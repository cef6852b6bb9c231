"""Planted bugs: members that break one rule of the data each, and the scripts under which the checks catch them.

As in planted.py; here are also the scripts, for all of them need data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from tests.planted.planted_merging_data import MERGED_CASES

from shaketable.chaos.migration.colder_backups import NODES, TWO_BACKUPS, the_first_backup_misses_a_write
from shaketable.harness.scripting.cluster import Cluster
from shaketable.harness.scripting.scripts import Script, script
from shaketable.node.cluster.member import ClusterMember
from shaketable.node.cluster.partition.held import Write
from shaketable.node.cluster.partition.services import SOURCE, PartitionMigrationEvent
from shaketable.node.config import Settings
from shaketable.node.core.env import Env
from shaketable.node.events import PartitionLost, ReplicaPromoted
from shaketable.node.messages import Address, MigrationInfo, Row

FEW: Final = {"partition_count": 12}
ALL: Final = ("no lost data", "balanced", "in place")


@script(about=ALL, settings={**FEW, "maps": "data=2"})
async def a_join_and_crashes(cluster: Cluster) -> None:
    """A member joins while clients write, and two die one after the other: with two backups nothing is lost."""
    await cluster.form("n1", "n2", "n3", "n4")
    work = await cluster.work(["n1", "n2"], clients=2, keys=6, size=100, pause=50_000)
    await cluster.sleep(cluster.settings.heartbeat_interval)
    await cluster.join("n5")
    await cluster.sleep(cluster.settings.heartbeat_interval)
    await cluster.stop_work(work)
    await cluster.kill("n4")
    await cluster.sleep(cluster.settings.heartbeat_interval)
    await cluster.kill("n3")
    await cluster.sleep(cluster.bounds.settle() + cluster.settings.heartbeat_timeout)
    await cluster.read_back("n2")
    await cluster.take_stock()


@script(about=ALL, settings={**FEW, "maps": "data=1"})
async def a_join(cluster: Cluster) -> None:
    """A member joins while clients write, and takes replicas over from all."""
    await cluster.form("n1", "n2", "n3")
    work = await cluster.work(["n1", "n2"], clients=2, keys=6, size=100, pause=50_000)
    await cluster.sleep(cluster.settings.heartbeat_interval)
    await cluster.join("n4")
    await cluster.sleep(cluster.settings.heartbeat_interval)
    await cluster.stop_work(work)
    await cluster.sleep(cluster.bounds.settle() + cluster.settings.heartbeat_timeout)
    await cluster.read_back("n1")
    await cluster.take_stock()


@script(about=ALL, settings={**FEW, "maps": "data=1"})
async def all_data_members_die(cluster: Cluster) -> None:
    """The master is a lite member; both who hold data die, and another one comes: every partition is lost."""
    await cluster.form("n1", settings={"lite_member": True})
    await cluster.join("n2", "n3")
    work = await cluster.work("n1", clients=2, keys=6, size=100, operations=20)
    await cluster.until_worked(work, within=cluster.settings.operation_timeout)
    await cluster.kill("n3")
    await cluster.kill("n2")
    await cluster.sleep(cluster.settings.heartbeat_interval)
    await cluster.join("n4")
    await cluster.sleep(cluster.bounds.settle() + cluster.settings.heartbeat_timeout)
    await cluster.read_back("n1")
    await cluster.take_stock()


@script(about=["no lost data"], settings={**FEW, "maps": "data=0"})
async def a_member_leaves_and_the_master(cluster: Cluster) -> None:
    """No backups are kept of the data; a member leaves, then the master does: what they held is moved before."""
    await cluster.form("n1", "n2", "n3")
    work = await cluster.work("n2", clients=2, keys=12, size=100, operations=20)
    await cluster.until_worked(work, within=cluster.settings.operation_timeout)
    await cluster.leave("n3")
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    await cluster.leave("n1")
    await cluster.sleep(cluster.bounds.settle() + cluster.bounds.safe())
    await cluster.read_back("n2")


@script(about=["no lost data"], settings=TWO_BACKUPS)
async def the_owner_of_what_the_first_backup_missed_crashes(cluster: Cluster) -> None:
    """The second backup has a write that the first has not, and the first is promoted."""
    await cluster.form(*NODES)
    _, owner, _, _ = await the_first_backup_misses_a_write(cluster)
    await cluster.kill(owner)
    await cluster.sleep(cluster.bounds.settle() + cluster.settings.heartbeat_timeout)
    await cluster.read_back("n1")


@script(about=["in place"], settings={**FEW, "maps": "data=1"})
async def a_backup_misses_a_write(cluster: Cluster) -> None:
    """One message to a backup is lost. Stock is taken when all say that they are safe, and at the end."""
    await cluster.form("n1", "n2", "n3")
    await cluster.put("n1", "k", "x1")
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    owner = str(cluster.seen.owner(cluster.seen.partition_of("k")))
    deaf = await cluster.drop("backup", sender=owner)
    await cluster.put(owner, "k", "x2")
    await cluster.heal(deaf)
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    await cluster.sleep(1_000)
    await cluster.take_stock()
    await cluster.sleep(3 * cluster.settings.backup_sync_interval)
    await cluster.take_stock()


class LetsGoAtOnce(ClusterMember):
    """No lost data: who wants to leave is let go with all it holds."""

    def __init__(self, env: Env, address: Address, addresses: Sequence[Address], settings: Settings) -> None:
        super().__init__(env, address, addresses, settings)
        self.partitions.leaving.may_go = lambda member: True  # type: ignore[method-assign]


class ForgetsOnPromotion(ClusterMember):
    """No lost data: a backup that becomes the owner clears what it had, as one does that expects it from the owner."""

    def __init__(self, env: Env, address: Address, addresses: Sequence[Address], settings: Settings) -> None:
        super().__init__(env, address, addresses, settings)
        store = self.partitions.store
        promoted = store.promoted

        def forget(partition: int, table_version: int) -> None:
            store._partitions.pop(partition, None)
            promoted(partition, table_version)

        store.promoted = forget  # type: ignore[method-assign]


class AsksNobody(ClusterMember):
    """No lost data: a backup that becomes the owner takes what it has for all there is."""

    def __init__(self, env: Env, address: Address, addresses: Sequence[Address], settings: Settings) -> None:
        super().__init__(env, address, addresses, settings)
        self.partitions.store.keeps = lambda replica: False  # type: ignore[method-assign]


class TakesNothing(ClusterMember):
    """No lost data: it asks, and leaves it at that."""

    def __init__(self, env: Env, address: Address, addresses: Sequence[Address], settings: Settings) -> None:
        super().__init__(env, address, addresses, settings)
        self.partitions.store.lacks = lambda partition, versions: False  # type: ignore[method-assign]


class TellsNoLoss(ClusterMember):
    """No lost data: a partition that has lost all its replicas gets an owner, and no event says so."""

    def __init__(self, env: Env, address: Address, addresses: Sequence[Address], settings: Settings) -> None:
        super().__init__(env, address, addresses, settings)
        report = env.report
        env.report = lambda event: None if isinstance(event, PartitionLost) else report(event)  # type: ignore[method-assign]


class TellsNoPromotion(ClusterMember):
    """No lost data: a backup becomes the owner, and nothing says what was lost with those at hotter indexes."""

    def __init__(self, env: Env, address: Address, addresses: Sequence[Address], settings: Settings) -> None:
        super().__init__(env, address, addresses, settings)
        report = env.report
        env.report = lambda event: None if isinstance(event, ReplicaPromoted) else report(event)  # type: ignore[method-assign]


class StartsNoMigration(ClusterMember):
    """Balanced: the master's queue comes to its end, and nobody was asked for anything."""

    def __init__(self, env: Env, address: Address, addresses: Sequence[Address], settings: Settings) -> None:
        super().__init__(env, address, addresses, settings)
        self.partitions.migrating.start = lambda info: None  # type: ignore[method-assign]


class OwnsAllItself(ClusterMember):
    """Balanced: the master gives itself every partition of which it holds a replica."""

    def __init__(self, env: Env, address: Address, addresses: Sequence[Address], settings: Settings) -> None:
        super().__init__(env, address, addresses, settings)
        targets = self.partitions.control._targets

        def greedy(rows: Iterable[Row], members: list[str]) -> list[Row]:
            me = self.me.uuid
            return [(me, *(uuid for uuid in row if uuid != me)) if me in row else row for row in targets(rows, members)]

        self.partitions.control._targets = greedy  # type: ignore[method-assign]


class GivesUpItsQueue(ClusterMember):
    """Balanced: the master forgets what is left on its queue after the first migration."""

    def __init__(self, env: Env, address: Address, addresses: Sequence[Address], settings: Settings) -> None:
        super().__init__(env, address, addresses, settings)
        control, migrating = self.partitions.control, self.partitions.migrating
        start = migrating.start

        def start_and_forget(info: MigrationInfo) -> None:
            control._queue.clear()
            control._planned = False
            start(info)

        migrating.start = start_and_forget  # type: ignore[method-assign]


class KeepsWhatItGaveUp(ClusterMember):
    """In place: who gives up an index keeps its data."""

    def __init__(self, env: Env, address: Address, addresses: Sequence[Address], settings: Settings) -> None:
        super().__init__(env, address, addresses, settings)
        store = self.partitions.store
        commit = store.commit_migration

        def keep(event: PartitionMigrationEvent) -> None:
            if event.endpoint != SOURCE:
                commit(event)

        store.commit_migration = keep  # type: ignore[method-assign]


class DoubtsNobody(ClusterMember):
    """In place: it says that it is safe, though a backup has not said that it has a write."""

    def __init__(self, env: Env, address: Address, addresses: Sequence[Address], settings: Settings) -> None:
        super().__init__(env, address, addresses, settings)
        self.partitions.antientropy.doubt = lambda partition, holder: None  # type: ignore[method-assign]


class KeepsTheBeginning(ClusterMember):
    """No lost data: of a long value it keeps the beginning."""

    def __init__(self, env: Env, address: Address, addresses: Sequence[Address], settings: Settings) -> None:
        super().__init__(env, address, addresses, settings)
        store = self.partitions.store
        write = store.write

        def cut(*of: Any) -> Write:
            partition, name, client, number, does, key, value, *rest = of
            return write(partition, name, client, number, does, key, value[:60], *rest)

        store.write = cut  # type: ignore[method-assign, assignment]


class TakesHalfOver(ClusterMember):
    """In place: an entry is lost where a backup takes data over, and its versions say that all is well."""

    def __init__(self, env: Env, address: Address, addresses: Sequence[Address], settings: Settings) -> None:
        super().__init__(env, address, addresses, settings)
        store = self.partitions.store
        replicate = store.replicate

        def lose_one(partition: int, replica_index: int, data: bytes) -> None:
            replicate(partition, replica_index, data)
            for held in store._partitions.get(partition, {}).values():
                if replica_index and held.data.entries:
                    del held.data.entries[min(held.data.entries)]

        store.replicate = lose_one  # type: ignore[method-assign]


DATA_CASES: Final[list[tuple[str, Script, type[ClusterMember]]]] = [
    ("no lost data", a_join_and_crashes, ForgetsOnPromotion),
    ("no lost data", all_data_members_die, TellsNoLoss),
    ("no lost data", a_join, KeepsTheBeginning),
    ("no lost data", the_owner_of_what_the_first_backup_missed_crashes, AsksNobody),
    ("no lost data", the_owner_of_what_the_first_backup_missed_crashes, TakesNothing),
    ("no lost data", a_member_leaves_and_the_master, LetsGoAtOnce),
    ("no lost data", a_join_and_crashes, TellsNoPromotion),
    ("balanced", a_join, StartsNoMigration),
    ("balanced", a_join_and_crashes, OwnsAllItself),
    ("balanced", a_join, GivesUpItsQueue),
    ("in place", a_join, KeepsWhatItGaveUp),
    ("in place", a_join_and_crashes, TakesHalfOver),
    ("in place", a_backup_misses_a_write, DoubtsNobody),
    *MERGED_CASES,
]
