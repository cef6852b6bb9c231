"""What the text on avoiding data loss on migration calls broken, each story told twice.

Once every member is made as the text says that it was before (`legacy_fault`, in `node/legacy/`), data are lost, and
the check that names the rule is red; once by the real members, with the same steps, and all is green. n1 is a lite
master throughout: it holds no data, so whatever is lost, others had it."""

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from operator import and_, or_

from shaketable import MILLISECOND, Cluster, Condition, script
from shaketable.chaos import MERGING_OFF

ALL = 99
"""messages of a step are more than it sends"""
LITE = {"lite_member": True}
PARTITIONS = 7
A_MOMENT = 10 * MILLISECOND
"""so that what comes next is not at the very instant of the table's last change"""
SMALL = {
    **MERGING_OFF,
    "partition_count": PARTITIONS,
    "maps": "data=1",
    # It never comes: what anti-entropy alone would bring is not there.
    "backup_sync_interval_seconds": 3600,
}


@script(
    about=["table order", "no lost data"],
    expects_violation="table order",
    # The data that it clears are its own by the very table that it has got.
    broken_too=["commit order", "no lost data"],
    settings={**SMALL, "legacy_fault": "own tables"},
)
async def legacy_own_tables(cluster: Cluster) -> None:
    """Before: the first backup promotes itself, is told that it is a backup still, and clears its data."""
    await the_first_backup_notices_first(cluster)


@script(about=["table order", "no lost data"], settings=SMALL)
async def one_table(cluster: Cluster) -> None:
    """The first backup notices the owner's end before the master does, and waits for the master's table."""
    await the_first_backup_notices_first(cluster)


async def the_first_backup_notices_first(cluster: Cluster) -> None:
    """All that n2 owns has its backup at n3. n2's illness breaks its links to n3 first, and kills it a while later."""
    await cluster.form("n1", settings=LITE)
    await cluster.join("n2", "n3")
    await fill(cluster, "n3")
    await cluster.cut("n2", "n3")
    await cluster.until(cluster.that.suspects("n3", "n2"), within=cluster.bounds.crash)
    # Meanwhile n1, who knows of nothing, sends its table as ever: once would do.
    await cluster.sleep(3 * cluster.settings.partition_table_send_interval)
    await cluster.kill("n2")
    alone = owns_all(cluster, "n3")
    await cluster.until(alone & cluster.that.agree("n1", "n3"), within=cluster.bounds.crash)
    await cluster.read_back("n3")


@script(
    about=["table order", "no lost data"],
    expects_violation="table order",
    broken_too=["commit order", "no lost data"],
    settings={**SMALL, "maps": "data=0", "legacy_fault": "stale table"},
)
async def legacy_stale_table(cluster: Cluster) -> None:
    """Before: the new master publishes the table of before the migrations, and the new owners clear their data."""
    await the_next_in_line_has_an_old_table(cluster)


@script(about=["table order", "no lost data"], settings={**SMALL, "maps": "data=0"})
async def the_newest_table(cluster: Cluster) -> None:
    """The new master has a table of before the migrations; it looks for the newest, and goes on from that."""
    await the_next_in_line_has_an_old_table(cluster)


async def the_next_in_line_has_an_old_table(cluster: Cluster) -> None:
    """n2, a lite member like n1, misses all tables from the join of n4 on. Then the master dies."""
    await cluster.form("n1", "n2", settings=LITE)
    await cluster.join("n3")
    await fill(cluster, "n3")
    await cluster.drop("publishtable", sender="n1", to=["n2"])
    planned = await cluster.hold("n1", "PartitionsPlanned")
    await cluster.start("n4")
    await cluster.until_held("n1", "PartitionsPlanned", within=cluster.bounds.forming)
    given = [cluster.that.owns("n4", partition) for partition, row in cluster.seen.plan().items() if row[0] == "n4"]
    await cluster.heal(planned)
    moved = named("n4 owns what it is to own", given) & cluster.that.no_migrations()
    await cluster.until(moved, within=cluster.bounds.safe(migrations=2 * PARTITIONS))
    await cluster.kill("n1")
    await cluster.until(cluster.that.agree("n2", "n3", "n4"), within=cluster.bounds.crash)
    await cluster.expect(cluster.that.is_safe(), within=cluster.bounds.safe())
    await cluster.read_back("n3")


