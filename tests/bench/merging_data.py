"""Merge throughput of entries: two of five members that were cut off go over with what was written to them meanwhile.

Read off the history: from when the first entries are brought to their owners until the last have been decided on. The
partitions of those who have come move at the same time, and each entry that is kept is written to its backup, too."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tests.bench.clusters import in_real_world, seconds
from tests.bench.figure import Figure, number

from shaketable.harness.cluster import Cluster
from shaketable.node.env import SECOND
from shaketable.node.events import EntriesBrought, EntriesMerged, Merged, MergeDataDone

ENTRIES: Final = 10_000
VALUE: Final = 100
"""bytes"""
CLIENTS: Final = 4
"""at each of the two, to load them"""
AIM: Final = 1_500
"""entries a second: no slower than one synchronous caller writes"""
SETTINGS: Final = {
    "merge_policies": "data=latest-update", "merge_first_run_delay_seconds": 3, "merge_next_run_delay_seconds": 3,
}  # fmt: skip
LARGE, SMALL = ("n1", "n2", "n3"), ("n4", "n5")


def figures() -> Iterator[Figure]:
    each = ENTRIES // (len(SMALL) * CLIENTS)

    async def body(cluster: Cluster) -> None:
        await cluster.form(*LARGE, *SMALL)
        await cluster.put("n1", "first", "v")
        await cluster.until(cluster.is_safe(), within=60 * SECOND)
        apart = await cluster.split(LARGE, SMALL)
        await cluster.until(cluster.agree(*LARGE) & cluster.agree(*SMALL), within=60 * SECOND)
        load = await cluster.work(SMALL, clients=CLIENTS, keys=each, size=VALUE, operations=each, pause=0)
        await cluster.until_worked(load, within=250 * SECOND)
        await cluster.until(cluster.is_safe(), within=60 * SECOND)
        await cluster.heal(apart)
        await cluster.until(cluster.agree(*LARGE, *SMALL), within=120 * SECOND)
        await cluster.until(cluster.is_safe(), within=250 * SECOND)

    records = in_real_world("merging data", body, SETTINGS).records
    began = min(r.time for r in records if isinstance(r.event, EntriesBrought))
    done = [r for r in records if isinstance(r.event, MergeDataDone)]
    merged = sum(len(r.event.entries) for r in records if isinstance(r.event, EntriesMerged))
    kept = sum(r.event.kept for r in done if isinstance(r.event, MergeDataDone))
    assert kept >= each * len(SMALL) * CLIENTS, f"only {kept} are kept"
    took = seconds(max(r.time for r in done) - began)
    came = seconds(max(r.time for r in done) - min(r.time for r in records if isinstance(r.event, Merged)))
    what = f"two of five merge with {number(merged)} entries of {VALUE} bytes"
    yield Figure(f"{what}: entries a second", merged / took, "/s", at_least=AIM, spread=f"{number(took)} s")
    yield Figure(f"{what}: from the first that is admitted until all are decided on", came, "s")
