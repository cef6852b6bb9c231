"""Joins and crashes cross: the joiner dies half-way, or a follower, or the master that was about to admit it."""

from collections.abc import Mapping

from shaketable import MILLISECOND, SECOND, Cluster, Settings, script
from shaketable.chaos import LISTS, MERGING_OFF

IN_BATCHES = {**MERGING_OFF, "async_join": False}
HEARTBEAT_AND_FINALIZE_JOIN = 2
"""the messages that the joiner gets before the others get the list"""


def long_batches(run: Settings) -> Mapping[str, object]:
    """The master waits for more joiners until it is sure to know that one is dead."""
    wait = run.heartbeat_timeout / SECOND
    return {**IN_BATCHES, "wait_before_join_seconds": wait, "max_wait_before_join_seconds": 2 * wait}


@script(about=LISTS, settings=MERGING_OFF)
async def join_and_crash_of_a_follower(cluster: Cluster) -> None:
    """A follower is killed at about the moment at which another node joins."""
    await cluster.form("n1", "n2", "n3", "n4")
    await cluster.together(cluster.start("n5"), kill_soon(cluster, "n3"))
    await cluster.expect(cluster.that.agree("n1", "n2", "n4", "n5"), within=cluster.bounds.forming)


@script(about=LISTS, settings=MERGING_OFF)
async def join_and_crash_of_the_master(cluster: Cluster) -> None:
    """The master is killed at about the moment at which another node joins: the next one takes both over.

    If the joiner alone has heard of its admission it goes on alone; that is shown by a script of its own."""
    await cluster.form("n1", "n2", "n3", "n4")
    await cluster.together(cluster.start("n5"), kill_soon(cluster, "n1"))
    two_follow = cluster.that.follows("n3", "n2") & cluster.that.follows("n4", "n2")
    await cluster.expect(two_follow & cluster.that.settled(), within=cluster.bounds.forming)


async def kill_soon(cluster: Cluster, name: str) -> None:
    """A simulated join takes some milliseconds, one of a process some hundred."""
    longest = 20 * MILLISECOND if cluster.world == "sim" else cluster.bounds.crash
    await cluster.sleep(cluster.rng.randrange(longest))
    await cluster.kill(name)


@script(about=LISTS, settings=MERGING_OFF)
async def master_crash_before_the_publish(cluster: Cluster) -> None:
    """The master dies when it has admitted a joiner and told nobody: the joiner asks the next one, and is admitted."""
    await cluster.form("n1", "n2", "n3", "n4")
    await cluster.hold("n1", "ViewInstalled")
    await cluster.start("n5")
    await cluster.until_held("n1", "ViewInstalled", within=cluster.bounds.forming)
    await cluster.kill("n1")
    await cluster.expect(cluster.that.agree("n2", "n3", "n4", "n5"), within=cluster.bounds.forming)


@script(about=LISTS, settings=MERGING_OFF)
async def master_crash_in_mid_publish_of_a_join(cluster: Cluster) -> None:
    """The master dies when only the joiner and one of three followers have its list: a claim brings the list to all."""
    await cluster.form("n1", "n2", "n3", "n4")
    await the_master_alone_answers(cluster)
    await cluster.hold("n1", "ViewInstalled", after=HEARTBEAT_AND_FINALIZE_JOIN + 1)
    await cluster.start("n5")
    await cluster.until_held("n1", "ViewInstalled", within=cluster.bounds.forming)
    five = [f"n{i}" for i in range(1, 6)]
    told = cluster.that.has_list("n5", version=5, members=five) & cluster.that.has_list("n2", version=5, members=five)
    await cluster.until(told, within=cluster.bounds.crash)
    await cluster.kill("n1")
    await cluster.expect(cluster.that.agree("n2", "n3", "n4", "n5"), within=cluster.bounds.forming)


@script(about=LISTS, settings=MERGING_OFF)
async def the_joiner_alone_was_told(cluster: Cluster) -> None:
    """The master dies when it has told the joiner and nobody else: the joiner is a member that nobody knows.

    The others go on without it, and tell it so; it goes on alone, until split-brain recovery brings it back."""
    await cluster.form("n1", "n2", "n3", "n4")
    await the_master_alone_answers(cluster)
    await cluster.hold("n1", "ViewInstalled", after=HEARTBEAT_AND_FINALIZE_JOIN)
    await cluster.start("n5")
    await cluster.until_held("n1", "ViewInstalled", within=cluster.bounds.forming)
    told = cluster.that.has_list("n5", version=5, members=["n1", "n2", "n3", "n4", "n5"])
    await cluster.until(told, within=cluster.bounds.crash)
    await cluster.kill("n1")
    apart = cluster.that.agree("n2", "n3", "n4") & cluster.that.agree("n5")
    await cluster.expect(apart, within=cluster.bounds.settle())


