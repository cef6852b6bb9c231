"""Figures 2 to 4 of the text on partial member disconnection: a member is lost to all, or to the master; the master is
lost.

The master mends by itself the breaks that it sees by itself, as it did before it learned of its followers' suspicions;
and the followers see enough of a lost master. Nothing is left to decide: each time one member goes, by one list. Four
nodes: n1 to n4 are the text's N1 to N4."""

from shaketable import Cluster, Micros, script
from shaketable.chaos import LISTS, RESOLVING
from shaketable.chaos.helpers.one_decision import in_one_list, they_hang_up

ABOUT = (*LISTS, "detection")
ALL = ("n1", "n2", "n3", "n4")


@script(about=ABOUT, settings=RESOLVING)
async def figure_2_cut(cluster: Cluster) -> None:
    """N2 is cut off from all others: all notice within the grace, and the master removes it.

    The reports of N3 and N4 on N2 come too late to matter: N2 is no member any more."""
    await cluster.form(*ALL)
    cluster.always(in_one_list(cluster, ALL, ["n2"]))
    await cluster.isolate("n2")
    await n2_is_gone(cluster, cluster.bounds.crash)


@script(about=ABOUT, settings=RESOLVING)
async def figure_2_black_hole(cluster: Cluster) -> None:
    """N2 falls silent to all, and hears nobody: all notice a timeout later, and the master removes it."""
    await cluster.form(*ALL)
    cluster.always(in_one_list(cluster, ALL, ["n2"]))
    await cluster.isolate("n2", how="blackhole")
    await n2_is_gone(cluster, cluster.bounds.silence)


@script(about=ABOUT, settings=RESOLVING)
async def figure_2_not_heard(cluster: Cluster) -> None:
    """N2 cannot reach anybody: it knows at once, and goes its own way; the others miss it a timeout later."""
    await cluster.form(*ALL)
    cluster.always(in_one_list(cluster, ALL, ["n2"]))
    await cluster.together(*(cluster.cut("n2", name, one_way=True) for name in ("n1", "n3", "n4")))
    await cluster.until(cluster.that.agree("n2"), within=cluster.bounds.crash)
    await n2_is_gone(cluster, cluster.bounds.silence)


@script(about=ABOUT, settings=RESOLVING)
async def figure_2_hears_nobody(cluster: Cluster) -> None:
    """N2 hears nobody: after a timeout it goes its own way, and the others miss it after one more."""
    await cluster.form(*ALL)
    cluster.always(in_one_list(cluster, ALL, ["n2"]))
    await cluster.together(*(cluster.blackhole(name, "n2", one_way=True) for name in ("n1", "n3", "n4")))
    await cluster.until(cluster.that.agree("n2"), within=cluster.bounds.silence)
    await n2_is_gone(cluster, 2 * cluster.bounds.silence)


@script(about=ABOUT, settings=RESOLVING)
async def figure_3_cut(cluster: Cluster) -> None:
    """The link of N1 and N2 is cut: the master N1 removes N2, and those who could still talk to N2 leave it too.

    N2 is next in line, and claims; but N3 and N4, whom it asks, hear their master well, and have its list soon."""
    await cluster.form(*ALL)
    cluster.always(
        in_one_list(cluster, ALL, ["n2"]) & cluster.that.trusts("n3", "n2") & cluster.that.trusts("n4", "n2")
    )
    await cluster.cut("n1", "n2")
    await n2_is_gone(cluster, cluster.bounds.crash + cluster.settings.mastership_claim_longest_retry)


@script(about=ABOUT, settings=RESOLVING)
async def figure_3_black_hole(cluster: Cluster) -> None:
    """The master N1 and N2 hear each other no more: a timeout later N1 removes N2, and the others leave it too."""
    await cluster.form(*ALL)
    cluster.always(
        in_one_list(cluster, ALL, ["n2"]) & cluster.that.trusts("n3", "n2") & cluster.that.trusts("n4", "n2")
    )
    await cluster.blackhole("n1", "n2")
    await n2_is_gone(cluster, cluster.bounds.take_over)


