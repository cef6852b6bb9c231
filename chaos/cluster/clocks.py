"""Clocks jump and drift: nobody is suspected because of its own clock.

And heartbeats that are too old by the cluster's time, which count for nothing."""

from shaketable import Cluster, script
from shaketable.chaos import LISTS, MERGING_OFF

NAMES = ("n1", "n2", "n3")
DRIFT = 200_000
"""millionths: a fifth, far beyond any real clock. n3's reckoning of n1's time would be too far off after 1.25 timeouts,
so that its heartbeats would count for nothing, and n1 would be suspected a timeout later"""


def nobody_is_ever_suspected(cluster: Cluster) -> None:
    for a in NAMES:
        for b in NAMES:
            if a != b:
                cluster.always(cluster.that.trusts(a, b))


@script(about=LISTS, settings=MERGING_OFF)
async def clock_jump(cluster: Cluster) -> None:
    """The clocks of a follower and of the master jump far ahead: nobody is suspected.

    A member whose clock jumps finds its round late, and restarts all deadlines. The cluster's time is the master's."""
    await cluster.form(*NAMES)
    nobody_is_ever_suspected(cluster)
    for name in ("n3", "n1"):
        await cluster.clock(name, jump=5 * cluster.settings.heartbeat_timeout)
        # Time enough to miss somebody whose heartbeats have counted for nothing since.
        await cluster.sleep(2 * cluster.settings.heartbeat_timeout)
    await cluster.expect(cluster.that.agree(*NAMES), within=cluster.bounds.crash)


@script(about=LISTS, settings=MERGING_OFF)
async def clock_drift(cluster: Cluster) -> None:
    """The master's clock runs slow and a follower's fast for three timeouts: heartbeats keep pace, nobody is suspected.

    Each reckons silence by its own clock alone, and the cluster's time is learned anew from each of the master's
    heartbeats, so that no error adds up."""
    await cluster.form(*NAMES)
    nobody_is_ever_suspected(cluster)
    slow = await cluster.clock("n1", rate_ppm=-DRIFT)
    fast = await cluster.clock("n3", rate_ppm=DRIFT)
    await cluster.sleep(3 * cluster.settings.heartbeat_timeout)
    await cluster.heal(fast)
    await cluster.heal(slow)
    await cluster.sleep(2 * cluster.settings.heartbeat_interval)
    await cluster.expect(cluster.that.agree(*NAMES), within=cluster.bounds.crash)


@script(about=[*LISTS, "detection"], settings=MERGING_OFF)
async def heartbeats_that_are_too_old(cluster: Cluster) -> None:
    """All heartbeats of n3 come late by more than half the timeout: they count for nothing, and the master removes it.

    Its master confirmations are not late: it is removed for its heartbeats alone."""
    await cluster.form(*NAMES)
    await cluster.delay("heartbeat", cluster.settings.heartbeat_timeout * 3 // 4, sender="n3")
    await cluster.until(cluster.that.agree("n1", "n2"), within=cluster.bounds.silence)
    await cluster.expect(cluster.that.agree("n3"), within=3 * cluster.bounds.silence)