async def the_master_alone_answers(cluster: Cluster) -> None:
    """A joiner that the master itself answers is sure to hear that it is admitted, too: the link is up."""
    for name in ("n2", "n3", "n4"):
        await cluster.drop("masterresponse", sender=name)


@script(about=LISTS, settings=IN_BATCHES)
async def master_crash_while_joiners_wait(cluster: Cluster) -> None:
    """The master dies while it lets joiners wait for more: they find the next one, and wait for it again."""
    await cluster.form("n1", "n2", "n3")
    await cluster.hold("n1", "JoinBatched")
    await cluster.start("n4", "n5")
    await cluster.until_held("n1", "JoinBatched", within=cluster.bounds.forming)
    await cluster.kill("n1")
    await cluster.expect(cluster.that.agree("n2", "n3", "n4", "n5"), within=cluster.bounds.forming)


@script(about=[*LISTS, "claims"], settings=MERGING_OFF)
async def a_joiner_asks_the_candidate(cluster: Cluster) -> None:
    """n5 asks n2 to admit it in the middle of n2's claim: n2 does so when it is the master, and not before."""
    await cluster.form("n1", "n2", "n3", "n4")
    lost = await cluster.drop("claimaccepted", sender="n4", to=["n2"])
    await cluster.kill("n1")
    halfway = cluster.that.claims("n2") & cluster.that.follows("n4", "n2")
    await cluster.until(halfway, within=2 * cluster.bounds.crash)
    await cluster.start("n5")
    await cluster.sleep(2 * cluster.settings.join_retry)
    unchanged = cluster.that.has_list("n2", version=4, members=["n1", "n2", "n3", "n4"])
    await cluster.until(cluster.that.claims("n2") & unchanged, within=0)
    await cluster.heal(lost)
    await cluster.expect(cluster.that.agree("n2", "n3", "n4", "n5"), within=cluster.bounds.forming)


# The joiner dies half-way


@script(about=LISTS, settings=MERGING_OFF)
async def a_joiner_dies_before_its_request(cluster: Cluster) -> None:
    """A joiner asks who is master, hears no answer, and dies: nobody has to do anything."""
    await cluster.form("n1", "n2", "n3")
    for name in ("n1", "n2", "n3"):
        await cluster.drop("masterresponse", sender=name)
    await cluster.start("n4")
    unchanged = cluster.that.has_list("n1", version=3, members=["n1", "n2", "n3"]) & cluster.that.agree(
        "n1", "n2", "n3"
    )
    cluster.always(unchanged)
    await cluster.sleep(2 * cluster.settings.join_retry)
    await cluster.kill("n4")
    await cluster.sleep(cluster.bounds.silence)
    await cluster.expect(unchanged & cluster.that.ended("n4"), within=cluster.bounds.crash)


@script(about=LISTS, settings=long_batches)
async def a_joiner_dies_while_it_waits(cluster: Cluster) -> None:
    """A joiner dies while the master lets it wait for others: the master notices, and never admits it."""
    await cluster.form("n1", "n2", "n3")
    three = ["n1", "n2", "n3"]
    cluster.always(cluster.that.has_list("n1", version=3, members=three))
    hold = await cluster.hold("n1", "JoinBatched")
    await cluster.start("n4")
    await cluster.until_held("n1", "JoinBatched", within=cluster.bounds.forming)
    await cluster.kill("n4")
    await cluster.heal(hold)
    await cluster.sleep(cluster.settings.wait_before_join)
    await cluster.expect(cluster.that.agree(*three) & cluster.that.ended("n4"), within=cluster.bounds.silence)


@script(about=LISTS, settings=MERGING_OFF)
async def a_joiner_dies_before_it_knows(cluster: Cluster) -> None:
    """A joiner is admitted, and dies before it is told: it is taken off the list again."""
    await cluster.form("n1", "n2", "n3")
    await cluster.drop("finalizejoin", sender="n1")
    await cluster.start("n4")
    admitted = [cluster.that.has_list(name, version=4, members=["n1", "n2", "n3", "n4"]) for name in ("n1", "n2", "n3")]
    await cluster.until(admitted[0] & admitted[1] & admitted[2], within=cluster.bounds.forming)
    await cluster.kill("n4")
    await cluster.expect(cluster.that.agree("n1", "n2", "n3"), within=cluster.bounds.silence)


