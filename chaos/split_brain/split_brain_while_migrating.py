"""Parts of a cluster find each other while partitions migrate on one side, or when one was cut off during a commit.

From rulings 4.1: who has to go over waits until no migration of its own is under way, for its members have to agree on
one table; the part that the others join goes on migrating. From rulings 3.8: a member that was removed and comes
back is a new identity and takes the master's table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

from shaketable import SECOND, Cluster, Injected, Settings, script
from shaketable.chaos import merging_soon
from shaketable.chaos.helpers.breaks import BLACK_HOLE, CUT, noticed
from shaketable.chaos.helpers.keeping import fill
from shaketable.chaos.helpers.merging import ON_THE_WAY, are_apart, come_apart, have_gone_over
from shaketable.chaos.helpers.migrating import ABOUT as OF_A_MIGRATION
from shaketable.chaos.helpers.migrating import DESTINATION, OWNER_MOVE, Migrating, while_migrating
from shaketable.chaos.helpers.migrating_on import AFTERWARDS, BEFORE, PATIENT, held_at_the_commit, without

ABOUT = (*ON_THE_WAY, "table order", "commit order", "completed list", "in place")
LARGE, SMALL = ("n1", "n2", "n3"), ("n4", "n5")
CHUNK = 16 * 1024
"""bytes at most: one is on a thin link at a time"""
SIZE = 8 * CHUNK


def with_data(run: Settings) -> Mapping[str, object]:
    """Four replicas of each partition: a part of two or three members lacks some of them, and has all the data."""
    return {**merging_soon(run), **PATIENT, "partition_count": 7, "maps": "data=3"}


def with_more_replicas(run: Settings) -> Mapping[str, object]:
    """Five of each: three of seven members have all the data, too."""
    return {**with_data(run), "maps": "data=4"}


def all_have_all(run: Settings) -> Mapping[str, object]:
    """Each of seven. A part that is told to come has time to do so in processes, too."""
    timeout = run.heartbeat_timeout / SECOND
    waits = {"merge_next_run_delay_seconds": 8 * timeout, "max_join_merge_target_seconds": 4 * timeout}
    return {**with_data(run), "maps": "data=6", **waits}


def with_much_data(run: Settings) -> Mapping[str, object]:
    """So many partitions that their migrations take far longer than two parts may take to become one."""
    return {**with_data(run), "partition_count": 31}


def a_member_joins(run: Settings) -> Mapping[str, object]:
    return {**OWNER_MOVE.settings, **merging_soon(run), "merging": True}


@script(about=ABOUT, settings=with_data)
async def the_smaller_part_migrates(cluster: Cluster) -> None:
    """The smaller part migrates over a thin link when it finds the larger one: it goes over when that has ended."""
    await they_find_each_other_while_one_migrates(cluster, SMALL)
    await cluster.until(cluster.that.puts_off("n4"), within=cluster.bounds.converge())
    await cluster.until(have_gone_over(cluster, SMALL, 0), within=0)
    put_off = cluster.seen.view("n4").merging.last_put_off
    assert put_off is not None
    assert put_off.why == "migration-under-way", put_off
    await they_become_one(cluster)


@script(about=ABOUT, settings=with_data)
async def the_larger_part_migrates(cluster: Cluster) -> None:
    """The larger part migrates over thin links when the smaller one finds it: the smaller goes over all the same."""
    await they_find_each_other_while_one_migrates(cluster, LARGE)
    come = cluster.that.merged("n4") & cluster.that.merged("n5")
    await cluster.until(come & cluster.that.migrates(), within=cluster.bounds.converge())
    await they_become_one(cluster)


@script(about=ABOUT, settings=with_more_replicas)
async def an_owner_crashes_when_the_merge_is_put_off(cluster: Cluster) -> None:
    """The smaller part puts the merge off while it migrates, and n7 crashes: what n7 owned gets another owner at once.

    Until then nobody serves that, and n5 can go nowhere."""
    large, small = (*LARGE, "n4"), ("n5", "n6", "n7")
    await they_find_each_other_while_one_migrates(cluster, small, large, small)
    await cluster.until(cluster.that.puts_off("n5"), within=cluster.bounds.converge())
    await cluster.kill("n7")
    await they_become_one(cluster, large, ("n5", "n6"))


@script(about=ABOUT, settings=with_much_data)
async def the_smaller_part_always_migrates(cluster: Cluster) -> None:
    """The smaller part has migrations without end over a thin link: it goes over when the present one has ended.

    Issue 13988: a part with more to migrate than ever ends went nowhere."""
    await they_find_each_other_while_one_migrates(cluster, SMALL)
    await cluster.until(cluster.that.puts_off("n4"), within=cluster.bounds.converge())
    come = cluster.that.merged("n4") & cluster.that.merged("n5")
    one = cluster.settings.migration_timeout
    await cluster.until(come, within=one + 2 * cluster.settings.merge_next_run_delay)
    await they_become_one(cluster)


async def they_find_each_other_while_one_migrates(
    cluster: Cluster, these: Sequence[str], large: Sequence[str] = LARGE, small: Sequence[str] = SMALL
) -> None:
    """Each lacks replicas of some partitions, and makes them; these over thin links."""
    await cluster.form(*large, *small)
    await fill(cluster, "n1", "data", size=SIZE)
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    rate = max(1, 4 * CHUNK * SECOND // cluster.settings.heartbeat_timeout // 1000) * 1000
    await cluster.together(*[cluster.thin(a, b, rate) for a, b in combinations(these, 2)])
    apart = await come_apart(cluster, large, small)
    await cluster.until(cluster.that.migrates(), within=cluster.bounds.silence)
    await cluster.heal(apart)


async def they_become_one(cluster: Cluster, large: Sequence[str] = LARGE, small: Sequence[str] = SMALL) -> None:
    await they_become_one_by(cluster, {tuple(large): 0, tuple(small): 1})


async def they_become_one_by(cluster: Cluster, times: Mapping[tuple[str, ...], int]) -> None:
    """The members of each part go over so many times."""
    await cluster.heal_all()
    everybody = [name for part in times for name in part]
    await cluster.expect(cluster.that.agree(*everybody), within=cluster.bounds.converge(len(times)))
    await cluster.expect(cluster.that.is_safe(), within=cluster.bounds.converge() + cluster.bounds.safe())
    reading = await cluster.read_back("n1")
    assert reading.complete, f"{reading.outcomes} of {reading.keys} keys"
    for part, count in times.items():
        await cluster.until(have_gone_over(cluster, part, count), within=0)
    await cluster.take_stock()


@script(about=ABOUT, settings=with_data)
async def a_new_master_looks_for_the_table_when_it_is_to_go(cluster: Cluster) -> None:
    """n4 crashes, and n6's table does not reach n5, the new master of the smaller part: n5 goes when it has come.

    Else the two might set data aside by two tables."""
    apart, tables = await a_new_master_has_no_table(cluster)
    put_off = await cluster.hold("n5", "MergePutOff", where={"why": "searching"})
    await cluster.heal(apart)
    await cluster.until_held("n5", "MergePutOff", within=cluster.bounds.converge())
    await cluster.heal(tables)
    await cluster.heal(put_off)
    await they_become_one(cluster, (*LARGE, "n7"), ("n5", "n6"))


@script(about=ABOUT, settings=with_data)
async def a_member_crashes_when_its_part_is_to_go(cluster: Cluster) -> None:
    """n5 waits for n6's table before it goes over, and n6 crashes: n5 asks once more who has to go.

    The larger part has answered by another list."""
    apart, _ = await a_new_master_has_no_table(cluster)
    answered = await cluster.hold("n5", "SplitBrainSearchEnded", where={"answered": 1})
    await cluster.heal(apart)
    await cluster.until_held("n5", "SplitBrainSearchEnded", within=cluster.bounds.converge())
    await cluster.kill("n6")
    await cluster.heal(answered)
    await they_become_one(cluster, (*LARGE, "n7"), ["n5"])


@script(about=ON_THE_WAY, settings=all_have_all)
async def a_part_comes_when_another_one_waits_to_go(cluster: Cluster) -> None:
    """n5 waits for n6's table before it goes to n1, and n7 asks n5, and has to come: n5 goes nowhere, and waits for n7.

    n7 cannot reach n1 yet."""
    small = (*SMALL, "n6")
    await cluster.form(*LARGE, *small, "n7")
    await fill(cluster, "n1", "data")
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    beyond = await cluster.split(LARGE, ["n7"])
    apart = await cluster.split(small, [*LARGE, "n7"])
    await cluster.until(are_apart(cluster, [LARGE, small, ["n7"]]), within=cluster.bounds.settle())
    tables = await cluster.drop("fetchedtable", sender="n6", to=["n5"])
    await cluster.kill("n4")
    await cluster.until(cluster.that.agree("n5", "n6"), within=cluster.bounds.take_over)
    question = await cluster.hold_back("mergevalidation", sender="n7", to=["n5"])
    unasked = await cluster.drop("mergevalidation", sender="n5", to=["n7"])
    answered = await cluster.hold("n5", "SplitBrainSearchEnded", where={"answered": 1})
    await cluster.heal(apart)
    await cluster.until(cluster.that.caught(question), within=cluster.bounds.converge())
    await cluster.until_held("n5", "SplitBrainSearchEnded", within=cluster.bounds.converge())
    they_come = await cluster.hold("n5", "MergePutOff", where={"why": "they-come"})
    await cluster.together(cluster.heal(question), cluster.heal(answered))
    await cluster.until_held("n5", "MergePutOff", within=cluster.bounds.crash)
    await cluster.together(cluster.heal(they_come), cluster.heal(unasked))
    await cluster.until(cluster.that.has_merged_into("n7", "n5"), within=cluster.settings.max_join_merge_target)
    await cluster.together(cluster.heal(tables), cluster.heal(beyond))
    await they_become_one_by(cluster, {LARGE: 0, ("n5", "n6"): 1, ("n7",): 2})


async def a_new_master_has_no_table(cluster: Cluster) -> tuple[Injected, Injected]:
    """n5 leads the smaller part, and n6's table does not reach it. Gives the split, and the loss of that table."""
    small = (*SMALL, "n6")
    await cluster.form(*LARGE, "n7", *small)
    await fill(cluster, "n1", "data")
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    apart = await come_apart(cluster, (*LARGE, "n7"), small)
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    tables = await cluster.drop("fetchedtable", sender="n6", to=["n5"])
    await cluster.kill("n4")
    await cluster.until(cluster.that.agree("n5", "n6"), within=cluster.bounds.take_over)
    return apart, tables


