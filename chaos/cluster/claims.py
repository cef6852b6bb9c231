"""Mastership claims that have a hard time: lists that lag, two candidates, and candidates that die on the way."""

from shaketable import Cluster, script
from shaketable.chaos import LISTS, MERGING_OFF
from shaketable.chaos.helpers.breaks import both_suspect

ABOUT = (*LISTS, "claims", "detection")


@script(about=ABOUT, settings=MERGING_OFF)
async def a_chain_of_four_claims(cluster: Cluster) -> None:
    """The next in line knows one younger member; each that it asks tells it of one more, until it has asked four.

    Each lacks the list with which the next but one came: n2 holds version 3, n3 version 4, n4 version 5, n5 and n6
    version 6. A member discovered so is taken along: no new master overwrites what it did not know."""
    await cluster.form("n1", "n2", "n3")
    names = ["n1", "n2", "n3"]
    for behind, joiner in (("n2", "n4"), ("n3", "n5"), ("n4", "n6")):
        # A member that asked twice to be admitted is told twice, the second time with whatever list there is.
        await cluster.sleep(cluster.settings.join_retry)
        await cluster.drop("membersupdate", sender="n1", to=[behind])
        names.append(joiner)
        await cluster.start(joiner)
        newest = cluster.that.has_list(joiner, version=len(names), members=names)
        await cluster.until(
            newest & cluster.that.has_list("n1", version=len(names), members=names), within=cluster.bounds.forming
        )
    for name, version in {"n2": 3, "n3": 4, "n4": 5, "n5": 6, "n6": 6}.items():
        await cluster.until(
            cluster.that.has_list(name, version=version, members=names[:version]), within=cluster.bounds.crash
        )
    await cluster.kill("n1")
    await cluster.expect(cluster.that.agree(*names[1:]), within=cluster.bounds.crash)
    await cluster.expect(cluster.that.has_list("n2", version=7, members=names[1:]), within=cluster.bounds.crash)


@script(about=ABOUT, settings=MERGING_OFF)
async def two_claims_at_once(cluster: Cluster) -> None:
    """n3 and n4 do not hear n2 when the master dies: n2 and n3 claim, and each follower stays with one of them.

    n4 suspects all who are older than n3, and agrees. n5 follows n2, so n3 asks it in vain until n2's list without n3
    is out; for that n2 first must come to suspect n3 and n4, which send it no heartbeats. In the end there are two
    clusters with one version and two authors."""
    await cluster.form("n1", "n2", "n3", "n4", "n5")
    await cluster.together(
        cluster.blackhole("n2", "n3", one_way=True),
        cluster.blackhole("n2", "n4", one_way=True),
    )
    split = cluster.that.suspects("n3", "n2") & cluster.that.suspects("n4", "n2")
    await cluster.until(split, within=cluster.bounds.silence)
    await cluster.until(cluster.that.trusts("n2", "n3") & cluster.that.trusts("n2", "n4"), within=0)
    await cluster.kill("n1")
    await cluster.until(cluster.that.claims("n2") & cluster.that.claims("n3"), within=cluster.bounds.crash)
    await cluster.until(
        cluster.that.follows("n5", "n2") & cluster.that.follows("n4", "n3"), within=cluster.bounds.crash
    )
    ends = cluster.that.has_list("n5", version=6, members=["n2", "n5"]) & cluster.that.has_list(
        "n4", version=6, members=["n3", "n4"]
    )
    await cluster.expect(ends, within=cluster.bounds.take_over)
    await cluster.expect(
        cluster.that.agree("n2", "n5") & cluster.that.agree("n3", "n4"), within=cluster.bounds.take_over
    )


@script(about=ABOUT, settings=MERGING_OFF)
async def the_candidate_dies_in_mid_claim(cluster: Cluster) -> None:
    """n2 dies when one of three followers has agreed to its claim: n3, which follows it, claims in its place.

    n3's own link to the master is cut beforehand, so that it is the one who agrees at once."""
    await cluster.form("n1", "n2", "n3", "n4", "n5")
    await cluster.cut("n3", "n1", one_way=True)
    await cluster.until(cluster.that.suspects("n3", "n1"), within=cluster.bounds.crash)
    await cluster.hold("n2", "ClaimStarted", after=1)
    await cluster.kill("n1")
    await cluster.until_held("n2", "ClaimStarted", within=cluster.bounds.crash)
    await cluster.until(cluster.that.follows("n3", "n2"), within=cluster.bounds.crash)
    await cluster.kill("n2")
    await cluster.expect(
        cluster.that.has_list("n3", version=6, members=["n3", "n4", "n5"]), within=cluster.bounds.crash
    )
    await cluster.expect(cluster.that.agree("n3", "n4", "n5"), within=cluster.bounds.crash)


