"""The master of a group crashes, alone or with another; it oversleeps; it is started again at once; it shuts down.

From text 5.2.2.1: all elect another one by one rule, which tells first that it leads, and then that the one before has
failed. Nobody's failure may be lost on the way. Five members; n1 is the master."""

from __future__ import annotations

from shaketable import Cluster
from shaketable.chaos.helpers.groups import (
    ABOUT,
    CALM,
    CRASHES,
    ELECTED,
    LEADERSHIP,
    ONE_ELECTION,
    REJOIN,
    SHUTDOWN,
    SILENT,
    all_of,
    crash_silently,
    follow,
    form,
    have_failed,
    have_not_failed,
    in_line,
    scripts_under,
)

ALL = ("n1", "n2", "n3", "n4", "n5")


@scripts_under(about=[*ELECTED, *CALM, REJOIN])
async def group_master_crashes(cluster: Cluster) -> None:
    """The master crashes: the next in line leads and tells of it; the old one returns as a member."""
    await form(cluster, *ALL)
    master, successor, *_ = in_line(cluster, *ALL)
    rest = [name for name in ALL if name != master]
    await cluster.kill(master)
    group = cluster.bounds.group
    await cluster.expect(cluster.that.agree(*rest) & follow(cluster, rest, successor), within=group.take_over())
    await cluster.until(have_failed(cluster, [master], told=rest), within=group.take_over())
    for name in rest:
        await cluster.until(cluster.that.is_signalled(name, "GROUP_LEADERSHIP", of=successor), within=0)
    await cluster.restart(master)
    await cluster.expect(cluster.that.agree(*ALL) & follow(cluster, ALL, successor), within=group.forming)
    await cluster.calm()


@scripts_under(about=[*SILENT, *CALM, LEADERSHIP])
async def group_master_oversleeps(cluster: Cluster) -> None:
    """The master sleeps until another one leads, and wakes up: in the end there is one group with one master.

    Those that have heard of its failure close their connections to it."""
    await form(cluster, *ALL)
    master, successor, *_ = in_line(cluster, *ALL)
    rest = [name for name in ALL if name != master]
    nap = await cluster.pause(master)
    group = cluster.bounds.group
    await cluster.expect(cluster.that.agree(*rest) & follow(cluster, rest, successor), within=group.take_over())
    await cluster.until(have_failed(cluster, [master], told=rest), within=group.take_over())
    closed = all_of(cluster.that.link_is_down(name, master) for name in rest)
    await cluster.until(closed, within=cluster.settings.gms_heartbeat_period)
    await cluster.heal(nap)
    await cluster.expect(cluster.that.agree(*ALL), within=cluster.bounds.settle())
    await cluster.calm()


@scripts_under(about=[*ELECTED, *CALM])
async def group_master_and_successor_crash(cluster: Cluster) -> None:
    """The master and the next in line crash together: the member after them leads, and tells of both."""
    await form(cluster, *ALL)
    master, successor, third, *_ = in_line(cluster, *ALL)
    rest = [name for name in ALL if name not in (master, successor)]
    await cluster.together(cluster.kill(master), cluster.kill(successor))
    await the_third_leads(cluster, rest, third, [master, successor])


@scripts_under(about=[*SILENT, *CALM, LEADERSHIP])
async def group_master_and_successor_fall_silent(cluster: Cluster) -> None:
    """The machines of the master and the next in line are gone: each failure is told to all, only once."""
    await form(cluster, *ALL)
    master, successor, third, *_ = in_line(cluster, *ALL)
    rest = [name for name in ALL if name not in (master, successor)]
    await crash_silently(cluster, master, successor)
    await the_third_leads(cluster, rest, third, [master, successor])


async def the_third_leads(cluster: Cluster, rest: list[str], third: str, dead: list[str]) -> None:
    within = cluster.bounds.group.take_over_and_failures(candidates=1)
    await cluster.expect(cluster.that.agree(*rest) & follow(cluster, rest, third), within=within)
    await cluster.calm()
    await cluster.until(have_failed(cluster, dead, told=rest), within=0)


