"""The text's example of a mastership claim with its six members, staged with faults alone, and its twin.

n1 to n6 are the text's A to F. A member cannot miss lists while its master's heartbeats come through, so the master
goes silent towards who is to miss them; from E's join to the end of the claim no heartbeat timeout may pass."""

from collections.abc import Mapping

from shaketable import SECOND, Cluster, Condition, Injected, Settings, script
from shaketable.chaos import LISTS, MERGING_OFF

ABOUT = (*LISTS, "claims", "detection")
LONGER = 2
"""times the usual heartbeat timeout: two processes start within one"""


def a_quarter(run: Settings) -> Mapping[str, object]:
    """The claim gives up on F before E, to whom B sends no heartbeats yet, can come to suspect B."""
    return _timeouts(run, run.heartbeat_timeout // 4)


def twice(run: Settings) -> Mapping[str, object]:
    """The default: a claim may last for two heartbeat timeouts."""
    return _timeouts(run, 2 * run.heartbeat_timeout)


def _timeouts(run: Settings, claim: int) -> Mapping[str, object]:
    heartbeat = LONGER * run.heartbeat_timeout / SECOND
    return {
        **MERGING_OFF,
        "heartbeat_timeout_seconds": heartbeat,
        "mastership_claim_timeout_seconds": LONGER * claim / SECOND,
    }


@script(about=ABOUT, settings=a_quarter)
async def six_members(cluster: Cluster) -> None:
    """The text's six members: B, who missed two lists, claims; B, D and E end with version 7, [B, D, E].

    B asks D, whom it knows; D's answer tells it of E, and E's of F, who is silent. C, whom B suspects, is not asked and
    ends with a version 7 of its own, beside the other; so does F when it wakes. A version names no list by itself: its
    author belongs to it."""
    sleep = await the_start_of_the_example(cluster)
    await cluster.kill("n1")
    three = [cluster.that.has_list(name, version=7, members=["n2", "n4", "n5"]) for name in ("n2", "n4", "n5")]
    claim = cluster.settings.mastership_claim_timeout
    await cluster.expect(three[0] & three[1] & three[2], within=cluster.bounds.crash + claim)
    for name in ("n4", "n5"):
        await cluster.until(cluster.that.follows(name, "n2"), within=0)
    alone = cluster.that.has_list("n3", version=7, members=["n3"])
    await cluster.until(alone, within=cluster.bounds.silence + claim)
    await cluster.heal(sleep)
    for fellow in three:
        cluster.always(fellow)
    await cluster.expect(alone & cluster.that.agree("n6"), within=2 * cluster.bounds.silence)


@script(about=ABOUT, settings=twice)
async def six_members_by_default(cluster: Cluster) -> None:
    """The text's six members with the default claim timeout: F's silence takes so long that E ends with C instead.

    E has accepted B's claim. But B, which does not know E before its claim is over, sends it no heartbeats, so after a
    timeout E suspects B; by then C suspects B too, claims, and E agrees. B's final list still names E, who answers it
    with explicit suspicion: the master B takes E off again."""
    sleep = await the_start_of_the_example(cluster)
    await cluster.kill("n1")
    await cluster.until(
        cluster.that.follows("n4", "n2") & cluster.that.follows("n5", "n2"), within=cluster.bounds.crash
    )
    await cluster.until(cluster.that.follows("n5", "n3"), within=cluster.bounds.silence)
    claim = cluster.settings.mastership_claim_timeout
    both = cluster.that.agree("n2", "n4") & cluster.that.agree("n3", "n5")
    await cluster.expect(both, within=cluster.bounds.silence + claim)
    await cluster.heal(sleep)
    await cluster.expect(both & cluster.that.agree("n6"), within=2 * cluster.bounds.silence)


async def the_start_of_the_example(cluster: Cluster) -> Injected:
    """B missed two lists and suspects C, D missed one, F is silent. The fault that is given back is F's pause."""
    await cluster.form("n1", "n2", "n3", "n4")
    await cluster.blackhole("n3", "n2", one_way=True)
    await cluster.until(cluster.that.suspects("n2", "n3"), within=cluster.bounds.silence)
    await cluster.blackhole("n1", "n2", one_way=True)
    await cluster.start("n5")
    await cluster.until(list_of_all(cluster, "n5", 5) & list_of_all(cluster, "n4", 5), within=cluster.bounds.forming)
    await cluster.blackhole("n1", "n4", one_way=True)
    await cluster.start("n6")
    await cluster.until(list_of_all(cluster, "n6", 6) & list_of_all(cluster, "n5", 6), within=cluster.bounds.forming)
    asleep = await cluster.pause("n6")
    for name, version in {"n1": 6, "n2": 4, "n3": 6, "n4": 5, "n5": 6, "n6": 6}.items():
        await cluster.until(list_of_all(cluster, name, version), within=0)
    return asleep


def list_of_all(cluster: Cluster, name: str, version: int) -> Condition:
    """The list with that many members, as old as it is long."""
    return cluster.that.has_list(name, version=version, members=[f"n{i}" for i in range(1, version + 1)])