@script(about=ABOUT, settings=RESOLVING)
async def figure_3_the_master_is_not_heard(cluster: Cluster) -> None:
    """N2 alone does not hear the master: N2 claims in vain, and is removed when the master has missed it as long.

    A follower that suspects its master reports nothing to it; it sends it no heartbeats."""
    await cluster.form(*ALL)
    cluster.always(
        in_one_list(cluster, ALL, ["n2"]) & cluster.that.trusts("n3", "n2") & cluster.that.trusts("n4", "n2")
    )
    await cluster.blackhole("n1", "n2", one_way=True)
    await cluster.until(
        cluster.that.claims("n2") & cluster.that.has_list("n1", version=4, members=ALL), within=cluster.bounds.silence
    )
    await n2_is_gone(cluster, 2 * cluster.bounds.silence)


@script(about=ABOUT, settings=RESOLVING)
async def figure_3_the_master_does_not_hear(cluster: Cluster) -> None:
    """The master alone does not hear N2: it removes N2, which suspects nobody and learns of it from all others."""
    await cluster.form(*ALL)
    cluster.always(
        in_one_list(cluster, ALL, ["n2"]) & cluster.that.trusts("n3", "n2") & cluster.that.trusts("n4", "n2")
    )
    await cluster.blackhole("n2", "n1", one_way=True)
    await n2_is_gone(cluster, cluster.bounds.silence + 2 * cluster.settings.heartbeat_interval)


async def n2_is_gone(cluster: Cluster, noticed: Micros) -> None:
    """In that time; and there is nothing for the master to decide, whatever its followers report."""
    cluster.always(cluster.that.has_resolved("n1", times=0) & cluster.that.has_not_resolved("n1", times=0))
    ends = cluster.that.agree("n1", "n3", "n4") & cluster.that.agree("n2")
    await cluster.until(ends, within=noticed)
    await they_hang_up(cluster, ["n1", "n3", "n4"], ["n2"])
    await cluster.sleep(cluster.bounds.resolution)
    await cluster.expect(ends, within=noticed + cluster.bounds.resolution)


@script(about=[*ABOUT, "claims"], settings=RESOLVING)
async def figure_4_crash(cluster: Cluster) -> None:
    """The master crashes: all others notice, and N2 becomes master of [N2, N3, N4]."""
    await cluster.form(*ALL)
    await cluster.kill("n1")
    await n2_takes_over(cluster, cluster.bounds.crash)


@script(about=[*ABOUT, "claims"], settings=RESOLVING)
async def figure_4_cut(cluster: Cluster) -> None:
    """The master is cut off from all others: they go on under N2, and it goes on alone."""
    await cluster.form(*ALL)
    await cluster.isolate("n1")
    await n2_takes_over(cluster, cluster.bounds.crash + cluster.settings.mastership_claim_longest_retry)
    await cluster.expect(cluster.that.agree("n1"), within=cluster.bounds.crash)


@script(about=[*ABOUT, "claims"], settings=RESOLVING)
async def figure_4_black_hole(cluster: Cluster) -> None:
    """The master falls silent to all, and hears nobody: a timeout later they go on under N2, and it goes on alone."""
    await cluster.form(*ALL)
    await cluster.isolate("n1", how="blackhole")
    await n2_takes_over(cluster, cluster.bounds.take_over)
    await cluster.expect(cluster.that.agree("n1"), within=cluster.bounds.silence)


@script(about=[*ABOUT, "claims"], settings=RESOLVING)
async def figure_4_not_heard(cluster: Cluster) -> None:
    """The master cannot reach anybody: it takes all others off its list at once; they miss it a timeout later."""
    await cluster.form(*ALL)
    await cluster.together(*(cluster.cut("n1", name, one_way=True) for name in ("n2", "n3", "n4")))
    await cluster.until(cluster.that.agree("n1"), within=cluster.bounds.crash)
    await n2_takes_over(cluster, cluster.bounds.take_over)


@script(about=[*ABOUT, "claims"], settings=RESOLVING)
async def figure_4_hears_nobody(cluster: Cluster) -> None:
    """Nobody can reach the master: the others go on under N2 at once; the master misses them a timeout later."""
    await cluster.form(*ALL)
    await cluster.together(*(cluster.cut(name, "n1", one_way=True) for name in ("n2", "n3", "n4")))
    await n2_takes_over(cluster, cluster.bounds.crash + cluster.settings.mastership_claim_longest_retry)
    await cluster.expect(cluster.that.agree("n1"), within=cluster.bounds.silence)


async def n2_takes_over(cluster: Cluster, noticed: Micros) -> None:
    await cluster.until(cluster.that.has_list("n2", version=5, members=["n2", "n3", "n4"]), within=noticed)
    await cluster.expect(cluster.that.agree("n2", "n3", "n4"), within=noticed)
