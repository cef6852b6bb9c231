"""Entries of a part that merges are on their way, and something else happens: each loss is told.

From rulings 4.11: owners and bringers crash, the target is gone when they come, and links are so thin that it takes a
while. The entries that the policy keeps are read afterwards; those that nobody could bring any more are told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import permutations
from typing import Final

from shaketable import SECOND, Cluster, Injected, Settings, script
from shaketable.chaos.helpers.merging import come_apart, heal_until_held
from shaketable.chaos.helpers.merging_data import ABOUT, ALL, LARGE, SMALL, few, put

OF_SOME: Final = tuple(name for name in ABOUT if name != "balanced")
SIZE: Final = 4_000


def copied(run: Settings) -> Mapping[str, object]:
    """Three have each partition: one may crash."""
    return {**few(run), "maps": "data=2", "merge_policies": "data=latest-update"}


@script(about=OF_SOME, settings=copied)
async def an_owner_crashes_that_entries_are_brought_to(cluster: Cluster) -> None:
    """n2 crashes when n4 is about to bring it entries: n4 brings them to the next owners."""
    held = await two_parts_until_held(cluster, "EntriesBrought")
    await cluster.kill("n2")
    await cluster.heal(held)
    left = ("n1", "n3", "n4", "n5")
    await cluster.expect(cluster.that.agree(*left), within=cluster.bounds.converge())
    await all_is_there(cluster, left)


@script(about=OF_SOME, settings=copied)
async def a_member_crashes_that_brings_entries(cluster: Cluster) -> None:
    """n4 crashes when it is about to bring its entries: they are gone, and those of n5 are there."""
    await two_parts_until_held(cluster, "EntriesBrought")
    await cluster.kill("n4")
    left = (*LARGE, "n5")
    await cluster.expect(cluster.that.agree(*left), within=cluster.bounds.converge())
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    reading = await cluster.read_back("n1")
    assert reading.complete, reading
    await cluster.take_stock()


@script(about=OF_SOME, settings=copied)
async def a_member_is_to_leave_that_brings_entries(cluster: Cluster) -> None:
    """n4 is told to leave when its entries are lost on the way each time: it stays until they have come."""
    held = await two_parts_until_held(cluster, "EntriesBrought")
    lost = await cluster.drop("mergeentries", sender="n4")

    async def come_at_last() -> None:
        await cluster.heal(held)
        await cluster.sleep(2 * cluster.settings.heartbeat_timeout)
        await cluster.heal(lost)

    await cluster.together(cluster.leave("n4"), come_at_last())
    left = (*LARGE, "n5")
    await cluster.expect(cluster.that.agree(*left), within=cluster.bounds.converge())
    await all_is_there(cluster, left)


@script(about=OF_SOME, settings=copied)
async def a_member_crashes_before_it_is_ready_to_go(cluster: Cluster) -> None:
    """n5 crashes before its master n4 has told it that they go over: n4 brings the entries of both."""
    held = await two_parts_until_held(cluster, "MergeBegan")
    await cluster.kill("n5")
    await cluster.heal(held)
    await n4_brings_all(cluster)


@script(about=OF_SOME, settings=copied)
async def a_member_crashes_when_it_is_ready_to_go(cluster: Cluster) -> None:
    """n5 has set its entries aside and crashes before it hears that they go over: n4 brings them."""
    apart = await two_parts(cluster)
    await heal_until_held(cluster, apart, "n5", "EntriesSetAside", after=1)
    await cluster.kill("n5")
    await n4_brings_all(cluster)


@script(about=OF_SOME, settings=copied)
async def a_member_crashes_and_a_follower_is_its_next(cluster: Cluster) -> None:
    """n5 crashes before it is told to go over. In some rows n6 is next to it, and brings what n5 owned there."""
    small = ("n4", "n5", "n6")
    held = await heal_until_held(cluster, await two_parts(cluster, small), "n4", "MergeBegan")
    await cluster.kill("n5")
    await cluster.heal(held)
    left = (*LARGE, "n4", "n6")
    await cluster.expect(cluster.that.agree(*left), within=cluster.bounds.converge())
    await all_is_there(cluster, left)


@script(about=OF_SOME, settings=copied)
async def a_member_misses_tables_before_it_is_to_go(cluster: Cluster) -> None:
    """n6 joins n4 and n5, and n5 hears of no new table: it is not ready to go over before it has that of n4."""
    apart = await two_parts(cluster)
    lost = await cluster.drop("publishtable", sender="n4", to=["n5"])
    await cluster.start("n6", knowing=["n4"])
    await cluster.until(cluster.that.agree(*SMALL, "n6"), within=cluster.bounds.forming)
    await cluster.until(cluster.that.caught(lost), within=cluster.bounds.settle())
    await cluster.sleep(cluster.settings.heartbeat_interval)
    held = await heal_until_held(cluster, apart, "n4", "MergeBegan")
    await cluster.heal(held)
    await cluster.sleep(2 * cluster.settings.join_retry)
    await cluster.heal(lost)
    left = (*ALL, "n6")
    await cluster.expect(cluster.that.agree(*left), within=cluster.bounds.converge())
    await all_is_there(cluster, left)


@script(about=OF_SOME, settings=copied)
async def the_merging_master_has_overslept(cluster: Cluster) -> None:
    """n4 sleeps when it is about to go over, and n5 and n6 become a cluster of their own: they do not obey it then."""
    small = ("n4", "n5", "n6")
    held = await heal_until_held(cluster, await two_parts(cluster, small), "n4", "MergeBegan")
    sleep = await cluster.pause("n4")
    again = await cluster.split(LARGE, small)
    await cluster.until(cluster.that.agree("n5", "n6"), within=cluster.bounds.take_over)
    await cluster.heal(sleep)
    await cluster.heal(held)
    await cluster.sleep(cluster.settings.heartbeat_interval)
    await put(cluster, "n6", "i", "of-two", "data")
    await cluster.heal(again)
    everybody = (*LARGE, *small)
    await cluster.expect(cluster.that.agree(*everybody), within=cluster.bounds.converge(3))
    await all_is_there(cluster, everybody)


@script(about=OF_SOME, settings=copied)
async def the_merging_master_crashes_when_all_are_ready(cluster: Cluster) -> None:
    """n5 has set its entries aside when its master n4 crashes: n5 stays, and its clients write. It goes over later."""
    apart = await two_parts(cluster)
    held = await heal_until_held(cluster, apart, "n4", "EntriesSetAside")
    again = await cluster.split(LARGE, SMALL)
    await cluster.kill("n4")
    await cluster.heal(held)
    await cluster.until(cluster.that.agree("n5"), within=cluster.bounds.take_over)
    for partition in range(cluster.settings.partition_count):
        await put(cluster, "n5", cluster.seen.key_in(partition, 3), f"of-n5-{partition}", "data")
    await cluster.heal(again)
    left = (*LARGE, "n5")
    await cluster.expect(cluster.that.agree(*left), within=cluster.bounds.converge())
    await all_is_there(cluster, left)


async def n4_brings_all(cluster: Cluster) -> None:
    left = (*LARGE, "n4")
    await cluster.expect(cluster.that.agree(*left), within=cluster.bounds.converge())
    await all_is_there(cluster, left)


@script(about=OF_SOME, settings=copied)
async def the_target_crashes_before_they_come(cluster: Cluster) -> None:
    """n1 crashes when the smaller part has begun to go over to it: that part goes to the next master with its data."""
    held = await two_parts_until_held(cluster, "MergeBegan")
    await cluster.kill("n1")
    await cluster.heal(held)
    left = ("n2", "n3", "n4", "n5")
    await cluster.expect(cluster.that.agree(*left), within=cluster.bounds.converge() + cluster.bounds.take_over)
    await all_is_there(cluster, left)


@script(about=OF_SOME, settings=copied)
async def nobody_is_left_where_they_were_to_go(cluster: Cluster) -> None:
    """All of the larger part crash when the smaller one has begun to go over: it founds a cluster of its own.

    They bring their entries to each other."""
    held = await two_parts_until_held(cluster, "MergeBegan")
    for name in LARGE:
        await cluster.kill(name)
    await cluster.heal(held)
    await cluster.sleep(cluster.settings.max_join_merge_target)
    within = cluster.bounds.converge() + cluster.settings.max_join
    await cluster.expect(cluster.that.agree(*SMALL), within=within)
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    for via in SMALL:
        for partition in range(cluster.settings.partition_count):
            for number, value in ((1, "both-small"), (2, "small")):
                found = await cluster.get(via, cluster.seen.key_in(partition, number))
                assert (found.outcome, found.value) == ("ok", f"{value}-{partition}"), found
    await cluster.read_back("n4")
    await cluster.take_stock()


@script(about=OF_SOME, settings=copied)
async def they_are_cut_off_again_with_entries_to_bring(cluster: Cluster) -> None:
    """n4 has come over and is about to bring its entries when it and n5 are cut off again: nothing is lost.

    They found a cluster of their own, go over again, and what was there when they came first is there in the end."""
    held = await two_parts_until_held(cluster, "EntriesBrought")
    await cluster.until(cluster.that.agree(*LARGE, "n5") | cluster.that.agree(*ALL), within=cluster.bounds.converge())
    apart = await cluster.split(LARGE, SMALL)
    lost = await cluster.drop("mergeentries", sender="n4")
    await cluster.heal(held)
    await cluster.until(cluster.that.agree(*LARGE), within=cluster.bounds.settle())
    await cluster.sleep(cluster.settings.heartbeat_timeout)
    await cluster.heal(apart)
    await cluster.expect(cluster.that.agree(*ALL), within=cluster.bounds.converge(3))
    await cluster.heal(lost)
    await all_is_there(cluster, ALL)


def impatient(run: Settings) -> Mapping[str, object]:
    """One partition that all have, and an owner that has not been found after a heartbeat timeout is not looked for."""
    patience = {"merge_data_patience_seconds": run.heartbeat_timeout / SECOND}
    return {**copied(run), **patience, "partition_count": 1, "maps": "data=3"}


@script(about=("no lost data", "merged data", "settled"), settings=impatient)
async def nothing_that_a_member_brings_arrives(cluster: Cluster) -> None:
    """n4 has come over alone, and its entries are lost on the way each time: in the end it gives them up."""
    await cluster.form(*LARGE, "n4")
    await put(cluster, "n1", "k", "of-all", "data")
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    apart = await come_apart(cluster, LARGE, ["n4"])
    await put(cluster, "n1", "j", "of-the-large-part", "data")
    await put(cluster, "n4", "i", "of-n4", "data")
    lost = await cluster.drop("mergeentries", sender="n4")
    await cluster.heal(apart)
    await cluster.until(cluster.that.caught(lost), within=cluster.bounds.converge())
    patience = 3 * cluster.settings.merge_data_patience
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe() + patience)
    await cluster.heal(lost)
    await cluster.expect(cluster.that.agree(*LARGE, "n4"), within=cluster.bounds.crash)
    for key, value in {"k": "of-all", "j": "of-the-large-part", "i": None}.items():
        found = await cluster.get("n4", key)
        assert (found.outcome, found.value) == ("ok", value), found
    assert (await cluster.read_back("n1")).complete
    await cluster.take_stock()


@script(about=ABOUT, settings=few)
async def they_ask_in_vain_for_a_table(cluster: Cluster) -> None:
    """Where n4 goes nobody has used data yet, and its question for a table is lost: it asks again, and brings them."""
    await cluster.form(*LARGE, "n4")
    apart = await come_apart(cluster, LARGE, ["n4"])
    await put(cluster, "n4", "i", "of-n4", "data")
    lost = await cluster.drop("assignpartitions", sender="n4", to=["n1"], count=1)
    await cluster.heal(apart)
    await cluster.until(cluster.that.caught(lost), within=cluster.bounds.converge())
    await cluster.heal(lost)
    await cluster.expect(cluster.that.agree(*LARGE, "n4"), within=cluster.bounds.converge())
    await cluster.sleep(2 * cluster.bounds.settle() + cluster.settings.operation_timeout)
    found = await cluster.get("n1", "i")
    assert (found.outcome, found.value) == ("ok", "of-n4"), found
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    await cluster.take_stock()


@script(about=ABOUT, settings=copied)
async def entries_crawl_over_thin_links(cluster: Cluster) -> None:
    """All links between the parts are thin: entries crawl, and partitions beside them, and nobody is suspected."""
    apart = await two_parts(cluster)
    rate = 11 * SIZE * SECOND // cluster.settings.heartbeat_timeout // 1000 * 1000 + 2000
    await cluster.heal(apart)
    await cluster.together(*[cluster.thin(one, other, rate) for one in LARGE for other in SMALL])
    slow = 8 * cluster.settings.heartbeat_timeout
    await cluster.expect(cluster.that.agree(*ALL), within=cluster.bounds.converge() + slow)
    for one, other in permutations(ALL, 2):
        cluster.always(cluster.that.trusts(one, other))
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe() + slow)
    await cluster.heal_all()
    await all_is_there(cluster, ALL)


async def two_parts_until_held(cluster: Cluster, event: str) -> Injected:
    """The links are whole again, and n4 holds there."""
    return await heal_until_held(cluster, await two_parts(cluster), "n4", event)


async def two_parts(cluster: Cluster, small: Sequence[str] = SMALL) -> Injected:
    """Each with an entry of its own in each partition, and one in common that the smaller part has written last."""
    await cluster.form(*LARGE, *small)
    await put(cluster, "n1", "k", "of-all", "data")
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    apart = await come_apart(cluster, LARGE, small)
    for partition in range(cluster.settings.partition_count):
        await put(cluster, "n1", cluster.seen.key_in(partition), f"large-{partition}", "data")
        await put(cluster, "n1", cluster.seen.key_in(partition, 1), f"both-large-{partition}", "data")
    await cluster.sleep(2 * cluster.settings.heartbeat_interval)
    for partition in range(cluster.settings.partition_count):
        await put(cluster, "n4", cluster.seen.key_in(partition, 1), f"both-small-{partition}", "data")
        await put(cluster, "n5", cluster.seen.key_in(partition, 2), f"small-{partition} {'.' * SIZE}", "data")
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    return apart


async def all_is_there(cluster: Cluster, left: Sequence[str]) -> None:
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    for via in (left[0], left[-1]):
        assert (await cluster.read_back(via)).complete
        for partition in range(cluster.settings.partition_count):
            for number, value in enumerate(("large", "both-small", "small")):
                found = await cluster.get(via, cluster.seen.key_in(partition, number))
                assert (found.outcome, found.value) == ("ok", f"{value}-{partition}"), found
    await cluster.take_stock()
