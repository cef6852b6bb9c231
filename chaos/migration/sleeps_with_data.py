"""Members that hold data sleep for longer than a heartbeat timeout, and wake with data and a table that are old.

They harm nobody: who is no member any more is told so, its tables and commits are refused, and it comes back by a
restart, as another one, with nothing. From text 3.1.1, and rulings 3.8."""

from __future__ import annotations

from shaketable import Cluster, Injected, Result, script
from shaketable.chaos.helpers.keeping import (
    ABOUT,
    LARGE,
    PARTITIONS,
    SETTINGS,
    all_is_kept,
    fill,
    joins_and_partitions_move,
)
from shaketable.chaos.helpers.migrating import ABOUT as OF_A_MIGRATION
from shaketable.chaos.helpers.migrating import COPY, Migrating, while_migrating

NODES = ("n1", "n2", "n3", "n4")
OTHERS = ("n2", "n3", "n4")


@script(about=ABOUT, settings=SETTINGS)
async def a_long_sleep_with_data(cluster: Cluster) -> None:
    """n3 sleeps for more than a heartbeat timeout and is removed; its partitions have new owners, with later writes.

    It wakes with data that are old, is told that it is no member, and comes back by a restart, with none."""
    await cluster.form(*NODES)
    await fill(cluster, "n1", "data", "precious")
    work = await cluster.work(["n1", "n2"], keys=4, pause=cluster.settings.heartbeat_interval // 5)
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    sleep = await cluster.pause("n3")
    await cluster.until(cluster.that.agree("n1", "n2", "n4"), within=cluster.bounds.silence)
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    for partition in range(PARTITIONS):
        assert "n3" not in (await put_later(cluster, "n1", partition)).holders
    await cluster.heal(sleep)
    await cluster.until(cluster.that.agree("n3"), within=2 * cluster.bounds.silence)
    await it_comes_back(cluster, "n3")
    await all_is_kept(cluster, work)


@script(about=ABOUT, settings=SETTINGS)
async def the_master_oversleeps_in_its_queue(cluster: Cluster) -> None:
    """n1 falls asleep while partitions migrate; n2 looks for the newest table and goes on, and n1 wakes."""
    await three_hold_data(cluster)
    await joins_and_partitions_move(cluster, "n4")
    await it_wakes_too_late(cluster, await cluster.pause("n1"))


@script(about=ABOUT, settings=SETTINGS)
async def the_master_oversleeps_with_a_commit_on_its_way(cluster: Cluster) -> None:
    """n1 falls asleep when its commit has left: the destination commits, and n1 learns so when it is master no more.

    Nobody takes the table that it then changes and publishes."""
    await three_hold_data(cluster)
    commit = await cluster.hold("n1", "CommitSent", after=1)
    await cluster.join("n4")
    await cluster.until_held("n1", "CommitSent", within=cluster.bounds.silence)
    await it_wakes_too_late(cluster, commit)


async def three_hold_data(cluster: Cluster) -> None:
    await cluster.form(*NODES[:3])
    await fill(cluster, "n2", "data", "precious", size=LARGE)
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())


async def it_wakes_too_late(cluster: Cluster, sleep: Injected) -> None:
    work = await cluster.work(["n2", "n3"], keys=4, pause=cluster.settings.heartbeat_interval // 5)
    others = cluster.that.agree(*OTHERS)
    await cluster.until(others, within=cluster.bounds.take_over)
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    for partition in range(PARTITIONS):
        await put_later(cluster, "n2", partition)
    await cluster.heal(sleep)
    await cluster.until(others & cluster.that.agree("n1"), within=2 * cluster.bounds.silence)
    await it_comes_back(cluster, "n1")
    await all_is_kept(cluster, work)


async def put_later(cluster: Cluster, via: str, partition: int) -> Result:
    result = await cluster.put(via, cluster.seen.key_in(partition), f"later{partition}")
    assert result.outcome == "ok", result
    return result


async def it_comes_back(cluster: Cluster, name: str) -> None:
    await cluster.kill(name)
    await cluster.restart(name)
    await cluster.expect(cluster.that.agree(*NODES), within=cluster.bounds.forming)
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    for partition in range(PARTITIONS):
        found = await cluster.get(name, cluster.seen.key_in(partition))
        assert found.value == f"later{partition}", found


@script(about=OF_A_MIGRATION, settings=COPY.settings)
async def the_master_sleeps_with_a_commit_out(cluster: Cluster) -> None:
    """The master sends the commit of a COPY and sleeps for two timeouts; when it wakes it decides for itself alone.

    The destination commits meanwhile, and dies with what it knows; the others follow a new master, who rolls the
    migration back. These are two sides of a split, and no side contradicts itself."""

    async def drama(cluster: Cluster, it: Migrating, planned: Injected) -> None:
        held = await cluster.hold(it["master"], "CommitSent", after=1, where={"migration": it.id})
        await cluster.hold(it["destination"], "MigrationFinished", after=1, where={"migration": it.id})
        await cluster.heal(planned)
        await cluster.until_held(it["destination"], "MigrationFinished", within=cluster.bounds.safe())
        await cluster.sleep(2 * cluster.settings.heartbeat_timeout)
        await cluster.kill(it["destination"])
        await cluster.heal(held)

    await while_migrating(cluster, COPY, drama, crashes=2)