@scripts_under(about=[*ELECTED, *CALM])
async def group_master_and_a_member_crash(cluster: Cluster) -> None:
    """The master and a member not next in line crash together: both failures are told to all."""
    await form(cluster, *ALL)
    master, successor, *others = in_line(cluster, *ALL)
    dead = [master, others[-1]]
    rest = [name for name in ALL if name not in dead]
    await cluster.together(*[cluster.kill(name) for name in dead])
    within = cluster.bounds.group.take_over_and_failures(others=1)
    await cluster.until(follow(cluster, rest, successor), within=cluster.bounds.group.take_over())
    if (
        cluster.settings.gms_detection == "master and likely"
    ):  # it alone watches them from now on, and asks them at once
        await cluster.until(have_failed(cluster, dead, told=rest), within=cluster.bounds.group.verification)
    await cluster.expect(cluster.that.agree(*rest) & follow(cluster, rest, successor), within=within)
    await cluster.until(have_failed(cluster, dead, told=rest), within=within)
    await cluster.calm()


@scripts_under(about=[*ELECTED, *CALM])
async def group_master_and_two_members_crash(cluster: Cluster) -> None:
    """The master and two members crash together, and the next in line lives: all three failures are told to all."""
    await form(cluster, *ALL)
    master, successor, *others = in_line(cluster, *ALL)
    dead = [master, *others[1:]]
    rest = [name for name in ALL if name not in dead]
    await cluster.sleep(2 * cluster.settings.detection_window)
    await cluster.together(*[cluster.kill(name) for name in dead])
    within = cluster.bounds.group.take_over_and_failures(others=2)
    await cluster.expect(cluster.that.agree(*rest) & follow(cluster, rest, successor), within=within)
    await cluster.until(have_failed(cluster, dead, told=rest), within=0)
    await cluster.calm()


@scripts_under(about=[*ELECTED, *CALM])
async def group_master_crashes_with_a_member_in_doubt(cluster: Cluster) -> None:
    """The master crashes when it has told all that a crashed member is in doubt: its successor tells of both."""
    await form(cluster, *ALL)
    master, successor, *others = in_line(cluster, *ALL)
    doubted = others[-1]
    rest = [name for name in ALL if name not in (master, doubted)]
    where = {"peer": doubted, "state": "in doubt"}
    await cluster.hold(master, "HealthAnnouncedToAll", after=len(ALL) - 1, where=where)
    await cluster.kill(doubted)
    await cluster.until_held(master, "HealthAnnouncedToAll", within=cluster.bounds.group.failure())
    await cluster.kill(master)
    within = cluster.bounds.group.take_over_and_failures(others=1)
    await cluster.until(follow(cluster, rest, successor), within=cluster.bounds.group.take_over())
    both = have_failed(cluster, [master, doubted], told=rest)
    await cluster.until(both, within=cluster.bounds.group.verification)
    await cluster.expect(cluster.that.agree(*rest) & follow(cluster, rest, successor), within=within)
    await cluster.calm()


@scripts_under(about=[*SILENT, *CALM, LEADERSHIP, SHUTDOWN])
async def group_master_shuts_down_after_a_silent_crash(cluster: Cluster) -> None:
    """The master shuts down soon after a member's machine is gone: its successor tells of that, and not of it.

    It knows from the master how long nothing has been heard of that one, so its silence does not begin anew."""
    await form(cluster, *ALL)
    await crash_silently(cluster, in_line(cluster, *ALL)[2])
    await the_master_shuts_down(cluster)


@scripts_under(about=[*CRASHES, *CALM, LEADERSHIP, SHUTDOWN])
async def group_master_shuts_down_after_a_crash(cluster: Cluster) -> None:
    """The master shuts down soon after a member has crashed: its successor misses that one as soon as it would have."""
    await form(cluster, *ALL)
    await cluster.sleep(2 * cluster.settings.detection_window)
    await cluster.kill(in_line(cluster, *ALL)[2])
    await the_master_shuts_down(cluster)


