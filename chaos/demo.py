"""The demonstration: a one-way silence, its end, and the death of the master."""

from shaketable.chaos import LISTS, MERGING_OFF
from shaketable.harness.cluster import Cluster
from shaketable.harness.scripts import script


@script(
    about=[*LISTS, "claims", "detection"],
    settings=MERGING_OFF,
)
async def demo(cluster: Cluster) -> None:
    """One direction of a link falls silent and heals, then the master is killed.

    Only one direction: where both fall silent both sides suspect, neither sends any more, and the suspicions outlive
    the heal. That is how the text has it, and a script of its own shows it."""
    heartbeat = cluster.settings.heartbeat_interval
    await cluster.form("n1", "n2", "n3", "n4")

    silence = await cluster.blackhole("n2", "n3", one_way=True)
    await cluster.until(cluster.suspects("n3", "n2"), within=cluster.bounds.silence)
    await cluster.heal(silence)
    await cluster.until(cluster.trusts("n3", "n2"), within=2 * heartbeat)

    await cluster.kill("n1")
    await cluster.expect(cluster.agree("n2", "n3", "n4"), within=cluster.bounds.crash)
