"""The calm phase of a fault plan: all faults have ended, and what must come true now is expected within its bound.

Storms that draw their faults as they go end with the same functions."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any, Final

from shaketable.harness.scripting.cluster import Cluster
from shaketable.harness.scripting.steps import Unmet
from shaketable.harness.scripting.verbs.data import Work

Ending = Callable[[Cluster, Sequence[Work]], Coroutine[Any, Any, None]]
"""is given the clients that are still at work"""


async def each_part_settles(cluster: Cluster, works: Sequence[Work] = ()) -> None:
    """Expects that all members of each part hold one list. Parts stay apart where nothing merges them."""
    # Looked at when the bound is over, and not before: for a moment lists may agree that are about to be given up.
    await cluster.sleep(cluster.bounds.settle())
    await cluster.expect(cluster.that.settled(), within=cluster.bounds.settle())


async def all_become_one(cluster: Cluster, works: Sequence[Work] = ()) -> None:
    """Expects that all parts merge: all live nodes are one cluster."""
    bound = cluster.bounds.converge(len(alive(cluster)))
    # Here too: for a moment all may agree on what is about to be given up.
    await cluster.sleep(bound)
    await cluster.expect(cluster.that.agree(*alive(cluster)), within=bound)


async def each_part_is_safe(cluster: Cluster, works: Sequence[Work] = ()) -> None:
    """Expects the same, that all partitions of each part are in place, and that its data can be read."""
    await cluster.calm()
    await cluster.expect(cluster.that.settled(), within=cluster.bounds.settle())
    await its_data_are_safe(cluster, works)


async def all_become_one_and_safe(cluster: Cluster, works: Sequence[Work] = ()) -> None:
    """Expects one cluster, with its partitions in place, that holds what the merge policies say."""
    await all_become_one(cluster)
    await its_data_are_safe(cluster, works)


async def one_group(cluster: Cluster, works: Sequence[Work] = ()) -> None:
    """Expects that all live nodes are and stay members of one group."""
    # A node that was asked to shut down just before the calm still runs for a moment. It is not one of those that live.
    await cluster.sleep(cluster.bounds.group.shutdown)
    await cluster.expect(cluster.that.agree(*alive(cluster)), within=cluster.bounds.settle())
    await cluster.calm()
    await cluster.until(cluster.that.agree(*alive(cluster)), within=0)


ENDINGS: Final[Mapping[str, Ending]] = {
    ending.__name__.replace("_", " "): ending
    for ending in (each_part_settles, all_become_one, each_part_is_safe, all_become_one_and_safe, one_group)
}


async def its_data_are_safe(cluster: Cluster, works: Sequence[Work]) -> None:
    """Stops the clients, and expects that all partitions of each part are in place, and that its data can be read."""
    maps = cluster.settings.backup_counts
    for master in masters(cluster):
        # A part of nobody but those who have come back has not used any data yet.
        for name in maps:
            await cluster.put(master, f"last-{master}", "last", map=name)
    await cluster.expect(cluster.that.is_safe(), within=2 * cluster.bounds.safe())
    for work in works:
        await cluster.stop_work(work)
    for name in maps:
        for master in masters(cluster):
            reading = await cluster.read_back(master, map=name)
            if not reading.complete:
                raise Unmet(f"{reading.outcomes} of {reading.keys} keys of {name} at {master}")
    await cluster.take_stock()


def alive(cluster: Cluster) -> list[str]:
    return [name for name in cluster.seen.nodes() if not cluster.seen.view(name).ended]


def masters(cluster: Cluster) -> list[str]:
    """One of each part."""
    views = {name: cluster.seen.view(name) for name in alive(cluster)}
    return [name for name, seen in views.items() if seen.members and seen.members[0].uuid == seen.incarnation]
