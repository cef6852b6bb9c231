"""Merge throughput of entries: two of five members that were cut off go over with what was written to them meanwhile.

Read off the history: from when the first entries are brought to their owners until the last have been decided on. The
partitions of those who have come move at the same time, and each entry that is kept is written to its backup, too.
Beside it, of the same run, how fast clients wrote the same entries. Last a merge of what was written before the split:
most of it is the same on both sides, and nothing is to be written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from tests.bench.clusters import in_real_world, operations, seconds
from tests.bench.figure import Figure, number

from shaketable.harness.records import Record
from shaketable.harness.runs.run import Finished
from shaketable.harness.scripting.cluster import Cluster
from shaketable.node.core.env import SECOND
from shaketable.node.events import EntriesBrought, EntriesMerged, MergeDataDone

CLIENTS: Final = 4
"""at each of the two, to write the entries"""
AIM: Final = 1_500
"""small entries a second: no slower than one synchronous caller writes"""
AIM_OF_PUTS: Final = 1.0
"""no slower than all clients wrote them"""
LARGE, SMALL = ("n1", "n2", "n3"), ("n4", "n5")


@dataclass(frozen=True, slots=True)
class Case:
    policy: str
    entries: int
    size: int
    """bytes of a value"""
    on_both_sides: bool = False
    """written before the split, and nothing afterwards"""

    @property
    def what(self) -> str:
        both = ", the same on both sides" if self.on_both_sides else ""
        return (
            f"two of five merge with {number(self.entries)} entries of {number(self.size)} bytes, {self.policy}{both}"
        )


CASES: Final = (
    Case("put-if-absent", 10_000, 100),
    Case("latest-update", 10_000, 100),
    Case("put-if-absent", 2_000, 10_000),
    Case("latest-update", 2_000, 10_000),
    Case("latest-update", 10_000, 100, on_both_sides=True),
)


def figures() -> Iterator[Figure]:
    for case in CASES:
        yield from _merged(case)


def _merged(case: Case) -> Iterator[Figure]:
    finished = _run(case)
    records = finished.records
    brought = [r.time for r in records if isinstance(r.event, EntriesBrought)]
    merged = [r for r in records if isinstance(r.event, EntriesMerged)]
    took = seconds(max(r.time for r in records if isinstance(r.event, MergeDataDone)) - min(brought))
    entries = _entries(merged, "kept", "there")
    # Some entries, written when all were one, went by chance to two of the larger part alone: the smaller one lacks
    # them.
    assert entries >= case.entries // (2 if case.on_both_sides else 1), f"only {entries} of {case.entries}"
    rate = entries / took
    spread = f"{number(rate * case.size / 1e6)} MB/s, {number(entries)} in {number(took)} s and {len(merged)} batches"
    at_least = AIM if case.size < 1_000 else None
    yield Figure(f"{case.what}: entries a second", rate, "/s", at_least=at_least, spread=spread)
    puts = _puts(finished)
    spread = f"{number(puts)} puts/s, {number(puts * case.size / 1e6)} MB/s, by {CLIENTS * len(SMALL)} clients"
    yield Figure(f"{case.what}: over their puts", rate / puts, "", at_least=AIM_OF_PUTS, spread=spread)


def _entries(merged: Sequence[Record], *outcomes: str) -> int:
    events = [r.event for r in merged if isinstance(r.event, EntriesMerged)]
    return sum(entry[2] in outcomes for event in events for entry in event.entries)


def _puts(finished: Finished) -> float:
    """A second, from the first call to the last return."""
    took = [took for called, took in operations(finished) if called.client.startswith("load")]
    return len(took) / seconds(max(returned for _, returned in took) - min(called for called, _ in took))


def _run(case: Case) -> Finished:
    each = case.entries // (len(SMALL) * CLIENTS)

    async def write(cluster: Cluster) -> None:
        work = await cluster.work(
            SMALL, clients=CLIENTS, keys=each, size=case.size, writes_percent=100, operations=each, pause=0
        )
        await cluster.until_worked(work, within=250 * SECOND)
        await cluster.until(cluster.that.is_safe(), within=60 * SECOND)

    async def body(cluster: Cluster) -> None:
        await cluster.form(*LARGE, *SMALL)
        await cluster.put("n1", "first", "v")
        await cluster.until(cluster.that.is_safe(), within=60 * SECOND)
        if case.on_both_sides:
            await write(cluster)
        apart = await cluster.split(LARGE, SMALL)
        await cluster.until(cluster.that.agree(*LARGE) & cluster.that.agree(*SMALL), within=60 * SECOND)
        if not case.on_both_sides:
            await write(cluster)
        await cluster.until(cluster.that.is_safe(), within=60 * SECOND)
        await cluster.heal(apart)
        await cluster.until(cluster.that.agree(*LARGE, *SMALL), within=120 * SECOND)
        await cluster.until(cluster.that.is_safe(), within=250 * SECOND)

    values = {
        "merge_policies": f"data={case.policy}",
        "merge_first_run_delay_seconds": 3,
        "merge_next_run_delay_seconds": 3,
    }
    return in_real_world("merging data", body, values)
