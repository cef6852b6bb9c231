"""One direction of a link is lost, and the other is not: who suspects whom, and who has to go.

A silent way is known to the listener, after a timeout; a cut one to the speaker, at once. Suspects get no heartbeats,
so what began in one direction ends in both. Four nodes; n1 is the master, n2 stands before n3."""

from shaketable import Cluster, script
from shaketable.chaos import LISTS, MERGING_OFF
from shaketable.chaos.helpers.breaks import both_suspect

ABOUT = (*LISTS, "detection")
ALL = ("n1", "n2", "n3", "n4")


@script(about=ABOUT, settings=MERGING_OFF)
async def a_follower_hears_all_but_the_master(cluster: Cluster) -> None:
    """n3 hears everyone but the master: it suspects the master alone, claims nothing, and loses its place.

    There is n2 before it, whom it does not suspect, so it is not its turn. But it no longer sends heartbeats to a
    member that it suspects: after one more timeout the master removes it, and the others tell it so."""
    await cluster.form(*ALL)
    cluster.always(cluster.that.trusts("n2", "n1") & cluster.that.trusts("n4", "n1"))
    await cluster.blackhole("n1", "n3", one_way=True)
    await cluster.until(cluster.that.suspects("n3", "n1"), within=cluster.bounds.silence)
    await cluster.sleep(2 * cluster.settings.heartbeat_interval)
    faithful = cluster.that.suspects("n3", "n1") & cluster.that.follows("n3", "n1") & cluster.that.trusts("n3", "n2")
    await cluster.until(faithful & cluster.that.agree(*ALL), within=0)
    await cluster.until(cluster.that.agree("n1", "n2", "n4"), within=cluster.bounds.silence)
    await cluster.expect(cluster.that.agree("n3"), within=3 * cluster.bounds.silence)


@script(about=ABOUT, settings=MERGING_OFF)
async def the_master_is_heard_again_in_time(cluster: Cluster) -> None:
    """The master is heard again before it misses its follower: its heartbeat, or its list, ends the suspicion."""
    await cluster.form(*ALL)
    cluster.always(cluster.that.agree(*ALL))
    silence = await cluster.blackhole("n1", "n3", one_way=True)
    await cluster.until(cluster.that.suspects("n3", "n1"), within=cluster.bounds.silence)
    await cluster.heal(silence)
    await cluster.expect(cluster.that.trusts("n3", "n1"), within=2 * cluster.settings.heartbeat_interval)
    await cluster.sleep(cluster.bounds.silence)
    await cluster.expect(cluster.that.agree(*ALL), within=cluster.bounds.crash)


@script(about=ABOUT, settings=MERGING_OFF)
async def the_master_s_list_alone_is_heard(cluster: Cluster) -> None:
    """n3 gets no heartbeat of the master, and suspects it; the master's list comes through, and ends the suspicion."""
    await cluster.form(*ALL)
    cluster.always(cluster.that.agree(*ALL))
    lists = await cluster.drop("membersupdate", sender="n1", to=["n3"])
    await cluster.drop("heartbeat", sender="n1", to=["n3"])
    await cluster.until(cluster.that.suspects("n3", "n1"), within=cluster.bounds.silence)
    await cluster.heal(lists)
    await cluster.expect(cluster.that.trusts("n3", "n1"), within=cluster.bounds.lost_publish)
    # From then on it has the full timeout, however long it has been silent.
    await cluster.sleep(cluster.settings.heartbeat_timeout // 2)
    await cluster.until(cluster.that.trusts("n3", "n1"), within=0)


@script(about=ABOUT, settings=MERGING_OFF, unless="asks_others")
async def a_follower_is_not_heard_by_the_master(cluster: Cluster) -> None:
    """The master hears nothing from n3, which hears it well: it removes n3 after a timeout, and can tell it so."""
    await cluster.form(*ALL)
    await cluster.blackhole("n3", "n1", one_way=True)
    await cluster.until(cluster.that.agree("n1", "n2", "n4"), within=cluster.bounds.silence)
    await cluster.expect(cluster.that.agree("n3"), within=2 * cluster.bounds.silence)


@script(about=ABOUT, settings=MERGING_OFF)
async def a_follower_cannot_reach_the_master(cluster: Cluster) -> None:
    """The link from n3 to the master is cut: n3 knows it at once, the master only by silence.

    Until then n3 suspects a master whom it hears all the time: while its own link is gone no heartbeat ends that."""
    await cluster.form(*ALL)
    await cluster.cut("n3", "n1", one_way=True)
    await cluster.until(cluster.that.suspects("n3", "n1"), within=cluster.bounds.crash)
    await cluster.sleep(2 * cluster.settings.heartbeat_interval)
    await cluster.until(cluster.that.suspects("n3", "n1") & cluster.that.agree(*ALL), within=0)
    await cluster.until(cluster.that.agree("n1", "n2", "n4"), within=cluster.bounds.silence)
    await cluster.expect(cluster.that.agree("n3"), within=2 * cluster.bounds.silence)


@script(about=ABOUT, settings=MERGING_OFF)
async def the_master_cannot_reach_a_follower(cluster: Cluster) -> None:
    """The link from the master to n3 is cut: the master removes n3 at once, and cannot tell it so.

    n3 goes on in good faith, until those who know better tell it, or its own timeouts."""
    await cluster.form(*ALL)
    await cluster.cut("n1", "n3", one_way=True)
    await cluster.until(cluster.that.agree("n1", "n2", "n4"), within=cluster.bounds.crash)
    await cluster.expect(cluster.that.agree("n3"), within=2 * cluster.bounds.silence)


@script(about=ABOUT, settings=MERGING_OFF)
async def an_older_follower_is_not_heard(cluster: Cluster) -> None:
    """n3 does not hear n2, suspects it and sends it nothing more; so n2 suspects n3 too. The master keeps both.

    The link heals, and nothing changes: neither sends the heartbeat that would end it. Behaviour of the text."""
    await cluster.form(*ALL)
    cluster.always(cluster.that.agree(*ALL))
    silence = await cluster.blackhole("n2", "n3", one_way=True)
    await cluster.until(cluster.that.suspects("n3", "n2"), within=cluster.bounds.silence)
    both = both_suspect(cluster, "n3", "n2")
    await cluster.until(both, within=cluster.bounds.silence)
    await cluster.heal(silence)
    await cluster.sleep(3 * cluster.settings.heartbeat_interval)
    await cluster.expect(both, within=cluster.bounds.crash)


@script(about=[*ABOUT, "claims"], settings=MERGING_OFF)
async def a_younger_follower_is_not_heard(cluster: Cluster) -> None:
    """n2 does not hear n3 when the master dies: n2 claims and does not ask n3, which would have agreed.

    As the text's B does with its C. n3 suspects nobody but the dead master, until it is told or hears n2 no more."""
    await cluster.form(*ALL)
    await cluster.blackhole("n3", "n2", one_way=True)
    await cluster.until(cluster.that.suspects("n2", "n3"), within=cluster.bounds.silence)
    await cluster.until(cluster.that.trusts("n3", "n2"), within=0)
    await cluster.kill("n1")
    await cluster.until(cluster.that.agree("n2", "n4"), within=cluster.bounds.crash)
    await cluster.expect(cluster.that.agree("n3"), within=cluster.bounds.silence)
