"""All links of a joiner are so thin that the master's queue is long when somebody crashes: the master at each phase of
a commit, and each other participant at one phase.

From text 3.2.1: what is committed is found by the next master, what is not is rolled back, and the rest of the queue is
planned afresh and crawls on over the same links. See migration_crashes.py for all crash points on ordinary links, and
slow_migrations.py for thin links with no hold."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from shaketable import SECOND, Cluster, Injected, Micros, script
from shaketable import crash_points as at
from shaketable.chaos.helpers import keeping
from shaketable.chaos.helpers.migrating import (
    BACKUP_MOVE,
    DESTINATION,
    MASTER,
    OLD_BACKUP,
    OWNER,
    OWNER_MOVE,
    Migrating,
    Stage,
    held_at,
    while_migrating,
)

JOINER: Final = "n5"
PARTITIONS: Final = 24
SHARE: Final = PARTITIONS // 2
"""of the replicas that n4 has had alone in its rack: so many migrations of a whole partition"""
QUEUED: Final = SHARE // 2
"""migrations that wait for the one at which somebody crashes, at least"""
TIMEOUTS: Final = 2
"""heartbeat timeouts that the data of the joiner's share take on their way"""
OF_A_BACKUP: Final = replace(BACKUP_MOVE, partitions=PARTITIONS, large=64_000)
OF_THE_OWNER: Final = replace(OWNER_MOVE, partitions=PARTITIONS, large=64_000)


@script(about=keeping.ABOUT, settings=OF_A_BACKUP.settings)
async def the_master_crashes_before_a_slow_commit_is_sent(cluster: Cluster) -> None:
    """A backup's data have crawled to n5, and the master crashes before it tells n5 to commit: it is rolled back."""
    await crash_in_a_long_queue(cluster, OF_A_BACKUP, MASTER, at.COPIED)


@script(about=keeping.ABOUT, settings=OF_A_BACKUP.settings)
async def the_master_crashes_when_a_slow_destination_has_committed(cluster: Cluster) -> None:
    """n5 has committed a slow move of a backup when the master crashes unaware: the next one learns it from n5."""
    await crash_in_a_long_queue(cluster, OF_A_BACKUP, MASTER, at.DESTINATION_COMMITTED)


@script(about=keeping.ABOUT, settings=OF_A_BACKUP.settings)
async def the_master_crashes_before_it_publishes_a_slow_commit(cluster: Cluster) -> None:
    """n5 and the master have committed a slow move of a backup, and the master crashes: only n5 has that table."""
    await crash_in_a_long_queue(cluster, OF_A_BACKUP, MASTER, at.MASTER_COMMITTED)


@script(about=keeping.ABOUT, settings=OF_THE_OWNER.settings)
async def the_master_crashes_before_a_slow_commit_of_an_owner_is_sent(cluster: Cluster) -> None:
    """The data of an owner have crawled to n5, and the master crashes before the commit: the old owner stays."""
    await crash_in_a_long_queue(cluster, OF_THE_OWNER, MASTER, at.COPIED)


@script(about=keeping.ABOUT, settings=OF_THE_OWNER.settings)
async def the_master_crashes_when_a_slow_new_owner_has_committed(cluster: Cluster) -> None:
    """n5 has committed as owner when the master crashes: the old owner, taking no writes, hears so from the next."""
    await crash_in_a_long_queue(cluster, OF_THE_OWNER, MASTER, at.DESTINATION_COMMITTED)


@script(about=keeping.ABOUT, settings=OF_THE_OWNER.settings)
async def the_master_crashes_before_it_publishes_a_slow_new_owner(cluster: Cluster) -> None:
    """The master crashes when it and the new owner n5 have committed: the next master tells the old owner."""
    await crash_in_a_long_queue(cluster, OF_THE_OWNER, MASTER, at.MASTER_COMMITTED)


@script(about=keeping.ABOUT, settings=OF_A_BACKUP.settings)
async def an_owner_crashes_while_its_data_crawl(cluster: Cluster) -> None:
    """An owner crashes with some chunks at n5: n5 gives them up, and gets the data from the next owner."""
    await crash_in_a_long_queue(cluster, OF_A_BACKUP, OWNER, at.FIRST_CHUNK)


@script(about=keeping.ABOUT, settings=OF_A_BACKUP.settings)
async def an_old_backup_crashes_before_it_hears_of_a_slow_commit(cluster: Cluster) -> None:
    """The old backup n4 crashes when n5 has committed: all that n4 had has to crawl to n5, too."""
    await crash_in_a_long_queue(cluster, OF_A_BACKUP, OLD_BACKUP, at.DESTINATION_COMMITTED)


@script(about=keeping.ABOUT, settings=OF_A_BACKUP.settings)
async def a_destination_crashes_with_a_slow_commit_on_its_way(cluster: Cluster) -> None:
    """n5 crashes with a commit on its way and a long queue behind that: n4 keeps its replicas."""
    await crash_in_a_long_queue(cluster, OF_A_BACKUP, DESTINATION, at.COMMIT_SENT)


async def crash_in_a_long_queue(cluster: Cluster, stage: Stage, victim: str, phase: str) -> None:
    async def drama(cluster: Cluster, it: Migrating, planned: Injected) -> None:
        others = [name for name in cluster.seen.members() if name != JOINER]
        await cluster.together(*[cluster.thin(name, JOINER, rate(cluster, stage)) for name in others])
        begun = cluster.seen.now()
        holder, held = await held_at(cluster, it, victim, phase, planned, slow=crawling(cluster, stage))
        the_queue_is_long(cluster, stage, it, cluster.seen.now() - begun)
        await cluster.kill(it[victim])
        if holder != it[victim]:
            await cluster.heal(held)
        # The migration under way is done again; without the old backup n5 gets the other half as well.
        await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe(1) + 3 * crawling(cluster, stage))
        await cluster.heal_all()

    await while_migrating(cluster, stage, drama)


def the_queue_is_long(cluster: Cluster, stage: Stage, it: Migrating, took: Micros) -> None:
    """And what came before this one has crawled."""
    master = cluster.seen.view(it[MASTER]).partitions
    assert len(master.queue) >= QUEUED, f"only {len(master.queue)} migrations wait"
    before = master.done.get(True, 0)
    assert took > before * crawling(cluster, stage) // SHARE // 2, f"{before} took {took / SECOND:g} s"


def rate(cluster: Cluster, stage: Stage) -> int:
    """Bytes a second, in thousands."""
    return SHARE * stage.large * SECOND // (TIMEOUTS * cluster.settings.heartbeat_timeout) // 1000 * 1000


def crawling(cluster: Cluster, stage: Stage) -> Micros:
    """All of the joiner's share, one after the other."""
    return SHARE * stage.large * SECOND // rate(cluster, stage)
