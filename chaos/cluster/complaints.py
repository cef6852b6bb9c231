"""Complaints come too late, or to a node that leads nobody: it judges them by what it knows when it reads them.

From text 1.7: a follower that gets a heartbeat of an unknown member complains to its master. The stranger is n5 here:
it has joined, and n4, which complains, has missed that list."""

from shaketable import Cluster, script
from shaketable.chaos import LISTS, MERGING_OFF

ABOUT = (*LISTS, "detection")
FIVE = ["n1", "n2", "n3", "n4", "n5"]


@script(about=ABOUT, settings=MERGING_OFF)
async def a_complaint_of_a_removed_member(cluster: Cluster) -> None:
    """n4 complains of n5, and that takes so long that the master has removed n4 meanwhile: it is n4 that has to part.

    The master lost its link to n4 for a moment, and n4 knows nothing of that."""
    await n5_is_a_stranger_to_n4(cluster)
    late = await cluster.hold_back("heartbeatcomplaint", sender="n4", to=["n1"])
    await cluster.until(cluster.that.caught(late), within=cluster.bounds.silence)
    cut = await cluster.cut("n1", "n4", one_way=True)
    left = ("n1", "n2", "n3", "n5")
    await cluster.until(cluster.that.agree(*left), within=cluster.bounds.crash)
    await cluster.heal(cut)
    judged = await cluster.hold(
        "n1", "ComplaintReceived", where={"peer": "n4", "complained_of": "n5", "why": "complainer-follows-not"}
    )
    await cluster.heal(late)
    await cluster.until_held("n1", "ComplaintReceived", within=cluster.bounds.crash)
    await cluster.heal(judged)
    await cluster.expect(cluster.that.agree(*left) & cluster.that.agree("n4"), within=cluster.bounds.silence)


@script(about=[*ABOUT, "claims"], settings=MERGING_OFF)
async def a_complaint_to_a_candidate(cluster: Cluster) -> None:
    """n4 has agreed to n2's claim, and complains to it; n2 leads nobody yet and does nothing: its list will tell n4.

    n2 waits for n3, whose consent is lost for a while."""
    await n5_is_a_stranger_to_n4(cluster)
    lost = await cluster.drop("claimaccepted", sender="n3", to=["n2"])
    ignored = await cluster.hold(
        "n2", "ComplaintReceived", where={"peer": "n4", "complained_of": "n5", "why": "complaint-to-no-master"}
    )
    await cluster.kill("n1")
    soon = 2 * cluster.bounds.crash + 2 * cluster.settings.heartbeat_interval
    await cluster.until_held("n2", "ComplaintReceived", within=soon)
    await cluster.until(
        cluster.that.claims("n2") & cluster.that.follows("n4", "n2") & cluster.that.caught(lost), within=0
    )
    await cluster.heal(lost)
    await cluster.heal(ignored)
    await cluster.expect(cluster.that.has_list("n4", version=6, members=FIVE[1:]), within=cluster.bounds.claim)
    await cluster.expect(cluster.that.agree(*FIVE[1:]), within=cluster.bounds.claim)


@script(about=ABOUT, settings=MERGING_OFF)
async def a_complaint_of_one_stranger_about_another(cluster: Cluster) -> None:
    """n4 complains of n5 when the master has removed both: it tells both. Nothing else would tell n5.

    The master lost its links to both for a moment. Neither's heartbeats to its members get through."""
    await n5_is_a_stranger_to_n4(cluster)
    three = ("n1", "n2", "n3")
    await cluster.together(*[cluster.drop("heartbeat", sender=name, to=three) for name in ("n4", "n5")])
    cuts = await cluster.together(*[cluster.cut("n1", name, one_way=True) for name in ("n4", "n5")])
    await cluster.until(cluster.that.agree(*three), within=cluster.bounds.crash)
    told = await cluster.hold("n1", "ExplicitSuspicionSent", where={"peer": "n5", "why": "complaint"})
    await cluster.together(*map(cluster.heal, cuts))
    await cluster.until_held("n1", "ExplicitSuspicionSent", within=2 * cluster.settings.heartbeat_interval)
    await cluster.heal(told)
    apart = cluster.that.agree(*three) & cluster.that.agree("n4") & cluster.that.agree("n5")
    await cluster.expect(apart, within=2 * cluster.bounds.silence)


async def n5_is_a_stranger_to_n4(cluster: Cluster) -> None:
    """n4 gets no list any more of the master that it has followed until now."""
    await cluster.form(*FIVE[:4])
    await cluster.drop("membersupdate", sender="n1", to=["n4"])
    await cluster.start("n5")
    for name in ("n1", "n2", "n3", "n5"):
        await cluster.until(cluster.that.has_list(name, version=5, members=FIVE), within=cluster.bounds.forming)
    await cluster.until(cluster.that.has_list("n4", version=4, members=FIVE[:4]), within=0)