@script(about=LISTS, settings=MERGING_OFF)
async def a_lost_finalize_join(cluster: Cluster) -> None:
    """The master's word that a joiner is admitted is lost twice: the joiner asks again, and is told again."""
    await cluster.form("n1", "n2", "n3")
    await cluster.drop("finalizejoin", sender="n1", count=2)
    await cluster.start("n4")
    four = ["n1", "n2", "n3", "n4"]
    told = cluster.that.has_list("n4", version=4, members=four) & cluster.that.agree(*four)
    await cluster.expect(told, within=cluster.bounds.forming)


def slow_to_forget(run: Settings) -> Mapping[str, object]:
    """The guard outlasts the removal of the joiner by far."""
    return {**MERGING_OFF, "stale_join_prevention_seconds": 2 * run.heartbeat_timeout / SECOND}


@script(about=LISTS, settings=slow_to_forget)
async def a_joiner_is_removed_half_way(cluster: Cluster) -> None:
    """A joiner that never heard of its admission is removed; what it asks next may be stale, so it has to wait."""
    await cluster.form("n1", "n2", "n3")
    lost = await cluster.drop("finalizejoin", sender="n1")
    await cluster.start("n4")
    four, three = ["n1", "n2", "n3", "n4"], ["n1", "n2", "n3"]
    await cluster.until(cluster.that.has_list("n1", version=4, members=four), within=cluster.bounds.forming)
    cut = await cluster.cut("n1", "n4", one_way=True)
    await cluster.until(cluster.that.has_list("n1", version=5, members=three), within=cluster.bounds.silence)
    await cluster.heal(cut)
    await cluster.heal(lost)
    await cluster.sleep(cluster.settings.heartbeat_timeout)
    await cluster.until(cluster.that.has_list("n1", version=5, members=three), within=0)
    await cluster.expect(
        cluster.that.has_list("n1", version=6, members=four) & cluster.that.agree(*four), within=cluster.bounds.forming
    )


@script(about=LISTS, settings=MERGING_OFF)
async def a_vote_to_which_one_does_not_answer(cluster: Cluster) -> None:
    """n1 calls the start-up vote, and n3's answers are lost until the time for it is over: n1 calls another one."""
    await cluster.start("n1", "n2", "n3")
    lost = await cluster.drop("startupvoteanswer", sender="n3", to=["n1"])
    await cluster.until(cluster.that.caught(lost), within=cluster.bounds.forming)
    await cluster.sleep(cluster.settings.startup_vote_timeout)
    await cluster.heal(lost)
    all_three = cluster.that.agree("n1", "n2", "n3") | cluster.that.agree("n1", "n3", "n2")
    await cluster.expect(all_three, within=cluster.bounds.forming)


@script(about=[*LISTS, "true reasons"], settings=MERGING_OFF)
async def a_question_of_the_master_comes_late(cluster: Cluster) -> None:
    """n1 asks n2 who is master, founds the cluster, and n2 hears that when it follows n1: n1 is still the same one."""
    await cluster.start("n1", "n2", "n3")
    question = await cluster.hold_back("whoismaster", sender="n1", to=["n2"], count=1)
    all_three = cluster.that.agree("n1", "n2", "n3") | cluster.that.agree("n1", "n3", "n2")
    await cluster.until(all_three & cluster.that.caught(question), within=cluster.bounds.forming)
    await cluster.heal(question)
    await cluster.sleep(2 * cluster.settings.heartbeat_interval)
    await cluster.expect(all_three, within=0)


@script(about=["joined", "true reasons", "settled"], settings=MERGING_OFF)
async def a_node_that_was_only_heard_dies(cluster: Cluster) -> None:
    """Both return. n1 hears n2, which it cannot reach, and n2 dies: n1 waits no longer, and founds its cluster."""
    await cluster.form("n1", "n2")
    await cluster.together(*map(cluster.kill, ("n1", "n2")))
    await cluster.cut("n1", "n2", one_way=True)
    await cluster.together(*map(cluster.restart, ("n1", "n2")))
    await cluster.sleep(2 * cluster.settings.join_retry)
    await cluster.kill("n2")
    await cluster.expect(cluster.that.agree("n1"), within=cluster.bounds.forming)


