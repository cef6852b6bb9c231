"""Figure 5 of the text on partial member disconnection, while members hold data and clients write and read at each.

N2 cannot talk to N3 and N4, and all can to the master N1. With a count of 0 nobody decides: what a client at N2 wants
of a partition of N3 or N4 fails, and the reverse, as long as that lasts, and no acknowledged write is lost. With a
count of 5 it ends: N2 has to go, and what it held has other owners. n1 to n4 are the text's N1 to N4."""

from __future__ import annotations

from shaketable import Cluster, Work, script
from shaketable.chaos import MERGING_OFF, RESOLVING
from shaketable.chaos.helpers.breaks import BLACK_HOLE, CUT, begin_all, noticed
from shaketable.chaos.helpers.migrating import ABOUT as OF_MIGRATIONS
from shaketable.chaos.helpers.migrating import all_is_well
from shaketable.chaos.helpers.migrating_on import fill
from shaketable.chaos.helpers.one_decision import told

ABOUT = (*OF_MIGRATIONS, "balanced")
ALL = ("n1", "n2", "n3", "n4")
N2_TO_BOTH = (("n2", "n3"), ("n2", "n4"))
DATA = {"partition_count": 8, "maps": "data=1 precious=2"}
UNDECIDED = {**MERGING_OFF, **DATA}
DECIDED = {**RESOLVING, **DATA}


@script(about=ABOUT, settings=UNDECIDED)
async def figure_5_under_load_undecided_cut(cluster: Cluster) -> None:
    """N2 is cut off from N3 and N4: their operations on each other's partitions fail until the links are whole."""
    await some_fail_and_none_is_lost(cluster, CUT)


@script(about=ABOUT, settings=UNDECIDED)
async def figure_5_under_load_undecided_black_hole(cluster: Cluster) -> None:
    """N2 and N3, N4 fall silent to each other: their operations on each other's partitions fail until that ends."""
    await some_fail_and_none_is_lost(cluster, BLACK_HOLE)


@script(about=ABOUT, settings=UNDECIDED)
async def figure_5_under_load_undecided_one_way(cluster: Cluster) -> None:
    """N3 and N4 do not hear N2: no operation between N2 and the two succeeds in either direction."""
    await some_fail_and_none_is_lost(cluster, BLACK_HOLE, one_way=True)


@script(about=(*ABOUT, "best clique"), settings=DECIDED)
async def figure_5_under_load_decided_cut(cluster: Cluster) -> None:
    """N2 is cut off from N3 and N4, and the master removes it: then each operation of the other three succeeds."""
    await it_ends(cluster, CUT)


@script(about=(*ABOUT, "best clique"), settings=DECIDED)
async def figure_5_under_load_decided_black_hole(cluster: Cluster) -> None:
    """N2 and N3, N4 fall silent to each other: a timeout later N2 is removed, and the others' operations succeed."""
    await it_ends(cluster, BLACK_HOLE)


@script(about=(*ABOUT, "best clique"), settings=DECIDED)
async def figure_5_under_load_decided_one_way(cluster: Cluster) -> None:
    """N2 cannot reach N3 and N4: N2 alone notices, complains, and has to go; then the others' operations succeed."""
    await it_ends(cluster, CUT, one_way=True)


async def some_fail_and_none_is_lost(cluster: Cluster, how: str, *, one_way: bool = False) -> None:
    work = await all_at_work(cluster)
    cluster.always(cluster.that.agree(*ALL) & cluster.that.has_resolved("n1", times=0))
    of = {
        name: next(p for p in range(cluster.settings.partition_count) if cluster.seen.owner(p) == name) for name in ALL
    }
    await begin_all(cluster, how, *N2_TO_BOTH, one_way=one_way)
    await cluster.sleep(noticed(cluster, how))
    pairs = [("n2", "n3"), ("n2", "n4"), ("n3", "n2"), ("n4", "n2")]
    # At once, for each takes until nobody tries any longer.
    await cluster.together(*[they_fail(cluster, via, of[owner]) for via, owner in pairs])
    for name in ALL:
        await succeeds(cluster, name, of["n1"])
        await succeeds(cluster, name, of[name])
        await succeeds(cluster, "n1", of[name])
    await cluster.heal_all()
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    for via, owner in pairs:
        await succeeds(cluster, via, of[owner])
    await cluster.stop_work(work)
    await all_is_well(cluster, 1)


async def they_fail(cluster: Cluster, via: str, partition: int) -> None:
    """Nobody knows what becomes of the first: it may have been applied, where answers alone are lost."""
    key = cluster.seen.key_in(partition)
    put, got = await cluster.together(
        cluster.put(via, cluster.seen.key_in(partition, 1), f"in-vain-{via}"), cluster.get(via, key)
    )
    assert put.outcome in ("failed", "unknown"), put
    assert got.outcome in ("failed", "unknown"), got


async def succeeds(cluster: Cluster, via: str, partition: int) -> None:
    result = await cluster.put(via, cluster.seen.key_in(partition, 2), f"at-{cluster.seen.now()}-{via}")
    assert result.outcome == "ok", result


async def it_ends(cluster: Cluster, how: str, *, one_way: bool = False) -> None:
    work = await all_at_work(cluster)
    await begin_all(cluster, how, *N2_TO_BOTH, one_way=one_way)
    staying = ("n1", "n3", "n4")
    await cluster.until(cluster.that.agree(*staying), within=noticed(cluster, how) + cluster.bounds.resolution)
    await cluster.until(cluster.that.agree(*staying) & cluster.that.agree("n2"), within=told(cluster))
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    for via in staying:
        for partition in range(cluster.settings.partition_count):
            assert cluster.seen.owner(partition) != "n2"
            await succeeds(cluster, via, partition)
    await cluster.stop_work(work)
    await all_is_well(cluster, 1, ["n1", "n2"])


async def all_at_work(cluster: Cluster) -> Work:
    await cluster.form(*ALL[:3])
    await fill(cluster, "n1")
    await cluster.join("n4")
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    return await cluster.work(ALL, keys=8, pause=cluster.settings.heartbeat_interval // 5)
