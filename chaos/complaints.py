"""Complaints that come too late, or to who leads nobody: they are judged by what is known when they are read.

From the text on cluster service consistency, "Explicit Suspicion": who gets a heartbeat of somebody whom it does not
know complains to its master. The stranger is n5 here: it has joined, and n4, which complains, has missed that list."""

from shaketable.chaos import LISTS, MERGING_OFF
from shaketable.harness.cluster import Cluster
from shaketable.harness.scripts import script

ABOUT = (*LISTS, "detection")
FIVE = ["n1", "n2", "n3", "n4", "n5"]


@script(about=ABOUT, settings=MERGING_OFF)
async def a_complaint_of_who_has_been_removed(cluster: Cluster) -> None:
    """n4 complains of n5, and that takes so long that the master has removed n4 meanwhile: it is n4 that has to part.

    The master lost its link to n4 for a moment, and n4 knows nothing of that."""
    await n5_is_a_stranger_to_n4(cluster)
    late = await cluster.hold_back("heartbeatcomplaint", sender="n4", to=["n1"])
    await cluster.until(cluster.caught(late), within=cluster.bounds.silence)
    cut = await cluster.cut("n1", "n4", one_way=True)
    left = ("n1", "n2", "n3", "n5")
    await cluster.until(cluster.agree(*left), within=cluster.bounds.crash)
    await cluster.heal(cut)
    why = "the complainer does not follow me"
    judged = await cluster.hold("n1", "ComplaintReceived", where={"peer": "n4", "complained_of": "n5", "reason": why})
    await cluster.heal(late)
    await cluster.until_held("n1", "ComplaintReceived", within=cluster.bounds.crash)
    await cluster.heal(judged)
    await cluster.expect(cluster.agree(*left) & cluster.agree("n4"), within=cluster.bounds.silence)


@script(about=[*ABOUT, "claims"], settings=MERGING_OFF)
async def a_complaint_to_a_candidate(cluster: Cluster) -> None:
    """n4 has agreed to n2's claim, and complains to it; n2 leads nobody yet and does nothing: its list will tell n4.

    n2 waits for n3, whose consent is lost for a while."""
    await n5_is_a_stranger_to_n4(cluster)
    lost = await cluster.drop("claimaccepted", sender="n3", to=["n2"])
    why = "ignored: I am not master"
    ignored = await cluster.hold("n2", "ComplaintReceived", where={"peer": "n4", "complained_of": "n5", "reason": why})
    await cluster.kill("n1")
    soon = 2 * cluster.bounds.crash + 2 * cluster.settings.heartbeat_interval
    await cluster.until_held("n2", "ComplaintReceived", within=soon)
    await cluster.until(cluster.claims("n2") & cluster.follows("n4", "n2") & cluster.caught(lost), within=0)
    await cluster.heal(lost)
    await cluster.heal(ignored)
    await cluster.expect(cluster.holds("n4", version=6, members=FIVE[1:]), within=cluster.bounds.claim)
    await cluster.expect(cluster.agree(*FIVE[1:]), within=cluster.bounds.claim)


async def n5_is_a_stranger_to_n4(cluster: Cluster) -> None:
    """n4 gets no list any more of the master that it has followed until now."""
    await cluster.form(*FIVE[:4])
    await cluster.drop("membersupdate", sender="n1", to=["n4"])
    await cluster.start("n5")
    for name in ("n1", "n2", "n3", "n5"):
        await cluster.until(cluster.holds(name, version=5, members=FIVE), within=cluster.bounds.forming)
    await cluster.until(cluster.holds("n4", version=4, members=FIVE[:4]), within=0)
