"""What Shoal's own code gets wrong, told with its fault (`legacy_fault`, in `node/legacy/groups/`): a check is red.

The same steps with the real members are stories of group_masters.py and group_members.py, and pass."""

from __future__ import annotations

from collections.abc import Callable

from shaketable.chaos.groups import ONE_ELECTION, form, in_line, scripts_under
from shaketable.harness.cluster import Cluster
from shaketable.harness.scripts import Body, Script
from shaketable.node.config import ALL_TO_ALL
from shaketable.node.config.choices import LOST_FAILURE, UNSTORED_NOTIFICATIONS, UNVERIFIED_DOUBTS

ALL = ("n1", "n2", "n3", "n4", "n5")


def broken(fault: str, violation: str, *broken_too: str) -> Callable[[Body], Script | Body]:
    """In the place of @scripts_under."""
    return scripts_under(
        [ALL_TO_ALL],
        ONE_ELECTION,
        about=[violation],
        settings={"legacy_fault": fault},
        expects_violation=violation,
        broken_too=broken_too,
    )


@broken(LOST_FAILURE, "every failure told", "suspected first")
async def group_legacy_lost_failure(cluster: Cluster) -> None:
    """Before: the master and who is next in line crash together, and the master's failure is told to nobody."""
    await form(cluster, *ALL)
    master, successor, *_ = in_line(cluster, *ALL)
    await cluster.together(cluster.kill(master), cluster.kill(successor))
    await cluster.calm()


@broken(UNVERIFIED_DOUBTS, "one view", "every failure told", "settled")
async def group_legacy_unverified_doubts(cluster: Cluster) -> None:
    """Before: whom a master doubted when it died stays in the view of its successor for ever."""
    await form(cluster, *ALL)
    await cluster.hold("n1", "HealthAnnouncedToAll", after=len(ALL) - 1, where={"peer": "n5", "state": "in doubt"})
    await cluster.kill("n5")
    await cluster.until_held("n1", "HealthAnnouncedToAll", within=cluster.bounds.group.failure())
    await cluster.kill("n1")
    await cluster.calm()


@broken(UNSTORED_NOTIFICATIONS, "settled")
async def group_legacy_unstored_notifications(cluster: Cluster) -> None:
    """Before: while a member cannot be reached nothing is kept, and what another one misses is not sent again."""
    await form(cluster, *ALL)
    await cluster.kill("n5")
    await cluster.drop("notified", sender="n1", to=["n3"], count=2)
    await cluster.start("n6", knowing=ALL)
    await cluster.calm()
