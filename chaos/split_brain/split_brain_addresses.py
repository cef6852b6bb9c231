"""The text's problem: the parts of a split cluster were never told each other's addresses, and find each other.

From the text on split-brain recovery: members that came later are missing from the configuration of the first ones, and
a master alone looks for other parts. It remembers whoever has been a member, for a while; a follower that is asked
points to its master; and a master that has to go over learns of the other when that one asks it. Each of these three is
shown where the others cannot help, and the issues that the text names with them."""

from __future__ import annotations

from collections.abc import Sequence

from shaketable import Cluster, script
from shaketable.chaos import forgetting_soon, merging_soon
from shaketable.chaos.helpers.merging import ABOUT, OF_TWO, become_one, come_apart, come_apart_until_forgotten

FIRST, LATER = ("n1", "n2"), ("n3", "n4", "n5")


@script(about=ABOUT, settings=merging_soon)
async def addresses_that_were_never_configured(cluster: Cluster) -> None:
    """The smaller part's master was never configured with later members: it remembers them, and the parts merge."""
    await cluster.form(*FIRST)
    await cluster.join(*LATER, knowing=["n2"])
    await cluster.heal(await come_apart(cluster, FIRST, LATER))
    await become_one(cluster, LATER, FIRST)


@script(about=ABOUT, settings=merging_soon)
async def the_only_bridge_was_shut_down(cluster: Cluster) -> None:
    """Each part is configured with nobody of the other, but with a bridge that left long ago: the parts merge."""
    await the_bridge_is_gone(cluster)
    await become_one(cluster, ["n4", "n5", "n6"], ["n2", "n3"])


@script(about=ABOUT, settings=merging_soon)
async def the_only_bridge_crashed(cluster: Cluster) -> None:
    """Each part is configured with nobody of the other, but with a bridge that crashes meanwhile: the parts merge."""
    await a_bridge_and_two_parts(cluster)
    apart = await cluster.split(["n1"], ["n2", "n3"], ["n4", "n5", "n6"])
    await cluster.kill("n1")
    both = cluster.that.agree("n2", "n3") & cluster.that.agree("n4", "n5", "n6")
    await cluster.until(both, within=cluster.bounds.settle())
    await cluster.heal(apart)
    await become_one(cluster, ["n4", "n5", "n6"], ["n2", "n3"])


async def the_bridge_is_gone(cluster: Cluster) -> None:
    """Two parts that know nobody of each other, whole again."""
    await a_bridge_and_two_parts(cluster)
    await cluster.leave("n1")
    await cluster.until(cluster.that.agree("n2", "n3", "n4", "n5", "n6"), within=cluster.bounds.crash)
    await cluster.heal(await come_apart(cluster, ["n2", "n3"], ["n4", "n5", "n6"]))


async def a_bridge_and_two_parts(cluster: Cluster) -> None:
    """n1 is the one address that the others have in common."""
    await cluster.form("n1")
    await cluster.join("n2", "n3", knowing=["n1"])
    await cluster.join("n4", "n5", "n6", knowing=["n1"])


@script(about=ABOUT, settings=forgetting_soon)
async def a_follower_points_to_its_master(cluster: Cluster) -> None:
    """The larger part knows a follower alone of the smaller one, which points to its master: the parts merge.

    The search that asks the follower asks the master as well, which goes over at once."""
    await a_follower_alone_is_known(cluster)
    await one_search_is_enough(cluster, of="n3", goes="n1")
    await become_one(cluster, LATER, FIRST)


async def a_follower_alone_is_known(cluster: Cluster) -> None:
    await cluster.form(*FIRST)
    await cluster.join(*LATER, knowing=["n2"])
    await come_apart_until_forgotten(cluster, FIRST, LATER)


@script(about=ABOUT, settings=forgetting_soon)
async def a_follower_of_the_larger_part_is_known(cluster: Cluster) -> None:
    """The smaller part knows a follower alone of the larger one, which sends it to its master."""
    await cluster.form("n1")
    await cluster.join("n2", "n3", "n4", knowing=["n1"])
    await cluster.join("n5", "n6", knowing=["n1", "n3"])
    await cluster.leave("n1")
    await cluster.until(cluster.that.agree("n2", "n3", "n4", "n5", "n6"), within=cluster.bounds.crash)
    await come_apart_until_forgotten(cluster, ["n2", "n3", "n4"], ["n5", "n6"])
    await become_one(cluster, ["n2", "n3", "n4"], ["n5", "n6"])


