"""Masters that crash, sleep, or lose touch with everybody: who is master next, and what the old one can still do."""

from shaketable import Cluster, script
from shaketable.chaos import LISTS, MERGING_OFF

ABOUT = (*LISTS, "claims", "detection")


@script(about=ABOUT, settings=MERGING_OFF)
async def kill_the_master_while_a_follower_lags(cluster: Cluster) -> None:
    """The master dies when n3 lacks its newest list: n3 is asked all the same, and the new master brings it up to date.

    n3 answers the claim with version 5, in which n5 still lives, n4 with version 6; the final list is above both."""
    await cluster.form("n1", "n2", "n3", "n4", "n5")
    await cluster.drop("membersupdate", sender="n1", to=["n3"])
    await cluster.kill("n5")
    without_n5 = ["n1", "n2", "n3", "n4"]
    others = cluster.that.has_list("n2", version=6, members=without_n5) & cluster.that.has_list(
        "n4", version=6, members=without_n5
    )
    await cluster.until(others, within=cluster.bounds.crash)
    await cluster.until(cluster.that.has_list("n3", version=5, members=[*without_n5, "n5"]), within=0)
    await cluster.kill("n1")
    up_to_date = cluster.that.has_list("n3", version=7, members=["n2", "n3", "n4"])
    await cluster.expect(cluster.that.agree("n2", "n3", "n4") & up_to_date, within=cluster.bounds.crash)


@script(about=ABOUT, settings=MERGING_OFF)
async def kill_the_master_and_the_next_in_line(cluster: Cluster) -> None:
    """The two oldest crash together: the third suspects both, and only then is it its turn to claim."""
    await cluster.form("n1", "n2", "n3", "n4", "n5")
    await cluster.together(cluster.kill("n1"), cluster.kill("n2"))
    await cluster.expect(
        cluster.that.has_list("n3", version=6, members=["n3", "n4", "n5"]), within=cluster.bounds.crash
    )
    await cluster.expect(cluster.that.agree("n3", "n4", "n5"), within=cluster.bounds.crash)


@script(about=LISTS, settings=MERGING_OFF)
async def the_master_naps(cluster: Cluster) -> None:
    """The master sleeps for half the timeout: nobody suspects it, and it suspects nobody when it wakes."""
    names = ("n1", "n2", "n3", "n4")
    await cluster.form(*names)
    for name in names[1:]:
        cluster.always(cluster.that.trusts("n1", name) & cluster.that.trusts(name, "n1"))
    cluster.always(cluster.that.agree(*names))
    nap = await cluster.pause("n1")
    await cluster.sleep(cluster.settings.heartbeat_timeout // 2)
    await cluster.heal(nap)
    await cluster.sleep(2 * cluster.settings.heartbeat_interval)
    await cluster.expect(cluster.that.agree(*names), within=cluster.bounds.crash)


@script(about=ABOUT, settings=MERGING_OFF, unless="comes_back")
async def the_master_oversleeps(cluster: Cluster) -> None:
    """The master sleeps for longer than the timeout, and wakes as a master whom nobody follows: it harms nobody.

    It still holds the old list and speaks as its master. It hears explicit suspicions: it takes off each member that
    sends one, and ends as a cluster of its own (nothing merges them yet)."""
    await cluster.form("n1", "n2", "n3", "n4")
    sleep = await cluster.pause("n1")
    others = cluster.that.agree("n2", "n3", "n4")
    await cluster.until(others, within=cluster.bounds.take_over)
    cluster.always(others)
    await cluster.heal(sleep)
    await cluster.until(cluster.that.agree("n1"), within=2 * cluster.bounds.silence)
    await cluster.sleep(cluster.settings.member_list_publish_interval + cluster.bounds.silence)
    await cluster.expect(cluster.that.agree("n1") & others, within=cluster.bounds.crash)


@script(about=ABOUT, settings=MERGING_OFF)
async def cut_off_the_master(cluster: Cluster) -> None:
    """All links of the master are cut: both sides know it at once, and each goes on without the other.

    They stay two when the links heal: neither has the other in its list any more."""
    await cluster.form("n1", "n2", "n3", "n4")
    cut = await cluster.isolate("n1")
    apart = cluster.that.agree("n1") & cluster.that.agree("n2", "n3", "n4")
    await cluster.until(apart, within=2 * cluster.bounds.crash)
    cluster.always(apart)
    await cluster.heal(cut)
    await cluster.sleep(3 * cluster.settings.heartbeat_interval)
    await cluster.expect(apart, within=cluster.bounds.crash)


@script(about=ABOUT, settings=MERGING_OFF)
async def silence_the_master(cluster: Cluster) -> None:
    """All links of the master swallow what is sent: nobody is told, and only the timeout brings it to light.

    The end is that of a cut, a heartbeat timeout later, and it outlives the silence just so."""
    await cluster.form("n1", "n2", "n3", "n4")
    silence = await cluster.isolate("n1", how="blackhole")
    cluster.always(cluster.that.trusts("n2", "n3") & cluster.that.trusts("n3", "n2"))
    apart = cluster.that.agree("n1") & cluster.that.agree("n2", "n3", "n4")
    await cluster.until(apart, within=cluster.bounds.take_over)
    cluster.always(apart)
    await cluster.heal(silence)
    await cluster.sleep(3 * cluster.settings.heartbeat_interval)
    await cluster.expect(apart, within=cluster.bounds.crash)


@script(about=ABOUT, settings=MERGING_OFF)
async def rolling_restart(cluster: Cluster) -> None:
    """Every node leaves and returns, the oldest first: each is the master when its turn comes.

    It comes back under a new identity, as the youngest, so that in the end the order is the old one."""
    names = ["n1", "n2", "n3", "n4"]
    await cluster.form(*names)
    for name in list(names):
        names.remove(name)
        await cluster.leave(name)
        await cluster.until(cluster.that.agree(*names), within=cluster.bounds.crash)
        await cluster.restart(name)
        names.append(name)
        await cluster.until(cluster.that.agree(*names), within=cluster.bounds.forming)
    await cluster.expect(cluster.that.has_list("n4", version=12, members=names), within=cluster.bounds.forming)
