"""Three members become five, and three again, while clients write and read on and every migration takes many chunks."""

from shaketable import MILLISECOND, Cluster, Work, script
from shaketable.chaos.helpers.keeping import (
    ABOUT,
    BUSY,
    IN_RACKS,
    LARGE,
    ONE_MAP,
    PARTITIONS,
    SETTINGS,
    all_is_kept,
    fill,
    has_kept,
    joins_and_partitions_move,
)

FEW_MIGRATIONS = 400 * MILLISECOND


@script(about=ABOUT, settings=SETTINGS)
async def three_five_three_by_leaving(cluster: Cluster) -> None:
    """n4 joins, n5 joins while partitions go to n4, and both leave, n4 while n5's go: no data are lost."""
    await by_leaving(cluster)


@script(about=ABOUT, settings=IN_RACKS)
async def three_five_three_by_leaving_in_racks(cluster: Cluster) -> None:
    """n4 and n5 join and leave in three racks: each partition has three replicas throughout, and some move."""
    await by_leaving(cluster)


async def by_leaving(cluster: Cluster) -> None:
    works = await three_become_five(cluster)
    works.append(await cluster.work(["n4"], keys=4, pause=BUSY))
    await cluster.together(cluster.leave("n5"), leave_meanwhile(cluster, "n4"))
    await cluster.expect(cluster.that.agree("n1", "n2", "n3"), within=cluster.bounds.crash)
    await all_is_kept(cluster, *works)


async def leave_meanwhile(cluster: Cluster, name: str) -> None:
    await cluster.until(cluster.that.migrates(), within=cluster.bounds.silence)
    await cluster.leave(name)


@script(about=ABOUT, settings=ONE_MAP)
async def answers_that_come_when_backups_have_moved(cluster: Cluster) -> None:
    """The owners' answers are lost until n4 has joined: by then some backups are others, and the answers name those."""
    await cluster.form("n1", settings={"lite_member": True})
    await cluster.join("n2", "n3")
    await fill(cluster, "n1", "data")
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    lost = await cluster.together(*[cluster.drop("operationanswer", sender=name, to=["n1"]) for name in ("n2", "n3")])

    async def n4_joins() -> None:
        await cluster.until(cluster.that.caught(lost[0]) & cluster.that.caught(lost[1]), within=cluster.bounds.crash)
        await cluster.join("n4")
        await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
        await cluster.together(*map(cluster.heal, lost))

    keys = [cluster.seen.key_in(partition, 1) for partition in range(PARTITIONS)]
    await cluster.together(n4_joins(), *[cluster.put("n1", key, f"at-{key}") for key in keys])
    await cluster.expect(cluster.that.agree("n1", "n2", "n3", "n4"), within=cluster.bounds.crash)
    await all_is_kept(cluster)


@script(about=ABOUT, settings={**ONE_MAP, "partition_count": 16})
async def nine_and_one_leaves(cluster: Cluster) -> None:
    """There are more members than replicas, so any may own any partition: no more get another owner than have to."""
    names = [f"n{number}" for number in range(1, 10)]
    await cluster.form(*names)
    await fill(cluster, "n1", "data")
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    await cluster.leave("n5")
    left = [name for name in names if name != "n5"]
    await cluster.expect(cluster.that.agree(*left), within=cluster.bounds.crash)
    await all_is_kept(cluster)


@script(about=ABOUT, settings=SETTINGS)
async def three_five_three_by_crashes(cluster: Cluster) -> None:
    """n4 and n5 join; n5 crashes, and n4 when all is safe again: no data are lost."""
    await by_crashes(cluster)


@script(about=ABOUT, settings=IN_RACKS)
async def three_five_three_by_crashes_in_racks(cluster: Cluster) -> None:
    """In three racks n4 and n5 join; n5 crashes, then n4: their data are copied to the others in their racks."""
    await by_crashes(cluster)


async def by_crashes(cluster: Cluster) -> None:
    works = await three_become_five(cluster)
    for victim, left in (("n5", ["n1", "n2", "n3", "n4"]), ("n4", ["n1", "n2", "n3"])):
        await cluster.kill(victim)
        await cluster.until(cluster.that.agree(*left), within=cluster.bounds.crash)
        await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    await all_is_kept(cluster, *works)


@script(about=ABOUT, settings=SETTINGS)
async def any_two_crash_while_partitions_move(cluster: Cluster) -> None:
    """Two of five crash shortly after each other while partitions migrate: the map with two backups loses nothing.

    Of the map with two backups nothing is lost, whoever it is and whenever; of the other one it may be."""
    await any_two_crash(cluster)


@script(about=ABOUT, settings=IN_RACKS)
async def any_two_crash_while_partitions_move_in_racks(cluster: Cluster) -> None:
    """In three racks, where backups move, two of five crash meanwhile: the map with two backups loses nothing."""
    await any_two_crash(cluster)


async def any_two_crash(cluster: Cluster) -> None:
    nodes, draw = ["n1", "n2", "n3", "n4", "n5"], cluster.rng
    works = await three_become_four(cluster)
    await joins_and_partitions_move(cluster, "n5")
    for _ in range(2):
        await cluster.sleep(draw.randrange(FEW_MIGRATIONS))
        await cluster.kill(nodes.pop(draw.randrange(len(nodes))))
    await cluster.until(cluster.that.agree(*nodes), within=cluster.bounds.settle())
    for partition in range(PARTITIONS):
        assert await has_kept(cluster, nodes[0], "precious", partition), partition
    await all_is_kept(cluster, *works)


async def three_become_five(cluster: Cluster) -> list[Work]:
    works = await three_become_four(cluster)
    await cluster.join("n5")
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    return works


async def three_become_four(cluster: Cluster) -> list[Work]:
    """Not quite yet: partitions are still on their way to n4."""
    await cluster.form("n1", "n2", "n3")
    await fill(cluster, "n1", "data", "precious", size=LARGE)
    works = [
        await cluster.work(["n1", "n2", "n3"], keys=4, pause=BUSY),
        await cluster.work(["n2"], map="precious", keys=4, size=2000, pause=BUSY),
    ]
    await joins_and_partitions_move(cluster, "n4")
    return works
