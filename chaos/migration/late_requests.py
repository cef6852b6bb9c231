"""An owner is asked for a migration too early or late: it does not know the destination yet, or the migration is over.

From the text on avoiding data loss on migration: who is asked refuses what does not fit what it knows, and the master,
who alone decides, plans it once more."""

from __future__ import annotations

from collections.abc import Mapping

from shaketable import MILLISECOND, SECOND, Cluster, Condition, Observed, Settings, script
from shaketable.chaos.helpers.keeping import ABOUT, ONE_MAP, PARTITIONS, all_is_kept, fill
from shaketable.chaos.helpers.migrating_on import (
    UNDER_A_LITE_MASTER,
    first_requested,
    held_with_the_plan_for,
    under_a_lite_master,
)


@script(about=ABOUT, settings=UNDER_A_LITE_MASTER)
async def an_owner_does_not_know_the_joiner_yet(cluster: Cluster) -> None:
    """n2 and n3 miss the list with n4, and are asked to send it data: they refuse, until they have that list."""
    await under_a_lite_master(cluster, "n2", "n3")
    lists = await cluster.drop("membersupdate", sender="n1", to=["n2", "n3"])
    planned = await held_with_the_plan_for(cluster, "n4")
    _, partition = first_requested(cluster)
    owner = cluster.seen.owner(partition)
    refused = await cluster.hold(owner, "MigrationRefused", where={"why": "unknown-destination"})
    await cluster.heal(planned)
    await cluster.until_held(owner, "MigrationRefused", within=cluster.bounds.crash)
    await cluster.heal(lists)
    await cluster.heal(refused)
    await all_is_kept(cluster)
    assert cluster.seen.view("n1").partitions.done.get(False), "what it refused is rolled back"


@script(about=ABOUT, settings=UNDER_A_LITE_MASTER)
async def a_request_that_comes_when_the_joiner_is_gone(cluster: Cluster) -> None:
    """n4 crashes before the owner is told to send it data, and the migration is rolled back. Then the owner is told.

    By the last table none of those requested so far is under way: it begins nothing."""
    await under_a_lite_master(cluster, "n2", "n3")
    late = await cluster.hold_back("migrationrequest", sender="n1")
    await cluster.start("n4")
    await cluster.until(cluster.that.caught(late), within=cluster.bounds.forming + cluster.bounds.silence)
    _, partition = first_requested(cluster)
    owner = cluster.seen.owner(partition)
    await cluster.kill("n4")
    gone = cluster.that.agree("n1", "n2", "n3") & cluster.that.is_safe()
    await cluster.until(gone, within=cluster.bounds.crash + cluster.bounds.safe())
    refused = await cluster.hold(owner, "MigrationRefused", where={"why": "has-ended"})
    await cluster.heal(late)
    await cluster.until_held(owner, "MigrationRefused", within=cluster.bounds.crash)
    await cluster.heal(refused)
    await cluster.join("n5")
    await all_is_kept(cluster)


@script(about=ABOUT, settings=UNDER_A_LITE_MASTER)
async def a_commit_that_comes_late(cluster: Cluster) -> None:
    """All data of a partition have come to n4, and the commit has not: n4 holds nothing yet, and then it does."""
    await under_a_lite_master(cluster, "n2", "n3")
    late = await cluster.hold_back("migrationcommit", sender="n1")
    await cluster.start("n4")
    await cluster.until(cluster.that.caught(late), within=cluster.bounds.forming + cluster.bounds.silence)
    stock = (await cluster.take_stock())["n4"]
    assert not any(maps for _, _, maps in stock.holds), stock
    await cluster.heal(late)
    await all_is_kept(cluster)


def all_at_once(run: Settings) -> Mapping[str, object]:
    """And what the owner does not answer to is given up after a heartbeat timeout."""
    timeout = run.heartbeat_timeout / SECOND
    return {**UNDER_A_LITE_MASTER, "max_parallel_migrations": 7, "migration_timeout_seconds": timeout}


