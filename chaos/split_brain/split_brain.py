"""A cluster that was split finds itself again: whatever its parts are, the smaller one goes over to the larger.

From the text on split-brain recovery. Data members are counted; of equal parts the one whose master has the larger
address goes over. Each member goes over once, under a new identity."""

from __future__ import annotations

from shaketable import Cluster, script
from shaketable.chaos import merging_soon
from shaketable.chaos.helpers.breaks import BLACK_HOLE, CUT
from shaketable.chaos.helpers.merging import ABOUT, OF_TWO, are_apart, become_one, come_apart, it_stays_so

TWO, THREE, FIVE, SIX = [tuple(f"n{i}" for i in range(1, size + 1)) for size in (2, 3, 5, 6)]


@script(about=ABOUT, settings=merging_soon)
async def two_of_five_come_back(cluster: Cluster) -> None:
    """Three and two: the two go over to the three."""
    await cluster.form(*FIVE)
    await cluster.heal(await come_apart(cluster, FIVE[:3], FIVE[3:]))
    await become_one(cluster, FIVE[:3], FIVE[3:])


@script(about=ABOUT, settings=merging_soon)
async def the_two_oldest_come_back(cluster: Cluster) -> None:
    """Two and three, the master of all with the two: they go over to the three, whose master is younger."""
    await cluster.form(*FIVE)
    await cluster.heal(await come_apart(cluster, FIVE[:2], FIVE[2:]))
    await become_one(cluster, FIVE[2:], FIVE[:2])


@script(about=ABOUT, settings=merging_soon)
async def halves_that_were_cut_come_back(cluster: Cluster) -> None:
    """Three and three that were cut off from each other: those whose master has the larger address go over."""
    await cluster.form(*SIX)
    await cluster.heal(await come_apart(cluster, SIX[:3], SIX[3:], how=CUT))
    await become_one(cluster, SIX[:3], SIX[3:])


@script(about=ABOUT, settings=merging_soon)
async def halves_that_were_silent_come_back(cluster: Cluster) -> None:
    """Three and three that were silent to each other: those whose master has the larger address go over."""
    await cluster.form(*SIX)
    await cluster.heal(await come_apart(cluster, SIX[:3], SIX[3:], how=BLACK_HOLE))
    await become_one(cluster, SIX[:3], SIX[3:])


@script(about=ABOUT, settings=merging_soon)
async def thirds_come_back(cluster: Cluster) -> None:
    """Two, two and two, of which all links heal at once: two parts go over to the one with the smallest address."""
    await cluster.form(*SIX)
    await cluster.heal(await come_apart(cluster, SIX[:2], SIX[2:4], SIX[4:]))
    await become_one(cluster, SIX[:2], SIX[2:], clusters=3)


@script(about=ABOUT, settings=merging_soon)
async def one_comes_back_to_four(cluster: Cluster) -> None:
    """The youngest member is cut off from all others, is alone, and goes over to them when the links heal."""
    await cluster.form(*FIVE)
    await cluster.heal(await come_apart(cluster, FIVE[:4], FIVE[4:]))
    await become_one(cluster, FIVE[:4], FIVE[4:])


@script(about=ABOUT, settings=merging_soon)
async def the_master_comes_back_to_four(cluster: Cluster) -> None:
    """The master is cut off from all the others, and comes back as the youngest of them."""
    await cluster.form(*FIVE)
    await cluster.heal(await come_apart(cluster, FIVE[:1], FIVE[1:]))
    await become_one(cluster, FIVE[1:], FIVE[:1])
    await cluster.until(cluster.that.follows("n1", "n2"), within=0)


@script(about=OF_TWO, settings=merging_soon)
async def two_alone_come_together(cluster: Cluster) -> None:
    """A cluster of two: each is alone, and the one with the larger address goes over."""
    await cluster.form(*TWO)
    await cluster.heal(await come_apart(cluster, ["n1"], ["n2"]))
    await become_one(cluster, ["n1"], ["n2"])


