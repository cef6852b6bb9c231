"""How fast the data of one partition move from member to member, and for how long its clients wait meanwhile.

One partition, so that one stream carries all: its backup is copied to a member that joins, over a clean link, over
long ones and over a thin one. Read off the history; beside it the same bytes in the same chunks by plain ZeroMQ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from tests.bench import plain
from tests.bench.clusters import HEARTBEATS, in_real_world, operations, seconds
from tests.bench.figure import Figure, number

from shaketable.harness.records import Record
from shaketable.harness.scripting.cluster import Cluster
from shaketable.node.core.env import MILLISECOND, SECOND, Micros
from shaketable.node.events import ChunkArrived, ChunkSent
from shaketable.node.messages import LARGEST_CHUNK

LATENCIES: Final = (0, 1, 10, 100)
"""milliseconds, one way"""
VALUE: Final = 128_000
VALUES: Final = 128
"""16 MB"""
TURNS: Final = 3
"""over the clean link; each of the others once"""
AIM: Final = 0.5
"""of a plain stream's speed, over the clean link"""

THIN: Final = 100_000
"""bytes a second"""
THIN_VALUES: Final = 8
"""1 MB"""
WAIT_AIM: Final = 1.5
"""times what the link needs for the bytes alone"""


def figures() -> Iterator[Figure]:
    yield from _throughput()
    yield _longest_wait()


def _throughput() -> Iterator[Figure]:
    latencies = [0] * TURNS + [latency * MILLISECOND for latency in LATENCIES if latency]
    streams = _streams(_copied(latencies))
    assert len(streams) == len(latencies), f"{len(streams)} streams"
    clean, beside = [], []
    for latency, (size, took) in zip(latencies, streams, strict=True):
        theirs = size / plain.streamed(size, LARGEST_CHUNK, latency) / 1e6
        ours = size / took / 1e6
        if latency:
            spread = f"a plain stream: {number(theirs)}"
            yield Figure(f"a partition's data over {latency // MILLISECOND} ms each way", ours, "MB/s", spread=spread)
        else:
            clean.append(ours)
            beside.append(theirs)
    best, plainest = max(clean), max(beside)
    waits = plain.streamed(streams[0][0], LARGEST_CHUNK, one_at_a_time=True)
    spread = f"a plain stream: {number(plainest)}; with one chunk unacknowledged: {number(streams[0][0] / waits / 1e6)}"
    yield Figure("a partition's data over a clean link", best, "MB/s", spread=spread)
    yield Figure("the same over a plain stream's speed, best of both", best / plainest, "", at_least=AIM)


def _copied(latencies: Sequence[Micros]) -> Sequence[Record]:
    async def body(cluster: Cluster) -> None:
        await cluster.form("n1")
        work = await cluster.work("n1", keys=VALUES, size=VALUE, operations=VALUES)
        await cluster.until_worked(work, within=60 * SECOND)
        await cluster.join("n2")
        await cluster.until(cluster.that.is_safe(), within=60 * SECOND)
        for latency in latencies[1:]:
            await cluster.kill("n2")
            await cluster.until(cluster.that.agree("n1"), within=cluster.bounds.crash)
            slow = await cluster.slow("n1", "n2", latency) if latency else None
            await cluster.restart("n2")
            await cluster.until(cluster.that.agree("n1", "n2"), within=60 * SECOND)
            await cluster.until(cluster.that.is_safe(), within=60 * SECOND)
            if slow is not None:
                await cluster.heal(slow)

    return in_real_world("moving", body, {**HEARTBEATS, "partition_count": 1}).records


def _streams(records: Sequence[Record]) -> list[tuple[int, float]]:
    """Of each that arrived: its bytes, and the seconds from the first chunk's sending to the last one's arrival."""
    began: dict[str, Micros] = {}
    size: dict[str, int] = {}
    ended: dict[str, Micros] = {}
    for record in records:
        match record.event:
            case ChunkSent(stream=stream, total=total):
                began[stream] = min(began.get(stream, record.time), record.time)
                size[stream] = total
            case ChunkArrived(stream=stream, last=True):
                ended[stream] = record.time
    streams = [(size[stream], seconds(time - began[stream])) for stream, time in ended.items()]
    return [each for each in streams if each[0] > VALUE]


def _longest_wait() -> Figure:
    async def body(cluster: Cluster) -> None:
        await cluster.form("n1", "n2")
        await cluster.kill("n2")
        await cluster.until(cluster.that.agree("n1"), within=cluster.bounds.crash)
        work = await cluster.work("n1", keys=THIN_VALUES, size=VALUE, operations=THIN_VALUES)
        await cluster.until_worked(work, within=60 * SECOND)
        await cluster.thin("n1", "n2", THIN, one_way=True)
        small = await cluster.work("n1", keys=10, size=10)
        await cluster.restart("n2")
        await cluster.until(cluster.that.agree("n1", "n2"), within=60 * SECOND)
        await cluster.until(cluster.that.is_safe(), within=60 * SECOND)
        await cluster.stop_work(small)

    finished = in_real_world("waiting", body, {"partition_count": 1, "operation_timeout_millis": 60_000})
    longest = max(seconds(end - begin) for _, (begin, end) in operations(finished))
    ((size, _),) = _streams(finished.records)
    least = size / THIN
    what = f"longest wait of a writer while {size / 1e6:.2g} MB move at {THIN // 1000} kB/s"
    return Figure(what, longest, "s", at_most=WAIT_AIM * least, spread=f"the bytes alone take {number(least)} s")