@script(about=ABOUT, settings=all_at_once)
async def an_owner_has_not_learnt_how_the_last_one_ended(cluster: Cluster) -> None:
    """n2 begins migrations that are rolled back already: until it learns that, it refuses the next ones.

    n4 crashes, and n2 and n3 are to send each other what takes its place. n1's requests to n2 come late, and after the
    end of these migrations no table of n1 gets to n2 but those of commits, in which it is the destination."""
    await under_a_lite_master(cluster, "n2", "n3", "n4")
    planned = await cluster.hold("n1", "PartitionsPlanned")
    await cluster.kill("n4")
    await cluster.until_held("n1", "PartitionsPlanned", within=cluster.bounds.crash)
    late = await cluster.hold_back("migrationrequest", sender="n1", to=["n2"])
    commits = await cluster.hold_back("migrationcommit", sender="n1", to=["n2"])
    before = cluster.seen.table_version("n1")
    await cluster.heal(planned)
    await cluster.until(cluster.that.has_table("n2", before), within=cluster.bounds.crash)
    tables = await cluster.drop("publishtable", sender="n1", to=["n2"])
    given_up = cluster.settings.migration_timeout + cluster.bounds.crash
    await cluster.until(n2_has_failed_and_n3_has_not(), within=given_up)
    first = owned_by_n2(cluster)
    await cluster.heal(commits)
    await cluster.until(asked_again(first), within=cluster.bounds.safe())
    refused = await cluster.hold("n2", "MigrationRefused", where={"why": "not-ended-here"})
    await cluster.heal(late)
    await cluster.until_held("n2", "MigrationRefused", within=cluster.bounds.crash)
    await cluster.heal(refused)
    await cluster.heal(tables)
    await all_is_kept(cluster)


def given_up_soon(run: Settings) -> Mapping[str, object]:
    """A migration is given up long before its owner does without a backup at a write, and planned again afterwards."""
    silent = run.heartbeat_timeout
    return {
        **ONE_MAP,
        "backup_timeout_millis": silent // MILLISECOND,
        "migration_timeout_seconds": silent / SECOND / 4,
        "migration_pause_seconds": 2 * silent / SECOND,
    }


@script(about=ABOUT, settings=given_up_soon)
async def a_migration_is_given_up_before_its_owner_begins_it(cluster: Cluster) -> None:
    """The master owns a partition that is to migrate, but a write to it waits for its backup, and for too long.

    When the write ends the migration is over, and the master does not begin it."""
    await cluster.form("n1", "n2")
    await fill(cluster, "n1", "data")
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    partition = next(each for each in range(PARTITIONS) if cluster.seen.owner(each) == "n1")
    lost = await cluster.drop("backupanswer", sender="n2", to=["n1"])

    async def n3_joins() -> None:
        await cluster.start("n3")
        await cluster.until(given_up(partition), within=cluster.bounds.forming + cluster.bounds.silence)

    await cluster.together(cluster.put("n1", cluster.seen.key_in(partition), "late"), n3_joins())
    await cluster.heal(lost)
    await all_is_kept(cluster, within=cluster.bounds.safe() + 2 * cluster.settings.migration_pause)


def given_up(partition: int) -> Condition:
    def why_not(seen: Observed) -> str | None:
        phases = [each.phase for each in seen.nodes["n1"].partitions.under_way.values() if each.partition == partition]
        failed = seen.nodes["n1"].partitions.done.get(False)
        return None if failed and not phases else f"{failed or 'none'} given up, and under way are {phases}"

    return Condition(f"n1 has given up a migration of partition {partition}", why_not)


def owned_by_n2(cluster: Cluster) -> dict[int, str]:
    """By partition, the migration that n1 has begun."""
    under_way = cluster.seen.view("n1").partitions.under_way
    n2 = cluster.seen.view("n2").incarnation
    return {each.partition: name for name, each in under_way.items() if each.info.owner == n2}


def n2_has_failed_and_n3_has_not() -> Condition:
    """The first commit is on its way, and all else waits for it: more commits, and what is to be rolled back before."""

    def why_not(seen: Observed) -> str | None:
        n2 = seen.nodes["n2"].incarnation
        phases = [(each.info.owner == n2, each.phase) for each in seen.nodes["n1"].partitions.under_way.values()]
        owned, others = ([phase for its, phase in phases if its == which] for which in (True, False))
        if not owned or set(owned) != {"not copied"}:
            return f"n1 has those of n2 {owned}"
        return None if {*others} == {"commit sent", "copied"} else f"n1 has the others {others}"

    return Condition("n1 has given up all that n2 owns, and copied the rest", why_not)


def asked_again(first: dict[int, str]) -> Condition:
    """Each of these partitions."""

    def why_not(seen: Observed) -> str | None:
        again = {each.partition: name for name, each in seen.nodes["n1"].partitions.under_way.items()}
        missing = [partition for partition, name in first.items() if again.get(partition, name) == name]
        return f"not for partitions {missing}" if missing else None

    return Condition("n1 has asked for the same partitions again", why_not)
