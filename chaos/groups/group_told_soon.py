"""A member gets no word of a change: it hears soon that it lacks one, from a newcomer or by the next heartbeat.

From text 5.2.2.1: heartbeats carry the master's last sequence id, and a first heartbeat goes to all; from rulings 5.1:
a gap is known within one round. Notifications that the master sends again are lost too, so a member that knows
asks in vain. The master is n1, and stays it."""

from __future__ import annotations

from typing import Final

from shaketable import SECOND, Cluster
from shaketable.chaos.helpers.groups import (
    ABOUT,
    ALL,
    CALM,
    ONE_ELECTION,
    SHUTDOWN,
    all_of,
    follow,
    form,
    scripts_under,
)

TOLD_SOON: Final = (*ABOUT, *CALM, "no false failure")


@scripts_under(elections=ONE_ELECTION, about=TOLD_SOON)
async def group_newcomer_tells_all(cluster: Cluster) -> None:
    """A member gets no word of a newcomer from its master: the newcomer's first heartbeat tells it at once."""
    await form(cluster, *ALL)
    lost = await cluster.drop("notified", sender="n1", to=["n3"])
    await cluster.start("n6", knowing=ALL)
    others = ["n1", "n2", "n4", "n5"]
    ready = all_of(cluster.that.is_signalled(name, "JOINED_AND_READY", of="n6") for name in others)
    await cluster.until(ready & cluster.that.caught(lost), within=cluster.bounds.group.forming)
    await cluster.sleep(SECOND // 2)
    await cluster.heal(lost)
    within = 2 * cluster.settings.detection_window
    await cluster.expect(cluster.that.agree(*ALL, "n6") & follow(cluster, [*ALL, "n6"], "n1"), within=within)
    await cluster.calm()


@scripts_under(elections=ONE_ELECTION, about=[*TOLD_SOON, SHUTDOWN, "message cost"])
async def group_heartbeats_tell_of_shutdowns(cluster: Cluster) -> None:
    """Members talk rarely, and one gets no word of three that shut down: each next heartbeat tells it.

    Each shuts down soon after they have said something: that does not stand for a heartbeat of later."""
    rest, going = ["n1", "n2", "n3", "n4"], ["n7", "n6", "n5"]
    await form(cluster, *rest, *reversed(going))
    period, window = cluster.settings.gms_heartbeat_period, cluster.settings.detection_window
    every = period * 7 // 4
    while going:
        await cluster.sleep(period // 3)
        await cluster.talk(*rest, every=every)
        await cluster.sleep(3 * every + period // 10)
        lost = await cluster.drop("notified", sender="n1", to=["n4"])
        name = going.pop(0)
        await cluster.leave(name)
        told = cluster.that.is_signalled("n3", "PLANNED_SHUTDOWN", of=name)
        await cluster.until(told, within=cluster.bounds.group.shutdown)
        await cluster.sleep(window + period)
        await cluster.heal(lost)
        here = [*rest, *going]
        await cluster.expect(cluster.that.agree(*here) & follow(cluster, here, "n1"), within=2 * window)
    await cluster.calm()


@scripts_under(["ring"], elections=ONE_ELECTION, about=TOLD_SOON)
async def group_neighbour_knows_less(cluster: Cluster) -> None:
    """Two neighbours get no word of a rejoin, and one of them hears of it: it goes on asking, whatever the other says.

    The other one has heard less, and says that in its heartbeats."""
    await form(cluster, *ALL, "n6")
    lost = await cluster.drop("notified", sender="n1", to=["n3", "n4"])
    unheard = [
        await cluster.drop("healthmessage", sender="n2", to=["n3"]),
        await cluster.blackhole("n6", "n3", one_way=True),
    ]
    await cluster.kill("n6")
    await cluster.restart("n6")
    told = all_of(cluster.that.is_signalled(name, "JOIN", of="n6", rejoin=True) for name in ("n1", "n2", "n5"))
    await cluster.until(told & cluster.that.caught(lost), within=cluster.bounds.group.forming)
    await cluster.sleep(cluster.settings.gms_heartbeat_period * 5 // 2)
    await cluster.together(*[cluster.heal(each) for each in (lost, *unheard)])
    within = 2 * cluster.settings.detection_window
    await cluster.expect(cluster.that.agree(*ALL, "n6") & follow(cluster, [*ALL, "n6"], "n1"), within=within)
    await cluster.calm()
