"""Something happens while one part goes over to the other: they are split again, or somebody crashes or sleeps.

From rulings 4.11: whom it catches on the way is either back where it was, or founds a cluster of its own and goes on
searching. At the end all are one, and nobody is left behind."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import and_

from shaketable import Cluster, Injected, script
from shaketable.chaos import merging_soon
from shaketable.chaos.helpers.merging import ABOUT, ON_THE_WAY, come_apart, have_gone_over, heal_until_held

LARGE, SMALL = ("n1", "n2", "n3"), ("n4", "n5")
FOUR, OTHER_THREE = ("n1", "n2", "n3", "n4"), ("n5", "n6", "n7")


@script(about=ABOUT, settings=merging_soon)
async def split_again_before_anybody_is_told(cluster: Cluster) -> None:
    """The parts are split again when the merging master has just decided: it and its follower go, and find nobody."""
    held = await held_on_the_way(cluster, LARGE, SMALL, "n4", "MergeBegan")
    again = await cluster.split(LARGE, SMALL)
    await cluster.heal(held)
    await they_are_on_their_own(cluster, *SMALL)
    await cluster.heal(again)
    await all_come_over(cluster, LARGE, SMALL)


@script(about=ABOUT, settings=merging_soon)
async def split_again_when_they_are_on_their_way(cluster: Cluster) -> None:
    """The parts are split again when the merging part is on its way: it cannot reach the target, and comes later."""
    held = await held_on_the_way(cluster, LARGE, SMALL, "n4", "Merging")
    again = await cluster.split(LARGE, SMALL)
    await cluster.heal(held)
    await they_are_on_their_own(cluster, "n4")
    await cluster.heal(again)
    await all_come_over(cluster, LARGE, SMALL)


async def they_are_on_their_own(cluster: Cluster, *going: str) -> None:
    """Together or not, for the smaller part, when these have gone in vain; the larger one is as it was."""
    target = cluster.settings.max_join_merge_target
    await cluster.until(reduce(and_, map(cluster.that.merging, going)), within=target)
    apart = cluster.that.agree(*SMALL) | (cluster.that.agree("n4") & cluster.that.agree("n5"))
    await cluster.until(cluster.that.agree(*LARGE) & apart, within=target + cluster.bounds.forming)


@script(about=ABOUT, settings=merging_soon)
async def split_again_when_one_is_through(cluster: Cluster) -> None:
    """The smaller part's master has come over when its follower is cut off: the follower is alone, and comes later."""
    held = await held_on_the_way(cluster, LARGE, SMALL, "n5", "Merging", after=1)
    await cluster.until(cluster.that.agree(*LARGE, "n4"), within=cluster.settings.max_join_merge_target)
    again = await cluster.isolate("n5")
    await cluster.heal(held)
    target = cluster.settings.max_join_merge_target
    await cluster.until(
        cluster.that.agree("n5") & cluster.that.agree(*LARGE, "n4"), within=target + cluster.bounds.forming
    )
    await cluster.heal(again)
    await all_come_over(cluster, LARGE, SMALL)


@script(about=ABOUT, settings=merging_soon)
async def the_target_crashes_before_they_go(cluster: Cluster) -> None:
    """The larger part's master dies when the smaller part has decided to go: the next master admits it."""
    await the_target_crashes_at(cluster, "MergeBegan")


@script(about=ON_THE_WAY, settings=merging_soon)
async def the_target_crashes_when_they_have_gone(cluster: Cluster) -> None:
    """The larger part's master dies when the smaller part is on its way: the next master admits it.

    n4 waits for that one alone, and turns to the others when it has given it up."""
    held = await held_on_the_way(cluster, LARGE, SMALL, "n4", "Merging")
    in_vain = await cluster.hold("n4", "MergeFailed", perhaps=True)
    await cluster.kill("n1")
    await cluster.heal(held)
    gives_up = cluster.settings.max_join_merge_target + cluster.bounds.forming
    await cluster.until_held("n4", "MergeFailed", within=gives_up)
    await cluster.heal(in_vain)
    await all_come_over(cluster, LARGE[1:], SMALL)


async def the_target_crashes_at(cluster: Cluster, event: str) -> None:
    held = await held_on_the_way(cluster, LARGE, SMALL, "n4", event)
    await cluster.kill("n1")
    await cluster.heal(held)
    await all_come_over(cluster, LARGE[1:], SMALL)


