"""Members leave while others die, leave, or are about to take over."""

from collections.abc import Mapping

from shaketable import SECOND, Cluster, Settings, script
from shaketable.chaos import LISTS, MERGING_OFF
from shaketable.chaos.helpers.leaving import leave_by_a_message


@script(about=[*LISTS, "claims"], settings=MERGING_OFF)
async def leave_while_the_master_dies(cluster: Cluster) -> None:
    """The master dies before it has answered a member that leaves: that one turns to the next master, and ends.

    That takes it no longer than the claim and one more request."""
    await cluster.form("n1", "n2", "n3", "n4")
    await cluster.drop("leaverequest", sender="n3", to=["n1"])
    answered = cluster.bounds.crash + 2 * cluster.settings.leave_retry
    leave = leave_by_a_message(cluster, "n3", ["n2", "n4"], within=answered)
    await cluster.together(leave, kill_the_master_meanwhile(cluster))
    await cluster.expect(cluster.that.agree("n2", "n4"), within=cluster.bounds.crash)


async def kill_the_master_meanwhile(cluster: Cluster) -> None:
    await cluster.sleep(cluster.settings.leave_retry)
    await cluster.kill("n1")


@script(about=[*LISTS, "claims"], settings=MERGING_OFF)
async def the_candidate_leaves(cluster: Cluster) -> None:
    """The next in line leaves in the middle of its claim: it ends at once, and the one after it claims."""
    await cluster.form("n1", "n2", "n3", "n4")
    await cluster.drop("claimaccepted", sender="n4", to=["n2"])
    await cluster.kill("n1")
    halfway = cluster.that.claims("n2") & cluster.that.follows("n4", "n2")
    await cluster.until(halfway, within=2 * cluster.bounds.crash)
    await cluster.leave("n2")
    await cluster.expect(cluster.that.agree("n3", "n4"), within=2 * cluster.bounds.crash)


@script(about=[*LISTS, "claims"], settings=MERGING_OFF)
async def all_but_one_leave(cluster: Cluster) -> None:
    """The master and two followers leave at once: a leaver that gets no answer from one master asks the next."""
    await cluster.form("n1", "n2", "n3", "n4")
    await cluster.together(cluster.leave("n1"), cluster.leave("n2"), cluster.leave("n3"))
    await cluster.expect(cluster.that.agree("n4"), within=2 * cluster.bounds.crash)


def impatient(run: Settings) -> Mapping[str, object]:
    """A member that leaves goes without an answer before it can miss any heartbeats."""
    return {**MERGING_OFF, "graceful_shutdown_max_wait_seconds": 2 * run.leave_retry / SECOND}


@script(about=LISTS, settings=impatient)
async def a_leave_that_nobody_hears_of(cluster: Cluster) -> None:
    """A leaving member's request is lost: the member waits as long as an answer may take, and goes."""
    await cluster.form("n1", "n2", "n3")
    await cluster.drop("leaverequest", sender="n3")
    await cluster.leave("n3")
    await cluster.expect(cluster.that.agree("n1", "n2"), within=cluster.bounds.crash)