async def one_search_is_enough(cluster: Cluster, *, of: str, goes: str) -> None:
    """The next one of this master brings the other one's part over, long before any master searches again."""
    search = await cluster.hold(of, "SplitBrainSearchBegan")
    interval = cluster.settings.merge_next_run_delay
    await cluster.until_held(of, "SplitBrainSearchBegan", within=2 * interval)
    await cluster.heal(search)
    await cluster.until(cluster.that.merging(goes), within=interval // 2)


@script(about=ABOUT, settings=merging_soon)
async def issue_17489(cluster: Cluster) -> None:
    """The larger part finds the smaller one, whose master was not configured with it but has to begin the merge."""
    await cluster.form(*FIRST)
    await cluster.join(*LATER)
    await cluster.heal(await come_apart(cluster, FIRST, LATER))
    await become_one(cluster, LATER, FIRST)


@script(about=ABOUT, settings=forgetting_soon)
async def issue_17490(cluster: Cluster) -> None:
    """The smaller part has forgotten the larger one: the larger part's question makes it begin the merge, at once."""
    await the_larger_part_alone_knows(cluster)
    await one_search_is_enough(cluster, of="n3", goes="n1")
    await become_one(cluster, LATER, FIRST)


async def the_larger_part_alone_knows(cluster: Cluster) -> None:
    await cluster.form(*FIRST)
    await cluster.join(*LATER)
    await come_apart_until_forgotten(cluster, FIRST, LATER)


@script(about=OF_TWO, settings=merging_soon)
async def issue_18661(cluster: Cluster) -> None:
    """Two nodes were never in one cluster: the one that lists the other has the larger address, and goes over."""
    await cluster.form("n1")
    await cluster.kill("n1")
    await cluster.start("n2", knowing=["n1"])
    await cluster.until(cluster.that.agree("n2"), within=cluster.bounds.forming)
    await cluster.restart("n1")
    await cluster.until(cluster.that.agree("n1"), within=cluster.bounds.forming)
    await become_one(cluster, ["n1"], ["n2"])


@script(about=OF_TWO, settings=merging_soon)
async def issue_18661_the_other_way(cluster: Cluster) -> None:
    """Two nodes were never in one cluster: one lists the other, which knows nobody and yet has to go over to it."""
    await cluster.form("n1", knowing=["n2"])
    await cluster.kill("n1")
    await cluster.start("n2", knowing=[])
    await cluster.until(cluster.that.agree("n2"), within=cluster.bounds.forming)
    apart = await cluster.cut("n1", "n2")
    await cluster.restart("n1")
    await cluster.until(cluster.that.agree("n1") & cluster.that.agree("n2"), within=cluster.bounds.forming)
    await cluster.heal(apart)
    await become_one(cluster, ["n1"], ["n2"])


@script(about=ABOUT, settings=forgetting_soon)
async def issue_20331(cluster: Cluster) -> None:
    """Of equal parts the one with the larger address knows the other, and goes over to it."""
    await equal_parts(cluster, left=["n1"], right=["n1", "n2"])


@script(about=ABOUT, settings=forgetting_soon)
async def issue_20331_the_other_way(cluster: Cluster) -> None:
    """Of equal parts the one with the smaller address knows the other, which knows nobody and yet has to go over."""
    await equal_parts(cluster, left=["n1", "n4"], right=["n1"])


async def equal_parts(cluster: Cluster, *, left: Sequence[str], right: Sequence[str]) -> None:
    """n2 and n3 are configured with these addresses, n4 and n5 with those. All joined through n1, which has left."""
    await cluster.form("n1")
    await cluster.join("n2", "n3", knowing=left)
    await cluster.join("n4", "n5", knowing=right)
    await cluster.leave("n1")
    await cluster.until(cluster.that.agree("n2", "n3", "n4", "n5"), within=cluster.bounds.crash)
    await come_apart_until_forgotten(cluster, ["n2", "n3"], ["n4", "n5"])
    await become_one(cluster, ["n2", "n3"], ["n4", "n5"])
