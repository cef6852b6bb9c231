"""Members of a group crash side by side, are started again at once, sleep, or hear of something too late.

From text 5.2.2.3.2: neighbours in a ring that fail together, and fast restarts; from text 5.2.2.1: notifications that
were lost are sent again. The master is n1, and stays it."""

from __future__ import annotations

from shaketable import MILLISECOND, Cluster
from shaketable.chaos.helpers.groups import (
    ABOUT,
    ALL,
    CALM,
    CRASHES,
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
    scripts_under,
)


@scripts_under(elections=ONE_ELECTION, about=[*CRASHES, *CALM])
async def group_neighbours_crash(cluster: Cluster) -> None:
    """A member and the one that watches it in a ring crash together: each failure is told to all who live."""
    await form(cluster, *ALL)
    await cluster.together(cluster.kill("n3"), cluster.kill("n4"))
    await two_neighbours_have_failed(cluster)


@scripts_under(elections=ONE_ELECTION, about=[*SILENT, *CALM])
async def group_neighbours_fall_silent(cluster: Cluster) -> None:
    """The machines of a member and its watcher in a ring are gone: both failures are told when probes time out."""
    await form(cluster, *ALL)
    await crash_silently(cluster, "n3", "n4")
    await two_neighbours_have_failed(cluster)


async def two_neighbours_have_failed(cluster: Cluster) -> None:
    rest = ["n1", "n2", "n5"]
    within = cluster.bounds.group.failure(neighbours=2)
    await cluster.expect(cluster.that.agree(*rest) & have_failed(cluster, ["n3", "n4"], told=rest), within=within)
    await cluster.calm()


@scripts_under(
    elections=ONE_ELECTION,
    settings={"gms_max_missed": 10},
    about=[*ABOUT, *CALM, REJOIN, "every failure told", "no false failure"],
)
async def group_member_starts_again_at_once(cluster: Cluster) -> None:
    """A member crashes and is back before anybody misses it: a rejoin is told, and no failure."""
    await form(cluster, *ALL)
    rest = ["n1", "n2", "n4", "n5"]
    cluster.always(have_not_failed(cluster, "n3", told=rest))
    await cluster.kill("n3")
    await cluster.restart("n3")
    await cluster.expect(cluster.that.agree(*ALL) & follow(cluster, ALL, "n1"), within=cluster.bounds.group.forming)
    for name in rest:
        await cluster.until(cluster.that.is_signalled(name, "JOIN", of="n3", rejoin=True), within=0)
    await cluster.calm()


@scripts_under(elections=ONE_ELECTION, about=[*ABOUT, *CALM, "no false failure", "group detection"])
async def group_member_naps(cluster: Cluster) -> None:
    """A member sleeps until it is in doubt, and wakes up before that is verified: it stays, and all trust it."""
    await form(cluster, *ALL)
    await cluster.pause("n3")
    await cluster.until(cluster.that.suspects("n1", "n3"), within=cluster.bounds.group.failure())
    await cluster.resume("n3")
    await the_doubt_ends(cluster)


