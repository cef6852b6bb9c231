"""Two crashes during one migration, the second before the first is mended; a master that crashes while it still keeps
what has been completed, because a member has not acknowledged it; and an owner's crash that is known before the commit.

With two backups one of three holders is left after both, so nothing of the map that has them may be lost. Of the map
with one backup that may be, where both who held it are killed: then the check says so, and the script does not."""

from __future__ import annotations

from shaketable import Cluster, Injected, script
from shaketable import crash_points as at
from shaketable.chaos.helpers.migrating import (
    ABOUT,
    BACKUP_MOVE,
    DESTINATION,
    MASTER,
    NEXT,
    OLD_BACKUP,
    OWNER,
    OWNER_MOVE,
    SHIFT_DOWN,
    Migrating,
    Stage,
    held_at,
    point,
    while_migrating,
)


@script(about=ABOUT, settings=BACKUP_MOVE.settings)
async def the_master_and_then_the_destination_with_its_commit(cluster: Cluster) -> None:
    """The destination alone has committed when the master crashes, and crashes itself before it can tell anybody."""

    async def drama(cluster: Cluster, it: Migrating, planned: Injected) -> None:
        alone = {"migration": it.id, "role": "destination"}
        await cluster.hold(it[DESTINATION], "MigrationFinished", where=alone)
        await cluster.heal(planned)
        await cluster.until_held(it[DESTINATION], "MigrationFinished", within=cluster.bounds.safe())
        await cluster.kill(it[MASTER])
        await cluster.until(cluster.that.suspects(it[NEXT], it[MASTER]), within=cluster.bounds.crash)
        await cluster.kill(it[DESTINATION])

    await while_migrating(cluster, BACKUP_MOVE, drama, crashes=2)


@script(about=ABOUT, settings=SHIFT_DOWN.settings)
async def the_master_and_then_the_destination_at_once(cluster: Cluster) -> None:
    """The master crashes when it has told one follower of its commit, and the destination crashes with it."""
    await _two_at(cluster, SHIFT_DOWN, at.PUBLISHED, MASTER, DESTINATION)


@script(about=ABOUT, settings=OWNER_MOVE.settings)
async def the_master_and_then_the_new_owner(cluster: Cluster) -> None:
    """The master crashes with its commit on the way, and so does the destination, which was to be the owner."""
    await _two_at(cluster, OWNER_MOVE, at.COMMIT_SENT, MASTER, DESTINATION)


@script(about=ABOUT, settings=SHIFT_DOWN.settings)
async def the_master_and_then_the_next_in_line_that_alone_has_its_table(cluster: Cluster) -> None:
    """The master has published its commit to the next in line alone, and both crash; the destination has committed."""
    await _two_at(cluster, SHIFT_DOWN, at.PUBLISHED, MASTER, NEXT)


@script(about=ABOUT, settings=BACKUP_MOVE.settings)
async def the_new_master_crashes_with_the_newest_table_found(cluster: Cluster) -> None:
    """A second master crashes: it has found the most recent table and decided all, and has told nobody."""
    await _the_new_master_crashes(cluster, None)


@script(about=ABOUT, settings=BACKUP_MOVE.settings)
async def the_new_master_crashes_as_it_publishes_what_it_found(cluster: Cluster) -> None:
    """A second master crashes when it has told one follower of the most recent table that it found."""
    await _the_new_master_crashes(cluster, 1)


@script(about=ABOUT, settings=BACKUP_MOVE.settings)
async def the_owner_and_the_first_backup_at_once(cluster: Cluster) -> None:
    """While the first backup is to move, it and the owner crash; the second backup has all data."""
    await _two_at(cluster, BACKUP_MOVE, at.FIRST_CHUNK, OWNER, OLD_BACKUP)


@script(about=ABOUT, settings=SHIFT_DOWN.settings)
async def the_owner_and_then_the_backup_that_is_promoted(cluster: Cluster) -> None:
    """While the first backup is to be shifted down the owner crashes, and then that backup, when it is promoted."""
    await _the_owner_and_then_who_follows(cluster, SHIFT_DOWN)


