"""All links of a joiner are so thin that its share of the data takes several heartbeat timeouts to get there.

Data travel in chunks, one unacknowledged a link: a slow link makes a slow migration, visible chunk by chunk, and never
a lost heartbeat. Where nothing crashes nobody is ever suspected, and operations wait no longer than one partition."""

from __future__ import annotations

from collections.abc import Mapping

from shaketable import SECOND, Cluster, Micros, Settings, Work, script
from shaketable.chaos.helpers.keeping import ABOUT, ONE_MAP, PARTITIONS, all_is_kept, fill

NODES = ("n1", "n2", "n3", "n4")
JOINER = "n4"
VALUE = 64_000
"""bytes: the data of one partition"""
TIMEOUTS = 3
"""heartbeat timeouts that all of it takes on its way"""
SETTINGS = {**ONE_MAP, "maps": "data=3"}
"""Every member holds all the data."""
CHUNKS = 3
"""of one partition that are seen to arrive, one after the other"""


def given_up_soon(run: Settings) -> Mapping[str, object]:
    """Before a partition has come; and then nothing is planned for so long that every wait for an answer ends."""
    timeout = run.heartbeat_timeout / SECOND
    return {**SETTINGS, "migration_timeout_seconds": timeout / 6, "migration_pause_seconds": 2 * timeout}


@script(about=ABOUT, settings=SETTINGS)
async def a_long_queue(cluster: Cluster) -> None:
    """Chunk by chunk the data crawl to n4, for several heartbeat timeouts, and nobody is suspected meanwhile."""
    work = await a_thin_join(cluster)
    await nobody_is_suspected_from_now_on(cluster)
    begun = cluster.seen.now()
    seen = await arrivals(cluster)
    assert len([counts for counts in seen.values() if len(counts) >= CHUNKS]) >= PARTITIONS, seen
    took = cluster.seen.now() - begun
    assert took > (TIMEOUTS - 1) * cluster.settings.heartbeat_timeout, f"it took {took / SECOND:g} s"
    await cluster.until(cluster.that.is_safe(), within=slow(cluster))
    await cluster.heal_all()
    await all_is_kept(cluster, work)


@script(about=ABOUT, settings=SETTINGS)
async def a_write_waits_for_a_thin_link(cluster: Cluster) -> None:
    """The data of a partition crawl to its new owner n4: a client that writes to it waits, and succeeds at n4.

    A client that reads from a partition of which only a backup is on its way does not wait."""
    work = await a_thin_join(cluster)
    await nobody_is_suspected_from_now_on(cluster)
    plan = cluster.seen.plan()
    moves = next(partition for partition, row in plan.items() if row[0] == JOINER)
    stays = next(partition for partition, row in plan.items() if row[0] != JOINER)
    await cluster.together(write_meanwhile(cluster, moves), read_meanwhile(cluster, stays))
    await cluster.until(cluster.that.is_safe(), within=slow(cluster))
    await cluster.heal_all()
    await all_is_kept(cluster, work)


async def write_meanwhile(cluster: Cluster, partition: int) -> None:
    await on_its_way(cluster, partition)
    called = cluster.seen.now()
    result = await cluster.put("n2", cluster.seen.key_in(partition, 1), "meanwhile")
    waited = cluster.seen.now() - called
    assert (result.outcome, result.holders[:1]) == ("ok", (JOINER,)), result
    assert waited > one_partition(cluster) // 4, f"it waited {waited / SECOND:g} s"


async def read_meanwhile(cluster: Cluster, partition: int) -> None:
    await on_its_way(cluster, partition)
    called = cluster.seen.now()
    result = await cluster.get("n2", cluster.seen.key_in(partition))
    waited = cluster.seen.now() - called
    assert result.outcome == "ok", result
    assert waited < one_partition(cluster) // 4, f"it waited {waited / SECOND:g} s"


