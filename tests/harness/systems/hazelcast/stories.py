"""The stories that tests/data/systems/hazelcast has of each version: README.md there says what happens in each."""

from __future__ import annotations

from typing import Final

from shaketable import MILLISECOND, SECOND, Cluster, Script, script

ALL: Final = {
    "heartbeat_interval_seconds": 1,
    "heartbeat_timeout_seconds": 5,
    "member_list_publish_interval_seconds": 5,
    "mastership_claim_timeout_seconds": 10,
    "partition_count": 12,
    "merging": False,
    "operation_timeout_millis": 10_000,
}
RESOLVING: Final = {**ALL, "partial_disconnection_heartbeat_count": 5}
MERGING: Final = {**ALL, "merging": True, "merge_first_run_delay_seconds": 10, "merge_next_run_delay_seconds": 5}
DATA: Final = {**ALL, "partition_count": 4, "maps": "data=1 precious=2"}
PAUSE: Final = 200 * MILLISECOND
LONG: Final = 60 * SECOND


@script(settings=ALL)
async def form(cluster: Cluster) -> None:
    """Three form a cluster, the master is killed and started again, a follower leaves."""
    await cluster.form("n1", "n2", "n3")
    await cluster.kill("n1")
    await cluster.until(cluster.that.agree("n2", "n3"), within=LONG)
    await cluster.restart("n1")
    await cluster.until(cluster.that.agree("n1", "n2", "n3"), within=LONG)
    await cluster.leave("n3")
    await cluster.until(cluster.that.agree("n1", "n2"), within=LONG)


@script(settings=RESOLVING)
async def figure5(cluster: Cluster) -> None:
    """The link between n2 and n3 of four is cut."""
    await cluster.form("n1", "n2", "n3", "n4")
    await cluster.cut("n2", "n3")
    await cluster.until(cluster.that.has_resolved("n1"), within=LONG)
    await cluster.sleep(5 * SECOND)


@script(settings=RESOLVING)
async def racks(cluster: Cluster) -> None:
    """Four links between two pairs of five are cut."""
    await cluster.form("n1", "n2", "n3", "n4", "n5")
    await cluster.cut(["n2", "n3"], ["n4", "n5"])
    stay = cluster.that.agree("n1", "n2", "n3") | cluster.that.agree("n1", "n4", "n5")
    await cluster.until(stay, within=LONG)


@script(settings=MERGING)
async def split(cluster: Cluster) -> None:
    """One of three is cut off, and merges again."""
    await cluster.form("n1", "n2", "n3")
    await splits_and_heals(cluster, ["n1", "n2"], ["n3"])


@script(settings=MERGING)
async def split4(cluster: Cluster) -> None:
    """Two of four are cut off, and merge again."""
    await cluster.form("n1", "n2", "n3", "n4")
    await splits_and_heals(cluster, ["n1", "n2"], ["n3", "n4"])


@script(settings={**MERGING, "partition_count": 4, "maps": "data=1"})
async def splitdata(cluster: Cluster) -> None:
    """One of three that hold data is cut off, both parts write, and they merge again."""
    await cluster.form("n1", "n2", "n3")
    await writes(cluster, "n1", "n3")
    await cluster.until(cluster.that.is_safe(), within=LONG)
    cut = await cluster.cut(["n1", "n2"], ["n3"])
    await cluster.until(cluster.that.agree("n1", "n2") & cluster.that.agree("n3"), within=LONG)
    await writes(cluster, "n1", "n3")
    await cluster.heal(cut)
    await cluster.until(cluster.that.agree("n1", "n2", "n3"), within=LONG)
    await cluster.until(cluster.that.is_safe(), within=LONG)
    await cluster.sleep(SECOND)
    await cluster.take_stock()
    await cluster.read_back("n1")


async def writes(cluster: Cluster, *names: str) -> None:
    work = await cluster.work(names, keys=4, size=100, writes_percent=100, operations=4, pause=MILLISECOND)
    await cluster.until_worked(work, within=LONG)


async def splits_and_heals(cluster: Cluster, *parts: list[str]) -> None:
    cut = await cluster.cut(*parts)
    for part in parts:
        await cluster.until(cluster.that.agree(*part), within=LONG)
    await cluster.heal(cut)
    await cluster.until(cluster.that.agree(*(name for part in parts for name in part)), within=LONG)


@script(settings=DATA)
async def data(cluster: Cluster) -> None:
    """Clients write at three members, an owner of partitions is killed."""
    await cluster.form("n1", "n2", "n3")
    work = await cluster.work(["n1", "n2", "n3"], keys=3, size=100, writes_percent=60, pause=PAUSE)
    await cluster.until(cluster.that.is_safe(), within=LONG)
    await cluster.sleep(SECOND)
    await cluster.take_stock()
    await cluster.kill("n2")
    await cluster.until(cluster.that.agree("n1", "n3"), within=LONG)
    await cluster.until(cluster.that.is_safe(), within=LONG)
    await cluster.sleep(SECOND)
    await cluster.stop_work(work)
    await cluster.take_stock()
    await cluster.read_back("n1")


@script(settings={**DATA, "maps": "data=1"})
async def joiner(cluster: Cluster) -> None:
    """A third member comes to two that hold data: partitions migrate to it."""
    await cluster.form("n1", "n2")
    work = await cluster.work("n1", keys=8, size=100, writes_percent=60, operations=8, pause=MILLISECOND)
    await cluster.until_worked(work, within=LONG)
    await cluster.until(cluster.that.is_safe(), within=LONG)
    await cluster.join("n3")
    await cluster.until(cluster.that.is_safe(), within=LONG)
    await cluster.sleep(SECOND)


@script(settings=ALL)
async def hold(cluster: Cluster) -> None:
    """The master is killed, and the next one holds where its claim is finished."""
    await cluster.form("n1", "n2", "n3")
    held = await cluster.hold("n2", "ClaimFinished")
    await cluster.kill("n1")
    await cluster.until_held("n2", "ClaimFinished", within=LONG)
    await cluster.sleep(SECOND)
    await cluster.heal(held)
    await cluster.until(cluster.that.agree("n2", "n3"), within=LONG)


STORIES: Final[tuple[Script, ...]] = (form, figure5, racks, split, split4, splitdata, data, joiner, hold)