@script(about=ABOUT, settings=merging_soon)
async def the_target_crashes_while_it_admits(cluster: Cluster) -> None:
    """The larger part's master dies while it publishes the first member that has come over: all are one in the end."""
    await cluster.form(*LARGE, *SMALL)
    apart = await come_apart(cluster, LARGE, SMALL)
    await heal_until_held(cluster, apart, "n1", "ViewPublished", after=1)
    await cluster.kill("n1")
    await all_come_over(cluster, LARGE[1:], SMALL)


@script(about=ABOUT, settings=merging_soon)
async def the_merging_master_crashes_half_way(cluster: Cluster) -> None:
    """The merging master dies when it has told one of two followers: that one goes over, the other comes by itself."""
    await held_on_the_way(cluster, FOUR, OTHER_THREE, "n5", "MergeBegan", after=1)
    await cluster.kill("n5")
    await all_come_over(cluster, FOUR, OTHER_THREE[1:])


@script(about=ON_THE_WAY, settings=merging_soon)
async def a_follower_sleeps_when_it_is_told(cluster: Cluster) -> None:
    """The merging master waits for its sleeping follower, goes without it, and that one comes when it wakes."""
    held = await held_on_the_way(cluster, FOUR, OTHER_THREE, "n5", "MergeBegan")
    sleep = await cluster.pause("n7")
    await cluster.heal(held)
    await cluster.sleep(cluster.settings.merge_next_run_delay // 16)
    await cluster.until(have_gone_over(cluster, ["n5", "n6"], 0), within=0)
    others = [*FOUR, "n5", "n6"]
    await cluster.until(cluster.that.agree(*others), within=2 * cluster.settings.max_join_merge_target)
    await cluster.heal(sleep)
    await all_come_over(cluster, FOUR, OTHER_THREE)


@script(about=ON_THE_WAY, settings=merging_soon)
async def a_follower_crashes_on_its_way(cluster: Cluster) -> None:
    """n5 is killed on its way to the larger part: the others have come over, and n5 joins as a node that starts."""
    await held_on_the_way(cluster, LARGE, SMALL, "n5", "Merging", after=1)
    await cluster.until(cluster.that.agree(*LARGE, "n4"), within=cluster.settings.max_join_merge_target)
    await cluster.kill("n5")
    await cluster.restart("n5")
    await cluster.expect(cluster.that.agree(*LARGE, *SMALL), within=cluster.bounds.forming)
    await cluster.until(have_gone_over(cluster, ["n4"], 1) & have_gone_over(cluster, [*LARGE, "n5"], 0), within=0)


@script(about=ABOUT, settings=merging_soon)
async def links_flap_between_the_parts(cluster: Cluster) -> None:
    """The links between the parts come and go, and no part is whole for long: when they stay, all are one."""
    await cluster.form(*LARGE, *SMALL)
    apart = await come_apart(cluster, LARGE, SMALL)
    for _ in range(6):
        await cluster.heal(apart)
        await cluster.sleep(cluster.settings.merge_next_run_delay // 3)
        apart = await cluster.split(LARGE, SMALL)
        await cluster.sleep(cluster.settings.merge_next_run_delay // 3)
    await cluster.heal(apart)
    await cluster.expect(cluster.that.agree(*LARGE, *SMALL), within=cluster.bounds.converge(len(SMALL) + 1))


async def held_on_the_way(
    cluster: Cluster, large: Sequence[str], small: Sequence[str], who: str, event: str, after: int | None = None
) -> Injected:
    await cluster.form(*large, *small)
    return await heal_until_held(cluster, await come_apart(cluster, large, small), who, event, after)


async def all_come_over(cluster: Cluster, large: Sequence[str], small: Sequence[str]) -> None:
    """In one attempt or in two, of those of the smaller part alone."""
    within = cluster.bounds.converge(len(small) + 1) + cluster.bounds.forming
    await cluster.expect(cluster.that.agree(*large, *small), within=within)
    await cluster.until(have_gone_over(cluster, large, 0), within=0)
    cluster.always(cluster.that.agree(*large, *small))
    await cluster.sleep(3 * cluster.settings.merge_next_run_delay)
