"""What stories of crashes during a migration have in common: which migration, who has which part in it, and where it
is held while somebody is killed.

From the text on avoiding data loss on migration: master, partition owner, migration source (the old backup, if it is
not the owner), migration destination; and the next master. Nobody's part is told by name: it is read from the
plan of the master, before any migration of it has begun, so that the story is the same in both worlds."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any, Final

from shaketable import Cluster, Injected, Micros, crash_points
from shaketable.chaos import MERGING_OFF

MASTER: Final = crash_points.MASTER
OWNER: Final = crash_points.OWNER
OLD_BACKUP: Final = crash_points.OLD_BACKUP
DESTINATION: Final = crash_points.DESTINATION
NEXT: Final = crash_points.NEXT
ABOUT: Final = ("table order", "replica count", "commit order", "completed list", "no lost data", "in place")
MAPS: Final = ("data", "precious")
IN_BATCHES: Final = {"async_join": False}
"""The master holds as soon as a joiner is admitted: its own link to the joiner has to be up by then, or what tells the
joiner so is lost, and a master that is held does not repeat it."""
LARGE: Final = 40_000
"""bytes: a partition's data go in a few chunks"""


@dataclass(frozen=True, slots=True)
class Stage:
    """A cluster, and what happens to it so that partitions migrate."""

    comes: str
    """ "n5 joins", "n5 leaves" or "n5 crashes" """
    type: str
    """of the migration that the story is about"""
    of_the_owner: bool = False
    """the index of the partition's owner changes hands: it is the source"""
    master_is: str = ""
    """the master has this part in it, too"""
    racks: tuple[tuple[str, ...], ...] = ()
    """who is in one holds no two replicas of a partition"""
    partitions: int = 7
    large: int = LARGE
    """bytes of each partition"""

    @property
    def others(self) -> int:
        """Members besides the master, while partitions migrate."""
        return 3 if self.comes.endswith("crashes") else 4

    @property
    def settings(self) -> dict[str, object]:
        groups = "; ".join(" ".join(f"127.0.0.1:{5700 + int(name[1:])}" for name in rack) for rack in self.racks)
        own = {"partition_groups": groups} if groups else {}
        return {**MERGING_OFF, **IN_BATCHES, "partition_count": self.partitions, "maps": "data=1 precious=2", **own}


BACKUP_MOVE: Final = Stage("n5 joins", "MOVE", racks=(("n1", "n2"), ("n3",), ("n4", "n5")))
OWNER_MOVE: Final = Stage("n5 joins", "MOVE", True, racks=(("n1", "n2"), ("n3",), ("n4", "n5")))
SHIFT_DOWN: Final = Stage("n5 joins", "SHIFT DOWN")
COPY: Final = Stage("n5 crashes", "COPY", racks=(("n1", "n2"), ("n3",), ("n4", "n5")))
SHIFT_UP: Final = Stage("n5 crashes", "SHIFT UP")
BY_A_MASTER_THAT_OWNS: Final = Stage(
    "n5 joins", "MOVE", master_is=OWNER, racks=(("n1",), ("n2", "n3"), ("n4", "n5")), partitions=12
)
FROM_THE_MASTER: Final = Stage("n5 joins", "MOVE", master_is=OLD_BACKUP, racks=(("n1", "n5"), ("n2", "n3"), ("n4",)))
TO_THE_MASTER: Final = Stage("n5 leaves", "MOVE", master_is=DESTINATION, racks=(("n1", "n5"), ("n2", "n3"), ("n4",)))


@dataclass(frozen=True, slots=True)
class Migrating:
    """One migration, with the part of each member in it."""

    id: str
    partition: int
    parts: dict[str, str]

    def __getitem__(self, part: str) -> str:
        return self.parts[part]


Drama = Callable[[Cluster, Migrating, Injected], Coroutine[Any, Any, None]]
"""What happens to this migration. The hold that it is given, of the master before anything has begun, it has to end."""


async def while_migrating(
    cluster: Cluster, stage: Stage, drama: Drama, *, crashes: int = 1, read_at: Sequence[str] = ()
) -> None:
    """Data are written, clients are at work, and then partitions are to migrate: the master holds with its plan ready,
    and nothing of it begun. After the drama all gets safe by itself, and everything is read back: at these, one of each
    side of what has split, without any at the master."""
    who, _, what = stage.comes.partition(" ")
    first = ["n1", "n2", "n3", "n4"] if what == "joins" else ["n1", "n2", "n3", "n4", "n5"]
    await cluster.form(*first)
    for partition in range(cluster.settings.partition_count):
        key = cluster.seen.key_in(partition)
        await cluster.put("n2", key, f"small{partition}", map="data")
        await cluster.put("n2", key, f"large{partition} {'x' * stage.large}", map="precious")
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    # No client at the master: what it has to send in the step of a commit are then the tables alone.
    work = await cluster.work(first[1:], clients=1, keys=4, pause=cluster.settings.heartbeat_interval // 5)
    planned = await cluster.hold("n1", "PartitionsPlanned")

    async def go_on() -> None:
        await cluster.until_held("n1", "PartitionsPlanned", within=cluster.bounds.silence)
        await drama(cluster, _wanted(cluster, stage), planned)

    if what == "joins":
        await cluster.join(who)
        await go_on()
    elif what == "crashes":
        await cluster.kill(who)
        await go_on()
    else:
        await cluster.together(cluster.leave(who), go_on())
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe(crashes))
    await cluster.stop_work(work)
    await all_is_well(cluster, crashes, read_at)


