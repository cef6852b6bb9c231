"""Members that hold data leave: one by one, each when its replicas have moved, and at the same time; and one that is to
hold some soon.

From rulings 3.7: when all data members leave there is nobody to take over, and all are answered at once."""

from __future__ import annotations

from collections.abc import Mapping

from shaketable import SECOND, Cluster, Injected, Settings, script
from shaketable.chaos.helpers.keeping import ABOUT, LARGE, PARTITIONS, SETTINGS, all_is_kept, fill, has_kept
from shaketable.chaos.helpers.migrating_on import UNDER_A_LITE_MASTER, under_a_lite_master

NODES = ("n1", "n2", "n3", "n4")
OF_TABLES = ("table order", "replica count", "commit order", "completed list")


def one_partition(run: Settings) -> Mapping[str, object]:
    """A member that is not let go waits for so long that it is seen to wait, and then leaves all the same."""
    wait = 3 * run.heartbeat_timeout / SECOND
    return {**UNDER_A_LITE_MASTER, "partition_count": 1, "graceful_shutdown_max_wait_seconds": wait}


@script(about=ABOUT, settings=SETTINGS)
async def all_but_one_leave_with_data(cluster: Cluster) -> None:
    """The master leaves, then the next master, then the next: n4 is the last, and has all data."""
    await three_leave(cluster)
    await cluster.expect(cluster.that.agree("n4"), within=cluster.bounds.crash)
    await all_is_kept(cluster)
    for partition in range(PARTITIONS):
        assert cluster.seen.row(partition)[0] == "n4"
        assert await has_kept(cluster, "n4", "data", partition)


@script(about=OF_TABLES, settings=SETTINGS)
async def all_leave_one_by_one(cluster: Cluster) -> None:
    """All four leave one by one: n4, the last, has data that nobody can take, and is let go at once."""
    await three_leave(cluster)
    await cluster.together(cluster.leave("n4"), cluster.until(cluster.that.ended("n4"), within=cluster.bounds.crash))


async def three_leave(cluster: Cluster) -> None:
    await cluster.form(*NODES)
    await fill(cluster, "n4", "data", "precious", size=LARGE)
    work = await cluster.work(["n4"], keys=4, pause=cluster.settings.heartbeat_interval // 5)
    for number, name in enumerate(NODES[:3], 1):
        await cluster.leave(name)
        await cluster.until(cluster.that.agree(*NODES[number:]), within=cluster.bounds.crash)
    await cluster.stop_work(work)
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())


@script(about=ABOUT, settings=SETTINGS)
async def the_word_that_lets_a_member_go_is_lost(cluster: Cluster) -> None:
    """n4 is let go with its data handed over, and does not hear of it: it asks again, and is answered at once."""
    await cluster.form(*NODES)
    await fill(cluster, "n1", "data", "precious")
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    lost = await cluster.drop("leaveanswer", sender="n1", to=["n4"])
    await cluster.leave("n4", wait=False)
    await cluster.until(cluster.that.caught(lost), within=cluster.bounds.safe())
    await cluster.heal(lost)
    await cluster.until(cluster.that.ended("n4"), within=cluster.bounds.silence)
    await cluster.until(cluster.that.agree("n1", "n2", "n3"), within=cluster.bounds.crash)
    await all_is_kept(cluster)


@script(about=["table order"], settings=SETTINGS)
async def all_leave_at_once_with_data(cluster: Cluster) -> None:
    """All four leave at the same time, with data: nobody waits for a migration that could end nowhere."""
    await cluster.form(*NODES)
    await fill(cluster, "n4", "data", "precious", size=LARGE)
    await cluster.work(["n2", "n4"], keys=4, pause=cluster.settings.heartbeat_interval // 5)
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    soon = 4 * (cluster.bounds.crash + cluster.settings.leave_retry)
    ends = [cluster.until(cluster.that.ended(name), within=soon) for name in NODES]
    await cluster.together(*[cluster.leave(name) for name in NODES], *ends)


@script(about=ABOUT, settings=SETTINGS)
async def all_but_one_leave_at_once_with_data(cluster: Cluster) -> None:
    """The master and two more leave at the same time; the one that stays gets all the data before they go."""
    await cluster.form(*NODES)
    await fill(cluster, "n4", "data", "precious", size=LARGE)
    work = await cluster.work(["n4"], keys=4, pause=cluster.settings.heartbeat_interval // 5)
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    await cluster.together(*[cluster.leave(name) for name in NODES[:3]])
    await cluster.expect(cluster.that.agree("n4"), within=2 * cluster.bounds.crash)
    await all_is_kept(cluster, work)
    for partition in range(PARTITIONS):
        assert await has_kept(cluster, "n4", "data", partition)


@script(about=ABOUT, settings=UNDER_A_LITE_MASTER)
async def a_newcomer_leaves_before_it_has_anything(cluster: Cluster) -> None:
    """n4 leaves when the master has planned to give it replicas, and has given it none yet: the master plans anew."""
    await n4_leaves_when_its_first_copy_is_asked_for(cluster)


@script(about=ABOUT, settings={**UNDER_A_LITE_MASTER, "partition_count": 1})
async def a_newcomer_leaves_before_it_has_its_only_copy(cluster: Cluster) -> None:
    """The one migration that gives n4 anything is under way when n4 leaves: the copy comes, and is taken from it again.

    Nothing is left on the queue by then, and nobody else comes or leaves, by which the master would plan anew."""
    await n4_leaves_when_its_first_copy_is_asked_for(cluster)


@script(
    about=["table order", "no lost data", "balanced", "in place"],
    settings=one_partition,
)
async def a_member_leaves_when_another_one_has_crashed(cluster: Cluster) -> None:
    """The coldest backup crashes, all is safe without a move, and the other backup leaves: it has only to be cleared.

    The owner may still own it by promotion, as far as the master knows, until it has taken the repaired table."""
    await under_a_lite_master(cluster, "n2", "n3", "n4")
    owner, leaves, crashes = map(str, cluster.seen.row(0))
    repaired = await cluster.hold("n1", "TableChanged", where={"change": "repaired"})
    await cluster.kill(crashes)
    await cluster.until_held("n1", "TableChanged", within=cluster.bounds.crash)
    await cluster.heal(repaired)
    await cluster.until(cluster.that.agree("n1", owner, leaves), within=cluster.bounds.settle())
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    await cluster.leave(leaves, wait=False)
    await cluster.expect(cluster.that.ended(leaves), within=cluster.bounds.safe())
    await all_is_kept(cluster)


async def n4_leaves_when_its_first_copy_is_asked_for(cluster: Cluster) -> None:
    await under_a_lite_master(cluster, "n2", "n3")
    late = await cluster.hold_back("migrationrequest", sender="n1")
    await cluster.join("n4")
    await cluster.until(cluster.that.caught(late), within=cluster.bounds.silence)
    await cluster.together(cluster.leave("n4"), heal_when_it_has_asked(cluster, late))
    await cluster.expect(cluster.that.ended("n4"), within=cluster.bounds.safe())
    await cluster.until(cluster.that.agree("n1", "n2", "n3"), within=cluster.bounds.crash)
    await all_is_kept(cluster)


async def heal_when_it_has_asked(cluster: Cluster, late: Injected) -> None:
    await cluster.sleep(cluster.settings.leave_retry)
    await cluster.heal(late)
