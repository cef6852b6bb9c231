"""A removed member is told of its removal by a third party, by the master, by nobody, or too late.

Explicit suspicion, complaint and trigger travel over ordinary links. Nothing waits for them: a member that is never
told splits off by its own timeout. Five nodes at most; n1 is the master, n4 the victim."""

from collections.abc import Mapping

from shaketable import SECOND, Cluster, Settings, script
from shaketable.chaos import LISTS, MERGING_OFF

ABOUT = (*LISTS, "detection")
OF_TWO = tuple(check for check in ABOUT if check != "view order")
"""no two of two members install two lists in common, of which there were an order"""


@script(about=ABOUT, settings=MERGING_OFF, unless="by_silence")
async def told_by_third_parties(cluster: Cluster) -> None:
    """The link from the master to n4 is cut: it removes n4, and has n2 and n3, which complain of n4, tell n4.

    n4 hears nothing of the master any more, so only its timeout parts it from that one."""
    await cluster.form("n1", "n2", "n3", "n4")
    await cluster.cut("n1", "n4", one_way=True)
    await cluster.until(cluster.that.agree("n1", "n2", "n3"), within=cluster.bounds.crash)
    told = cluster.that.suspects("n4", "n2") & cluster.that.suspects("n4", "n3")
    await cluster.until(told, within=2 * cluster.settings.heartbeat_interval)
    await cluster.until(cluster.that.trusts("n4", "n1") & cluster.that.follows("n4", "n1"), within=0)
    await cluster.expect(cluster.that.agree("n1", "n2", "n3") & cluster.that.agree("n4"), within=cluster.bounds.silence)


@script(about=ABOUT, settings=MERGING_OFF)
async def a_third_party_lags_behind(cluster: Cluster) -> None:
    """The master has all tell n4 of its removal, but n2 lacks the list without n4: n3 alone tells it.

    n2 cannot know from its list why it should part from n4. When it has the list it does."""
    await cluster.form("n1", "n2", "n3", "n4")
    lost = await cluster.drop("membersupdate", sender="n1", to=["n2"])
    trusted = cluster.that.trusts("n4", "n2") & cluster.that.trusts("n2", "n4")
    await cluster.cut("n1", "n4", one_way=True)
    removed = cluster.that.has_list("n3", version=5, members=["n1", "n2", "n3"]) & cluster.that.caught(lost)
    await cluster.until(removed, within=cluster.bounds.crash)
    await cluster.until(cluster.that.suspects("n4", "n3"), within=2 * cluster.settings.heartbeat_interval)
    # If n2 told it as well, no heartbeat would make that undone before we look.
    unheard = await cluster.drop("heartbeat", sender="n2", to=["n4"])
    await cluster.sleep(cluster.settings.master_confirmation_interval + cluster.settings.heartbeat_interval)
    await cluster.until(trusted & cluster.that.follows("n4", "n1"), within=0)
    await cluster.heal(unheard)
    await cluster.heal(lost)
    apart = cluster.that.agree("n1", "n2", "n3") & cluster.that.agree("n4")
    await cluster.expect(apart, within=cluster.bounds.lost_publish + cluster.bounds.silence)


@script(about=ABOUT, settings=MERGING_OFF, unless=["by_silence", "asks_others"])
async def told_by_the_master(cluster: Cluster) -> None:
    """The master hears nothing of n4 and removes it. n4 hears the master, which learns by complaints whom to tell."""
    await cluster.form("n1", "n2", "n3", "n4")
    await cluster.blackhole("n4", "n1", one_way=True)
    await cluster.until(cluster.that.agree("n1", "n2", "n3"), within=cluster.bounds.silence)
    told = 2 * cluster.settings.heartbeat_interval
    await cluster.until(cluster.that.agree("n4"), within=told)
    await cluster.expect(
        cluster.that.agree("n1", "n2", "n3") & cluster.that.agree("n4"), within=cluster.bounds.silence + told
    )


