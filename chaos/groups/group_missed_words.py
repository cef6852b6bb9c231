"""A member misses what its master tells of another one, and heartbeats too: it learns of that later, and is told.

From text 5.2.2.1: heartbeats tell a member that it lacks a notification, and it asks for it; rulings 7.8: so does a
message that stands for a heartbeat. Nobody comes in these stories, because a newcomer's first heartbeat goes to all and
would tell as well. The master is n1, and stays it."""

from __future__ import annotations

from shaketable import Cluster
from shaketable.chaos.helpers.groups import (
    ABOUT,
    ALL,
    CALM,
    CRASHES,
    SHUTDOWN,
    all_of,
    follow,
    form,
    have_failed,
    scripts_under,
)


@scripts_under(about=[*ABOUT, *CALM, SHUTDOWN, "no false failure", "message cost"])
async def group_member_misses_a_shutdown(cluster: Cluster) -> None:
    """All talk, and a member hears nothing of its master while another one shuts down: it learns of that later.

    The silence holds one heartbeat at least, and is too short for anybody to ask the master for a sign."""
    await form(cluster, *ALL)
    period, window = cluster.settings.gms_heartbeat_period, cluster.settings.detection_window
    await cluster.talk(*ALL, every=period // 2)
    await cluster.sleep(2 * window)
    silence = await cluster.cut("n1", "n2", one_way=True)
    await cluster.leave("n4")
    rest = ["n1", "n2", "n3", "n5"]
    told = [cluster.that.is_signalled(name, "PLANNED_SHUTDOWN", of="n4") for name in rest if name != "n2"]
    await cluster.until(all_of(told), within=cluster.bounds.group.shutdown)
    await cluster.sleep(period)
    await cluster.until(cluster.that.is_signalled("n2", "PLANNED_SHUTDOWN", of="n4", times=0), within=0)
    await cluster.heal(silence)
    knows = cluster.that.is_signalled("n2", "PLANNED_SHUTDOWN", of="n4")
    await cluster.expect(cluster.that.agree(*rest) & knows & follow(cluster, rest, "n1"), within=2 * window)
    await cluster.talk(*rest, every=0)
    await cluster.calm()


@scripts_under(about=[*CRASHES, *CALM, "no false failure"])
async def group_member_misses_a_failure(cluster: Cluster) -> None:
    """A member hears nothing of its master while a crash is told, and for a period more: it learns of the crash later.

    In a ring it has watched the crashed member, and goes on reporting it."""
    await form(cluster, *ALL)
    period, window = cluster.settings.gms_heartbeat_period, cluster.settings.detection_window
    group = cluster.bounds.group
    await cluster.sleep(2 * window)
    await cluster.kill("n2")
    await cluster.until(cluster.that.suspects("n1", "n2"), within=group.failure())
    silence = await cluster.cut("n1", "n3", one_way=True)
    await cluster.until(have_failed(cluster, ["n2"], told=["n1", "n4", "n5"]), within=group.failure())
    await cluster.sleep(period * 3 // 2)
    await cluster.until(cluster.that.is_signalled("n3", "FAILURE", of="n2", times=0), within=0)
    await cluster.heal(silence)
    rest = ["n1", "n3", "n4", "n5"]
    knows = have_failed(cluster, ["n2"], told=rest)
    await cluster.expect(cluster.that.agree(*rest) & knows & follow(cluster, rest, "n1"), within=2 * window)
    await cluster.calm()