async def all_is_well(cluster: Cluster, crashes: int, read_at: Sequence[str] = ()) -> None:
    await cluster.expect(cluster.that.is_safe(), within=cluster.bounds.safe(crashes))
    for via in read_at or cluster.seen.members()[:1]:
        for name in MAPS:
            reading = await cluster.read_back(via, map=name)
            assert reading.complete, f"{reading.outcomes} of {reading.keys} keys of {name}"
    # Writes in between to a backup alone, or missed by it, are mended by then; the checks count from here.
    mended = 2 * cluster.settings.backup_sync_interval + cluster.settings.backup_timeout
    await cluster.sleep(mended + cluster.settings.heartbeat_timeout)
    await cluster.take_stock()


async def crash(cluster: Cluster, stage: Stage, victim: str, phase: str, *, published: int = 1) -> None:
    """The member with this part is killed when the migration reaches this phase; then the held member goes on."""

    async def drama(cluster: Cluster, it: Migrating, planned: Injected) -> None:
        if phase == crash_points.FETCH_ANSWERED:
            await _during_the_search(cluster, it, victim, planned)
            return
        holder, held = await held_at(cluster, it, victim, phase, planned, published=published)
        await cluster.kill(it[victim])
        if holder != it[victim]:
            await cluster.heal(held)

    await while_migrating(cluster, stage, drama)


async def held_at(
    cluster: Cluster, it: Migrating, victim: str, phase: str, planned: Injected, *, published: int = 1, slow: Micros = 0
) -> tuple[str, Injected]:
    """Ends the master's hold with its plan, and goes on when the migration is held at this phase: by whom, and the
    hold. `slow` is what the data need on thin links."""
    holder, event, after, where = point(it, phase, victim, published)
    held = await cluster.hold(holder, event, after=after, where=where)
    await cluster.heal(planned)
    await cluster.until_held(holder, event, within=cluster.bounds.safe() + slow)
    return holder, held


def point(it: Migrating, phase: str, victim: str, published: int) -> tuple[str, str, int | None, dict[str, object]]:
    """Which member holds there, at which event, after how many messages, with which values."""
    its_own: dict[str, object] = {"migration": it.id}
    match phase:
        case crash_points.REQUESTED:
            # If it is the master that crashes, its request has left.
            away = victim == MASTER and it[OWNER] != it[MASTER]
            return it[MASTER], "MigrationRequested", 1 if away else None, {"partition": it.partition}
        case crash_points.FIRST_CHUNK:
            if victim == DESTINATION:
                return it[DESTINATION], "ChunkArrived", None, {"stream": it.id}
            return it[OWNER], "ChunkSent", 1, {"stream": it.id}
        case crash_points.COPIED:
            return it[MASTER], "MigrationCopied", None, its_own
        case crash_points.COMMIT_SENT:
            return it[MASTER], "CommitSent", 1, its_own
        case crash_points.DESTINATION_COMMITTED:
            return it[DESTINATION], "MigrationFinished", None, {**its_own, "role": "destination"}
        case crash_points.MASTER_COMMITTED:
            return it[MASTER], "MigrationFinished", None, {**its_own, "role": "master"}
        case crash_points.PUBLISHED:
            return it[MASTER], "MigrationFinished", published, {**its_own, "role": "master"}
        case crash_points.SOURCE_CLEARED:
            return it.parts.get(OLD_BACKUP, it[OWNER]), "ReplicaDropped", None, its_own
    raise AssertionError(phase)


async def _during_the_search(cluster: Cluster, it: Migrating, victim: str, planned: Injected) -> None:
    """The master is killed with its commit on the way, and the next one asks all for their tables. The victim is killed
    when it has answered; the new master, when it has the first answer."""
    await cluster.hold(it[MASTER], "CommitSent", after=1, where={"migration": it.id})
    event = "TableFetched" if victim == NEXT else "TableHandedOver"
    await cluster.hold(it[victim], event, after=None if victim == NEXT else 1)
    await cluster.heal(planned)
    await cluster.until_held(it[MASTER], "CommitSent", within=cluster.bounds.safe())
    await cluster.kill(it[MASTER])
    await cluster.until_held(it[victim], event, within=cluster.bounds.crash + cluster.bounds.claim)
    await cluster.kill(it[victim])


def _wanted(cluster: Cluster, stage: Stage) -> Migrating:
    """The first of its partition, and one in which nobody has two parts but the master, if the stage says so. It is
    still on the queue: the first of all is requested with the plan."""
    queue = cluster.seen.view("n1").partitions.queue
    first = {partition: name for name, partition in reversed(queue.items())}
    for partition, name in reversed(first.items()):
        row, migration = cluster.seen.row(partition), cluster.seen.first_migration(partition)
        parts = {MASTER: "n1", NEXT: "n2", OWNER: row[0] or "", DESTINATION: migration.destination or ""}
        if migration.source is not None and migration.source != row[0]:
            parts[OLD_BACKUP] = migration.source
        double = parts.get(stage.master_is or NEXT) == "n1"
        if (
            migration.type == stage.type
            and (migration.source == row[0]) == stage.of_the_owner
            and len(set(parts.values())) == len(parts) - double
            and (double or not stage.master_is)
        ):
            return Migrating(name, partition, parts)
    raise AssertionError(f"the plan has no {stage.type} as this story wants it: {cluster.seen.plan()}")
