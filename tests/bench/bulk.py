"""Bulk data on a join: a fourth member takes its share of what three hold.

Read off the history: from when the joiner is on everybody's list until all say that all is safe, and the bytes of the
streams that came to it. Migrations go one by one, as the text has them, and ten at once, as the real one's did."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tests.bench.clusters import HEARTBEATS, in_real_world, seconds
from tests.bench.figure import Figure, number

from shaketable.harness.scripting.cluster import Cluster
from shaketable.node.core.env import SECOND, Micros
from shaketable.node.events import ChunkArrived, MigrationFinished, Suspected, ViewInstalled

ENTRIES: Final = 20_000
VALUE: Final = 10_000
"""bytes: 191 MiB, and as much again in backups"""
CLIENTS: Final = 8
"""at each of three members, to load it"""
AT_ONCE: Final = (1, 10)
"""migrations; the real one's default is 10"""
HAZELCAST: Final = "25.8 MiB/s (20.7 to 33.1)"
HAZELCAST_TIME: Final = "3.71 s (2.89 to 4.62)"
AIM: Final = 26
JOINER: Final = "n4"


def figures() -> Iterator[Figure]:
    for at_once in AT_ONCE:
        yield from _joined(at_once)


def _joined(at_once: int) -> Iterator[Figure]:
    safe_at: list[Micros] = []
    each = ENTRIES // (3 * CLIENTS)

    async def body(cluster: Cluster) -> None:
        await cluster.form("n1", "n2", "n3")
        work = await cluster.work(("n1", "n2", "n3"), clients=CLIENTS, keys=each, size=VALUE, operations=each, pause=0)
        await cluster.until_worked(work, within=250 * SECOND)
        await cluster.until(cluster.that.is_safe(), within=60 * SECOND)
        await cluster.join(JOINER)
        # Else it might be safe because nothing has begun yet.
        await cluster.until(cluster.that.migrates(), within=60 * SECOND)
        await cluster.until(cluster.that.is_safe(), within=250 * SECOND)
        safe_at.append(cluster.seen.now())

    records = in_real_world("bulk", body, {**HEARTBEATS, "max_parallel_migrations": at_once}).records
    assert not any(isinstance(r.event, Suspected) for r in records), "a heartbeat stood behind the data"
    joined = max(r.time for r in records if isinstance(r.event, ViewInstalled))
    took = seconds(safe_at[0] - joined)
    landed = sum(r.event.bytes for r in records if r.node == JOINER and isinstance(r.event, ChunkArrived)) / 2**20
    migrations = sum(r.node == JOINER and isinstance(r.event, MigrationFinished) for r in records)
    size = each * 3 * CLIENTS * VALUE / 2**20
    what = f"a fourth member joins three with {number(size)} MiB and a backup of each, {at_once} at once"
    yield Figure(f"{what}: until all is safe", took, "s", hazelcast=HAZELCAST_TIME, spread=f"{migrations} migrations")
    spread = f"{number(landed)} MiB"
    yield Figure(f"{what}: landed on it", landed / took, "MiB/s", at_least=AIM, hazelcast=HAZELCAST, spread=spread)
