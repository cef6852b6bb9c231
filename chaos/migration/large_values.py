"""A value that is larger than a chunk travels in parts: however thin a link is, no heartbeat waits behind the value.

All links of n3 are so thin that one value takes two heartbeat timeouts to get there. In one message it would silence a
healthy member for that long."""

from __future__ import annotations

from collections.abc import Mapping

from shaketable import MILLISECOND, SECOND, Cluster, Settings, script
from shaketable.chaos.helpers.keeping import ONE_MAP, PARTITIONS, all_is_kept, fill

NODES = ("n1", "n2", "n3")
THIN = "n3"
VALUE = 250_000
"""bytes"""
TIMEOUTS = 2
"""heartbeat timeouts that one value takes over a link"""


def patient(run: Settings) -> Mapping[str, object]:
    """Long enough for a value over one thin link, and over two. In small parts it takes twice as long, or longer."""
    one = 4 * TIMEOUTS * run.heartbeat_timeout // MILLISECOND
    return {**ONE_MAP, "operation_timeout_millis": 2 * one, "backup_timeout_millis": one}


@script(about=["no lost data", "in place"], settings=patient)
async def large_values_over_thin_links(cluster: Cluster) -> None:
    """One value of 250 kB is on its way for two timeouts, to an owner, a backup and a reader: nobody is suspected."""
    to_the_owner, to_the_backup = await thin_links(cluster)
    for partition in (to_the_owner, to_the_backup):
        began = cluster.seen.now()
        await put(cluster, "n1", partition, 1, VALUE)
        took = cluster.seen.now() - began
        assert took > cluster.settings.heartbeat_timeout, f"it took {took / SECOND:g} s"
    read = await cluster.get(THIN, cluster.seen.key_in(to_the_backup, 1))
    assert read.outcome == "ok", read
    await cluster.heal_all()
    await all_is_kept(cluster)


@script(about=["no lost data", "in place"], settings=patient)
async def a_small_write_behind_a_large_one(cluster: Cluster) -> None:
    """A backup gets a value in parts, and small writes to the same partition meanwhile: all come, in their order."""
    _, partition = await thin_links(cluster)
    await cluster.together(put(cluster, "n1", partition, 1, VALUE), small_writes(cluster, partition))
    await cluster.heal_all()
    await all_is_kept(cluster)


@script(about=["no lost data", "in place", "nothing waits"], settings=ONE_MAP)
async def large_values_at_once(cluster: Cluster) -> None:
    """A backup misses a large value, for its first part gets lost; later it gets four such values at once, and has all.

    By then everything has been at rest for long, so nobody has a reason to do without the backup."""
    await cluster.form(*NODES)
    await fill(cluster, "n1", "data")
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    lost = await cluster.drop("part", sender="n2", count=1)
    rows = [cluster.seen.row(partition) for partition in range(PARTITIONS)]
    partition = next(p for p, row in enumerate(rows) if row[:2] == ("n2", "n3"))
    missed = await cluster.put("n2", cluster.seen.key_in(partition, 1), "x" * VALUE)
    assert (missed.outcome, missed.holders) == ("ok", ("n2",)), missed
    await cluster.until(cluster.that.caught(lost), within=0)
    await cluster.heal(lost)
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    await cluster.calm()
    await cluster.together(*[put(cluster, "n2", partition, number, VALUE) for number in range(2, 6)])
    await all_is_kept(cluster)


async def thin_links(cluster: Cluster) -> tuple[int, int]:
    """A partition that n3 owns, and one of which it is the backup."""
    await cluster.form(*NODES)
    await fill(cluster, "n1", "data")
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    cluster.always(cluster.that.agree(*NODES))
    for a in NODES:
        for b in NODES:
            if a != b:
                cluster.always(cluster.that.trusts(a, b))
    rate = VALUE * SECOND // (TIMEOUTS * cluster.settings.heartbeat_timeout) // 1000 * 1000
    await cluster.together(*[cluster.thin(name, THIN, rate) for name in NODES if name != THIN])
    rows = [cluster.seen.row(partition) for partition in range(PARTITIONS)]
    return next(p for p, row in enumerate(rows) if row[0] == THIN), next(
        p for p, row in enumerate(rows) if row[1] == THIN
    )


async def put(cluster: Cluster, via: str, partition: int, number: int, size: int = 0) -> None:
    """It is acknowledged by the owner and the backup."""
    value = f"{partition}-{number} {'x' * size}"
    result = await cluster.put(via, cluster.seen.key_in(partition, number), value)
    assert (result.outcome, len(result.holders)) == ("ok", 2), result


async def small_writes(cluster: Cluster, partition: int) -> None:
    await cluster.sleep(cluster.settings.heartbeat_timeout)
    for number in range(2, 5):
        await put(cluster, "n2", partition, number)