@script(
    about=["commit order", "no lost data"],
    expects_violation="commit order",
    broken_too=["no lost data"],
    settings={**SMALL, "legacy_fault": "lone decisions"},
)
async def legacy_lone_decisions(cluster: Cluster) -> None:
    """Before: the old owner commits by the table that it got; the new owner never got it, and rolls back."""
    await the_old_owner_alone_gets_the_table(cluster)


@script(about=["commit order", "no lost data"], settings=SMALL)
async def one_outcome(cluster: Cluster) -> None:
    """The old owner alone gets the table that completes a migration: the new owner has committed before it."""
    await the_old_owner_alone_gets_the_table(cluster)


async def the_old_owner_alone_gets_the_table(cluster: Cluster) -> None:
    """n2 owns all until n3 joins; the master dies when it has sent n2, and not n3, the table with a new owner."""
    await cluster.form("n1", settings=LITE)
    await cluster.join("n2")
    await fill(cluster, "n2")
    new_owner = {"change": "committed", "why": "SHIFT DOWN"}
    await cluster.hold("n1", "TableChanged", after=1, where=new_owner)
    await cluster.join("n3")
    await cluster.until_held("n1", "TableChanged", within=cluster.bounds.migrations(PARTITIONS))
    told = cluster.that.has_table("n2", cluster.seen.table_version("n1"))
    await cluster.until(told, within=cluster.bounds.claim)
    await cluster.kill("n1")
    await cluster.until(cluster.that.agree("n2", "n3"), within=cluster.bounds.crash)
    await cluster.expect(cluster.that.is_safe(), within=cluster.bounds.safe())
    await cluster.read_back("n2")


@script(
    about=["commit order", "in place"],
    expects_violation="commit order",
    broken_too=["in place"],
    settings={**SMALL, "maps": "data=0", "legacy_fault": "lone decisions"},
)
async def legacy_lone_decisions_leak(cluster: Cluster) -> None:
    """Before: the new owner commits by the table that it got; the old owner never got it, and keeps its data."""
    await the_new_owner_alone_gets_the_table(cluster)


@script(about=["commit order", "in place"], settings={**SMALL, "maps": "data=0"})
async def one_outcome_without_leak(cluster: Cluster) -> None:
    """The new owner alone has the table that completes a migration: the old owner learns it from the search."""
    await the_new_owner_alone_gets_the_table(cluster)


async def the_new_owner_alone_gets_the_table(cluster: Cluster) -> None:
    """As above, with the table of the new owner at n3 and not at n2, who is the next master as well."""
    await cluster.form("n1", settings=LITE)
    await cluster.join("n2")
    await fill(cluster, "n2")
    planned = await cluster.hold("n1", "PartitionsPlanned")
    await cluster.start("n3")
    await cluster.until_held("n1", "PartitionsPlanned", within=cluster.bounds.forming)
    # The last one of these, for the first migration of all is requested with the plan.
    partition = max(partition for partition, row in cluster.seen.plan().items() if row[0] == "n3")
    requested = await cluster.hold("n1", "MigrationRequested", after=ALL, where={"partition": partition})
    await cluster.heal(planned)
    await cluster.until_held("n1", "MigrationRequested", within=cluster.bounds.migrations(PARTITIONS))
    await cluster.drop("publishtable", sender="n1", to=["n2"])
    await cluster.hold("n1", "TableChanged", after=ALL, where={"change": "committed"})
    await cluster.heal(requested)
    await cluster.until_held("n1", "TableChanged", within=cluster.bounds.migrations(1))
    told = cluster.that.has_table("n3", cluster.seen.table_version("n1"))
    await cluster.until(told, within=cluster.bounds.claim)
    await cluster.kill("n1")
    await cluster.until(cluster.that.agree("n2", "n3"), within=cluster.bounds.crash)
    await cluster.expect(cluster.that.is_safe(), within=cluster.bounds.safe())
    await cluster.sleep(A_MOMENT)
    await cluster.take_stock()


@script(
    about=["replica count", "no lost data"],
    expects_violation="replica count",
    broken_too=["no lost data"],
    settings={**SMALL, "legacy_fault": "cleared backups"},
)
async def legacy_cleared_backups(cluster: Cluster) -> None:
    """Before: the old backup clears its data by the table, the new backup has none yet, and the owner dies."""
    await the_owner_dies_when_a_backup_has_changed(cluster)


