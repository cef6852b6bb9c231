"""A merge has to wait, and meanwhile members come or crash, or late answers arrive.

From rulings 4.1, 4.7: a list that has changed since it was compared is compared anew, and a late answer does not count.
A part waits for another one that it has told to come. A part that is about to go admits nobody."""

from __future__ import annotations

from collections.abc import Mapping

from shaketable import SECOND, Cluster, Micros, Settings, script
from shaketable.chaos import merging_soon
from shaketable.chaos.helpers.merging import ABOUT, ON_THE_WAY, are_apart, come_apart, have_gone_over, heal_until_held

LARGE, SMALL = ("n1", "n2", "n3"), ("n4", "n5")
OF_FEW = tuple(name for name in ABOUT if name != "view order")
"""So few are left that no two ever install two lists that both have."""


def patient_search(run: Settings) -> Mapping[str, object]:
    """The member that asks waits for an answer for longer than the answer may be late."""
    return {**merging_soon(run), "merge_validation_timeout_seconds": 2 * run.heartbeat_timeout / SECOND}


def patient_target(run: Settings) -> Mapping[str, object]:
    """A part that is told to come is waited for so long that a process can start meanwhile."""
    timeout = run.heartbeat_timeout / SECOND
    waits = {"merge_next_run_delay_seconds": 8 * timeout, "max_join_merge_target_seconds": 4 * timeout}
    return {**merging_soon(run), **waits}


def long_way(run: Settings) -> Mapping[str, object]:
    """A part that was told to come may be on its way for long."""
    return {**merging_soon(run), "max_join_merge_target_seconds": 4 * run.heartbeat_timeout / SECOND}