@script(about=ABOUT, settings=merging_soon)
async def all_of_five_are_alone(cluster: Cluster) -> None:
    """Everybody is cut off from everybody: five clusters of one become one.

    Three may have met before they meet the other two. So anybody may go over, and more than once."""
    await cluster.form(*FIVE)
    await cluster.heal(await come_apart(cluster, *[[name] for name in FIVE]))
    await cluster.expect(cluster.that.agree(*FIVE), within=cluster.bounds.converge(5))
    cluster.always(cluster.that.agree(*FIVE))
    await cluster.sleep(3 * cluster.settings.merge_next_run_delay)


@script(about=ABOUT, settings=merging_soon)
async def members_without_data_do_not_count(cluster: Cluster) -> None:
    """Two data members, and one with three lite members: the part with more members, but less data, goes over."""
    await cluster.form(*THREE)
    lite = ("n4", "n5", "n6")
    await cluster.join(*lite, settings={"lite_member": True})
    await cluster.heal(await come_apart(cluster, ["n2", "n3"], ["n1", *lite]))
    await become_one(cluster, ["n2", "n3"], ["n1", *lite])


@script(about=ABOUT, settings=merging_soon)
async def three_parts_of_which_the_small_ones_meet_first(cluster: Cluster) -> None:
    """Three, two and one: the one goes over to the two, then these to the other three, whose address is smaller.

    So n6 goes over twice."""
    large, middle, small = SIX[:3], SIX[3:5], SIX[5:]
    await cluster.form(*SIX)
    to_the_large = await cluster.split(large, [*middle, *small])
    between_the_small = await come_apart(cluster, middle, small)
    await cluster.until(cluster.that.agree(*large), within=cluster.bounds.settle())
    await cluster.heal(between_the_small)
    whole = are_apart(cluster, [large, [*middle, *small]])
    await cluster.until(whole & cluster.that.has_merged_into("n6", "n4"), within=cluster.bounds.converge())
    await cluster.heal(to_the_large)
    await cluster.expect(cluster.that.agree(*SIX), within=cluster.bounds.converge())
    await cluster.until(cluster.that.merged("n6", times=2), within=0)
    await it_stays_so(cluster, large, middle)


@script(about=ABOUT, settings=merging_soon)
async def the_smallest_part_has_a_choice(cluster: Cluster) -> None:
    """Three, two and one, of which the one alone can ask: both others answer, and it goes over to the three."""
    large, middle, small = SIX[:3], SIX[3:5], SIX[5:]
    await cluster.form(*SIX)
    apart = await come_apart(cluster, large, middle, small)
    unheard = await cluster.together(*[cluster.drop("mergevalidation", sender=name) for name in ("n1", "n4")])
    await cluster.heal(apart)
    await cluster.until(cluster.that.has_merged_into("n6", "n1"), within=cluster.bounds.converge())
    await cluster.together(*map(cluster.heal, unheard))
    await become_one(cluster, large, [*middle, *small])


@script(about=ABOUT, settings=merging_soon)
async def three_parts_of_which_the_large_ones_meet_first(cluster: Cluster) -> None:
    """Three, two and one: the two go over to the three, then the one to those five: nobody goes over twice."""
    large, middle, small = SIX[:3], SIX[3:5], SIX[5:]
    await cluster.form(*SIX)
    to_the_small = await cluster.split(small, [*large, *middle])
    between_the_large = await come_apart(cluster, large, middle)
    await cluster.until(cluster.that.agree(*small), within=cluster.bounds.settle())
    await cluster.heal(between_the_large)
    whole = are_apart(cluster, [[*large, *middle], small])
    await cluster.until(whole & cluster.that.has_merged_into("n4", "n1"), within=cluster.bounds.converge())
    await cluster.heal(to_the_small)
    await become_one(cluster, large, [*middle, *small])
