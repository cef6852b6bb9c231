"""Nodes crash, pause and leave."""

from shaketable import Cluster, script
from shaketable.chaos import LISTS, MERGING_OFF
from shaketable.chaos.helpers.leaving import leave_by_a_message

ABOUT = (*LISTS, "detection")


@script(about=ABOUT, settings=MERGING_OFF)
async def kill_a_follower(cluster: Cluster) -> None:
    """A follower is killed: the master knows by its lost connection and takes it off the list."""
    await cluster.form("n1", "n2", "n3", "n4")
    await cluster.kill("n3")
    await cluster.expect(cluster.that.agree("n1", "n2", "n4"), within=cluster.bounds.crash)


@script(about=[*ABOUT, "claims"], settings=MERGING_OFF)
async def kill_the_master(cluster: Cluster) -> None:
    """The master is killed: the next in line claims the mastership, and all follow it."""
    await cluster.form("n1", "n2", "n3", "n4")
    await cluster.kill("n1")
    await cluster.expect(cluster.that.agree("n2", "n3", "n4"), within=cluster.bounds.crash)


@script(about=ABOUT, settings=MERGING_OFF)
async def restart_a_follower(cluster: Cluster) -> None:
    """A killed follower returns on its old address with a new identity, as the youngest."""
    await cluster.form("n1", "n2", "n3", "n4")
    await cluster.kill("n2")
    await cluster.until(cluster.that.agree("n1", "n3", "n4"), within=cluster.bounds.crash)
    await cluster.restart("n2")
    await cluster.expect(cluster.that.agree("n1", "n3", "n4", "n2"), within=cluster.bounds.forming)


@script(about=ABOUT, settings=MERGING_OFF, unless="comes_back")
async def pause_a_node(cluster: Cluster) -> None:
    """A long GC pause: the master takes the sleeper off; when it wakes it must not harm the others.

    It finds itself removed and goes on as a cluster of its own, until split-brain recovery exists."""
    await cluster.form("n1", "n2", "n3", "n4")
    pause = await cluster.pause("n4")
    await cluster.until(cluster.that.agree("n1", "n2", "n3"), within=cluster.bounds.silence)
    cluster.always(cluster.that.agree("n1", "n2", "n3"))
    await cluster.heal(pause)
    await cluster.until(cluster.that.agree("n4"), within=2 * cluster.bounds.silence)
    await cluster.sleep(cluster.settings.member_list_publish_interval + cluster.bounds.silence)
    await cluster.expect(cluster.that.agree("n1", "n2", "n3") & cluster.that.agree("n4"), within=cluster.bounds.crash)


@script(about=[*ABOUT, "claims"], settings=MERGING_OFF)
async def graceful_leave(cluster: Cluster) -> None:
    """A follower leaves, then the master: a leave is a message, which is answered, and nobody suspects the follower."""
    await cluster.form("n1", "n2", "n3", "n4")
    await leave_by_a_message(cluster, "n3", ["n1", "n2", "n4"], within=cluster.bounds.crash)
    await cluster.leave("n1")
    await cluster.expect(cluster.that.agree("n2", "n4"), within=cluster.bounds.crash)