async def on_its_way(cluster: Cluster, partition: int) -> None:
    """n4 takes part in its migration: then the owner does, too."""
    while (
        cluster.seen.plan() and (partition, "destination") not in cluster.seen.view(JOINER).partitions.active.values()
    ):
        await cluster.sleep(one_partition(cluster) // 16)


@script(about=ABOUT, settings=SETTINGS)
async def the_master_crashes_in_a_long_queue(cluster: Cluster) -> None:
    """The master n1 crashes with half of its queue done and one partition on its way: n2 goes on from there."""
    work = await a_thin_join(cluster)
    half = len(cluster.seen.view("n1").partitions.queue) // 2
    while len(cluster.seen.view("n1").partitions.queue) > half:
        await cluster.sleep(one_partition(cluster) // 8)
    await cluster.until(cluster.that.migrates(), within=one_partition(cluster))
    await cluster.kill("n1")
    # The claim waits its turn behind a chunk.
    await cluster.until(cluster.that.agree("n2", "n3", "n4"), within=cluster.bounds.crash + cluster.bounds.claim)
    await cluster.until(cluster.that.migrates(), within=slow(cluster))
    await cluster.until(cluster.that.is_safe(), within=slow(cluster))
    await cluster.heal_all()
    await all_is_kept(cluster, work)


@script(about=ABOUT, settings=given_up_soon)
async def a_partition_crawls_for_too_long(cluster: Cluster) -> None:
    """A migration to n4 takes longer than it may, and is given up: its owner sends no more of it, and asks no more.

    When the links are whole it is planned again."""
    work = await a_thin_join(cluster)
    given_up = await cluster.hold("n1", "MigrationFinished", where={"role": "master", "successful": False})
    within = cluster.settings.migration_timeout + cluster.bounds.crash
    await cluster.until_held("n1", "MigrationFinished", within=within)
    await cluster.heal(given_up)
    await cluster.sleep(cluster.settings.heartbeat_timeout + cluster.settings.heartbeat_interval)
    await cluster.heal_all()
    await all_is_kept(cluster, work, within=cluster.bounds.safe() + 2 * cluster.settings.migration_pause)


@script(about=ABOUT, settings=SETTINGS)
async def connections_break_while_data_crawl(cluster: Cluster) -> None:
    """All connections of n4 break once while data crawl to it, and come back: what was under way goes on."""
    await cluster.form(*NODES)
    await cluster.kill(JOINER)
    await cluster.until(cluster.that.agree(*NODES[:3]), within=cluster.bounds.crash)
    await fill(cluster, "n1", "data", size=VALUE)
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    await cluster.restart(JOINER)
    await cluster.together(*[cluster.thin(name, JOINER, rate(cluster)) for name in NODES[:3]])
    await cluster.until(cluster.that.migrates(), within=cluster.bounds.forming)
    await cluster.sleep(cluster.settings.heartbeat_interval)
    await cluster.until(cluster.that.migrates(), within=0)
    await cluster.reset(JOINER, NODES[:3])
    await cluster.expect(cluster.that.is_safe(), within=slow(cluster))
    await cluster.heal_all()
    await all_is_kept(cluster)


async def a_thin_join(cluster: Cluster) -> Work:
    """Goes on when the plan is made and the first of it is requested."""
    await cluster.form(*NODES[:3])
    await fill(cluster, "n1", "data", size=VALUE)
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    work = await cluster.work(["n2", "n3"], keys=4, pause=cluster.settings.heartbeat_interval // 4)
    planned = await cluster.hold("n1", "PartitionsPlanned")
    await cluster.start(JOINER)
    await cluster.until_held("n1", "PartitionsPlanned", within=cluster.bounds.forming)
    await cluster.together(*[cluster.thin(name, JOINER, rate(cluster)) for name in NODES[:3]])
    await cluster.heal(planned)
    return work


async def nobody_is_suspected_from_now_on(cluster: Cluster) -> None:
    """From the moment when all have the list with the joiner in it: it was under way when the plan was made."""
    await cluster.until(cluster.that.agree(*NODES), within=cluster.bounds.forming)
    cluster.always(cluster.that.agree(*NODES))
    for a in NODES:
        for b in NODES:
            if a != b:
                cluster.always(cluster.that.trusts(a, b))


async def arrivals(cluster: Cluster) -> dict[str, list[int]]:
    """By migration, how many of its chunks were seen to be there, until the plan is done."""
    seen: dict[str, list[int]] = {}
    while cluster.seen.plan():
        for name, stream in cluster.seen.view(JOINER).partitions.streams.items():
            counts = seen.setdefault(name, [])
            if stream.chunks not in counts:
                counts.append(stream.chunks)
        await cluster.sleep(one_partition(cluster) // 16)
    return seen


def rate(cluster: Cluster) -> int:
    """Bytes a second, in thousands."""
    return PARTITIONS * VALUE * SECOND // (TIMEOUTS * cluster.settings.heartbeat_timeout) // 1000 * 1000


def one_partition(cluster: Cluster) -> Micros:
    return VALUE * SECOND // rate(cluster)


def slow(cluster: Cluster) -> Micros:
    """Until all is safe where the data have to go over thin links, and perhaps again after a crash."""
    return cluster.bounds.safe() + 3 * PARTITIONS * one_partition(cluster)
