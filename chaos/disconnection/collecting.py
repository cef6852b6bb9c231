"""The master collects suspicions, and gets news that takes back, adds to, or only repeats what it knows.

From the text on partial member disconnection: it waits for some heartbeat rounds after the last news, for others may
have more to tell. Four nodes: n1 is the master. Where much has to happen meanwhile, it waits for ten rounds."""

from shaketable import Cluster, script
from shaketable.chaos import RESOLVING
from shaketable.chaos.helpers.breaks import BLACK_HOLE, CUT, begin, both_suspect, noticed, reported
from shaketable.chaos.helpers.collecting import (
    ABOUT,
    ALL,
    DECIDED,
    PATIENT,
    a_break_is_decided_beside_a_flapping_link,
    is_known,
    one_of_two_leaves,
    three_breaks_are_one_decision,
    two_have_left,
)
from shaketable.chaos.helpers.equal_lists import how_they_parted, one_list_stays
from shaketable.chaos.helpers.one_decision import in_one_list, they_hang_up


@script(about=ABOUT, settings=RESOLVING)
async def a_silence_ends_while_the_master_collects(cluster: Cluster) -> None:
    """n3 does not hear n2, and says so; n3 hears n2 again while n2 suspects nobody yet: n3 takes its report back.

    Nothing is left to decide, and nobody is removed."""
    await cluster.form(*ALL)
    nobody_is_removed(cluster)
    silence = await cluster.blackhole("n2", "n3", one_way=True)
    await cluster.until(cluster.that.is_told("n1", by="n3", of="n2"), within=reported(cluster, BLACK_HOLE))
    await cluster.heal(silence)
    await nothing_is_left_to_decide(cluster, by="n3", of="n2")


@script(about=ABOUT, settings=RESOLVING)
async def a_one_way_cut_ends_while_the_master_collects(cluster: Cluster) -> None:
    """n2 cannot send to n3, and says so at once; it can again long before n3 misses it: n2 takes its report back."""
    await cluster.form(*ALL)
    nobody_is_removed(cluster)
    cut = await cluster.cut("n2", "n3", one_way=True)
    await cluster.until(cluster.that.is_told("n1", by="n2", of="n3"), within=reported(cluster, CUT))
    await cluster.heal(cut)
    await nothing_is_left_to_decide(cluster, by="n2", of="n3")


@script(about=DECIDED, settings=PATIENT)
async def a_cut_heals_while_the_master_collects(cluster: Cluster) -> None:
    """The cut link of n2 and n3 is whole again before the master decides, and it decides as if it were not.

    Both suspect, so neither sends the heartbeat that would end it: both suspicions outlive the cut. Behaviour of the
    text."""
    await a_break_outlives_its_heal(cluster, CUT)


@script(about=DECIDED, settings=PATIENT)
async def a_black_hole_heals_while_the_master_collects(cluster: Cluster) -> None:
    """The silence of n2 and n3 ends before the master decides, and it decides as if it had not."""
    await a_break_outlives_its_heal(cluster, BLACK_HOLE)


async def a_break_outlives_its_heal(cluster: Cluster, how: str) -> None:
    await cluster.form(*ALL)
    fault = await begin(cluster, how, "n2", "n3")
    both = is_known(cluster, "n2", "n3") & both_suspect(cluster, "n2", "n3")
    await cluster.until(both, within=reported(cluster, how))
    # A heartbeat from before may wait for the link for some time, and would end a suspicion.
    await cluster.sleep(2 * cluster.settings.heartbeat_interval)
    await cluster.heal(fault)
    await cluster.sleep(cluster.settings.heartbeat_interval)
    await cluster.until(both & cluster.that.has_resolved("n1", times=0) & cluster.that.agree(*ALL), within=0)
    await one_of_two_leaves(cluster, ALL, "n3", "n2")


@script(about=DECIDED, settings=PATIENT)
async def a_flapping_link_beside_a_cut_one(cluster: Cluster) -> None:
    """n2 and n3 are cut off from each other; the link from n4 to n3 comes and goes, so that there is always news.

    The master would wait for ever; but a break that has lasted for three times its wait is decided all the same. n3 is
    removed, whatever n4 thinks of it just then."""
    await a_break_is_decided_beside_a_flapping_link(cluster, CUT)


@script(about=DECIDED, settings=PATIENT)
async def a_flapping_link_of_others(cluster: Cluster) -> None:
    """n2 and n3 are cut off from each other; the link n4 to n5 comes and goes, and is cut when the master decides.

    n3 has to go. But n4 and n5 have not been cut off for the whole wait then: they do not count, and can talk again
    before they do."""
    five = [*ALL, "n5"]
    await cluster.form(*five)
    cluster.always(in_one_list(cluster, five, ["n3"], ["n2"]))
    await cluster.cut("n2", "n3")
    await cluster.until(is_known(cluster, "n2", "n3"), within=reported(cluster, CUT))
    for _ in range(4):  # with some five or six rounds each, and the decision is due after thirty
        cut = await cluster.cut("n4", "n5", one_way=True)
        await cluster.sleep(3 * cluster.settings.heartbeat_interval)
        await cluster.heal(cut)
        await cluster.until(cluster.that.trusts("n4", "n5"), within=3 * cluster.settings.heartbeat_interval)
        await cluster.sleep(2 * cluster.settings.heartbeat_interval)
    cut = await cluster.cut("n4", "n5", one_way=True)
    await cluster.until(cluster.that.has_resolved("n1"), within=cluster.bounds.resolution)
    await cluster.heal(cut)
    await cluster.sleep(cluster.bounds.resolution)
    parts = how_they_parted(cluster, five, ["n3"], ["n2"])
    ends = cluster.that.agree(*parts.staying) & cluster.that.agree(*parts.leaving)
    await cluster.expect(ends & cluster.that.has_resolved("n1"), within=2 * cluster.bounds.silence)
    await they_hang_up(cluster, *parts)