@script(about=ABOUT, settings=MERGING_OFF)
async def the_candidate_dies_before_its_list_is_out(cluster: Cluster) -> None:
    """n2 dies when all have agreed to its claim and none has its list: n3 claims, with the very same version.

    Two lists of one version by two authors, and only n2 itself ever held the first."""
    await cluster.form("n1", "n2", "n3", "n4", "n5")
    await cluster.hold("n2", "ClaimFinished")
    await cluster.kill("n1")
    await cluster.until_held("n2", "ClaimFinished", within=cluster.bounds.crash)
    everybody = cluster.that.follows("n3", "n2") & cluster.that.follows("n4", "n2") & cluster.that.follows("n5", "n2")
    await cluster.until(everybody & cluster.that.has_list("n2", version=6, members=["n2", "n3", "n4", "n5"]), within=0)
    await cluster.kill("n2")
    await cluster.expect(
        cluster.that.has_list("n3", version=6, members=["n3", "n4", "n5"]), within=cluster.bounds.crash
    )
    await cluster.expect(cluster.that.agree("n3", "n4", "n5"), within=cluster.bounds.crash)


@script(about=ABOUT, settings=MERGING_OFF)
async def the_candidate_dies_in_mid_publish(cluster: Cluster) -> None:
    """n2's final list has reached n3 alone when n2 dies: n3 claims, and its version is above that of the lost list."""
    await cluster.form("n1", "n2", "n3", "n4", "n5")
    await cluster.hold("n2", "ClaimFinished", after=1)
    await cluster.kill("n1")
    await cluster.until_held("n2", "ClaimFinished", within=cluster.bounds.crash)
    final = ["n2", "n3", "n4", "n5"]
    await cluster.until(cluster.that.has_list("n3", version=6, members=final), within=cluster.bounds.crash)
    await cluster.until(cluster.that.has_list("n4", version=5, members=["n1", *final]), within=0)
    await cluster.kill("n2")
    await cluster.expect(
        cluster.that.has_list("n3", version=7, members=["n3", "n4", "n5"]), within=cluster.bounds.crash
    )
    await cluster.expect(cluster.that.agree("n3", "n4", "n5"), within=cluster.bounds.crash)


@script(about=ABOUT, settings=MERGING_OFF)
async def a_healed_cut_costs_a_member(cluster: Cluster) -> None:
    """The link between n2 and n4 was cut, and has healed; at the next death of the master it costs n4 its place.

    Behaviour of the text: both suspect, so neither sends the heartbeat that would end it, and n2 does not ask a suspect
    when it claims. n4, which all others trust, ends alone."""
    await cluster.form("n1", "n2", "n3", "n4", "n5")
    cut = await cluster.cut("n2", "n4")
    both = both_suspect(cluster, "n2", "n4")
    await cluster.until(both, within=cluster.bounds.crash)
    # A heartbeat from before may wait for the link for some time, and would end a suspicion.
    await cluster.sleep(3 * cluster.settings.heartbeat_interval)
    await cluster.heal(cut)
    await cluster.sleep(3 * cluster.settings.heartbeat_interval)
    await cluster.until(both & cluster.that.agree("n1", "n2", "n3", "n4", "n5"), within=0)
    await cluster.kill("n1")
    await cluster.until(cluster.that.agree("n2", "n3", "n5"), within=cluster.bounds.crash)
    await cluster.expect(cluster.that.agree("n4"), within=cluster.bounds.silence)


