"""The five scripts of the original project: start, add, stop, kill, rejoin; one spectator, ten core members.

The spectator starts first and so is the master. The words to its application are counted as the original counts them:
each JOIN and JOINED_AND_READY, and, as all core members shut down together in the end, each PLANNED_SHUTDOWN."""

from __future__ import annotations

from shaketable import Cluster
from shaketable.chaos.helpers.groups import (
    ABOUT,
    CRASHES,
    ONE_ELECTION,
    REJOIN,
    SHUTDOWN,
    all_of,
    have_failed,
    have_not_failed,
    scripts_under,
)

SPECTATOR = "das"
CORES = ("c01", "c02", "c03", "c04", "c05", "c06", "c07", "c08", "c09", "c10")
ALL = (SPECTATOR, *CORES)
OTHER = "c05"
"""with whom something happens"""
REST = tuple(name for name in ALL if name != OTHER)


@scripts_under(elections=ONE_ELECTION, about=[*ABOUT, SHUTDOWN])
async def group_start(cluster: Cluster) -> None:
    """Ten core members start: the spectator sees each join, be ready, and shut down with the others."""
    await start(cluster, *CORES)
    await all_stop(cluster)
    await the_spectator_has_seen(cluster, joins=10, shutdowns=10)


@scripts_under(elections=ONE_ELECTION, about=[*ABOUT, SHUTDOWN])
async def group_add(cluster: Cluster) -> None:
    """Nine core members start, and a tenth is added: the spectator sees ten join."""
    await start(cluster, *(name for name in CORES if name != OTHER))
    await cluster.join(OTHER, knowing=ALL)
    await all_stop(cluster)
    await the_spectator_has_seen(cluster, joins=10, shutdowns=10)


@scripts_under(elections=ONE_ELECTION, about=[*ABOUT, SHUTDOWN])
async def group_stop(cluster: Cluster) -> None:
    """One of ten core members is stopped and started again: one planned shutdown more, one join more."""
    await start(cluster, *CORES)
    cluster.always(have_not_failed(cluster, OTHER, told=REST))
    await cluster.leave(OTHER)
    await cluster.until(cluster.that.agree(*REST), within=cluster.bounds.group.shutdown)
    await cluster.restart(OTHER)
    await cluster.expect(cluster.that.agree(*ALL), within=cluster.bounds.group.forming)
    await all_stop(cluster)
    await the_spectator_has_seen(cluster, joins=11, shutdowns=11)


@scripts_under(elections=ONE_ELECTION, about=[*CRASHES, SHUTDOWN, REJOIN])
async def group_kill(cluster: Cluster) -> None:
    """One of ten core members crashes and is started again: all others see one failure, and one join more."""
    await start(cluster, *CORES)
    await cluster.kill(OTHER)
    await cluster.expect(cluster.that.agree(*REST), within=cluster.bounds.group.failure())
    await cluster.until(have_failed(cluster, [OTHER], told=REST), within=cluster.bounds.group.failure())
    await cluster.restart(OTHER)
    await cluster.expect(cluster.that.agree(*ALL), within=cluster.bounds.group.forming)
    await all_stop(cluster)
    await the_spectator_has_seen(cluster, joins=11, shutdowns=10)


@scripts_under(
    elections=ONE_ELECTION, settings={"gms_max_missed": 10}, about=[*ABOUT, SHUTDOWN, REJOIN, "every failure told"]
)
async def group_rejoin(cluster: Cluster) -> None:
    """One of ten core members crashes and is back before anybody misses it: one join more, a rejoin, and no failure."""
    await start(cluster, *CORES)
    cluster.always(have_not_failed(cluster, OTHER, told=REST))
    await cluster.kill(OTHER)
    await cluster.restart(OTHER)
    await cluster.expect(cluster.that.agree(*ALL), within=cluster.bounds.group.forming)
    await all_stop(cluster)
    await the_spectator_has_seen(cluster, joins=11, shutdowns=10, rejoins=1)


async def start(cluster: Cluster, *cores: str) -> None:
    """All at once, and each is ready."""
    await cluster.form(SPECTATOR, settings={"gms_member_type": "spectator"}, knowing=ALL)
    await cluster.start(*cores, knowing=ALL)
    forming = cluster.bounds.group.forming
    await cluster.until(cluster.that.agree(SPECTATOR, *cores), within=forming)
    await cluster.until(all_of(cluster.that.is_signalled(SPECTATOR, "JOIN", of=name) for name in cores), within=0)
    ready = all_of(cluster.that.is_signalled(SPECTATOR, "JOINED_AND_READY", of=name) for name in cores)
    await cluster.until(ready, within=forming)


async def all_stop(cluster: Cluster) -> None:
    """When those who came last are ready."""
    joins = sum(each.signal == "JOIN" for each in cluster.seen.view(SPECTATOR).group.signals)
    ready = cluster.that.is_signalled(SPECTATOR, "JOINED_AND_READY", times=joins)
    await cluster.until(ready, within=cluster.bounds.group.forming)
    await cluster.stop_group(SPECTATOR)
    within = len(CORES) * cluster.settings.discovery_retry + cluster.bounds.group.shutdown
    await cluster.expect(cluster.that.agree(SPECTATOR), within=within)
    await cluster.until(all_of(cluster.that.ended(name) for name in CORES), within=within)


async def the_spectator_has_seen(cluster: Cluster, *, joins: int, shutdowns: int, rejoins: int = 0) -> None:
    counts = {"JOIN": joins, "JOINED_AND_READY": joins, "PLANNED_SHUTDOWN": shutdowns}
    for signal, times in counts.items():
        await cluster.until(cluster.that.is_signalled(SPECTATOR, signal, times=times), within=0)
    await cluster.until(cluster.that.is_signalled(SPECTATOR, "JOIN", rejoin=True, times=rejoins), within=0)
    await cluster.until(
        cluster.that.is_signalled(SPECTATOR, "PLANNED_SHUTDOWN", whole_group=True, times=len(CORES)), within=0
    )
