"""Links whose other end accepts the connection and then never answers, so that every handshake hangs.

A silent proxy is not a cut cable: in the real system halves that were parted so broke further apart, each time. Here a
handshake that hangs delays nothing on any other link. A cut drops the connection first, and ends over a black hole."""

from shaketable import Cluster, script
from shaketable.chaos import LISTS, MERGING_OFF
from shaketable.chaos.helpers.breaks import all_trust_but, both_suspect

ABOUT = (*LISTS, "detection")
FIVE = ("n1", "n2", "n3", "n4", "n5")


@script(about=ABOUT, settings=MERGING_OFF)
async def a_link_hangs_in_its_handshake(cluster: Cluster) -> None:
    """n2's connection to n3 drops and hangs in its handshake from then on: only these two suspect each other.

    n2 knows it by the lost connection, n3 by silence; neither tells anybody, and nobody leaves."""
    await cluster.form(*FIVE)
    all_trust_but(cluster, FIVE, "n2", "n3")
    cut = await cluster.cut("n2", "n3", one_way=True)
    hangs = await cluster.blackhole("n2", "n3", one_way=True)
    await cluster.heal(cut)
    await cluster.until(cluster.that.suspects("n2", "n3"), within=cluster.bounds.crash)
    await cluster.until(cluster.that.suspects("n3", "n2"), within=cluster.bounds.silence)
    await cluster.sleep(2 * cluster.settings.heartbeat_timeout)
    await cluster.heal(hangs)
    await cluster.expect(cluster.that.agree(*FIVE), within=cluster.bounds.crash)


@script(about=ABOUT, settings=MERGING_OFF)
async def a_link_hangs_from_its_first_handshake_on(cluster: Cluster) -> None:
    """n3 comes back, and n2's first connection to it hangs in its handshake: it is in time for the master all the same.

    n2 waits for a first connection as long as for a heartbeat; then these two suspect each other, and nobody else."""
    await cluster.form(*FIVE)
    hangs = await cluster.blackhole("n2", "n3", one_way=True)
    await cluster.kill("n3")
    await cluster.until(cluster.that.agree("n1", "n2", "n4", "n5"), within=cluster.bounds.crash)
    await cluster.restart("n3")
    await cluster.until(cluster.that.agree("n1", "n2", "n4", "n5", "n3"), within=cluster.bounds.forming)
    all_trust_but(cluster, FIVE, "n2", "n3")
    await cluster.sleep(2 * cluster.bounds.crash)
    await cluster.until(cluster.that.trusts("n2", "n3"), within=0)
    both = both_suspect(cluster, "n2", "n3")
    await cluster.until(both, within=cluster.bounds.silence)
    await cluster.sleep(2 * cluster.settings.heartbeat_timeout)
    await cluster.heal(hangs)
    await cluster.expect(cluster.that.agree("n1", "n2", "n4", "n5", "n3"), within=cluster.bounds.crash)


@script(about=[*ABOUT, "claims"], settings=MERGING_OFF)
async def halves_that_hang_in_their_handshakes(cluster: Cluster) -> None:
    """Three and three, and every handshake between them hangs: each half stays whole."""
    left, right = ("n1", "n2", "n3"), ("n4", "n5", "n6")
    await cluster.form(*left, *right)
    for half in (left, right):
        all_trust_but(cluster, half)
    cut = await cluster.split(left, right)
    await cluster.split(left, right, how="blackhole")
    await cluster.heal(cut)
    halves = cluster.that.agree(*left) & cluster.that.agree(*right)
    await cluster.until(halves, within=cluster.bounds.take_over)
    cluster.always(halves)
    await cluster.sleep(5 * cluster.settings.heartbeat_timeout)
    await cluster.expect(halves, within=cluster.bounds.crash)
