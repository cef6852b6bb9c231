"""Figure 5 of the text on partial member disconnection: N2 cannot talk to N3 and N4, and all can to the master N1.

The master sees nothing of it; its followers tell it, and of [N1, N2] and [N1, N3, N4] the larger stays. Four nodes: n1
to n4 are the text's N1 to N4."""

from shaketable import Cluster, Condition, script
from shaketable.chaos import LISTS, MERGING_OFF, RESOLVING
from shaketable.chaos.helpers.breaks import BLACK_HOLE, CUT, begin_all, both_suspect
from shaketable.chaos.helpers.equal_lists import one_list_stays
from shaketable.chaos.helpers.one_decision import in_one_list, it_stays_so, they_hang_up, they_part, told

ABOUT = (*LISTS, "claims", "detection", "best clique")
TO_THE_END = (*ABOUT, "fully connected")
ALL = ("n1", "n2", "n3", "n4")
N2_TO_BOTH = (("n2", "n3"), ("n2", "n4"))


@script(about=["fully connected"], expects_violation="fully connected", settings=MERGING_OFF)
async def figure_5_undecided(cluster: Cluster) -> None:
    """With a count of 0 the master is told nothing and decides nothing: figure 5 stays broken for ever."""
    await it_stays_broken(cluster, CUT)


@script(about=["fully connected"], expects_violation="fully connected", settings=MERGING_OFF)
async def figure_5_undecided_black_hole(cluster: Cluster) -> None:
    """With a count of 0, N2 and the two N3 and N4 fall silent to each other: figure 5 stays broken for ever."""
    await it_stays_broken(cluster, BLACK_HOLE)


@script(about=["fully connected"], expects_violation="fully connected", settings=MERGING_OFF)
async def figure_5_undecided_one_way(cluster: Cluster) -> None:
    """With a count of 0, N2 cannot reach N3 and N4: they hear N2 no more, and stay in one list with it."""
    await it_stays_broken(cluster, CUT, one_way=True)


async def it_stays_broken(cluster: Cluster, how: str, *, one_way: bool = False) -> None:
    await cluster.form(*ALL)
    cluster.always(cluster.that.agree(*ALL) & cluster.that.has_resolved("n1", times=0))
    await begin_all(cluster, how, *N2_TO_BOTH, one_way=one_way)
    await cluster.calm()
    await cluster.until(all_three_know_it(cluster), within=0)
    await cluster.expect(cluster.that.agree(*ALL), within=cluster.bounds.settle())


@script(about=TO_THE_END, settings=RESOLVING)
async def figure_5_cut(cluster: Cluster) -> None:
    """N2 is cut off from N3 and N4: all three know it within the grace, and tell the master with their heartbeats.

    It waits for five rounds, whether more is to come, and removes N2. The master, whom N2 hears, tells it so."""
    await cluster.form(*ALL)
    cluster.always(in_one_list(cluster, ALL, ["n2"]))
    await begin_all(cluster, CUT, *N2_TO_BOTH)
    await cluster.until(all_three_know_it(cluster), within=cluster.bounds.crash)
    await cluster.until(cluster.that.has_list("n1", version=4, members=ALL), within=0)
    await they_part(cluster, ALL, ["n2"], noticed=cluster.bounds.crash)
    await it_stays_so(cluster, ["n1", "n3", "n4"], ["n2"])


def all_three_know_it(cluster: Cluster) -> Condition:
    with_n3 = both_suspect(cluster, "n2", "n3")
    return with_n3 & both_suspect(cluster, "n2", "n4")


@script(about=TO_THE_END, settings=RESOLVING)
async def figure_5_black_hole(cluster: Cluster) -> None:
    """N2 and the two, N3 and N4, fall silent to each other: all three notice a timeout later, and N2 has to go."""
    await cluster.form(*ALL)
    cluster.always(in_one_list(cluster, ALL, ["n2"]))
    await cluster.together(cluster.blackhole("n2", "n3"), cluster.blackhole("n2", "n4"))
    await they_part(cluster, ALL, ["n2"], noticed=cluster.bounds.silence)
    await it_stays_so(cluster, ["n1", "n3", "n4"], ["n2"])


@script(about=TO_THE_END, settings=RESOLVING)
async def figure_5_cannot_send(cluster: Cluster) -> None:
    """N2 cannot reach N3 and N4: N2 alone knows and reports it, long before the two could miss it.

    A problem in one direction counts in both. It is not the complainer that has to go, nor the one that is complained
    of."""
    await cluster.form(*ALL)
    cluster.always(in_one_list(cluster, ALL, ["n2"]) & nobody_suspects_n2(cluster))
    await cluster.together(cluster.cut("n2", "n3", one_way=True), cluster.cut("n2", "n4", one_way=True))
    await they_part(cluster, ALL, ["n2"], noticed=cluster.bounds.crash)
    await it_stays_so(cluster, ["n1", "n3", "n4"], ["n2"])