async def the_master_shuts_down(cluster: Cluster) -> None:
    master, successor, dead, *_ = in_line(cluster, *ALL)
    rest = [name for name in ALL if name not in (master, dead)]
    for name in rest:
        cluster.always(have_not_failed(cluster, master, told=[name]))
    window = cluster.settings.detection_window
    await cluster.sleep(window // 2)
    await cluster.leave(master)
    soon = cluster.bounds.group.failure() - window // 2
    await cluster.until(have_failed(cluster, [dead], told=rest), within=soon)
    within = cluster.bounds.group.shutdown + cluster.bounds.group.failure()
    await cluster.expect(cluster.that.agree(*rest) & follow(cluster, rest, successor), within=within)
    await cluster.until(have_failed(cluster, [dead], told=rest), within=within)
    for name in rest:
        await cluster.until(cluster.that.is_signalled(name, "PLANNED_SHUTDOWN", of=master), within=0)
    await cluster.calm()


@scripts_under(["all to all", "master and likely"], about=[*SILENT, *CALM, LEADERSHIP])
async def group_successor_hears_of_a_false_failure(cluster: Cluster) -> None:
    """A dying master has told one member alone that another one failed, which lives: its successor tries that itself.

    The master had lost its way to that one, and nobody else had."""
    await form(cluster, *ALL)
    master, successor, witness, *others = in_line(cluster, *ALL)
    rest, lives = [name for name in ALL if name != master], others[-1]
    lost = await cluster.drop("notified", sender=master, to=[successor, *others])
    await cluster.blackhole(lives, master, one_way=True)
    within = cluster.bounds.group.failure()
    await cluster.until(have_failed(cluster, [lives], told=[witness]), within=within)
    await cluster.kill(master)
    cluster.always(have_not_failed(cluster, lives, told=[successor]))
    await cluster.expect(
        cluster.that.agree(*rest) & follow(cluster, rest, successor) & cluster.that.caught(lost),
        within=cluster.bounds.settle(),
    )
    await cluster.calm()


@scripts_under(["all to all", "ring"], elections=ONE_ELECTION, about=[*ABOUT, *CALM, LEADERSHIP])
async def group_successor_hears_of_a_newcomer(cluster: Cluster) -> None:
    """A dying master has told one member alone of a newcomer: its successor hears that from it, and adds it at once."""
    await form(cluster, *ALL)
    master, successor, _, *others = in_line(cluster, *ALL)
    rest = [*(name for name in ALL if name != master), "n6"]
    lost = await cluster.drop("notified", sender=master, to=[successor, *others])
    await cluster.start("n6")
    await cluster.until(follow(cluster, ["n6"], master), within=cluster.bounds.group.forming)
    await cluster.kill(master)
    within = cluster.bounds.group.take_over()
    await cluster.until(follow(cluster, rest, successor) & cluster.that.caught(lost), within=within)
    await cluster.expect(cluster.that.agree(*rest), within=cluster.bounds.settle())
    await cluster.calm()


@scripts_under(["all to all", "ring"], elections=ONE_ELECTION, about=[*SILENT, *CALM, LEADERSHIP])
async def group_one_alone_hears_of_a_doubt(cluster: Cluster) -> None:
    """A dying master has told one member alone that another one is in doubt, which lives: that doubt ends.

    The master had lost its way to that one, and nobody else had. Its successor knows of no doubt."""
    await form(cluster, *ALL)
    master, successor, witness, *others = in_line(cluster, *ALL)
    rest, lives = [name for name in ALL if name != master], others[-1]
    lost = await cluster.drop("healthannounced", sender=master, to=[successor, *others])
    await cluster.blackhole(lives, master, one_way=True)
    await cluster.until(cluster.that.suspects(witness, lives), within=cluster.bounds.group.failure())
    await cluster.kill(master)
    cluster.always(have_not_failed(cluster, lives, told=rest))
    within = cluster.bounds.group.take_over()
    await cluster.until(follow(cluster, rest, successor) & cluster.that.caught(lost), within=within)
    trusted = all_of(cluster.that.trusts(name, lives) for name in rest if name != lives)
    await cluster.expect(cluster.that.agree(*rest) & trusted, within=within + cluster.settings.detection_window)
    await cluster.calm()


@scripts_under(settings={"gms_max_missed": 10}, about=[*ABOUT, *CALM, REJOIN, "every failure told", LEADERSHIP])
async def group_master_starts_again_at_once(cluster: Cluster) -> None:
    """The master crashes and is started again before anybody can miss it: all learn that it is another one."""
    await form(cluster, *ALL)
    master, successor, *_ = in_line(cluster, *ALL)
    rest = [name for name in ALL if name != master]
    await cluster.kill(master)
    await cluster.restart(master)
    # Long before it would be missed.
    await cluster.until(follow(cluster, rest, successor), within=cluster.settings.detection_window // 2)
    within = cluster.bounds.group.take_over() + cluster.bounds.group.forming
    await cluster.expect(cluster.that.agree(*ALL) & follow(cluster, ALL, successor), within=within)
    await cluster.until(have_failed(cluster, [master], told=rest), within=0)
    await cluster.calm()


@scripts_under(["all to all"], elections=ONE_ELECTION, about=[*SILENT, *CALM, LEADERSHIP])
async def group_master_in_doubt_says_something(cluster: Cluster) -> None:
    """A notification of the master comes while it is in doubt: it is probed once more, and nobody is asked again.

    None of its heartbeats comes, and no answer to a probe, neither to the next in line nor to the one that is asked."""
    await form(cluster, *ALL)
    group, rest = cluster.bounds.group, [*ALL[1:], "n6"]
    lost = [
        await cluster.drop("healthmessage", sender="n1", to=["n2"]),
        await cluster.drop("pong", sender="n1", to=["n2", "n3"]),
    ]
    await cluster.until(cluster.that.suspects("n2", "n1"), within=group.suspicion)
    await cluster.start("n6", knowing=ALL)
    within = group.verification + 3 * cluster.settings.gms_probe_timeout
    # n1 may be back before the last one of them has heard that it was gone.
    await cluster.expect(follow(cluster, rest, "n2"), within=within)
    await cluster.until(all_of(cluster.that.caught(each) for each in lost), within=0)
    await cluster.together(*[cluster.heal(each) for each in lost])
    here = [*ALL, "n6"]
    await cluster.expect(cluster.that.agree(*here) & follow(cluster, here, "n2"), within=cluster.bounds.settle())
    await cluster.calm()


@scripts_under(["all to all"], elections=ONE_ELECTION, about=[*ABOUT, *CALM, LEADERSHIP, SHUTDOWN])
async def group_master_hands_over_past_one_that_doubts_it(cluster: Cluster) -> None:
    """The next in line doubts its master, which hands over to the one after it, and does not take over from it.

    It misses the first word of the new master, and follows it by the second one. Meanwhile it probes the old one."""
    await form(cluster, *ALL)
    group, rest = cluster.bounds.group, ALL[1:]
    silence = await cluster.blackhole("n1", "n2", one_way=True)
    await cluster.until(cluster.that.suspects("n2", "n1"), within=2 * group.suspicion)
    cluster.always(cluster.that.is_signalled("n2", "GROUP_LEADERSHIP", of="n2", times=0))
    lost = await cluster.drop("notified", sender="n3", to=["n2"], count=1)
    unasked = await cluster.drop("notificationswanted", sender="n2", to=["n3"])
    await cluster.leave("n1", wait=False)
    within = cluster.settings.gms_verify_timeout + cluster.settings.gms_heartbeat_period
    await cluster.until(follow(cluster, rest, "n3") & cluster.that.caught(lost), within=within)
    await cluster.sleep(cluster.settings.gms_heartbeat_period)
    await cluster.until(cluster.that.caught(unasked), within=0)
    await cluster.together(*[cluster.heal(each) for each in (silence, lost, unasked)])
    await cluster.expect(cluster.that.agree(*rest) & follow(cluster, rest, "n3"), within=cluster.bounds.settle())
    await cluster.calm()
