"""Heartbeats and notifications go by UDP unicast, and its datagrams are lost, come late, or come twice.

From text 5.2.2.2: heartbeats, notifications or both may be sent so; from text 5.2.2.1: what was dropped on the way is
asked for and sent again. All else goes by connections. The master is n1."""

from __future__ import annotations

from collections.abc import Iterable

from shaketable import Cluster, Condition, Injected
from shaketable.chaos.helpers.groups import (
    ONE_ELECTION,
    all_of,
    follow,
    form,
    have_failed,
    have_not_failed,
    scripts_under,
)

ALL = ("n1", "n2", "n3", "n4", "n5")
WINDOWS = 8
"""so long heartbeats are lost"""


@scripts_under(elections=ONE_ELECTION, about=["no false failure", "settled"], settings={"gms_udp": "heartbeats"})
async def group_heartbeats_are_lost(cluster: Cluster) -> None:
    """Three in ten heartbeats are lost: no living member is said to have failed, and a crash is found."""
    await form(cluster, *ALL)
    rest = [name for name in ALL if name != "n4"]
    for name in ALL:
        others = [other for other in ALL if other != name]
        if name != "n4":
            cluster.always(have_not_failed(cluster, name, told=others))
    lossy = await cluster.lose_datagrams(ALL, ALL, percent=30)
    await cluster.sleep(WINDOWS * cluster.settings.detection_window)
    await cluster.until(have_not_failed(cluster, "n4", told=rest), within=0)
    await cluster.kill("n4")
    await cluster.expect(
        cluster.that.agree(*rest) & have_failed(cluster, ["n4"], told=rest), within=cluster.bounds.group.failure()
    )
    await cluster.heal(lossy)
    await cluster.sleep(cluster.settings.detection_window)


@scripts_under(elections=ONE_ELECTION, about=["same notifications", "settled"], settings={"gms_udp": "notifications"})
async def group_notifications_to_one_are_lost(cluster: Cluster) -> None:
    """For a while no notification reaches a member, not even those it asks for: then it takes all it missed."""
    await form(cluster, *ALL)
    again = cluster.that.takes_again("n3", times=2)
    lost = await cluster.lose_datagrams("n1", "n3", percent=100, one_way=True)
    await cluster.start("n6", knowing=ALL)
    others = [name for name in ALL if name != "n3"]
    ready = all_of(cluster.that.is_signalled(name, "JOINED_AND_READY", of="n6") for name in others)
    await cluster.until(ready & cluster.that.caught(lost), within=cluster.bounds.group.forming)
    await cluster.sleep(cluster.settings.gms_heartbeat_period)
    await cluster.heal(lost)
    within = 2 * cluster.settings.detection_window
    await cluster.expect(cluster.that.agree(*ALL, "n6") & again, within=within)
    await cluster.until(cluster.that.is_signalled("n3", "JOIN", of="n6"), within=0)
    await cluster.sleep(cluster.settings.detection_window)


@scripts_under(elections=ONE_ELECTION, about=["same notifications", "settled"], settings={"gms_udp": "notifications"})
async def group_notifications_come_late_and_twice(cluster: Cluster) -> None:
    """Notifications overtake each other, come twice, and some not at all: each is taken once, and in its order."""
    await form(cluster, *ALL)
    window = cluster.settings.detection_window
    faults = [
        await cluster.delay_datagrams("n1", ALL[1:], window // 4, one_way=True),
        await cluster.repeat_datagrams("n1", ALL[1:], later=window // 4, one_way=True),
        await cluster.lose_datagrams("n1", "n2", percent=50, one_way=True),
    ]
    await cluster.start("n6", "n7", knowing=ALL)
    await cluster.leave("n5")
    await cluster.until(caught(cluster, faults), within=cluster.bounds.group.forming + 2 * window)
    rest = [name for name in (*ALL, "n6", "n7") if name != "n5"]
    await heal(cluster, faults)
    await cluster.expect(cluster.that.agree(*rest), within=cluster.bounds.group.forming + 2 * window)
    for name in ("n1", "n2", "n3", "n4"):
        for other in ("n6", "n7"):
            await cluster.until(cluster.that.is_signalled(name, "JOIN", of=other), within=0)
        await cluster.until(cluster.that.is_signalled(name, "PLANNED_SHUTDOWN", of="n5"), within=0)
    await cluster.sleep(window)


@scripts_under(about=["same notifications", "settled"], settings={"gms_udp": "both"})
async def group_master_crashes_where_datagrams_are_lost(cluster: Cluster) -> None:
    """Heartbeats and notifications are lost, late and repeated, and the master crashes: in the end all follow one
    master."""
    await form(cluster, *ALL)
    window, rest = cluster.settings.detection_window, ALL[1:]
    faults = [
        await cluster.lose_datagrams(ALL, ALL, percent=20),
        await cluster.delay_datagrams(ALL, ALL, window // 4, percent=50),
        await cluster.repeat_datagrams(ALL, ALL, percent=50),
    ]
    await cluster.sleep(window)
    await cluster.kill("n1")
    await cluster.sleep(cluster.bounds.group.take_over())
    await heal(cluster, faults)
    await cluster.expect(cluster.that.agree(*rest), within=cluster.bounds.settle())
    await cluster.until(
        follow(cluster, rest, cluster.seen.master()) & have_failed(cluster, ["n1"], told=rest), within=0
    )
    await cluster.sleep(window)


def caught(cluster: Cluster, faults: Iterable[Injected]) -> Condition:
    return all_of(cluster.that.caught(fault) for fault in faults)


async def heal(cluster: Cluster, faults: Iterable[Injected]) -> None:
    await cluster.together(*[cluster.heal(fault) for fault in faults])
