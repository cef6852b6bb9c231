"""What stories of members that hold data have in common: how the data come to be, and how such a story ends.

The end is the promise of the text on avoiding data loss on migration: all is safe again by itself, every key can be
read, and each member stores what its indexes demand and nothing else."""

from __future__ import annotations

from typing import Final

from shaketable import MILLISECOND, Cluster, Work
from shaketable.chaos import MERGING_OFF

ABOUT: Final = (
    "table order", "replica count", "commit order", "completed list", "no lost data", "balanced", "in place",
)  # fmt: skip
PARTITIONS: Final = 7
SETTINGS: Final = {**MERGING_OFF, "partition_count": PARTITIONS, "maps": "data=1 precious=2"}
IN_RACKS: Final = {
    **SETTINGS, "partition_groups": "127.0.0.1:5701 127.0.0.1:5704; 127.0.0.1:5702 127.0.0.1:5705; 127.0.0.1:5703",
}  # fmt: skip
"""n1 and n4, n2 and n5, n3: a partition has three replicas, and a joiner gets them by moves"""
ONE_MAP: Final = {**SETTINGS, "maps": "data=1"}
LARGE: Final = 200_000
"""bytes: a partition with one such value goes in a dozen chunks"""
BUSY: Final = 20 * MILLISECOND
"""pause of a client: a migration of so much data sees some of its operations"""


async def fill(cluster: Cluster, via: str, *maps: str, size: int = 0) -> None:
    """One key in each partition, with the value that `kept` names."""
    for name in maps:
        for partition in range(cluster.settings.partition_count):
            value = f"{kept(name, partition)} {'x' * size}"
            result = await cluster.put(via, cluster.seen.key_in(partition), value, map=name)
            assert result.outcome == "ok", result


def kept(map_: str, partition: int) -> str:
    return f"{map_}{partition}"


async def has_kept(cluster: Cluster, via: str, map_: str, partition: int) -> bool:
    """What `fill` wrote there, and not nothing."""
    result = await cluster.get(via, cluster.seen.key_in(partition), map=map_)
    assert result.outcome == "ok", result
    assert result.value in (None, kept(map_, partition)), result
    return result.value is not None


async def all_is_kept(cluster: Cluster, *works: Work, within: int = 0, maps: tuple[str, ...] = ()) -> None:
    """Of these maps, without any of all. The last words of a story."""
    await cluster.expect(cluster.that.is_safe(), within=within or cluster.bounds.safe())
    for work in works:
        await cluster.stop_work(work)
    for name in maps or cluster.settings.backup_counts:
        reading = await cluster.read_back(cluster.seen.members()[0], map=name)
        assert reading.complete, f"{reading.outcomes} of {reading.keys} keys of {name}"
    # Writes that a backup missed in the end are mended by then; the checks count from here.
    mended = 2 * cluster.settings.backup_sync_interval + cluster.settings.backup_timeout
    await cluster.sleep(mended + cluster.settings.heartbeat_timeout)
    await cluster.expect(cluster.that.is_safe(), within=within or cluster.bounds.safe())
    await cluster.take_stock()


async def joins_and_partitions_move(cluster: Cluster, name: str) -> None:
    """Goes on at the first migration that its coming brings, however quickly they follow each other."""
    moves = cluster.until(cluster.that.migrates(), within=cluster.bounds.forming + cluster.bounds.silence)
    await cluster.together(cluster.start(name), moves)