@script(about=LISTS, settings=MERGING_OFF)
async def no_vote_for_a_second_cluster(cluster: Cluster) -> None:
    """n1 returns, and nobody's word who is master reaches it: it calls a vote, and those that are members refuse.

    It goes on asking, and joins when an answer gets through."""
    await cluster.form("n1", "n2", "n3")
    await cluster.kill("n1")
    await cluster.until(cluster.that.agree("n2", "n3"), within=cluster.bounds.crash)
    unheard = await cluster.together(*[cluster.drop("masterresponse", sender=name) for name in ("n2", "n3")])
    refused = await cluster.drop("startupvoteanswer", sender="n3", to=["n1"], count=1)
    await cluster.restart("n1")
    await cluster.until(cluster.that.caught(refused), within=cluster.bounds.forming)
    await cluster.sleep(2 * cluster.settings.startup_vote_timeout)
    await cluster.until(cluster.that.agree("n2", "n3"), within=0)
    await cluster.together(*map(cluster.heal, unheard))
    await cluster.expect(cluster.that.agree("n2", "n3", "n1"), within=cluster.bounds.forming)


@script(about=[*LISTS, "true reasons"], settings=MERGING_OFF)
async def silence_is_no_consent(cluster: Cluster) -> None:
    """Three nodes return at once, and n3's answers to n1's vote are lost: n1 founds nothing, and calls another vote."""
    await cluster.form("n1", "n2", "n3")
    await cluster.together(*map(cluster.kill, ("n1", "n2", "n3")))
    await cluster.together(*map(cluster.restart, ("n1", "n2", "n3")))
    lost = await cluster.drop("startupvoteanswer", sender="n3", to=["n1"])
    await cluster.until(cluster.that.caught(lost), within=cluster.bounds.forming)
    await cluster.sleep(2 * cluster.settings.startup_vote_timeout)
    await cluster.heal(lost)
    await cluster.expect(cluster.that.agree("n1", "n2", "n3"), within=cluster.bounds.forming)


@script(about=[*LISTS, "true reasons"], settings=MERGING_OFF)
async def two_ask_for_one_vote(cluster: Cluster) -> None:
    """n1 and n2 return at once and cannot reach each other: n3 lets one of them found a cluster, and not the other."""
    await cluster.form("n1", "n2", "n3")
    await cluster.together(*map(cluster.kill, ("n1", "n2", "n3")))
    cut = await cluster.cut("n1", "n2")
    await cluster.together(*map(cluster.restart, ("n1", "n2", "n3")))
    founded = cluster.that.agree("n1", "n3") | cluster.that.agree("n2", "n3")
    await cluster.until(founded, within=cluster.bounds.forming)
    await cluster.heal(cut)
    all_three = cluster.that.agree("n1", "n3", "n2") | cluster.that.agree("n2", "n3", "n1")
    await cluster.expect(all_three, within=cluster.bounds.forming)


def patient_voters(run: Settings) -> Mapping[str, object]:
    """A node can join while a vote is under way. A joiner asks so seldom that it mostly has an answer."""
    patience = run.join_patience / SECOND
    return {**MERGING_OFF, "startup_vote_timeout_seconds": 5 * patience, "join_retry_seconds": patience / 2}


@script(about=LISTS, settings=patient_voters)
async def a_voter_finds_a_master_meanwhile(cluster: Cluster) -> None:
    """n1 calls a vote, and n2 consents and finds n4's cluster before n3 has consented: n1 is told, and founds none.

    It cannot reach n4 yet. When it can, it joins, and so does n3."""
    await cluster.form("n4", "n1", "n2", "n3")
    await cluster.together(*map(cluster.kill, ("n1", "n2", "n3")))
    await cluster.until(cluster.that.agree("n4"), within=cluster.bounds.settle())
    near, far = await cluster.cut("n4", "n2"), await cluster.cut("n4", ["n1", "n3"])
    await cluster.together(*map(cluster.restart, ("n1", "n2", "n3")))
    vote = await cluster.hold_back("startupvoteanswer", sender="n3", to=["n1"])
    told = await cluster.hold_back("masterresponse", sender="n2", to=["n1"])
    await cluster.until(cluster.that.caught(vote), within=cluster.bounds.forming)
    await cluster.heal(near)
    await cluster.until(cluster.that.agree("n4", "n2") & cluster.that.caught(told), within=cluster.bounds.forming)
    await cluster.heal(told)
    await cluster.sleep(cluster.settings.join_retry // 2)
    await cluster.heal(vote)
    await cluster.sleep(cluster.settings.join_retry)
    await cluster.heal(far)
    ends = cluster.that.agree("n4", "n2", "n1", "n3") | cluster.that.agree("n4", "n2", "n3", "n1")
    await cluster.expect(ends, within=cluster.bounds.forming)