@script(about=ABOUT, settings=patient_search)
async def answers_that_come_too_late(cluster: Cluster) -> None:
    """Two answers of n1 come too late, one after n5's death, one after n1's wait: n4 goes over by the third."""
    await cluster.form(*LARGE, *SMALL)
    apart = await come_apart(cluster, LARGE, SMALL)
    first = await cluster.hold_back("mergevalidationanswer", sender="n1", to=["n4"])
    await cluster.heal(apart)
    await cluster.until(cluster.that.caught(first), within=cluster.bounds.converge())
    await cluster.kill("n5")
    await cluster.until(cluster.that.agree("n4"), within=cluster.bounds.crash)
    second = await cluster.hold_back("mergevalidationanswer", sender="n1", to=["n4"])
    changed = await cluster.hold("n4", "MergePutOff", where={"why": "list-changed-since-asked"})
    await cluster.heal(first)
    await cluster.until_held("n4", "MergePutOff", within=cluster.bounds.crash)
    await cluster.heal(changed)
    await cluster.until(cluster.that.caught(second), within=cluster.bounds.converge())
    await cluster.sleep(kept(cluster) // 2 + cluster.settings.heartbeat_interval)
    too_late = await cluster.hold("n4", "MergePutOff", where={"why": "began-too-late"})
    await cluster.heal(second)
    # The one who has died does not answer: it is given a heartbeat interval more.
    soon = cluster.settings.heartbeat_interval + cluster.bounds.crash
    await cluster.until_held("n4", "MergePutOff", within=soon)
    await cluster.until(cluster.that.agree(*LARGE) & have_gone_over(cluster, ["n4"], 0), within=0)
    await cluster.heal(too_late)
    await cluster.expect(cluster.that.agree(*LARGE, "n4"), within=cluster.bounds.converge())


@script(about=OF_FEW, settings=long_way)
async def what_is_left_of_a_part_that_was_told_to_come(cluster: Cluster) -> None:
    """n1 and n2 are told to come to three members; n1 and two of the three die: n3 waits, and then goes to n2.

    But n1 may have sent n2 before it died: n3 waits until nobody can be on the way any more, or they would pass each
    other by."""
    ours, theirs = ("n3", "n4", "n5"), ("n1", "n2")
    await cluster.form("n1", "n2", *ours)
    apart = await come_apart(cluster, ours, theirs)
    await heal_until_held(cluster, apart, "n1", "MergeBegan")
    waits = await cluster.hold("n3", "MergePutOff", where={"why": "they-come"})
    await cluster.together(*map(cluster.kill, ("n1", "n4", "n5")))
    await cluster.until(cluster.that.agree("n2") & cluster.that.agree("n3"), within=cluster.bounds.settle())
    await cluster.until_held("n3", "MergePutOff", within=cluster.settings.max_join_merge_target)
    await cluster.heal(waits)
    await cluster.expect(cluster.that.agree("n2", "n3"), within=cluster.bounds.converge())
    await cluster.until(cluster.that.has_merged_into("n3", "n2") & have_gone_over(cluster, ["n2"], 0), within=0)


@script(about=ON_THE_WAY, settings=patient_search)
async def a_part_that_was_told_to_come_is_waited_for(cluster: Cluster) -> None:
    """n4 has n1's answer, and has to go over to n1, when n6 asks n4, and has to come: n4 waits until n6 has come.

    n6 cannot reach n1 yet, so it would be alone if n4 went."""
    small = ("n6",)
    await cluster.form(*LARGE, *SMALL, *small)
    beyond = await cluster.split(LARGE, small)
    apart = await cluster.split(SMALL, [*LARGE, *small])
    await cluster.until(are_apart(cluster, [LARGE, SMALL, small]), within=cluster.bounds.settle())
    await its_version_is_high(cluster)
    answer = await cluster.hold_back("mergevalidationanswer", sender="n1", to=["n4"])
    question = await cluster.hold_back("mergevalidation", sender="n6", to=["n4"])
    unasked = await cluster.drop("mergevalidation", sender="n4", to=["n6"])
    await cluster.heal(apart)
    both = cluster.that.caught(answer) & cluster.that.caught(question)
    await cluster.until(both, within=cluster.bounds.converge())
    on_its_way = await cluster.hold("n6", "MergeBegan")
    await cluster.together(cluster.heal(answer), cluster.heal(question))
    await cluster.until_held("n6", "MergeBegan", within=kept(cluster) + cluster.bounds.crash)
    await cluster.heal(on_its_way)
    await cluster.until(cluster.that.has_merged_into("n6", "n4"), within=cluster.settings.max_join_merge_target)
    await cluster.heal(unasked)
    await cluster.heal(beyond)
    await cluster.expect(cluster.that.agree(*LARGE, *SMALL, *small), within=cluster.bounds.converge())
    await cluster.until(have_gone_over(cluster, LARGE, 0) & have_gone_over(cluster, SMALL, 1), within=0)


async def its_version_is_high(cluster: Cluster) -> None:
    """n4 need not raise the version of its list for a newcomer, and so has the list with which it asked."""
    await cluster.start("n7", knowing=["n4"])
    await cluster.until(cluster.that.agree(*SMALL, "n7"), within=cluster.bounds.forming)
    await cluster.leave("n7")
    await cluster.until(cluster.that.agree(*SMALL), within=cluster.bounds.crash)


@script(about=ON_THE_WAY, settings=patient_target)
async def a_joiner_comes_when_its_cluster_goes_over(cluster: Cluster) -> None:
    """n6 asks n4, which is about to go over, to be admitted: n4 ignores it, and the merged cluster admits n6.

    n5 is ready to go, and its word is lost for a while."""
    await cluster.form(*LARGE, *SMALL)
    apart = await come_apart(cluster, LARGE, SMALL)
    lost = await cluster.drop("preparemergeanswer", sender="n5", to=["n4"])
    ignored = await cluster.hold("n4", "JoinRequestIgnored", where={"why": "goes-over"})
    await cluster.heal(apart)
    await cluster.until(cluster.that.caught(lost), within=cluster.bounds.converge())
    await cluster.start("n6", knowing=["n4"])
    await cluster.until_held("n4", "JoinRequestIgnored", within=kept(cluster) // 2)
    await cluster.heal(ignored)
    await cluster.heal(lost)
    await cluster.expect(cluster.that.agree(*LARGE, *SMALL, "n6"), within=cluster.bounds.converge())
    await cluster.until(have_gone_over(cluster, SMALL, 1) & have_gone_over(cluster, [*LARGE, "n6"], 0), within=0)


@script(about=ABOUT, settings=merging_soon)
async def words_of_a_life_before(cluster: Cluster) -> None:
    """n4 is split off and comes back twice, a new member each time: messages of its earlier lives change nothing.

    Then the master gets the request to join of the life before, and n4 a list that was meant for its first one."""
    await cluster.form(*LARGE, "n4")
    old_list = await cluster.hold_back("membersupdate", sender="n1", to=["n4"], count=1)
    await cluster.until(cluster.that.caught(old_list), within=cluster.bounds.lost_publish)
    old_request = await cluster.hold_back("joinrequest", sender="n4", to=["n1"], count=1)
    everybody = (*LARGE, "n4")
    for times in (1, 2):
        await cluster.heal(await come_apart(cluster, LARGE, ["n4"]))
        back = cluster.that.agree(*everybody) & have_gone_over(cluster, ["n4"], times)
        await cluster.until(back & cluster.that.caught(old_request), within=cluster.bounds.converge())
    cluster.always(cluster.that.agree(*everybody) & have_gone_over(cluster, ["n4"], 2))
    request = await cluster.hold("n1", "JoinRequestIgnored", where={"peer": "n4", "why": "left-and-replaced"})
    await cluster.heal(old_request)
    await cluster.until_held("n1", "JoinRequestIgnored", within=cluster.bounds.crash)
    await cluster.heal(request)
    a_list = await cluster.hold("n4", "ViewIgnored", where={"peer": "n1", "why": "without-me"})
    await cluster.heal(old_list)
    await cluster.until_held("n4", "ViewIgnored", within=cluster.bounds.crash)
    await cluster.heal(a_list)
    await cluster.sleep(cluster.settings.heartbeat_timeout)
    await cluster.expect(cluster.that.agree(*everybody), within=cluster.bounds.crash)


def kept(cluster: Cluster) -> Micros:
    """So long a part that has told another one to come keeps itself for it, and goes nowhere."""
    return min(cluster.settings.max_join_merge_target, cluster.settings.merge_next_run_delay // 2)