@script(about=DECIDED, settings=PATIENT)
async def more_cuts_while_the_master_collects(cluster: Cluster) -> None:
    """n2 is cut off from n3, then from n4, then n3 from n4, each before the wait is over: one decision for all.

    The wait begins anew with each, and is longer than one in the end: one decision, and one list without n3 and n4.
    Had the master not waited for the third, n2 would have left for the first two."""
    await three_breaks_are_one_decision(cluster, CUT)


@script(about=DECIDED, settings=PATIENT)
async def more_black_holes_while_the_master_collects(cluster: Cluster) -> None:
    """n2 and n3 fall silent to each other, then n2 and n4, then n3 and n4: one decision, for all three."""
    await three_breaks_are_one_decision(cluster, BLACK_HOLE)


@script(about=DECIDED, settings=PATIENT)
async def a_report_is_taken_back_while_the_master_collects(cluster: Cluster) -> None:
    """n2 is cut off from n3, and for a while cannot send to n4: what it takes back is news, and the wait begins again.

    n2 and n3 stay cut off, and one of them leaves."""
    await cluster.form(*ALL)
    await begin(cluster, CUT, "n2", "n3")
    await cluster.until(is_known(cluster, "n2", "n3"), within=reported(cluster, CUT))
    cut = await cluster.cut("n2", "n4", one_way=True)
    await cluster.until(cluster.that.is_told("n1", by="n2", of="n4"), within=reported(cluster, CUT))
    await cluster.sleep(3 * cluster.settings.heartbeat_interval)
    await cluster.heal(cut)
    taken_back = cluster.that.is_not_told("n1", by="n2", of="n4")
    await cluster.until(taken_back, within=reported(cluster, CUT) + 2 * cluster.settings.heartbeat_interval)
    await one_of_two_leaves(cluster, ALL, "n3", "n2")


@script(about=DECIDED, settings=RESOLVING)
async def a_second_cut_after_the_decision(cluster: Cluster) -> None:
    """n2 is cut off from n3, which is removed, and then from n4: by a second decision n4 leaves.

    Had the master known both it would have removed n2 alone: a decision is as good as what is known when it is due."""
    await two_breaks_are_two_decisions(cluster, CUT)


@script(about=DECIDED, settings=RESOLVING)
async def a_second_black_hole_after_the_decision(cluster: Cluster) -> None:
    """n2 and n3 fall silent to each other, and n3 is removed; then n2 and n4 do: by a second decision n4 leaves."""
    await two_breaks_are_two_decisions(cluster, BLACK_HOLE)


async def two_breaks_are_two_decisions(cluster: Cluster, how: str) -> None:
    await cluster.form(*ALL)
    await begin(cluster, how, "n2", "n3")
    within = noticed(cluster, how) + cluster.bounds.resolution
    three, first = await one_list_stays(cluster, ALL, ["n3"], ["n2"], within=within)
    await begin(cluster, how, three[1], "n4")
    two, second = await one_list_stays(cluster, three, ["n4"], three[1:2], within=within)
    await two_have_left(cluster, two, first, second)


@script(about=DECIDED, settings=RESOLVING, unless="any_best")
async def a_cut_and_a_black_hole_at_once(cluster: Cluster) -> None:
    """n2 is cut off from n3, and falls silent to n4, at once: the cut is known and decided long before the silence.

    Two decisions, rightly: n3 leaves, and then n4. Had both been cut, or both silent, n2 would have left alone."""
    await cluster.form(*ALL)
    await cluster.together(cluster.cut("n2", "n3"), cluster.blackhole("n2", "n4"))
    await cluster.until(cluster.that.agree("n1", "n2", "n4"), within=cluster.bounds.crash + cluster.bounds.resolution)
    await cluster.until(cluster.that.trusts("n2", "n4") & cluster.that.trusts("n4", "n2"), within=0)
    await cluster.until(cluster.that.agree("n1", "n2"), within=cluster.bounds.silence + cluster.bounds.resolution)
    await two_have_left(cluster, ["n1", "n2"], ["n3"], ["n4"])


def nobody_is_removed(cluster: Cluster) -> None:
    cluster.always(cluster.that.agree(*ALL) & cluster.that.has_resolved("n1", times=0))


async def nothing_is_left_to_decide(cluster: Cluster, *, by: str, of: str) -> None:
    """The suspicion ends with the next heartbeat, and its end is told with the next one to the master."""
    await cluster.until(cluster.that.is_not_told("n1", by=by, of=of), within=3 * cluster.settings.heartbeat_interval)
    await cluster.sleep(cluster.bounds.resolution)
    await cluster.expect(cluster.that.trusts(by, of) & cluster.that.trusts(of, by), within=cluster.bounds.crash)
