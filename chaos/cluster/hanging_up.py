"""A member that is told of a removal drops its connections to the removed one, until that one is back.

From the text on partial disconnection, the paragraph on its third figure. Four nodes; n1 is the master. A link whose
other end nobody knows as a member any more is hung up two heartbeat intervals after the last word that opened it."""

from shaketable import Cluster, Condition, script
from shaketable.chaos import LISTS, MERGING_OFF

ABOUT = (*LISTS, "detection")
OTHERS = ("n1", "n3", "n4")


@script(about=ABOUT, settings=MERGING_OFF)
async def hang_up_on_a_member_that_lost_the_master(cluster: Cluster) -> None:
    """n2 and the master lose each other, so n2 has to go; n3 and n4, which hear it well, drop it, and it drops them."""
    await cluster.form("n1", "n2", "n3", "n4")
    broken = await cluster.cut("n1", "n2")
    await cluster.until(cluster.that.agree(*OTHERS) & cluster.that.agree("n2"), within=3 * cluster.bounds.silence)
    await cluster.until(apart(cluster), within=cluster.bounds.hanging_up)
    await cluster.heal(broken)
    await it_stays_so_until_n2_is_back(cluster)


@script(about=ABOUT, settings=MERGING_OFF)
async def hang_up_on_a_silent_member(cluster: Cluster) -> None:
    """All that n2 says and hears is swallowed: its connections look alive to the end, and are dropped all the same."""
    await cluster.form("n1", "n2", "n3", "n4")
    silence = await cluster.split(["n2"], OTHERS, how="blackhole")
    await cluster.until(cluster.that.agree(*OTHERS) & cluster.that.agree("n2"), within=4 * cluster.bounds.silence)
    await cluster.until(apart(cluster), within=cluster.bounds.hanging_up)
    await cluster.heal(silence)
    await it_stays_so_until_n2_is_back(cluster)


async def it_stays_so_until_n2_is_back(cluster: Cluster) -> None:
    """A heal brings some links up once more, or is seen by opening them: that does not last."""
    await cluster.sleep(cluster.bounds.hanging_up)
    await cluster.until(
        apart(cluster) & cluster.that.agree(*OTHERS) & cluster.that.agree("n2"), within=cluster.bounds.crash
    )
    await cluster.kill("n2")
    await cluster.restart("n2")
    together = cluster.that.agree(*OTHERS, "n2") & linked(cluster)
    await cluster.until(together, within=cluster.bounds.forming)
    await cluster.sleep(2 * cluster.bounds.hanging_up)
    await cluster.expect(together, within=0)


def apart(cluster: Cluster) -> Condition:
    """n2's links to all others, and theirs to it, are down."""
    down = cluster.that.link_is_down("n2", "n1") & cluster.that.link_is_down("n1", "n2")
    for other in OTHERS[1:]:
        down = down & cluster.that.link_is_down("n2", other) & cluster.that.link_is_down(other, "n2")
    return down


def linked(cluster: Cluster) -> Condition:
    up = cluster.that.link_is_up("n2", "n1") & cluster.that.link_is_up("n1", "n2")
    for other in OTHERS[1:]:
        up = up & cluster.that.link_is_up("n2", other) & cluster.that.link_is_up(other, "n2")
    return up
