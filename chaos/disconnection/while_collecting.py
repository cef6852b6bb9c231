"""Members leave, crash, sleep or are removed while the master collects suspicions.

Reports of a member that is gone do not count any more, nor do reports to a former master. n1 is the master. It waits
for ten rounds after the last news, but where it sleeps, for five."""

from shaketable import Cluster, script
from shaketable.chaos import RESOLVING
from shaketable.chaos.helpers.breaks import BLACK_HOLE, CUT, begin, both_suspect, reported
from shaketable.chaos.helpers.collecting import (
    ABOUT,
    ALL,
    DECIDED,
    FIVE,
    PATIENT,
    is_known,
    nothing_is_decided,
    one_of_two_leaves,
    the_master_loses_n3,
    the_master_misses_n3,
    the_next_master_decides,
)


@script(about=ABOUT, settings=PATIENT)
async def the_master_loses_the_reported_member(cluster: Cluster) -> None:
    """n3 is cut off from n2, then from the waiting master too: the master removes n3 at once, and that is enough.

    One removal, by one list; what was reported of n3 goes with it, and there is nothing left to decide."""
    await the_master_loses_n3(cluster)


@script(about=ABOUT, settings=PATIENT)
async def the_master_misses_the_reported_member(cluster: Cluster) -> None:
    """n3 falls silent to n2, and four rounds later to the master, which hears of it from n2, then misses n3 itself.

    A decision would have come later, and there is nothing left to decide."""
    await the_master_misses_n3(cluster)


@script(about=ABOUT, settings=PATIENT)
async def the_member_that_would_have_to_go_leaves(cluster: Cluster) -> None:
    """n2 is cut off from n3 and n4, and leaves while the master waits: nobody else has to go."""
    await n2_is_cut_off_from_two(cluster)
    await cluster.leave("n2")
    await the_others_stay(cluster)


@script(about=ABOUT, settings=PATIENT)
async def the_member_that_would_have_to_go_crashes(cluster: Cluster) -> None:
    """n2 is cut off from n3 and n4, and crashes while the master waits: nobody else has to go."""
    await n2_is_cut_off_from_two(cluster)
    await cluster.kill("n2")
    await the_others_stay(cluster)


async def n2_is_cut_off_from_two(cluster: Cluster) -> None:
    await cluster.form(*ALL)
    await cluster.together(cluster.cut("n2", "n3"), cluster.cut("n2", "n4"))
    known = is_known(cluster, "n2", "n3") & is_known(cluster, "n2", "n4")
    await cluster.until(known & both_suspect(cluster, "n2", "n3"), within=reported(cluster, CUT))
    await cluster.sleep(cluster.settings.heartbeat_interval)


@script(about=ABOUT, settings=PATIENT)
async def the_one_who_would_stay_leaves(cluster: Cluster) -> None:
    """n2 and n3 are silent to each other, and n3, the younger, would have to go: n2 leaves, so n3 stays."""
    await cluster.form(*ALL)
    await begin(cluster, BLACK_HOLE, "n2", "n3")
    known = is_known(cluster, "n2", "n3") & both_suspect(cluster, "n2", "n3")
    await cluster.until(known, within=reported(cluster, BLACK_HOLE))
    await cluster.leave("n2")
    await the_others_stay(cluster)


@script(about=DECIDED, settings=PATIENT, unless="any_best")
async def one_of_two_whom_a_member_misses_crashes(cluster: Cluster) -> None:
    """n2 is cut off from n3 and n4, and n4 crashes while the master waits: n2 still misses n3, which has to leave."""
    await n2_is_cut_off_from_two(cluster)
    await cluster.kill("n4")
    three = cluster.that.has_list("n1", version=5, members=["n1", "n2", "n3"])
    await cluster.until(three & is_known(cluster, "n2", "n3"), within=cluster.bounds.crash)
    await one_of_two_leaves(cluster, ("n1", "n2", "n3"), "n3", "n2")


