"""Chaos scripts of the tests' own: what a screen has to show and no shipped story has all at once."""

from shaketable.harness.scripting.cluster import Cluster
from shaketable.harness.scripting.scripts import script
from shaketable.node.core.env import SECOND

SETTINGS = {"merging": False}


@script(about=("view order",), settings=SETTINGS)
async def every_state(cluster: Cluster) -> None:
    """A lite member, a pause, a hold, a crash and a restart, a leave, and a node that is about to start."""
    await cluster.form("n1", "n2", "n3", "n9", "n10")
    await cluster.join("n4", settings={"lite_member": True})
    await cluster.leave("n10")
    await cluster.until(cluster.that.agree("n1", "n2", "n3", "n4", "n9"), within=cluster.bounds.crash)
    await cluster.pause("n3")
    await cluster.until(cluster.that.suspects("n1", "n3"), within=cluster.bounds.silence)
    await cluster.hold("n2", "ViewInstalled")
    await cluster.kill("n9")
    await cluster.sleep(2 * SECOND)
    await cluster.restart("n9")
    await cluster.start("n5")
    await cluster.sleep(2 * SECOND)