@script(about=ABOUT, settings=MERGING_OFF)
async def told_by_nobody(cluster: Cluster) -> None:
    """n4 neither hears nor is heard: it parts from the others by its own timeout, as they do from it."""
    await cluster.form("n1", "n2", "n3", "n4")
    await cluster.isolate("n4", how="blackhole")
    await cluster.expect(cluster.that.agree("n1", "n2", "n3") & cluster.that.agree("n4"), within=cluster.bounds.silence)


@script(about=ABOUT, settings=MERGING_OFF)
async def told_too_late(cluster: Cluster) -> None:
    """n4 hears of its removal when its list has moved on: it ignores that, and is told anew at its next round.

    The list without n5 is held back from n4; then n4 is removed, since the master's link to it is cut for a moment. It
    goes on with version 5 until that list arrives, and after it the explicit suspicions that name it as it was."""
    await cluster.form("n1", "n2", "n3", "n4", "n5")
    missed = await cluster.hold_back("membersupdate", sender="n1", to=["n4"])
    await cluster.kill("n5")
    without_n5 = ("n1", "n2", "n3", "n4")
    await cluster.until(cluster.that.has_list("n1", version=6, members=without_n5), within=cluster.bounds.crash)
    late = [await cluster.hold_back("explicitsuspicion", sender=n, to=["n4"]) for n in ("n1", "n2", "n3")]
    cut = await cluster.cut("n1", "n4", one_way=True)
    await cluster.until(cluster.that.agree("n1", "n2", "n3"), within=cluster.bounds.crash)
    await cluster.heal(cut)
    await cluster.sleep(2 * cluster.settings.heartbeat_interval)
    await cluster.until(cluster.that.has_list("n4", version=5, members=(*without_n5, "n5")), within=0)
    await cluster.until(cluster.that.trusts("n4", "n1"), within=0)
    await cluster.heal(missed)
    await cluster.until(
        cluster.that.has_list("n4", version=6, members=without_n5), within=cluster.settings.heartbeat_interval
    )
    ignored = [cluster.that.disobeys("n4", n) for n in ("n1", "n2", "n3")]
    for fault in late:
        await cluster.heal(fault)
    for condition in ignored:
        await cluster.until(condition, within=cluster.settings.heartbeat_interval)
    alone = cluster.that.has_list("n4", version=7, members=["n4"]) & cluster.that.agree("n1", "n2", "n3")
    await cluster.expect(alone, within=2 * cluster.settings.heartbeat_interval)


@script(about=LISTS, settings=MERGING_OFF)
async def told_under_another_master(cluster: Cluster) -> None:
    """n3 hears of its removal when it follows another master, by a list with that version: it ignores that.

    n1 has removed n3 and nobody hears n1 any more. n3 accepts n2's claim, and has not yet got its list when n1's
    explicit suspicion comes, which names n3 as a follower of n1."""
    await cluster.form("n1", "n2", "n3")
    await cluster.drop("membersupdate", sender="n1")
    late = await cluster.hold_back("explicitsuspicion", sender="n1", to=["n3"])
    cut = await cluster.cut("n1", "n3", one_way=True)
    await cluster.until(cluster.that.has_list("n1", version=4, members=["n1", "n2"]), within=cluster.bounds.crash)
    await cluster.heal(cut)
    await cluster.until(cluster.that.caught(late), within=2 * cluster.settings.master_confirmation_interval)
    missed = await cluster.hold_back("membersupdate", sender="n2", to=["n3"])
    await cluster.drop("heartbeat", sender="n1")
    await cluster.until(cluster.that.follows("n3", "n2"), within=cluster.bounds.take_over)
    await cluster.until(cluster.that.caught(missed), within=cluster.bounds.take_over)
    await cluster.until(cluster.that.has_list("n3", version=3, members=["n1", "n2", "n3"]), within=0)
    ignored = cluster.that.disobeys("n3", "n1")
    await cluster.heal(late)
    await cluster.until(ignored, within=cluster.settings.heartbeat_interval)
    await cluster.heal(missed)
    apart = cluster.that.agree("n2", "n3") & cluster.that.agree("n1")
    await cluster.expect(apart, within=cluster.bounds.silence)


