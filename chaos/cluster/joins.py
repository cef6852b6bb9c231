"""Nodes join: many at once, again after a restart or elsewhere, as lite members, and where they do not belong."""

from collections.abc import Mapping

from shaketable import SECOND, Cluster, Condition, Observed, Settings, script
from shaketable.chaos import LISTS, MERGING_OFF

TEN = ("n2", "n3", "n4", "n5", "n6", "n7", "n8", "n9", "n10", "n11")


def batches(run: Settings) -> Mapping[str, object]:
    """The master waits so long for more joiners that even processes on a busy machine come in time."""
    wait = run.heartbeat_timeout / SECOND
    return {
        **MERGING_OFF,
        "async_join": False,
        "wait_before_join_seconds": wait,
        "max_wait_before_join_seconds": 2 * wait,
        "max_join_seconds": (run.max_join + 3 * run.heartbeat_timeout) / SECOND,
    }


def long_grace(run: Settings) -> Mapping[str, object]:
    """A lost connection is borne so long that a restarted process is back before anybody suspects the old one."""
    return {**MERGING_OFF, "connection_monitor_max_faults": run.heartbeat_timeout // run.connection_monitor_interval}


def patient(run: Settings) -> Mapping[str, object]:
    return {**MERGING_OFF, "heartbeat_timeout_seconds": 4 * run.heartbeat_timeout / SECOND}


@script(about=LISTS, settings=MERGING_OFF)
async def ten_joins_at_once(cluster: Cluster) -> None:
    """Ten nodes join at once, and the master admits them one by one: ten lists, of which some may skip a few."""
    await cluster.form("n1")
    await cluster.start(*TEN)
    await cluster.expect(cluster.that.agree("n1", *TEN) & version(cluster, "n1", 11), within=cluster.bounds.forming)


@script(about=[name for name in LISTS if name != "view order"], settings=batches)
async def ten_joins_in_a_batch(cluster: Cluster) -> None:
    """Ten nodes join at once, and the master waits for more and admits all by one list, ten versions up."""
    await cluster.form("n1")
    cluster.always(version(cluster, "n1", 1, 11))
    await cluster.start(*TEN)
    await cluster.expect(cluster.that.agree("n1", *TEN), within=cluster.bounds.forming)


@script(about=[*LISTS, "detection"], settings=patient)
async def a_joiner_stalls_at_its_first_list(cluster: Cluster) -> None:
    """n3 stalls while it installs its first list, for less time than anybody waits for its heartbeats: it stays."""
    await cluster.form("n1", "n2", "n3")
    await cluster.kill("n3")
    await cluster.until(cluster.that.agree("n1", "n2"), within=cluster.bounds.crash)
    await cluster.restart("n3")
    stall = await cluster.hold("n3", "ViewInstalled")
    await cluster.until_held("n3", "ViewInstalled", within=cluster.bounds.forming)
    for other in ("n1", "n2"):
        cluster.always(cluster.that.trusts(other, "n3"))
    await cluster.sleep(cluster.settings.heartbeat_timeout // 2)
    await cluster.heal(stall)
    await cluster.expect(cluster.that.agree("n1", "n2", "n3"), within=cluster.bounds.crash)
    cluster.always(cluster.that.agree("n1", "n2", "n3"))
    await cluster.sleep(2 * cluster.settings.heartbeat_timeout)


@script(about=LISTS, settings=MERGING_OFF)
async def another_cluster_s_name(cluster: Cluster) -> None:
    """Two nodes look for another cluster among these addresses: they are refused, and found it themselves."""
    await cluster.form("n1", "n2", "n3")
    cluster.always(cluster.that.agree("n1", "n2", "n3"))
    await cluster.start("n4", "n5", settings={"cluster_name": "another"})
    await cluster.expect(cluster.that.agree("n4", "n5"), within=cluster.bounds.forming)


@script(about=LISTS, settings=MERGING_OFF)
async def a_wrong_configuration(cluster: Cluster) -> None:
    """A node with another partition count looks for the cluster: it is told why it cannot join, and ends."""
    await cluster.form("n1", "n2", "n3")
    cluster.always(cluster.that.agree("n1", "n2", "n3"))
    await cluster.start("n4", settings={"partition_count": 7})
    await cluster.until(cluster.that.ended("n4"), within=cluster.bounds.forming)
    await cluster.sleep(2 * cluster.settings.heartbeat_interval)
    await cluster.expect(cluster.that.ended("n4"), within=cluster.bounds.crash)


@script(about=[*LISTS, "true reasons"], settings=MERGING_OFF)
async def a_refusal_that_comes_late(cluster: Cluster) -> None:
    """n4 asks two clusters. n3 refuses it, and n4 hears of that when it is a member of the other one: it stays."""
    await cluster.form("n1", "n2")
    await cluster.start("n3", knowing=[], settings={"partition_count": 7})
    await cluster.until(cluster.that.agree("n3"), within=cluster.bounds.forming)
    refusal = await cluster.hold_back("configmismatch", sender="n3")
    await cluster.start("n4")
    both = cluster.that.agree("n1", "n2", "n4") & cluster.that.agree("n3")
    await cluster.until(both & cluster.that.caught(refusal), within=cluster.bounds.forming)
    await cluster.heal(refusal)
    await cluster.sleep(2 * cluster.settings.heartbeat_interval)
    await cluster.expect(both, within=0)


@script(about=LISTS, settings=long_grace)
async def fast_restart(cluster: Cluster) -> None:
    """A follower is killed and returns before anybody has noticed: its new identity tells that the old one is gone."""
    await cluster.form("n1", "n2", "n3", "n4")
    noticed = await cluster.hold("n1", "Suspected", where={"peer": "n3", "why": "new-identity"})
    await cluster.kill("n3")
    await cluster.restart("n3")
    await cluster.until_held("n1", "Suspected", within=cluster.bounds.forming)
    await cluster.heal(noticed)
    back = cluster.that.has_list("n1", version=6, members=["n1", "n2", "n4", "n3"])
    await cluster.expect(back & cluster.that.agree("n1", "n2", "n3", "n4"), within=cluster.bounds.forming)


@script(about=LISTS, settings=long_grace)
async def fast_restart_of_the_master(cluster: Cluster) -> None:
    """The master is killed and returns before anybody has noticed: whoever it asks who is master suspects the old one.

    So the next in line claims, all agree, and the old master joins as the youngest."""
    await cluster.form("n1", "n2", "n3", "n4")
    noticed = await cluster.hold("n2", "Suspected", where={"peer": "n1", "why": "new-identity"})
    await cluster.kill("n1")
    await cluster.restart("n1")
    await cluster.until_held("n2", "Suspected", within=cluster.bounds.forming)
    await cluster.heal(noticed)
    back = cluster.that.has_list("n2", version=6, members=["n2", "n3", "n4", "n1"])
    await cluster.expect(back & cluster.that.agree("n1", "n2", "n3", "n4"), within=cluster.bounds.forming)


@script(about=LISTS, settings=long_grace)
async def fast_restart_of_a_master_that_does_not_know_all(cluster: Cluster) -> None:
    """A master that returns at once asks those that it was configured with, and the youngest is not among them.

    Its next heartbeat to the old master tells it: the new one answers with explicit suspicion."""
    await cluster.form("n1", "n2", "n3")
    await cluster.join("n4")
    await cluster.kill("n1")
    await cluster.restart("n1")
    back = cluster.that.has_list("n2", version=6, members=["n2", "n3", "n4", "n1"])
    await cluster.expect(back & cluster.that.agree("n1", "n2", "n3", "n4"), within=cluster.bounds.forming)


@script(about=LISTS, settings=MERGING_OFF)
async def back_at_another_address(cluster: Cluster) -> None:
    """One member crashes and another leaves; both return at once at other addresses, where they are new members."""
    await cluster.form("n1", "n2", "n3", "n4")
    await cluster.kill("n3")
    await cluster.start("n5")
    await cluster.until(cluster.that.agree("n1", "n2", "n4", "n5"), within=cluster.bounds.forming)
    await cluster.leave("n2")
    await cluster.start("n6")
    await cluster.expect(cluster.that.agree("n1", "n4", "n5", "n6"), within=cluster.bounds.forming)


@script(about=LISTS, settings=MERGING_OFF)
async def lite_members(cluster: Cluster) -> None:
    """Lite members hold no data, and else are like others: one founds the cluster and leads it, one returns."""
    await cluster.form("n1", settings={"lite_member": True})
    await cluster.join("n2", "n3")
    await cluster.join("n4", settings={"lite_member": True})
    await cluster.until(lite(cluster, "n3", "n1", "n4"), within=0)
    await cluster.kill("n1")
    await cluster.until(cluster.that.agree("n2", "n3", "n4") & lite(cluster, "n3", "n4"), within=cluster.bounds.crash)
    await cluster.leave("n4")
    await cluster.restart("n4")
    back = cluster.that.has_list("n2", version=7, members=["n2", "n3", "n4"]) & lite(cluster, "n4", "n4")
    await cluster.expect(back & cluster.that.agree("n2", "n3", "n4"), within=cluster.bounds.forming)


@script(about=LISTS, settings=MERGING_OFF)
async def nobody_answers_a_joiner(cluster: Cluster) -> None:
    """n3 returns, and nothing that the others send reaches it: it waits long, and founds a cluster of its own.

    It sees that they are up, so it waits for an answer as long as anybody waits to join."""
    await cluster.form("n1", "n2", "n3")
    await cluster.kill("n3")
    await cluster.until(cluster.that.agree("n1", "n2"), within=cluster.bounds.crash)
    await cluster.together(*[cluster.blackhole(name, "n3", one_way=True) for name in ("n1", "n2")])
    await cluster.restart("n3")
    late = await cluster.hold("n3", "Joined", where={"why": "longest-join-time"})
    await cluster.until_held("n3", "Joined", within=cluster.bounds.forming)
    await cluster.heal(late)
    await cluster.expect(cluster.that.agree("n1", "n2") & cluster.that.agree("n3"), within=cluster.bounds.forming)


@script(about=LISTS, settings=MERGING_OFF)
async def admitted_by_a_master_that_has_overslept(cluster: Cluster) -> None:
    """n1 admits n4, and sleeps before it has said so: when it wakes n4 asks n2, and tells n1 that they part.

    Meanwhile n2 leads, and its own word that n4 is admitted is lost until then. So is n4's first question to it who is
    master: a joiner asks again."""
    await cluster.form("n1", "n2", "n3")
    others = [await cluster.drop("masterresponse", sender=name) for name in ("n2", "n3")]
    sleep = await cluster.hold("n1", "ViewInstalled")
    await cluster.start("n4")
    await cluster.until_held("n1", "ViewInstalled", within=cluster.bounds.forming)
    question = await cluster.drop("whoismaster", sender="n4", to=["n2"], count=1)
    lost = await cluster.drop("finalizejoin", sender="n2", to=["n4"])
    await cluster.together(*map(cluster.heal, others))
    by_n2 = cluster.that.caught(question) & cluster.that.caught(lost)
    await cluster.until(by_n2, within=cluster.bounds.take_over + cluster.bounds.forming)
    told = await cluster.hold("n4", "ExplicitSuspicionSent", where={"peer": "n1", "why": "strange-join"})
    await cluster.heal(sleep)
    await cluster.until_held("n4", "ExplicitSuspicionSent", within=cluster.bounds.crash)
    await cluster.heal(told)
    await cluster.together(*map(cluster.heal, (lost, question)))
    apart = cluster.that.agree("n2", "n3", "n4") & cluster.that.agree("n1")
    await cluster.expect(apart, within=2 * cluster.bounds.silence)


@script(about=LISTS, settings=MERGING_OFF)
async def a_joiner_is_told_of_a_master_that_it_cannot_reach(cluster: Cluster) -> None:
    """n1 and n3 tell n4 of two masters as it comes back, n3 each time first: it cannot reach n3's, and n1 admits it."""
    await cluster.form("n1", "n2", "n3")
    await cluster.join("n4", knowing=["n1", "n3"])
    await cluster.kill("n4")
    await cluster.cut("n4", "n2")
    await cluster.split(["n1"], ["n2", "n3"])
    apart = cluster.that.agree("n1") & cluster.that.agree("n2", "n3")
    await cluster.until(apart, within=cluster.bounds.crash + cluster.bounds.settle())
    await cluster.delay("masterresponse", cluster.settings.join_retry // 2, sender="n1")
    await cluster.restart("n4")
    await cluster.expect(cluster.that.agree("n1", "n4"), within=cluster.bounds.forming)
    cluster.always(cluster.that.agree("n1", "n4") & cluster.that.agree("n2", "n3"))
    await cluster.sleep(2 * cluster.settings.heartbeat_timeout)


@script(about=[*LISTS, "claims"], settings=MERGING_OFF)
async def the_master_dies_before_its_joiner_knows(cluster: Cluster) -> None:
    """All but n4 know that it is admitted when the master dies: asked by the next one n4 says that it is no member.

    It is left out, and admitted once more when its own request cannot be a stale one any more."""
    await cluster.form("n1", "n2", "n3")
    await cluster.drop("finalizejoin", sender="n1")
    await cluster.start("n4")
    four = ["n1", "n2", "n3", "n4"]
    known = cluster.that.has_list("n2", version=4, members=four) & cluster.that.has_list("n3", version=4, members=four)
    await cluster.until(known, within=cluster.bounds.forming)
    no_member = await cluster.hold("n4", "ClaimDeclined", where={"final": True, "why": "no-member"})
    await cluster.kill("n1")
    await cluster.until_held("n4", "ClaimDeclined", within=2 * cluster.bounds.crash)
    await cluster.heal(no_member)
    again = cluster.that.has_list("n2", version=6, members=["n2", "n3", "n4"]) & cluster.that.agree("n2", "n3", "n4")
    await cluster.expect(again, within=cluster.settings.stale_join_prevention + cluster.bounds.forming)


def version(cluster: Cluster, name: str, *allowed: int) -> Condition:
    """The version of this node's list is one of these."""

    def why_not(seen: Observed) -> str | None:
        found = seen.nodes[name].version
        return None if found in allowed else f"{name} holds {seen.list_of(seen.nodes[name])}"

    return Condition(f"{name} holds version {' or '.join(map(str, allowed))}", why_not)


def lite(cluster: Cluster, name: str, *wanted: str) -> Condition:
    """Exactly these are lite members in this node's list."""

    def why_not(seen: Observed) -> str | None:
        found = seen.names_of(member for member in seen.nodes[name].members if member.lite)
        return None if found == list(wanted) else f"{name} holds for lite {', '.join(found) or 'nobody'}"

    return Condition(f"{name} holds {', '.join(wanted)} for lite", why_not)
