"""Member lists get lost, arrive late, or are half published: faults by kind of message, and crash points."""

from collections.abc import Mapping

from shaketable import SECOND, Cluster, Settings, script
from shaketable.chaos import LISTS, MERGING_OFF

ABOUT = (*LISTS, "detection")


@script(about=ABOUT, settings=MERGING_OFF)
async def lost_list(cluster: Cluster) -> None:
    """One follower misses the list without n4: the master's periodic publish cures it."""
    await cluster.form("n1", "n2", "n3", "n4")
    await cluster.drop("membersupdate", sender="n1", to=["n3"], count=1)
    await cluster.kill("n4")
    await cluster.expect(
        cluster.that.agree("n1", "n2", "n3"), within=cluster.bounds.crash + cluster.bounds.lost_publish
    )


def no_periodic_list(run: Settings) -> Mapping[str, object]:
    """No list comes of itself in all the run, so that the one that is held back is the one that is meant."""
    return {**MERGING_OFF, "member_list_publish_interval_seconds": 20 * run.heartbeat_timeout / SECOND}


@script(about=ABOUT, settings=no_periodic_list)
async def late_list(cluster: Cluster) -> None:
    """The list without n5 reaches n3 only after the list without n4: it is ignored, and no order is turned."""
    await cluster.form("n1", "n2", "n3", "n4", "n5")
    # A member may have heard of another before it had the new list: it complains, and is sent the list again.
    await cluster.sleep(cluster.settings.heartbeat_interval)
    held = await cluster.hold_back("membersupdate", sender="n1", to=["n3"], count=1)
    await cluster.kill("n5")
    removed = cluster.that.has_list("n2", version=6, members=["n1", "n2", "n3", "n4"]) & cluster.that.caught(held)
    await cluster.until(removed, within=cluster.bounds.crash)
    await cluster.kill("n4")
    await cluster.until(cluster.that.agree("n1", "n2", "n3"), within=cluster.bounds.crash)
    cluster.always(cluster.that.agree("n1", "n2", "n3"))
    ignored = cluster.that.ignores("n3", version=6)
    await cluster.heal(held)
    await cluster.expect(ignored & cluster.that.agree("n1", "n2", "n3"), within=cluster.settings.heartbeat_interval)


@script(about=[*ABOUT, "claims"], settings=MERGING_OFF)
async def crash_in_mid_publish(cluster: Cluster) -> None:
    """The master dies when one of three followers has its newest list: the next master takes that list up."""
    await cluster.form("n1", "n2", "n3", "n4", "n5")
    await cluster.hold("n1", "ViewPublished", after=1)
    await cluster.kill("n5")
    await cluster.until_held("n1", "ViewPublished", within=cluster.bounds.crash)
    await cluster.kill("n1")
    await cluster.expect(cluster.that.agree("n2", "n3", "n4"), within=2 * cluster.bounds.crash)


@script(about=ABOUT, settings=MERGING_OFF)
async def skip_two_lists(cluster: Cluster) -> None:
    """n3 misses the lists without n6 and without n5; the next one that comes through takes it there in one step.

    No list says what has changed, each is the whole: who skips some has missed nothing that counts."""
    names = ["n1", "n2", "n3", "n4", "n5", "n6"]
    await cluster.form(*names)
    lost = await cluster.drop("membersupdate", sender="n1", to=["n3"])
    for gone, version in (("n6", 7), ("n5", 8)):
        await cluster.kill(gone)
        left = names[: names.index(gone)]
        await cluster.until(cluster.that.has_list("n2", version=version, members=left), within=cluster.bounds.crash)
    both = cluster.that.suspects("n3", "n5") & cluster.that.suspects("n3", "n6")
    behind = cluster.that.has_list("n3", version=6, members=names)
    await cluster.until(behind & both, within=cluster.bounds.crash)
    await cluster.heal(lost)
    await cluster.kill("n4")
    await cluster.expect(
        cluster.that.has_list("n3", version=9, members=["n1", "n2", "n3"]), within=cluster.bounds.crash
    )
    await cluster.expect(cluster.that.agree("n1", "n2", "n3"), within=cluster.bounds.crash)