@script(about=DECIDED, settings=PATIENT)
async def the_only_one_whom_a_member_misses_crashes(cluster: Cluster) -> None:
    """n2 and n3 are cut off from each other, n4 cannot reach n5, and n5 crashes: n4's report is none any more."""
    await cluster.form(*FIVE)
    await cluster.together(cluster.cut("n2", "n3"), cluster.cut("n4", "n5", one_way=True))
    known = is_known(cluster, "n2", "n3") & cluster.that.is_told("n1", by="n4", of="n5")
    await cluster.until(known, within=reported(cluster, CUT))
    await cluster.kill("n5")
    await one_of_two_leaves(cluster, ALL, "n3", "n2")


async def the_others_stay(cluster: Cluster) -> None:
    await cluster.until(cluster.that.agree("n1", "n3", "n4"), within=cluster.bounds.crash)
    cluster.always(cluster.that.agree("n1", "n3", "n4"))
    await nothing_is_decided(cluster)
    await cluster.expect(cluster.that.agree("n1", "n3", "n4"), within=cluster.bounds.crash)


@script(about=[*DECIDED, "claims"], settings=PATIENT)
async def the_master_crashes_while_it_collects_cuts(cluster: Cluster) -> None:
    """n3 and n5 are cut off from each other, and the master dies with their reports: both tell n2, which decides."""
    await the_next_master_decides(cluster, CUT)


@script(about=[*DECIDED, "claims"], settings=PATIENT)
async def the_master_crashes_while_it_collects_silences(cluster: Cluster) -> None:
    """n3 and n5 are silent to each other, and the master dies with their reports: both tell n2, which decides."""
    await the_next_master_decides(cluster, BLACK_HOLE)


@script(about=ABOUT, settings=RESOLVING)
async def a_silence_ends_while_the_master_sleeps(cluster: Cluster) -> None:
    """n3 does not hear n2, and the master sleeps for longer than its wait; meanwhile n3 hears n2 again.

    When the master wakes the time for its decision is over; but what was taken back meanwhile may not have been read
    yet. It waits afresh, learns of it, and removes nobody."""
    await cluster.form(*ALL)
    cluster.always(cluster.that.agree(*ALL) & cluster.that.has_resolved("n1", times=0))
    silence = await cluster.blackhole("n2", "n3", one_way=True)
    await cluster.until(cluster.that.is_told("n1", by="n3", of="n2"), within=reported(cluster, BLACK_HOLE))
    nap = await cluster.pause("n1")
    await cluster.heal(silence)
    await the_wait_passes(cluster)
    await cluster.until(cluster.that.trusts("n3", "n2") & cluster.that.is_told("n1", by="n3", of="n2"), within=0)
    await cluster.heal(nap)
    await cluster.until(
        cluster.that.is_not_told("n1", by="n3", of="n2"), within=2 * cluster.settings.heartbeat_interval
    )
    await cluster.sleep(cluster.bounds.resolution)
    await cluster.expect(cluster.that.agree(*ALL), within=cluster.bounds.crash)