@script(about=ABOUT, settings=MERGING_OFF)
async def a_member_that_holds_the_candidate_for_dead_agrees_to_it(cluster: Cluster) -> None:
    """n4 does not hear n2 and holds it for dead; n2, the next in line, asks n4: that is a sign of life."""
    await cluster.form("n1", "n2", "n3", "n4")
    unheard = await cluster.drop("heartbeat", sender="n2", to=["n4"])
    await cluster.until(cluster.that.suspects("n4", "n2"), within=cluster.bounds.silence)
    await cluster.until(cluster.that.trusts("n2", "n4"), within=0)
    agrees = await cluster.hold("n4", "SuspicionEnded", where={"peer": "n2", "why": "claim-accepted"})
    await cluster.kill("n1")
    await cluster.until_held("n4", "SuspicionEnded", within=2 * cluster.bounds.crash)
    await cluster.heal(unheard)
    await cluster.heal(agrees)
    left = ("n2", "n3", "n4")
    await cluster.expect(cluster.that.has_list("n2", version=5, members=left), within=cluster.bounds.crash)
    await cluster.expect(cluster.that.agree(*left), within=cluster.bounds.crash)


@script(about=ABOUT, settings=MERGING_OFF)
async def a_claim_comes_after_that_of_a_younger_one(cluster: Cluster) -> None:
    """n3 and n4 do not hear n2, which is the next in line: n4 follows n3 when n2's claim comes, and stays with it.

    n4 has agreed to n3 for it holds all for dead who are older. n2's claim is no news: a mastership has passed it by.
    n5 hears n2 and follows it; so there are two clusters in the end."""
    await cluster.form("n1", "n2", "n3", "n4", "n5")
    await cluster.drop("heartbeat", sender="n2", to=["n3", "n4"])
    both = cluster.that.suspects("n3", "n2") & cluster.that.suspects("n4", "n2")
    await cluster.until(both, within=cluster.bounds.silence)
    await cluster.until(cluster.that.trusts("n2", "n3") & cluster.that.trusts("n2", "n4"), within=0)
    late = await cluster.hold_back("mastershipclaim", sender="n2", to=["n4"])
    agreed = await cluster.hold("n3", "ClaimAnswered", where={"peer": "n4", "answer": "accepted"})
    await cluster.kill("n1")
    await cluster.until_held("n3", "ClaimAnswered", within=2 * cluster.bounds.crash)
    await cluster.until(
        cluster.that.follows("n4", "n3") & cluster.that.claims("n2") & cluster.that.caught(late), within=0
    )
    refused = await cluster.hold("n4", "ClaimDeclined", where={"peer": "n2", "final": True, "why": "younger-master"})
    await cluster.heal(late)
    await cluster.until_held("n4", "ClaimDeclined", within=cluster.bounds.crash)
    await cluster.heal(refused)
    await cluster.heal(agreed)
    ends = cluster.that.has_list("n2", version=6, members=["n2", "n5"]) & cluster.that.has_list(
        "n3", version=6, members=["n3", "n4"]
    )
    await cluster.expect(ends, within=cluster.bounds.take_over)
    await cluster.expect(
        cluster.that.agree("n2", "n5") & cluster.that.agree("n3", "n4"), within=cluster.bounds.take_over
    )


@script(about=ABOUT, settings=MERGING_OFF)
async def the_old_master_is_heard_during_a_claim(cluster: Cluster) -> None:
    """n2 and n3 did not hear n1 for a while, and n2 claims: n3 follows it, and what n1 says now does not change that.

    n3 suspects n1 as before: a mastership has passed n1 by. n2 waits for n4, whose consent is lost for a while."""
    await cluster.form("n1", "n2", "n3", "n4")
    lost = await cluster.drop("claimaccepted", sender="n4", to=["n2"])
    silence = await cluster.together(
        *[cluster.blackhole("n1", name, one_way=True) for name in ("n2", "n3", "n4")],
    )
    followed = cluster.that.follows("n3", "n2") & cluster.that.claims("n2") & cluster.that.caught(lost)
    await cluster.until(followed, within=cluster.bounds.silence + cluster.bounds.crash)
    await cluster.together(*map(cluster.heal, silence))
    await cluster.sleep(2 * cluster.settings.heartbeat_interval)
    await cluster.until(cluster.that.claims("n2") & cluster.that.suspects("n3", "n1"), within=0)
    await cluster.heal(lost)
    apart = cluster.that.agree("n2", "n3", "n4") & cluster.that.agree("n1")
    await cluster.expect(apart, within=cluster.bounds.claim + cluster.bounds.silence)
