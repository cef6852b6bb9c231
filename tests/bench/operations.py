"""How fast the map is: one synchronous caller at one of three real members, one backup, values of 100 bytes.

Read off the history: from an operation's call to its return, as its caller sees both. Beside it the least that a call
over two links can take: the same bytes there and back between two processes that do nothing else."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from tests.bench import plain
from tests.bench.clusters import Took, in_real_world, operations
from tests.bench.figure import Figure

from shaketable.harness.runs.run import Finished, Options
from shaketable.harness.scripting.cluster import Cluster
from shaketable.node.core.env import SECOND

VALUE: Final = 100
"""bytes"""
KEYS: Final = 300
WARM: Final = 500
"""operations at the beginning of each round that are not counted; the first round of the keys is written"""
EACH: Final = 4000
ROUNDS: Final = 3
ROUND_TRIP: Final = 300
"""bytes there and bytes back, about what an operation and its answer take on a link"""
AIM: Final = {"get": 4.0, "put": 8.0}
"""times a plain round trip: a write makes two, one after the other, in five processes on two cores"""


def figures() -> Iterator[Figure]:
    trips = list(plain.round_trips(ROUND_TRIP))
    measured = rounds()
    trips += plain.round_trips(ROUND_TRIP)
    trip = statistics.median(trips)
    yield Figure("a plain ZeroMQ round trip over two links, 300 bytes each way, p50", trip, "us", spread=_p99(trips))
    for does in ("get", "put"):
        counted = measured[does]
        found = rates(counted)
        what = f"map {does}, one synchronous caller, 3 nodes, 1 backup, {VALUE} bytes"
        spread = f"{found[0]:,.0f} to {found[-1]:,.0f} of {len(found)}"
        rate = statistics.median(found)
        yield Figure(f"{what}: operations a second", rate, "/s", spread=spread)
        took = [end - begin for times in counted for begin, end in times]
        p50 = statistics.median(took)
        yield Figure(f"{what}: p50", p50, "us")
        yield Figure(f"{what}: p99", _percentile(took, 99), "us")
        yield Figure(f"{what}: p50 over a plain round trip's", p50 / trip, "", at_most=AIM[does])


def rates(counted: Sequence[Sequence[Took]]) -> list[float]:
    """Operations a second, the lowest first."""
    return sorted(len(times) * SECOND / (times[-1][1] - times[0][0]) for times in counted)


def rounds(options: Options | None = None) -> Mapping[str, Sequence[Sequence[Took]]]:
    by_client: dict[tuple[str, str], list[Took]] = {}
    for called, took in operations(_run(options)):
        by_client.setdefault((called.does, called.client), []).append(took)
    found: dict[str, list[Sequence[Took]]] = {"get": [], "put": []}
    for (does, _), times in by_client.items():
        if len(times) > EACH:
            found[does].append(times[WARM:])
    return found


def _run(options: Options | None) -> Finished:
    async def body(cluster: Cluster) -> None:
        await cluster.form("n1", "n2", "n3")
        await cluster.put("n1", "first", "v")
        await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
        for _ in range(ROUNDS):
            for writes, count in ((100, WARM + EACH), (0, KEYS + WARM + EACH)):
                work = await cluster.work("n2", keys=KEYS, size=VALUE, writes_percent=writes, operations=count, pause=0)
                await cluster.until_worked(work, within=60 * SECOND)

    return in_real_world("operations", body, options=options)


def _percentile(values: Sequence[float], percent: int) -> float:
    return sorted(values)[len(values) * percent // 100]


def _p99(values: Sequence[float]) -> str:
    return f"p99 {_percentile(values, 99):,.0f}"
