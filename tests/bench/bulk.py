"""Bulk data on a join: a fourth member takes its share of what three hold.

Read off the history: from when the joiner is on everybody's list until all say that all is safe, and the bytes of the
streams that came to it. Migrations go one by one, as the text has them, and ten at once, as the real one's did."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tests.bench.clusters import HEARTBEATS, in_real_world, seconds
from tests.bench.figure import Figure, number

from shaketable.harness.runs.run import Finished, Options
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
AIM: Final = 26
JOINER: Final = "n4"


def figures() -> Iterator[Figure]:
    for at_once in AT_ONCE:
        values = {**HEARTBEATS, "max_parallel_migrations": at_once}
        run, took = joined(ENTRIES, Options("real", preset="fast", values=values))
        migrations = sum(r.node == JOINER and isinstance(r.event, MigrationFinished) for r in run.records)
        came = (r.event.bytes for r in run.records if r.node == JOINER and isinstance(r.event, ChunkArrived))
        landed = sum(came) / 2**20
        what = f"a fourth member joins three with {mebibytes(ENTRIES)} MiB and a backup of each, {at_once} at once"
        yield Figure(f"{what}: until all is safe", took, "s", spread=f"{migrations} migrations")
        yield Figure(f"{what}: landed on it", landed / took, "MiB/s", at_least=AIM, spread=f"{number(landed)} MiB")


def mebibytes(entries: int) -> str:
    return number(entries * VALUE / 2**20)


def joined(entries: int, options: Options) -> tuple[Finished, float]:
    """And the seconds from when all have the joiner on their lists until all is safe."""
    safe_at: list[Micros] = []
    each = entries // (3 * CLIENTS)

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

    run = in_real_world("bulk", body, options=options)
    assert not any(isinstance(r.event, Suspected) for r in run.records), "a heartbeat stood behind the data"
    on_all_lists = max(r.time for r in run.records if isinstance(r.event, ViewInstalled))
    return run, seconds(safe_at[0] - on_all_lists)
