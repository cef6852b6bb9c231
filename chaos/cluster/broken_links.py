"""Links between two followers break and heal, while the master hears from both."""

from shaketable import MILLISECOND, Cluster, script
from shaketable.chaos import LISTS, MERGING_OFF
from shaketable.chaos.helpers.breaks import both_suspect

ABOUT = (*LISTS, "detection")


@script(about=ABOUT, settings=MERGING_OFF)
async def cut_and_heal(cluster: Cluster) -> None:
    """A link is cut both ways and heals: nobody leaves, but the mutual suspicion stays.

    Suspected followers get no heartbeats, and only a heartbeat ends a suspicion: behaviour of the text."""
    await cluster.form("n1", "n2", "n3", "n4")
    cut = await cluster.cut("n2", "n3")
    both = both_suspect(cluster, "n2", "n3")
    await cluster.until(both, within=cluster.bounds.crash)
    # A heartbeat from before may wait for the link for some time, and would end a suspicion.
    await cluster.sleep(3 * cluster.settings.heartbeat_interval)
    await cluster.heal(cut)
    await cluster.sleep(3 * cluster.settings.heartbeat_interval)
    everybody = cluster.that.agree("n1", "n2", "n3", "n4")
    await cluster.expect(everybody & both, within=cluster.bounds.crash)


@script(about=ABOUT, settings=MERGING_OFF)
async def one_way_cut(cluster: Cluster) -> None:
    """Only what n2 sends to n3 is cut: n2 knows at once, and its suspicion ends with the heal.

    n3 would notice by silence alone; the link heals long before."""
    await cluster.form("n1", "n2", "n3", "n4")
    cut = await cluster.cut("n2", "n3", one_way=True)
    await cluster.until(cluster.that.suspects("n2", "n3"), within=cluster.bounds.crash)
    # Heartbeats of n3 still arrive at n2; while its own link is lost they must not end the suspicion.
    await cluster.sleep(2 * cluster.settings.heartbeat_interval)
    await cluster.until(cluster.that.suspects("n2", "n3"), within=0)
    await cluster.heal(cut)
    trust = cluster.that.trusts("n2", "n3") & cluster.that.trusts("n3", "n2")
    await cluster.expect(
        trust & cluster.that.agree("n1", "n2", "n3", "n4"), within=2 * cluster.settings.heartbeat_interval
    )


@script(about=LISTS, settings=MERGING_OFF)
async def bad_but_not_broken(cluster: Cluster) -> None:
    """Slow, thin, sliced, reset and briefly flapping links are borne: nobody is ever suspected."""
    names = ("n1", "n2", "n3", "n4")
    await cluster.form(*names)
    for a in names:
        for b in names:
            if a != b:
                cluster.always(cluster.that.trusts(a, b))
    heartbeat = cluster.settings.heartbeat_interval
    slow = await cluster.slow("n1", "n2", 60 * MILLISECOND, jitter=20 * MILLISECOND)
    thin = await cluster.thin("n2", "n3", 20_000)
    sliced = await cluster.slice("n3", "n4", one_way=True)
    await cluster.sleep(4 * heartbeat)
    await cluster.heal(slow)
    await cluster.heal(thin)
    await cluster.heal(sliced)
    await cluster.reset("n1", "n3")
    await cluster.flap("n1", "n4", down=20 * MILLISECOND, up=heartbeat, times=3, one_way=True)
    await cluster.expect(cluster.that.agree(*names), within=cluster.bounds.crash)


@script(about=ABOUT, settings=MERGING_OFF)
async def flapping_link(cluster: Cluster) -> None:
    """The link from n2 to n3 is cut past the grace, again and again: each loss is noticed, and each end forgiven.

    n2 alone suspects; n3 keeps sending heartbeats, so each time the link is up again the next of them ends it. Nobody
    leaves, however often, as long as the link stays up until n2's own next heartbeat: n3 counts its silence."""
    await cluster.form("n1", "n2", "n3", "n4")
    cluster.always(cluster.that.agree("n1", "n2", "n3", "n4") & cluster.that.trusts("n3", "n2"))
    heartbeat = cluster.settings.heartbeat_interval
    for _ in range(6):
        cut = await cluster.cut("n2", "n3", one_way=True)
        await cluster.until(cluster.that.suspects("n2", "n3"), within=cluster.bounds.crash)
        await cluster.heal(cut)
        await cluster.until(cluster.that.trusts("n2", "n3"), within=2 * heartbeat)
        await cluster.sleep(2 * heartbeat)
    await cluster.expect(cluster.that.trusts("n2", "n3"), within=2 * heartbeat)


@script(about=[*ABOUT, "claims"], settings=MERGING_OFF)
async def split_in_two(cluster: Cluster) -> None:
    """Three nodes lose two: each side goes on as a cluster of its own (nothing merges them yet)."""
    await cluster.form("n1", "n2", "n3", "n4", "n5")
    await cluster.split(["n1", "n2", "n3"], ["n4", "n5"])
    await cluster.expect(
        cluster.that.agree("n1", "n2", "n3") & cluster.that.agree("n4", "n5"), within=2 * cluster.bounds.crash
    )