@scripts_under(
    ["all to all", "ring"], elections=ONE_ELECTION, about=[*ABOUT, *CALM, "no false failure", "group detection"]
)
async def group_member_naps_again(cluster: Cluster) -> None:
    """A member sleeps until it is in doubt. Later it sleeps for so short a time that nobody misses it."""
    await form(cluster, *ALL)
    window, period = cluster.settings.detection_window, cluster.settings.gms_heartbeat_period
    await cluster.pause("n3")
    await cluster.until(cluster.that.suspects("n1", "n3"), within=cluster.bounds.group.failure())
    await cluster.resume("n3")
    await cluster.until(cluster.that.trusts("n1", "n3"), within=cluster.bounds.group.verification)
    # Its rounds have begun anew: one will be late by more than a period, and by less than half of a window.
    await cluster.sleep(4 * window + period * 3 // 5)
    await cluster.pause("n3")
    await cluster.sleep(period * 5 // 3)
    await cluster.resume("n3")
    await cluster.sleep(2 * window)
    await the_doubt_ends(cluster)


@scripts_under(elections=ONE_ELECTION, about=[*ABOUT, *CALM, "no false failure", "group detection"])
async def group_member_s_links_lag(cluster: Cluster) -> None:
    """All that a member sends comes late, until it is in doubt and a little longer: it stays, and all trust it."""
    await form(cluster, *ALL)
    group, others = cluster.bounds.group, [name for name in ALL if name != "n3"]
    late = group.suspicion + cluster.settings.gms_probe_timeout // 2
    latency = late // MILLISECOND * MILLISECOND
    lags = await cluster.together(*[cluster.slow("n3", name, latency, one_way=True) for name in others])
    # In the real world a link is seen to be slow when something has come late, and by then the doubt may be over.
    await cluster.until(cluster.that.is_signalled("n1", "FAILURE_SUSPECTED", of="n3"), within=late)
    await cluster.together(*[cluster.heal(lag) for lag in lags])
    await the_doubt_ends(cluster)


async def the_doubt_ends(cluster: Cluster) -> None:
    others = [name for name in ALL if name != "n3"]
    cluster.always(have_not_failed(cluster, "n3", told=others))
    trusted = all_of(cluster.that.trusts(name, "n3") for name in others)
    await cluster.expect(trusted & cluster.that.agree(*ALL), within=cluster.bounds.group.verification)
    for name in others:
        await cluster.until(
            cluster.that.is_signalled(name, "FAILURE_SUSPECTED", of="n3")
            & cluster.that.is_signalled(name, "NO_LONGER_SUSPECTED", of="n3"),
            within=0,
        )
    await cluster.calm()


@scripts_under(elections=ONE_ELECTION, about=[*ABOUT, *CALM])
async def group_lost_notifications_are_sent_again(cluster: Cluster) -> None:
    """A member gets no word of a newcomer: it learns of it by a heartbeat, asks, and is told."""
    await form(cluster, *ALL)
    again = cluster.that.takes_again("n3", times=1)
    lost = await cluster.drop("notified", sender="n1", to=["n3"], count=2)
    await cluster.start("n6", knowing=ALL)
    await cluster.until(cluster.that.caught(lost), within=cluster.bounds.group.forming)
    within = cluster.bounds.group.forming + 2 * cluster.settings.detection_window
    await cluster.expect(cluster.that.agree(*ALL, "n6") & again, within=within)
    await cluster.until(
        cluster.that.is_signalled("n3", "JOIN", of="n6") & cluster.that.is_signalled("n3", "JOINED_AND_READY", of="n6"),
        within=within,
    )
    await cluster.heal(lost)
    await cluster.calm()


@scripts_under(
    detections=["ring with inferred"],
    elections=ONE_ELECTION,
    about=[*CRASHES, *CALM, "message cost", "no false failure"],
)
async def group_talk_is_as_good_as_heartbeats(cluster: Cluster) -> None:
    """Applications that talk all the time: no heartbeat leaves, nobody is in doubt, and a crash is found as usual."""
    await form(cluster, *ALL)
    for name in ALL:
        cluster.always(all_of(cluster.that.trusts(name, other) for other in ALL if other not in (name, "n4")))
    window, period = cluster.settings.detection_window, cluster.settings.gms_heartbeat_period
    await cluster.talk(*ALL, every=period // 2)
    await cluster.sleep(2 * window)
    all_spare = all_of(cluster.that.spares_heartbeats(name) for name in ALL)
    await cluster.sleep(2 * window)
    await cluster.until(all_spare, within=0)
    await cluster.kill("n4")
    rest = ["n1", "n2", "n3", "n5"]
    await cluster.expect(cluster.that.agree(*rest), within=cluster.bounds.group.failure())
    await cluster.talk(*rest, every=0)
    await cluster.calm()


@scripts_under(detections=["all to all"], elections=ONE_ELECTION, about=[*ABOUT, *CALM, "every failure told"])
async def group_watchdog_tells(cluster: Cluster) -> None:
    """A watchdog tells that a member has crashed: nobody waits for heartbeats; a second report is ignored."""
    await form(cluster, *ALL)
    await cluster.start("w1", settings={"gms_member_type": "watchdog"}, knowing=ALL)
    await cluster.until(cluster.that.link_is_up("w1", "n1"), within=cluster.bounds.group.forming)
    await cluster.kill("n3")
    await cluster.hint("w1", "n3")
    rest = ["n1", "n2", "n4", "n5"]
    within = cluster.settings.gms_heartbeat_period
    await cluster.expect(cluster.that.agree(*rest) & have_failed(cluster, ["n3"], told=rest), within=within)
    for name in rest:
        await cluster.until(cluster.that.is_signalled(name, "FAILURE_SUSPECTED", of="n3", times=0), within=0)
    ignored = cluster.that.ignores_a_hint("n1")
    await cluster.hint("w1", "n3")
    await cluster.until(ignored, within=within)
    await cluster.calm()


@scripts_under(detections=["all to all"], elections=ONE_ELECTION, about=[*ABOUT, *CALM, SHUTDOWN])
async def group_watchdog_tells_of_a_shutdown(cluster: Cluster) -> None:
    """A watchdog takes a member for dead that has said it shuts down: that one is told as planned, and nothing else."""
    await form(cluster, *ALL)
    await cluster.start("w1", settings={"gms_member_type": "watchdog"}, knowing=ALL)
    await cluster.until(cluster.that.link_is_up("w1", "n1"), within=cluster.bounds.group.forming)
    # The last word of its master is there: another one would make it ask again at once.
    last = cluster.that.is_signalled("n3", "JOINED_AND_READY", of="n2")
    await cluster.until(last, within=cluster.bounds.group.forming)
    within = 2 * cluster.settings.gms_heartbeat_period
    lost = await cluster.drop("shutdownwanted", sender="n3", to=["n1"], count=1)
    await cluster.leave("n3", wait=False)
    await cluster.until(cluster.that.caught(lost), within=within)
    # It asks once more a period later. By then the master has heard long since that it shuts down.
    lost_again = await cluster.drop("shutdownwanted", sender="n3", to=["n1"], count=1)
    await cluster.until(cluster.that.caught(lost_again), within=within)
    ignored = cluster.that.ignores_a_hint("n1")
    await cluster.hint("w1", "n3")
    await cluster.until(ignored, within=within)
    rest = ["n1", "n2", "n4", "n5"]
    planned = all_of(cluster.that.is_signalled(name, "PLANNED_SHUTDOWN", of="n3") for name in rest)
    within = cluster.bounds.group.shutdown
    await cluster.expect(planned & have_not_failed(cluster, "n3", told=rest) & cluster.that.agree(*rest), within=within)
    await cluster.heal(lost)
    await cluster.heal(lost_again)
    await cluster.calm()


@scripts_under(detections=["ring with inferred"], elections=ONE_ELECTION, about=[*ABOUT, *CALM, "no false failure"])
async def group_talk_is_heard_without_its_heartbeats(cluster: Cluster) -> None:
    """Of all that a member says, each message that carries its heartbeat is lost: the next one is as good as that.

    The first message of a period carries it, and the second one does not."""
    await form(cluster, *ALL)
    cluster.always(cluster.that.trusts("n4", "n3") & cluster.that.trusts("n1", "n3"))
    window, period = cluster.settings.detection_window, cluster.settings.gms_heartbeat_period
    await cluster.talk(*ALL, every=period // 2)
    await cluster.sleep(2 * window)
    unasked = await cluster.blackhole("n4", "n3", one_way=True)
    await cluster.until(cluster.that.spares_heartbeats("n3"), within=2 * window)  # a period of its begins
    for _ in range((2 * window + cluster.settings.gms_probe_timeout) // period + 1):
        lost = await cluster.drop("application", sender="n3", to=["n4"], count=1)
        await cluster.until(cluster.that.caught(lost), within=period)
        await cluster.heal(lost)
        await cluster.sleep(period * 3 // 4)
    await cluster.heal(unasked)
    await cluster.talk(*ALL, every=0)
    await cluster.calm()


@scripts_under(["ring"], elections=ONE_ELECTION, about=[*ABOUT, *CALM])
async def group_watchdog_is_faster_than_a_second_doubt(cluster: Cluster) -> None:
    """A member that was doubted for nothing is missed again, and a watchdog tells that it failed while it is probed."""
    await form(cluster, *ALL)
    await cluster.start("w1", settings={"gms_member_type": "watchdog"}, knowing=ALL)
    await cluster.until(cluster.that.link_is_up("w1", "n1"), within=cluster.bounds.group.forming)
    group = cluster.bounds.group
    await cluster.pause("n3")
    await cluster.until(cluster.that.suspects("n1", "n3"), within=group.failure())
    await cluster.resume("n3")
    await cluster.until(cluster.that.trusts("n1", "n3"), within=group.verification)
    await cluster.sleep(cluster.settings.detection_window)
    probed = await cluster.drop("ping", sender="n1", to=["n3"])
    await cluster.pause("n3")
    await cluster.until(cluster.that.caught(probed), within=group.failure())
    rest = ["n1", "n2", "n4", "n5"]
    await cluster.hint("w1", "n3")
    await cluster.until(have_failed(cluster, ["n3"], told=rest), within=cluster.settings.gms_heartbeat_period)
    await cluster.sleep(cluster.settings.gms_probe_timeout)
    await cluster.heal(probed)
    await cluster.resume("n3")
    await cluster.expect(cluster.that.agree(*ALL), within=cluster.bounds.settle())
    await cluster.calm()
