"""The failure detector is a policy: what `phi-accrual` notices, and what neither it nor the deadline may notice.

Its bound comes from the settings too: it bears the timeout on top of the intervals that it has seen
(docs/failure-detectors.md)."""

from shaketable import MILLISECOND, Cluster, script
from shaketable.chaos import LISTS, MERGING_OFF

PHI = {**MERGING_OFF, "failure_detector": "phi-accrual"}
NAMES = ("n1", "n2", "n3", "n4")


@script(about=LISTS, settings=PHI, unless="own_detector")
async def silence_under_phi_accrual(cluster: Cluster) -> None:
    """n3 falls silent and lives: phi-accrual bears that for longer than the timeout, and then n3 is removed."""
    timeout, interval = cluster.settings.heartbeat_timeout, cluster.settings.heartbeat_interval
    await cluster.form(*NAMES)
    await cluster.sleep(8 * interval)
    await cluster.isolate("n3", how="blackhole")
    # The last heartbeat came up to an interval before.
    await cluster.sleep(timeout)
    await cluster.until(cluster.that.agree(*NAMES), within=0)
    await cluster.expect(cluster.that.agree("n1", "n2", "n4") & cluster.that.agree("n3"), within=cluster.bounds.silence)


@script(about=LISTS, settings=MERGING_OFF)
async def jitter_under_the_deadline(cluster: Cluster) -> None:
    """All links are slow, each message by another time: the deadline lies far beyond, and nobody is suspected."""
    await jitter(cluster)


@script(about=LISTS, settings=PHI)
async def jitter_under_phi_accrual(cluster: Cluster) -> None:
    """All links are slow, each message by another time: phi-accrual learns it, and nobody is suspected."""
    await jitter(cluster)


async def jitter(cluster: Cluster) -> None:
    """For three timeouts every message is late by up to a quarter of one. By more than half it would be too old."""
    timeout = cluster.settings.heartbeat_timeout
    await cluster.form(*NAMES)
    pairs = [(a, b) for a in NAMES for b in NAMES if a < b]
    for a, b in pairs:
        cluster.always(cluster.that.trusts(a, b) & cluster.that.trusts(b, a))
    latency = timeout // 8 // MILLISECOND * MILLISECOND
    await cluster.together(*[cluster.slow(a, b, latency, jitter=latency) for a, b in pairs])
    await cluster.sleep(3 * timeout)
    await cluster.heal_all()
    await cluster.expect(cluster.that.agree(*NAMES), within=cluster.bounds.silence)