@script(about=OF_TWO, settings=MERGING_OFF, unless="by_silence")
async def told_for_its_heartbeat(cluster: Cluster) -> None:
    """The master alone can tell n2 that it is removed: it does so at n2's next heartbeat, one of a stranger."""
    await cluster.form("n1", "n2")
    await the_master_alone_removes_n2(cluster)
    await cluster.expect(
        cluster.that.agree("n1") & cluster.that.agree("n2"), within=2 * cluster.settings.heartbeat_interval
    )


@script(about=OF_TWO, settings=MERGING_OFF)
async def told_for_its_confirmation(cluster: Cluster) -> None:
    """n2 is removed, and its heartbeats are lost: the master tells it so at its next master confirmation."""
    await cluster.form("n1", "n2")
    await cluster.drop("heartbeat", sender="n2", to=["n1"])
    await the_master_alone_removes_n2(cluster)
    told = cluster.settings.master_confirmation_interval + cluster.settings.heartbeat_interval
    await cluster.expect(cluster.that.agree("n1") & cluster.that.agree("n2"), within=told)


async def the_master_alone_removes_n2(cluster: Cluster) -> None:
    """Its link to n2 is cut for a moment; n2 knows nothing of that."""
    cut = await cluster.cut("n1", "n2", one_way=True)
    await cluster.until(cluster.that.agree("n1"), within=cluster.bounds.crash)
    await cluster.until(cluster.that.trusts("n2", "n1") & cluster.that.follows("n2", "n1"), within=0)
    await cluster.heal(cut)


@script(about=ABOUT, settings=MERGING_OFF)
async def no_confirmations(cluster: Cluster) -> None:
    """The master hears n3's heartbeats and no master confirmation of it: it removes n3 after the timeout for those."""
    everybody = ("n1", "n2", "n3", "n4")
    settings = cluster.settings
    await cluster.form(*everybody)
    await cluster.drop("masterconfirmation", sender="n3", to=["n1"])
    await cluster.sleep(settings.master_confirmation_timeout - settings.master_confirmation_interval)
    await cluster.until(cluster.that.agree(*everybody), within=0)
    # Its next heartbeat is that of a stranger, and it is told.
    apart = cluster.that.agree("n1", "n2", "n4") & cluster.that.agree("n3")
    await cluster.expect(apart, within=cluster.bounds.no_confirmation + 2 * settings.heartbeat_interval)


def confirmations_count_first(run: Settings) -> Mapping[str, object]:
    """They are missed long before heartbeats are."""
    seconds = run.heartbeat_interval / SECOND
    return {
        **MERGING_OFF,
        "master_confirmation_interval_seconds": seconds,
        "master_confirmation_timeout_seconds": 4 * seconds,
    }


@script(about=ABOUT, settings=confirmations_count_first)
async def no_confirmation_for_a_suspected_master(cluster: Cluster) -> None:
    """n3 does not hear the master and suspects it: n3 confirms it no more, and the master removes n3 for that."""
    await cluster.form("n1", "n2", "n3", "n4")
    await cluster.together(*[cluster.drop(kind, sender="n1", to=["n3"]) for kind in ("heartbeat", "membersupdate")])
    await cluster.until(cluster.that.suspects("n3", "n1"), within=cluster.bounds.silence)
    await cluster.until(cluster.that.agree("n1", "n2", "n4"), within=cluster.bounds.no_confirmation)
    await cluster.expect(cluster.that.agree("n3"), within=2 * cluster.bounds.silence)


@script(about=ABOUT, settings=MERGING_OFF)
async def told_for_its_list(cluster: Cluster) -> None:
    """n1 wakes when n2 is master, and only n1's next list gets through: the others answer it with suspicion."""
    await cluster.form("n1", "n2", "n3", "n4")
    told = await cluster.hold("n1", "ExplicitSuspicionReceived", where={"peer": "n3"})
    await cluster.drop("heartbeat", sender="n1")
    sleep = await cluster.pause("n1")
    others = cluster.that.agree("n2", "n3", "n4")
    await cluster.until(others, within=cluster.bounds.take_over)
    await cluster.heal(sleep)
    await cluster.until_held("n1", "ExplicitSuspicionReceived", within=cluster.bounds.lost_publish)
    await cluster.heal(told)
    await cluster.expect(cluster.that.agree("n1") & others, within=cluster.bounds.silence)
