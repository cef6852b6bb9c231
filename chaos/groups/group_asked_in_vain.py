"""A member of a group is asked for something by one that it does not follow any more, or not yet, or never has.

From text 5.2.2.2 and rulings 5.3: a master hands over to a member that follows it; a candidate asks one that follows
its master whether that one is there. In any other member's answer lies nothing. Members know each other by their
lists; n1 is the first master."""

from __future__ import annotations

from typing import Final

from shaketable import Cluster
from shaketable.chaos.helpers.groups import (
    ABOUT,
    ALL,
    CALM,
    ELECTED,
    LEADERSHIP,
    ONE_ELECTION,
    follow,
    form,
    in_line,
    scripts_under,
)

LOOKS_FOR_NOBODY: Final = {"discovery_uri_list": ""}
"""A node that is told to look for nobody founds a group."""


@scripts_under(["all to all"], elections=ONE_ELECTION, about=[*ABOUT, *CALM])
async def group_handover_goes_to_another_group(cluster: Cluster) -> None:
    """The next in line founds a group of its own when it starts again, and the master shuts down: all go to that group.

    That one does not take over from the master, whose other members look for a place."""
    all_four, rest = ("n1", "n2", "n3", "n4"), ("n3", "n4")
    await cluster.form("n1", knowing=all_four)
    await cluster.start("n2", settings=LOOKS_FOR_NOBODY)
    await cluster.join(*rest, knowing=["n1", *rest])
    group = cluster.bounds.group
    within = group.forming + group.heal
    await cluster.until(cluster.that.agree(*all_four) & follow(cluster, all_four, "n1"), within=within)
    await cluster.kill("n2")
    await cluster.restart("n2")
    period = cluster.settings.gms_heartbeat_period
    await cluster.sleep(period // 10)  # links are made anew, and nobody's heartbeat has told it of the other group
    await cluster.until(cluster.that.agree("n2") & cluster.that.link_is_up("n1", "n2"), within=period)
    await cluster.leave("n1", wait=False)
    cluster.always(cluster.that.is_signalled("n2", "PLANNED_SHUTDOWN", of="n1", times=0))
    everybody = ["n2", *rest]
    await cluster.expect(cluster.that.agree(*everybody) & follow(cluster, everybody, "n2"), within=group.heal)
    await cluster.calm()


@scripts_under(["all to all"], elections=ONE_ELECTION, about=[*ABOUT, *CALM])
async def group_witness_follows_another_master(cluster: Cluster) -> None:
    """A split heals, and a member misses the master that gave way: its witness follows the other master, and says so.

    It has not heard that its master gave way, and does not hear it any more."""
    left, right = ("n1", "n2"), ("n3", "n4", "n5")
    await form(cluster, *ALL)
    group = cluster.bounds.group
    split = await cluster.split(left, right, how="cut")
    sides = cluster.that.agree(*left) & cluster.that.agree(*right)
    await cluster.until(sides & follow(cluster, right, "n3"), within=group.take_over_and_failures(1, 2))
    silence = await cluster.blackhole("n3", "n4", one_way=True)
    await cluster.heal(split)
    within = group.heal + group.take_over() + group.heal
    await cluster.expect(follow(cluster, ["n1", "n2", "n3", "n4", "n5"], "n1"), within=within)
    await cluster.heal(silence)
    await cluster.expect(cluster.that.agree(*ALL), within=cluster.bounds.settle())
    await cluster.calm()


@scripts_under(["all to all"], elections=ONE_ELECTION, about=[*ABOUT, *CALM])
async def group_witness_looks_for_a_master(cluster: Cluster) -> None:
    """The next in line misses the master, and the one after it has lost its place: it asks the one after that.

    It has not been told that the other one has failed, and hears it ask for a master."""
    await form(cluster, *ALL)
    group = cluster.bounds.group
    cluster.always(cluster.that.is_signalled("n2", "GROUP_LEADERSHIP", of="n2", times=0))
    unheard = [
        await cluster.drop("healthmessage", sender="n1", to=["n2"]),
        await cluster.drop("notified", sender="n1", to=["n2"]),
        await cluster.drop("pong", sender="n1", to=["n2"]),
    ]
    silence = await cluster.blackhole("n3", "n1", one_way=True)
    await cluster.until(cluster.that.suspects("n2", "n1"), within=2 * group.suspicion)
    trusted = cluster.that.is_signalled("n2", "NO_LONGER_SUSPECTED", of="n1")
    within = group.verification + cluster.settings.gms_probe_timeout + cluster.settings.gms_verify_timeout
    await cluster.until(trusted & follow(cluster, ["n2", "n4", "n5"], "n1"), within=within)
    await cluster.together(*[cluster.heal(each) for each in (*unheard, silence)])
    await cluster.expect(cluster.that.agree(*ALL) & follow(cluster, ALL, "n1"), within=cluster.bounds.settle())
    await cluster.calm()


@scripts_under(["all to all"], elections=ONE_ELECTION, about=[*ABOUT, *CALM])
async def group_old_question_is_answered(cluster: Cluster) -> None:
    """A member's question of long ago comes when its master has taken it off: it is added, and knows of neither.

    It asks for what it lacks, and gets all from its new join on. Nothing is lost that was told while it was off."""
    await form(cluster, *ALL)
    group = cluster.bounds.group
    late = await cluster.hold_back("masterquery", sender="n3", to=["n1"], count=1)
    silence = await cluster.blackhole("n3", "n1", one_way=True)
    failed = cluster.that.is_signalled("n1", "FAILURE", of="n3")
    await cluster.until(failed & cluster.that.caught(late), within=group.failure())
    await cluster.heal(silence)
    await cluster.until(cluster.that.agree(*ALL), within=group.forming)
    lost = await cluster.drop("notified", sender="n1", to=["n3"])
    silence = await cluster.blackhole("n3", "n1", one_way=True)
    await cluster.until(cluster.that.is_signalled("n1", "FAILURE", of="n3", times=2), within=group.failure())
    await cluster.heal(silence)
    await cluster.heal(late)
    await cluster.until(cluster.that.is_signalled("n1", "JOIN", of="n3", times=3), within=group.forming)
    await cluster.sleep(cluster.settings.gms_heartbeat_period)
    await cluster.heal(lost)
    await cluster.expect(cluster.that.agree(*ALL) & follow(cluster, ALL, "n1"), within=cluster.bounds.settle())
    await cluster.calm()


@scripts_under(["master and likely"], about=[*ELECTED, *CALM])
async def group_candidate_is_asked_again(cluster: Cluster) -> None:
    """A member was cut off, and the next in line took no report of it; later the master crashes, and that one leads.

    Until then the two sent each other nothing. But the member has heard the master again, and asks anew."""
    await form(cluster, *ALL)
    master, successor, third, *_ = in_line(cluster, *ALL)
    rest = [name for name in ALL if name != master]
    group = cluster.bounds.group
    silence = await cluster.isolate(third, how="blackhole")
    await cluster.until(cluster.that.suspects(third, master), within=group.unheard_master + group.report)
    await cluster.heal(silence)
    await cluster.until(cluster.that.agree(*ALL) & follow(cluster, ALL, master), within=group.verification)
    await cluster.sleep(3 * group.unheard_master)
    await cluster.kill(master)
    await cluster.expect(cluster.that.agree(*rest) & follow(cluster, rest, successor), within=group.take_over())
    await cluster.calm()


@scripts_under(["master and likely"], elections=ONE_ELECTION, about=[*ABOUT, *CALM, LEADERSHIP])
async def group_candidate_follows_another_master(cluster: Cluster) -> None:
    """The master crashes, and one member does not reach the new one: others tell it whom they follow, and it gives up.

    It asks each of them to follow the dead master in its turn. Nobody else would tell it of the new one."""
    await form(cluster, *ALL)
    rest = ["n2", "n3", "n4", "n5"]
    silence = await cluster.blackhole("n2", "n5")
    await cluster.kill("n1")
    within = cluster.bounds.group.take_over()
    await cluster.until(follow(cluster, rest[:3], "n2"), within=within)
    await cluster.sleep(2 * cluster.bounds.settle())
    await cluster.heal(silence)
    await cluster.expect(cluster.that.agree(*rest) & follow(cluster, rest, "n2"), within=cluster.bounds.settle())
    await cluster.calm()
