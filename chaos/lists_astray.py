"""Member lists get lost, arrive late, or are half published: faults by kind of message, clocks, crash points."""

from shaketable.chaos import MERGING_OFF
from shaketable.harness.cluster import Cluster
from shaketable.harness.scripts import script

ABOUT = ["view order", "view agreement", "view integrity", "one list a key", "single authority", "settled"]


@script(about=ABOUT, settings=MERGING_OFF)
async def lost_list(cluster: Cluster) -> None:
    """One follower misses the list without n4: the master's periodic publish cures it."""
    await cluster.form("n1", "n2", "n3", "n4")
    await cluster.drop("membersupdate", sender="n1", to=["n3"], count=1)
    await cluster.kill("n4")
    await cluster.expect(cluster.agree("n1", "n2", "n3"), within=cluster.bounds.crash + cluster.bounds.lost_publish)


@script(about=ABOUT, settings=MERGING_OFF)
async def late_list(cluster: Cluster) -> None:
    """The list without n5 reaches n3 only after the list without n4: it is ignored, and no order is turned."""
    await cluster.form("n1", "n2", "n3", "n4", "n5")
    held = await cluster.hold_back("membersupdate", sender="n1", to=["n3"], count=1)
    await cluster.kill("n5")
    await cluster.sleep(cluster.bounds.crash)
    await cluster.kill("n4")
    await cluster.until(cluster.agree("n1", "n2", "n3"), within=cluster.bounds.crash)
    await cluster.heal(held)
    await cluster.sleep(cluster.settings.heartbeat_interval)
    await cluster.expect(cluster.agree("n1", "n2", "n3"), within=cluster.bounds.crash)


@script(about=ABOUT, settings=MERGING_OFF)
async def crash_in_mid_publish(cluster: Cluster) -> None:
    """The master dies when one of three followers has its newest list: the next master takes that list up."""
    await cluster.form("n1", "n2", "n3", "n4", "n5")
    await cluster.hold("n1", "ViewPublished", after=1)
    await cluster.kill("n5")
    await cluster.until_held("n1", "ViewPublished", within=cluster.bounds.crash)
    await cluster.kill("n1")
    await cluster.expect(cluster.agree("n2", "n3", "n4"), within=2 * cluster.bounds.crash)


@script(about=["view integrity", "single authority", "settled"], settings=MERGING_OFF)
async def clock_jump(cluster: Cluster) -> None:
    """The clocks of a follower and of the master jump far ahead: nobody is suspected."""
    names = ("n1", "n2", "n3")
    await cluster.form(*names)
    for a in names:
        for b in names:
            if a != b:
                cluster.always(cluster.trusts(a, b))
    for name in ("n3", "n1"):
        await cluster.clock(name, jump=5 * cluster.settings.heartbeat_timeout)
        await cluster.sleep(4 * cluster.settings.heartbeat_interval)
    await cluster.expect(cluster.agree(*names), within=cluster.bounds.crash)