@script(about=ABOUT, settings=BACKUP_MOVE.settings)
async def the_owner_and_then_the_backup_that_was_to_move(cluster: Cluster) -> None:
    """While the first backup is to move the owner crashes, and then that backup, just when it is promoted."""
    await _the_owner_and_then_who_follows(cluster, BACKUP_MOVE)


@script(about=ABOUT, settings=SHIFT_DOWN.settings)
async def the_master_crashes_before_all_acknowledged(cluster: Cluster) -> None:
    """n3's acknowledgements are lost, so the master keeps all that was completed; it crashes with its plan done."""

    async def drama(cluster: Cluster, it: Migrating, planned: Injected) -> None:
        lost = await cluster.drop("tableacknowledged", sender="n3", to=["n1"])
        await cluster.hold("n1", "PlanDone")
        await cluster.heal(planned)
        await cluster.until_held("n1", "PlanDone", within=cluster.bounds.safe())
        kept = cluster.seen.view("n1").partitions.completed
        assert len(kept) > 1, f"the master keeps {len(kept)} completed migrations"
        await cluster.kill("n1")
        await cluster.heal(lost)

    await while_migrating(cluster, SHIFT_DOWN, drama)


@script(about=ABOUT, settings=OWNER_MOVE.settings)
async def the_owner_is_gone_before_the_master_hears_of_the_commit(cluster: Cluster) -> None:
    """The destination has committed, and the master takes the owner off its list before it knows: the commit stands."""

    async def drama(cluster: Cluster, it: Migrating, planned: Injected) -> None:
        _, held = await held_at(cluster, it, OWNER, at.DESTINATION_COMMITTED, planned)
        left = [name for name in cluster.seen.members() if name != it[OWNER]]
        version = cluster.seen.view(it[MASTER]).version + 1
        await cluster.kill(it[OWNER])
        removed = cluster.that.has_list(it[MASTER], version=version, members=left)
        await cluster.until(removed, within=cluster.bounds.crash)
        await cluster.heal(held)

    await while_migrating(cluster, OWNER_MOVE, drama)


async def _two_at(cluster: Cluster, stage: Stage, phase: str, one: str, other: str) -> None:
    """Both are killed at this phase, one right after the other."""

    async def drama(cluster: Cluster, it: Migrating, planned: Injected) -> None:
        holder, event, after, where = point(it, phase, one, 1)
        await cluster.hold(holder, event, after=after, where=where)
        await cluster.heal(planned)
        await cluster.until_held(holder, event, within=cluster.bounds.safe())
        await cluster.kill(it[one])
        await cluster.kill(it[other])

    await while_migrating(cluster, stage, drama, crashes=2)


async def _the_new_master_crashes(cluster: Cluster, after: int | None) -> None:
    async def drama(cluster: Cluster, it: Migrating, planned: Injected) -> None:
        await cluster.hold(it[MASTER], "CommitSent", after=1, where={"migration": it.id})
        await cluster.hold(it[NEXT], "TableSearchEnded", after=after)
        await cluster.heal(planned)
        await cluster.until_held(it[MASTER], "CommitSent", within=cluster.bounds.safe())
        await cluster.kill(it[MASTER])
        await cluster.until_held(it[NEXT], "TableSearchEnded", within=cluster.bounds.crash + cluster.bounds.claim)
        await cluster.kill(it[NEXT])

    await while_migrating(cluster, BACKUP_MOVE, drama, crashes=2)


async def _the_owner_and_then_who_follows(cluster: Cluster, stage: Stage) -> None:
    async def drama(cluster: Cluster, it: Migrating, planned: Injected) -> None:
        holder, event, after, where = point(it, at.FIRST_CHUNK, OWNER, 1)
        await cluster.hold(holder, event, after=after, where=where)
        await cluster.hold(it[OLD_BACKUP], "ReplicaPromoted", where={"partition": it.partition})
        await cluster.heal(planned)
        await cluster.until_held(holder, event, within=cluster.bounds.safe())
        await cluster.kill(it[OWNER])
        await cluster.until_held(it[OLD_BACKUP], "ReplicaPromoted", within=cluster.bounds.crash)
        await cluster.kill(it[OLD_BACKUP])

    await while_migrating(cluster, stage, drama, crashes=2)
