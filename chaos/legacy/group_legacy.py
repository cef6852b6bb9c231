"""What Shoal's own code gets wrong, told with its fault (`legacy_fault`, in `node/legacy/groups/`): a check is red.

With the real members nothing is broken by the same steps. All to all; n1 is the master. Whether a doubt has a cause is
judged in virtual time, where nothing else can be late."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from shaketable import SECOND, Body, Cluster, Condition, Injected, Script, script
from shaketable.chaos.helpers.groups import (
    BY_ORDER,
    BY_SENIORITY,
    all_of,
    crash_silently,
    form,
    have_failed,
    in_line,
)

ALL: Final = ("n1", "n2", "n3", "n4", "n5")
SIX: Final = (*ALL, "n6")


def with_fault(fault: str, election: str) -> Mapping[str, object]:
    return {"family": "gms", "gms_detection": "all to all", "gms_election": election, "legacy_fault": fault}


def broken(fault: str, violation: str, *broken_too: str, election: str = BY_ORDER) -> Callable[[Body], Script]:
    return script(
        about=[violation],
        settings=with_fault(fault, election),
        expects_violation=violation,
        broken_too=broken_too,
    )


@broken("lost failure", "every failure told", "suspected first", "leadership agrees")
async def group_legacy_lost_failure(cluster: Cluster) -> None:
    """Before: the master and the next in line crash together, and the master's failure is told to nobody."""
    await form(cluster, *ALL)
    master, successor, *_ = in_line(cluster, *ALL)
    await cluster.together(cluster.kill(master), cluster.kill(successor))
    await cluster.calm()


@broken("unverified doubts", "one view", "every failure told", "settled")
async def group_legacy_unverified_doubts(cluster: Cluster) -> None:
    """Before: a member that a master doubted when it died stays in its successor's view for ever."""
    await form(cluster, *ALL)
    await cluster.hold("n1", "HealthAnnouncedToAll", after=len(ALL) - 1, where={"peer": "n5", "state": "in doubt"})
    await cluster.kill("n5")
    await cluster.until_held("n1", "HealthAnnouncedToAll", within=cluster.bounds.group.failure())
    await cluster.kill("n1")
    await cluster.calm()


@broken("two tie-breaks", "one master", "one view", "leadership agrees", election=BY_SENIORITY)
async def group_legacy_two_tie_breaks(cluster: Cluster) -> None:
    """Before: after a split both masters stay, one by its age and the other by its order."""
    await a_split_heals(cluster)


@broken("swapped masters", "one master", "one view", "settled", "leadership agrees")
async def group_legacy_swapped_masters(cluster: Cluster) -> None:
    """Before: after a split each master adopts the other, and none is left."""
    await a_split_heals(cluster)


async def a_split_heals(cluster: Cluster) -> None:
    """The oldest are last in their order, so that age and order do not agree on who stays. They are older by seconds:
    members that started at one time are as old for the checks."""
    await cluster.form("n1", knowing=SIX)
    await cluster.join("n6", "n5", "n4", knowing=SIX)
    await cluster.sleep(2 * SECOND)
    await cluster.join("n3", "n2", knowing=SIX)
    await cluster.leave("n1")
    split = await cluster.split(("n2", "n3"), ("n4", "n5", "n6"), how="blackhole")
    await cluster.sleep(cluster.bounds.group.take_over_and_failures(candidates=1, others=2))
    await cluster.heal(split)
    await cluster.calm()


@broken("unstored notifications", "same notifications", "every failure told", "one view", "settled")
async def group_legacy_unstored_notifications(cluster: Cluster) -> None:
    """Before: no notification is kept while a member is unreachable, so one that another misses is not sent again."""
    await form(cluster, *ALL)
    await cluster.until(ready(cluster, "n2"), within=cluster.bounds.group.forming)
    await cluster.kill("n5")
    lost = await one_misses_what_is_told(cluster, count=2)
    await cluster.until(have_failed(cluster, ["n5"], told=["n1"]), within=cluster.bounds.group.failure())
    await cluster.heal(lost)
    await cluster.calm()


@broken("stale notifications", "same notifications", "joins in order")
async def group_legacy_stale_notifications(cluster: Cluster) -> None:
    """Before: a notification that is sent again on request is told to the application again."""
    await form(cluster, *ALL)
    await cluster.until(ready(cluster, "n2"), within=cluster.bounds.group.forming)
    lost = await one_misses_what_is_told(cluster, count=1)
    await cluster.heal(lost)
    await cluster.calm()


async def one_misses_what_is_told(cluster: Cluster, *, count: int) -> Injected:
    """Of a newcomer's join. If only the first of two is lost, the second comes before its turn, and then again."""
    lost = await cluster.drop("notified", sender="n1", to=["n3"], count=count)
    await cluster.start("n6", knowing=ALL)
    await cluster.until(ready(cluster, "n6"), within=cluster.bounds.group.forming)
    return lost


def ready(cluster: Cluster, newcomer: str) -> Condition:
    return all_of(cluster.that.is_signalled(name, "JOINED_AND_READY", of=newcomer) for name in ("n1", "n2", "n4"))


@broken("no all-clear", "suspected first")
async def group_legacy_no_all_clear(cluster: Cluster) -> None:
    """Before: a member in doubt is heard again, and no application learns that it is in doubt no more."""
    await form(cluster, *ALL)
    nap = await cluster.pause("n3")
    await cluster.until(cluster.that.suspects("n1", "n3"), within=cluster.bounds.group.failure())
    await cluster.heal(nap)
    await cluster.sleep(cluster.settings.detection_window)
    await cluster.kill("n4")
    await cluster.calm()


@script(
    about=["group detection"],
    settings={
        **with_fault("serial sender", BY_ORDER),
        "gms_heartbeat_period_seconds": 3,
        "gms_probe_timeout_seconds": 10,
    },
    worlds=["sim"],
    expects_violation="group detection",
    broken_too=["same notifications"],
)
async def group_legacy_serial_sender(cluster: Cluster) -> None:
    """Before: messages wait behind those to members that are gone, and so members doubt the living."""
    await cluster.form("n1")
    await cluster.join(*SIX[1:])
    await crash_silently(cluster, "n2", "n3")
    await cluster.sleep(cluster.bounds.group.failure())
    await cluster.calm()
