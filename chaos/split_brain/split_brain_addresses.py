"""The text's problem: the parts of a split cluster were never told each other's addresses, and find each other.

From the text on split-brain recovery: members that came later are missing from the configuration of the first ones, and
a master alone looks for other parts. It remembers whoever has been a member, for a while; a follower that is asked
points to its master; and who has to go over learns of the other when that one asks it. Each of these three is shown
where the others cannot help, and the issues that the text names with them."""

from __future__ import annotations

from collections.abc import Sequence

from shaketable import Cluster, script
from shaketable.chaos import forgetting_soon, merging_soon
from shaketable.chaos.helpers.merging import ABOUT, OF_TWO, become_one, come_apart, come_apart_until_forgotten

FIRST, LATER = ("n1", "n2"), ("n3", "n4", "n5")


@script(about=ABOUT, settings=merging_soon)
async def addresses_that_were_never_configured(cluster: Cluster) -> None:
    """The text's case: the smaller part's master was not told of those who came later; it remembers them."""
    await cluster.form(*FIRST)
    await cluster.join(*LATER, knowing=["n2"])
    await cluster.heal(await come_apart(cluster, FIRST, LATER))
    await become_one(cluster, LATER, FIRST)


@script(about=ABOUT, settings=merging_soon)
async def the_only_bridge_was_shut_down(cluster: Cluster) -> None:
    """The text's last case: each part knows nobody of the other, but a member of both that left long ago."""
    await the_bridge_is_gone(cluster)
    await become_one(cluster, ["n4", "n5", "n6"], ["n2", "n3"])


@script(about=ABOUT, settings=merging_soon)
async def the_only_bridge_crashed(cluster: Cluster) -> None:
    """The same when it crashes while the parts are split."""
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
    """The larger part knows a follower of the smaller one, whose master has forgotten all of the larger one."""
    await a_follower_alone_is_known(cluster)
    await become_one(cluster, LATER, FIRST)


async def a_follower_alone_is_known(cluster: Cluster) -> None:
    await cluster.form(*FIRST)
    await cluster.join(*LATER, knowing=["n2"])
    await come_apart_until_forgotten(cluster, FIRST, LATER)


@script(about=ABOUT, settings=forgetting_soon)
async def a_follower_of_the_larger_part_is_known(cluster: Cluster) -> None:
    """The smaller part knows a follower of the larger one alone, and is sent to its master by it."""
    await cluster.form("n1")
    await cluster.join("n2", "n3", "n4", knowing=["n1"])
    await cluster.join("n5", "n6", knowing=["n1", "n3"])
    await cluster.leave("n1")
    await cluster.until(cluster.that.agree("n2", "n3", "n4", "n5", "n6"), within=cluster.bounds.crash)
    await come_apart_until_forgotten(cluster, ["n2", "n3", "n4"], ["n5", "n6"])
    await become_one(cluster, ["n2", "n3", "n4"], ["n5", "n6"])


@script(about=ABOUT, settings=merging_soon)
async def issue_17489(cluster: Cluster) -> None:
    """The larger part finds the smaller one, whose master was not told its address, and it alone may begin."""
    await cluster.form(*FIRST)
    await cluster.join(*LATER)
    await cluster.heal(await come_apart(cluster, FIRST, LATER))
    await become_one(cluster, LATER, FIRST)


@script(about=ABOUT, settings=forgetting_soon)
async def issue_17490(cluster: Cluster) -> None:
    """The same when all is forgotten: what the larger part asks has to make the smaller one begin."""
    await the_larger_part_alone_knows(cluster)
    await become_one(cluster, LATER, FIRST)


async def the_larger_part_alone_knows(cluster: Cluster) -> None:
    await cluster.form(*FIRST)
    await cluster.join(*LATER)
    await come_apart_until_forgotten(cluster, FIRST, LATER)


@script(about=OF_TWO, settings=merging_soon)
async def issue_18661(cluster: Cluster) -> None:
    """Two that never were in one cluster; the one that nobody listed has the larger address, and goes over."""
    await cluster.form("n1")
    await cluster.kill("n1")
    await cluster.start("n2", knowing=["n1"])
    await cluster.until(cluster.that.agree("n2"), within=cluster.bounds.forming)
    await cluster.restart("n1")
    await cluster.until(cluster.that.agree("n1"), within=cluster.bounds.forming)
    await become_one(cluster, ["n1"], ["n2"])


@script(about=OF_TWO, settings=merging_soon)
async def issue_18661_the_other_way(cluster: Cluster) -> None:
    """The one that nobody listed has the smaller address: the other, which was told nothing, has to go over to it."""
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
    """Equal parts, of which one knows the other; those with the larger address do, and go over."""
    await equal_parts(cluster, left=["n1"], right=["n1", "n2"])


@script(about=ABOUT, settings=forgetting_soon)
async def issue_20331_the_other_way(cluster: Cluster) -> None:
    """Equal parts: those with the smaller address know the others, who have to go over and were told nothing."""
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