@script(about=OF_A_MIGRATION, settings=a_member_joins)
async def cut_off_before_its_commit_and_back(cluster: Cluster) -> None:
    """The destination is cut off before it has the commit, and removed: it comes back, and takes the master's table."""
    await cut_off_and_back(cluster, BEFORE, CUT)


@script(about=OF_A_MIGRATION, settings=a_member_joins)
async def cut_off_after_its_commit_and_back(cluster: Cluster) -> None:
    """The destination has committed when it is cut off, and the master never hears of it: that commit is forgotten."""
    await cut_off_and_back(cluster, AFTERWARDS, CUT)


@script(about=OF_A_MIGRATION, settings=a_member_joins)
async def silent_after_its_commit_and_back(cluster: Cluster) -> None:
    """The destination has committed when it falls silent, and the master never hears: that commit is forgotten."""
    await cut_off_and_back(cluster, AFTERWARDS, BLACK_HOLE)


async def cut_off_and_back(cluster: Cluster, when: str, how: str) -> None:
    async def drama(cluster: Cluster, it: Migrating, planned: Injected) -> None:
        held = await held_at_the_commit(cluster, it, planned, when)
        lost, staying = it[DESTINATION], without(cluster, it[DESTINATION])
        broken = await cluster.isolate(lost, how=how)
        await cluster.heal(held)
        removed = noticed(cluster, how) + cluster.bounds.take_over
        await cluster.until(cluster.that.agree(*staying) & cluster.that.agree(lost), within=removed)
        await cluster.heal(broken)
        await cluster.until(cluster.that.agree(*staying, lost), within=cluster.bounds.converge())
        await cluster.until(cluster.that.has_merged_into(lost, "n1") & have_gone_over(cluster, staying, 0), within=0)

    await while_migrating(cluster, OWNER_MOVE, drama)