@script(about=DECIDED, settings=RESOLVING, unless="any_best")
async def a_cut_lasts_while_the_master_sleeps(cluster: Cluster) -> None:
    """n2 and n3 are cut off from each other, and the master sleeps for longer than its wait: it decides after all.

    It waits afresh when it wakes, and then removes n3. Nobody has missed the master."""
    await cluster.form(*ALL)
    cluster.always(cluster.that.trusts("n2", "n1") & cluster.that.trusts("n4", "n1"))
    await begin(cluster, CUT, "n2", "n3")
    await cluster.until(is_known(cluster, "n2", "n3"), within=reported(cluster, CUT))
    nap = await cluster.pause("n1")
    await the_wait_passes(cluster)
    await cluster.heal(nap)
    await cluster.sleep(cluster.settings.partial_disconnection_wait // 2)
    await cluster.until(cluster.that.has_resolved("n1", times=0) & cluster.that.agree(*ALL), within=0)
    await one_of_two_leaves(cluster, ALL, "n3", "n2")


@script(about=ABOUT, settings=RESOLVING)
async def a_reporter_falls_silent_while_the_master_collects(cluster: Cluster) -> None:
    """n2 reports that it does not hear n3; then it hears n3 again, but the master does not hear n2 take that back.

    n2's last word would cost n3, the younger, its place. But it is n2 that is ill: the master waits until it removes n2
    for its silence, and nobody else."""
    await cluster.form(*ALL)
    cluster.always(cluster.that.trusts("n1", "n3") & cluster.that.has_resolved("n1", times=0))
    silence = await cluster.blackhole("n3", "n2", one_way=True)
    await cluster.until(cluster.that.is_told("n1", by="n2", of="n3"), within=reported(cluster, BLACK_HOLE))
    await cluster.blackhole("n2", "n1", one_way=True)
    await cluster.heal(silence)
    await cluster.until(cluster.that.agree("n1", "n3", "n4"), within=cluster.bounds.silence)
    await cluster.sleep(cluster.bounds.resolution)
    ends = cluster.that.agree("n1", "n3", "n4") & cluster.that.agree("n2")
    await cluster.expect(ends, within=3 * cluster.bounds.silence)


@script(about=ABOUT, settings=RESOLVING)
async def a_reporter_sleeps_while_the_master_collects(cluster: Cluster) -> None:
    """n2 reports that it does not hear n3; n3 speaks again, but n2 sleeps for longer than the master's wait.

    Its last word stands meanwhile. The master waits until it is heard again, and that is how n2 takes it back."""
    await cluster.form(*ALL)
    cluster.always(cluster.that.agree(*ALL) & cluster.that.has_resolved("n1", times=0))
    silence = await cluster.blackhole("n3", "n2", one_way=True)
    await cluster.until(cluster.that.is_told("n1", by="n2", of="n3"), within=reported(cluster, BLACK_HOLE))
    nap = await cluster.pause("n2")
    await cluster.heal(silence)
    await the_wait_passes(cluster)
    await cluster.until(cluster.that.is_told("n1", by="n2", of="n3"), within=0)
    await cluster.heal(nap)
    await cluster.until(
        cluster.that.is_not_told("n1", by="n2", of="n3"), within=3 * cluster.settings.heartbeat_interval
    )
    await cluster.sleep(cluster.bounds.resolution)
    await cluster.expect(cluster.that.agree(*ALL), within=cluster.bounds.crash)


@script(about=ABOUT, settings=RESOLVING)
async def a_joiner_misses_a_member_that_does_not_hear_the_master(cluster: Cluster) -> None:
    """n2 does not hear n1, so never learns of the joiner n4 and sends it nothing: n4 complains that it misses n2.

    Of the two n4 would have to leave, the younger. But n2 is ill: it misses its master and sends it nothing any more
    either. The master waits until it removes n2 for its silence, and nobody else."""
    await cluster.form("n1", "n2", "n3")
    await cluster.blackhole("n1", "n2", one_way=True)
    await cluster.start("n4")
    await cluster.until(cluster.that.has_list("n4", version=4, members=ALL), within=cluster.bounds.forming)
    cluster.always(cluster.that.trusts("n1", "n4") & cluster.that.has_resolved("n1", times=0))
    await cluster.until(cluster.that.is_told("n1", by="n4", of="n2"), within=reported(cluster, BLACK_HOLE))
    await cluster.until(cluster.that.agree("n1", "n3", "n4"), within=2 * cluster.bounds.silence)
    await cluster.sleep(cluster.bounds.resolution)
    ends = cluster.that.agree("n1", "n3", "n4") & cluster.that.agree("n2")
    await cluster.expect(ends, within=3 * cluster.bounds.silence)


async def the_wait_passes(cluster: Cluster) -> None:
    """And two rounds more; less than the timeout, so that nobody misses who sleeps."""
    await cluster.sleep(cluster.settings.partial_disconnection_wait + 2 * cluster.settings.heartbeat_interval)
