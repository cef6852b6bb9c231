"""One script with data for both worlds: every crash point of a migration is come to, where the docs say that it is."""

from __future__ import annotations

from shaketable.harness.scripting.cluster import Cluster
from shaketable.harness.scripting.scripts import script
from shaketable.harness.scripting.verbs.data import Result
from shaketable.node.core.env import SECOND

MASTER, SOURCE, DESTINATION = "n1", "n2", "n4"
POINTS: dict[str, tuple[str, str, int | None, dict[str, object]]] = {
    "requested": (MASTER, "MigrationRequested", None, {}),
    "first chunk": (SOURCE, "ChunkSent", None, {}),
    "copied": (MASTER, "MigrationCopied", None, {"copied": True}),
    "commit sent": (MASTER, "CommitSent", 1, {"peer": DESTINATION}),
    "destination committed": (DESTINATION, "MigrationFinished", None, {"role": "destination"}),
    "master committed": (MASTER, "MigrationFinished", None, {"role": "master"}),
    "1 publish sent": (MASTER, "MigrationFinished", 1, {"role": "master"}),
    "source cleared": (SOURCE, "ReplicaDropped", None, {}),
}
"""who holds, at which event, after how many messages, with which values; of a partition that the source owns"""
SETTINGS = {"partition_count": 12, "maps": "data=1"}


@script(about=["commit order"], settings=SETTINGS)
async def every_crash_point(cluster: Cluster) -> None:
    """A member joins, and its first migration from n2 is held at each of its crash points in turn."""
    await cluster.form("n1", "n2", "n3")
    await cluster.put("n3", "k0", "v0")
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    planning = await cluster.hold(MASTER, "PartitionsPlanned")
    before = {partition: cluster.seen.owner(partition) for partition in range(12)}
    for partition, owner in before.items():
        if owner == SOURCE:
            await cluster.put("n3", cluster.seen.key_in(partition), f"w{partition}")
    await cluster.start(DESTINATION)
    await cluster.until_held(MASTER, "PartitionsPlanned", within=cluster.bounds.forming)
    # The plan is known, and nothing of it has begun: now each point can be armed.
    partition = next(p for p, row in cluster.seen.plan().items() if row[0] == DESTINATION and before[p] == SOURCE)
    holds = {}
    for name, (node, event, after, where) in POINTS.items():
        values = where if event == "ChunkSent" else {**where, "partition": partition}
        holds[name] = await cluster.hold(node, event, after=after, where=values)
    await cluster.heal(planning)
    for name, (node, event, _, _) in POINTS.items():
        await cluster.until_held(node, event, within=30 * SECOND)
        await cluster.heal(holds[name])
    await cluster.expect(cluster.that.is_safe(), within=cluster.bounds.safe())
    reading = await cluster.read_back("n4")
    assert reading.complete
    await cluster.take_stock()


@script(about=["no lost data"], settings={"partition_count": 12})
async def impatience(cluster: Cluster) -> None:
    """The owner sleeps, and a script with little patience goes on; then what it asked for is done all the same."""
    await cluster.form("n1", "n2", "n3")
    via = await another_than_the_owner_who_sleeps(cluster, "k")
    partition = cluster.seen.partition_of("k")
    put = await cluster.put(via, "k", "w", patience=SECOND // 2)
    assert put == Result("unknown", None, (), "has not returned within 0.5 s"), put
    gone = await cluster.remove(via, cluster.seen.key_in(partition), patience=0)
    assert gone.outcome == "unknown", gone
    await cluster.resume(str(cluster.seen.owner(partition)))
    tried_until = cluster.seen.now() + cluster.bounds.operation
    while (got := await cluster.get(via, "k", patience=cluster.bounds.operation)).value != "w":
        assert cluster.seen.now() < tried_until, got
        await cluster.sleep(SECOND // 10)


async def another_than_the_owner_who_sleeps(cluster: Cluster, key: str) -> str:
    await cluster.put("n1", key, "v")
    owner = str(cluster.seen.owner(cluster.seen.partition_of(key)))
    await cluster.pause(owner)
    return next(name for name in cluster.seen.members() if name != owner)