@script(about=ABOUT, settings=RESOLVING)
async def figure_5_is_not_sent_to(cluster: Cluster) -> None:
    """N3 and N4 cannot reach N2: each of the two reports N2, which suspects nobody until it is removed.

    Told so by the master, N2 claims; what N3 and N4 answer cannot reach it, so that takes until it misses them."""
    await cluster.form(*ALL)
    cluster.always(in_one_list(cluster, ALL, ["n2"]))
    await cluster.together(cluster.cut("n3", "n2", one_way=True), cluster.cut("n4", "n2", one_way=True))
    staying = cluster.that.agree("n1", "n3", "n4")
    await cluster.until(staying, within=cluster.bounds.crash + cluster.bounds.resolution)
    await cluster.until(cluster.that.trusts("n2", "n3") & cluster.that.trusts("n2", "n4"), within=0)
    await cluster.until(cluster.that.claims("n2"), within=told(cluster))
    await cluster.expect(staying & cluster.that.agree("n2"), within=cluster.bounds.take_over)
    await they_hang_up(cluster, ["n1", "n3", "n4"], ["n2"])


@script(about=ABOUT, settings=RESOLVING)
async def figure_5_is_not_heard(cluster: Cluster) -> None:
    """N3 and N4 do not hear N2: they miss it after a timeout, and the master decides before N2 misses them.

    They send N2 no more heartbeats, so it will: that ends its claim, with which it asks them in vain."""
    await cluster.form(*ALL)
    cluster.always(in_one_list(cluster, ALL, ["n2"]))
    await cluster.together(cluster.blackhole("n2", "n3", one_way=True), cluster.blackhole("n2", "n4", one_way=True))
    staying = cluster.that.agree("n1", "n3", "n4")
    await cluster.until(staying, within=cluster.bounds.silence + cluster.bounds.resolution)
    await cluster.until(cluster.that.trusts("n2", "n3") & cluster.that.trusts("n2", "n4"), within=0)
    await cluster.until(cluster.that.claims("n2"), within=told(cluster))
    await cluster.expect(staying & cluster.that.agree("n2"), within=2 * cluster.bounds.silence)
    await they_hang_up(cluster, ["n1", "n3", "n4"], ["n2"])


@script(about=ABOUT, settings=RESOLVING)
async def figure_5_does_not_hear(cluster: Cluster) -> None:
    """N2 does not hear N3 and N4: N2 alone misses anybody, and reports it; and N2 has to go."""
    await cluster.form(*ALL)
    cluster.always(in_one_list(cluster, ALL, ["n2"]) & nobody_suspects_n2(cluster))
    await cluster.together(cluster.blackhole("n3", "n2", one_way=True), cluster.blackhole("n4", "n2", one_way=True))
    await they_part(cluster, ALL, ["n2"], noticed=cluster.bounds.silence)


@script(about=ABOUT, settings=RESOLVING)
async def figure_5_one_way_each(cluster: Cluster) -> None:
    """N3 does not hear N2, and N2 does not hear N4: two breaks in two directions are figure 5 all the same.

    N2 is reported by the one and reports the other; each break counts as if it were two-way. Removed, N2 claims and
    asks N3, whom it has no reason to suspect: until it misses its heartbeats."""
    await cluster.form(*ALL)
    cluster.always(in_one_list(cluster, ALL, ["n2"]) & cluster.that.trusts("n4", "n2"))
    await cluster.together(cluster.blackhole("n2", "n3", one_way=True), cluster.blackhole("n4", "n2", one_way=True))
    staying = cluster.that.agree("n1", "n3", "n4")
    await cluster.until(staying, within=cluster.bounds.silence + cluster.bounds.resolution)
    await cluster.until(cluster.that.suspects("n2", "n4") & cluster.that.trusts("n2", "n3"), within=0)
    await cluster.expect(staying & cluster.that.agree("n2"), within=2 * cluster.bounds.silence)
    await they_hang_up(cluster, ["n1", "n3", "n4"], ["n2"])


@script(about=ABOUT, settings=RESOLVING)
async def one_way_breaks_only(cluster: Cluster) -> None:
    """n2 cannot reach n3, n3 cannot reach n4, n4 cannot reach n2: of these three one alone can stay, and n2 is oldest.

    Three breaks in one direction each, seen by their senders alone, and five members; n3 and n4 leave by one list. They
    cannot talk to each other either, and end each alone; that takes a timeout, as not all can tell them."""
    everybody, leaving = (*ALL, "n5"), (("n3", "n4"), ("n2", "n4"), ("n2", "n3"))
    await cluster.form(*everybody)
    cluster.always(in_one_list(cluster, everybody, *leaving))
    await cluster.together(
        cluster.cut("n2", "n3", one_way=True),
        cluster.cut("n3", "n4", one_way=True),
        cluster.cut("n4", "n2", one_way=True),
    )
    within = cluster.bounds.crash + cluster.bounds.resolution
    staying, (one, other) = await one_list_stays(cluster, everybody, *leaving, within=within)
    seen_by_senders = (
        cluster.that.trusts("n3", "n2") & cluster.that.trusts("n4", "n3") & cluster.that.trusts("n2", "n4")
    )
    await cluster.until(seen_by_senders, within=0)
    ends = cluster.that.agree(*staying) & cluster.that.agree(one) & cluster.that.agree(other)
    await cluster.expect(ends, within=cluster.bounds.take_over)
    await they_hang_up(cluster, staying, [one], [other])


def nobody_suspects_n2(cluster: Cluster) -> Condition:
    return cluster.that.trusts("n3", "n2") & cluster.that.trusts("n4", "n2")