@script(about=["replica count", "no lost data"], settings=SMALL)
async def migrated_backups(cluster: Cluster) -> None:
    """The owner dies as soon as the table has a new backup: the new backup has the data."""
    await the_owner_dies_when_a_backup_has_changed(cluster)


async def the_owner_dies_when_a_backup_has_changed(cluster: Cluster) -> None:
    """n4 joins n2 and n3, and is to be first backup of some of their partitions."""
    await cluster.form("n1", settings=LITE)
    await cluster.join("n2", "n3")
    await fill(cluster, "n2")
    await cluster.start("n4")
    each = [cluster.that.has_replica("n4", p, 1) for p in range(PARTITIONS)]
    changed = replace(reduce(or_, each), label="n4 is the first backup of a partition")
    await cluster.until(changed, within=cluster.bounds.forming + cluster.bounds.migrations(2 * PARTITIONS))
    owner = next(row[0] for row in map(cluster.seen.row, range(PARTITIONS)) if row[1:2] == ("n4",))
    assert owner is not None
    (other,) = {"n2", "n3"} - {owner}
    await cluster.sleep(A_MOMENT)
    await cluster.kill(owner)
    await cluster.until(cluster.that.agree("n1", other, "n4"), within=cluster.bounds.crash)
    await cluster.until(share_all(cluster, other, "n4"), within=cluster.bounds.migrations(4 * PARTITIONS))
    await cluster.read_back(other)


@script(
    about=["replica count", "no lost data"],
    expects_violation="no lost data",
    broken_too=["replica count"],
    settings={**SMALL, "legacy_fault": "late backups"},
)
async def legacy_late_backups(cluster: Cluster) -> None:
    """Before: the table has a backup again at once, which has no data until anti-entropy, and the owner dies."""
    await the_owner_dies_when_it_has_a_backup_again(cluster)


@script(about=["replica count", "no lost data"], settings=SMALL)
async def copied_backups(cluster: Cluster) -> None:
    """A backup dies, and the owner as soon as the table has a new backup: the new backup has the data."""
    await the_owner_dies_when_it_has_a_backup_again(cluster)


async def the_owner_dies_when_it_has_a_backup_again(cluster: Cluster) -> None:
    """n4 is first backup of some partitions of n2 and n3. It dies, and when each has two replicas again, an owner."""
    await cluster.form("n1", settings=LITE)
    await cluster.join("n2", "n3", "n4")
    await fill(cluster, "n2")
    owner = next(row[0] for row in map(cluster.seen.row, range(PARTITIONS)) if row[1] == "n4")
    assert owner is not None
    (other,) = {"n2", "n3"} - {owner}
    await cluster.kill("n4")
    again = cluster.bounds.crash + cluster.bounds.migrations(4 * PARTITIONS)
    await cluster.until(share_all(cluster, owner, other), within=again)
    await cluster.sleep(A_MOMENT)
    await cluster.kill(owner)
    await cluster.until(owns_all(cluster, other), within=cluster.bounds.crash)
    await cluster.read_back(other)


async def fill(cluster: Cluster, via: str) -> None:
    """Four keys in each partition; then all is in place."""
    for partition in range(PARTITIONS):
        for number in range(4):
            await cluster.put(via, cluster.seen.key_in(partition, number), f"v{number}")
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())


def owns_all(cluster: Cluster, name: str) -> Condition:
    return named(f"{name} owns all", [cluster.that.owns(name, p) for p in range(PARTITIONS)])


def share_all(cluster: Cluster, one: str, other: str) -> Condition:
    """Of each partition one of the two is the owner, and the other its backup."""
    each = [
        (cluster.that.has_replica(one, p, 0) & cluster.that.has_replica(other, p, 1))
        | (cluster.that.has_replica(other, p, 0) & cluster.that.has_replica(one, p, 1))
        for p in range(PARTITIONS)
    ]
    return named(f"{one} and {other} share all, one as owner and one as backup", each)


def named(label: str, each: Sequence[Condition]) -> Condition:
    """All of these, told in a few words."""
    return replace(reduce(and_, each), label=label)
