"""The demonstration, in two stories: a silence that ends and the death of the master; and figure 5."""

from shaketable import Cluster, script
from shaketable.chaos import LISTS, MERGING_OFF, RESOLVING


@script(
    about=[*LISTS, "claims", "detection"],
    settings=MERGING_OFF,
)
async def demo(cluster: Cluster) -> None:
    """One direction of a link falls silent and heals, then the master is killed.

    Only one direction: where both fall silent both sides suspect, neither sends any more, and the suspicions outlive
    the heal. That is how the text has it, and a script of its own shows it."""
    heartbeat = cluster.settings.heartbeat_interval
    await cluster.form("n1", "n2", "n3", "n4")

    silence = await cluster.blackhole("n2", "n3", one_way=True)
    await cluster.until(cluster.that.suspects("n3", "n2"), within=cluster.bounds.silence)
    await cluster.heal(silence)
    await cluster.until(cluster.that.trusts("n3", "n2"), within=2 * heartbeat)

    await cluster.kill("n1")
    await cluster.expect(cluster.that.agree("n2", "n3", "n4"), within=cluster.bounds.crash)


@script(
    about=[*LISTS, "claims", "detection", "best clique"],
    settings=RESOLVING,
)
async def demo_figure_5(cluster: Cluster) -> None:
    """n2 cannot talk to n3 and n4, and all can to the master: of [n1, n2] and [n1, n3, n4] the larger stays.

    Figure 5 of the text on partial member disconnection. The master sees no break; its followers tell it, and five
    heartbeats after the last news it decides."""
    heartbeat = cluster.settings.heartbeat_interval
    await cluster.form("n1", "n2", "n3", "n4")

    await cluster.together(cluster.cut("n2", "n3"), cluster.cut("n2", "n4"))
    told = cluster.that.is_told("n1", by="n3", of="n2") | cluster.that.is_told("n1", by="n2", of="n3")
    await cluster.until(told & cluster.that.agree("n1", "n2", "n3", "n4"), within=cluster.bounds.crash + heartbeat)

    decided = cluster.bounds.crash + cluster.bounds.resolution
    await cluster.until(cluster.that.agree("n1", "n3", "n4"), within=decided)
    await cluster.until(cluster.that.agree("n2"), within=2 * heartbeat)
    apart = cluster.that.link_is_down("n1", "n2") & cluster.that.link_is_down("n2", "n1")
    await cluster.until(apart, within=cluster.bounds.hanging_up)
    await cluster.expect(
        cluster.that.agree("n1", "n3", "n4") & cluster.that.agree("n2"), within=decided + 2 * heartbeat
    )
