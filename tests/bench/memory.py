"""What data cost in memory: a real node with few and with many empty partitions, and an entry of a map.

Nodes by what the kernel says (RSS), entries by tracemalloc in this process, less their keys and values."""

from __future__ import annotations

import statistics
import tracemalloc
from collections.abc import Iterator
from typing import Final

from tests.bench.clusters import in_real_world
from tests.bench.figure import Figure
from tests.node.cluster.partition.data_planes import Planes

from shaketable.harness.scripting.cluster import Cluster
from shaketable.node.core.env import SECOND

COUNTS: Final = (1, 271, 10_000)
NODES: Final = ("n1", "n2", "n3")
ENTRIES: Final = 20_000
VALUE: Final = 100
KEY: Final = 10
"""bytes"""
PARTITION_AIM: Final = 2048
ENTRY_AIM: Final = 250
"""bytes; of an entry beside its key and value"""


def figures() -> Iterator[Figure]:
    sizes = {count: statistics.median(_nodes_with(count)) for count in COUNTS}
    few, usual, many = (sizes[count] for count in COUNTS)
    yield Figure(
        "memory of a node with 271 empty partitions (RSS)", usual / 2**20, "MiB", spread=f"with 1: {few / 2**20:.1f}"
    )
    yield Figure("memory of a node with 10,000 empty partitions (RSS)", many / 2**20, "MiB")
    each = (many - usual) / (COUNTS[2] - COUNTS[1])
    yield Figure("memory of an empty partition, three replicas, on each node", each, "bytes", at_most=PARTITION_AIM)
    yield Figure(f"memory of an entry beside its {KEY + VALUE} bytes", _entry(), "bytes", at_most=ENTRY_AIM)


def _nodes_with(partitions: int) -> list[int]:
    async def body(cluster: Cluster) -> None:
        await cluster.form(*NODES)
        await cluster.put("n1", "first", "v")
        await cluster.until(cluster.that.is_safe(), within=60 * SECOND)

    return list(in_real_world("memory", body, {"partition_count": partitions}).memory.values())


def _entry() -> float:
    """In 271 partitions, where each of a partition's first entries brings its map."""
    (plane,) = Planes(1).planes
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        for number in range(ENTRIES):
            key = f"{number:0{KEY}}"
            plane.store.write(number % COUNTS[1], "data", "client", number + 1, "put", key, bytes(VALUE))
        grown = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    return grown / ENTRIES - KEY - VALUE
