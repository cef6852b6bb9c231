"""Figure 5 of the text on partial member disconnection, with split-brain recovery: N2 comes back and is removed again.

N2 cannot talk to N3 and N4, and has to go; N1, the master, can talk to it, so it is found again and comes back, and
has to go again, once a run (rulings 4.8). Each decision is right, and comes so soon that nobody is for longer than the
settle bound in one list with a member that it cannot reach; but as long as nobody mends the links there is no end to
it. n1 to n4 are the text's N1 to N4."""

from __future__ import annotations

from shaketable import Cluster, Micros, script
from shaketable.chaos import LISTS, resolving_and_merging
from shaketable.chaos.helpers.breaks import BLACK_HOLE, CUT, begin_all, noticed
from shaketable.chaos.helpers.one_decision import told

ABOUT = (*LISTS, "best clique", "fully connected")
ALL = ("n1", "n2", "n3", "n4")


@script(about=ABOUT, settings=resolving_and_merging)
async def figure_5_goes_round_cut(cluster: Cluster) -> None:
    """N2 is cut off from N3 and N4: each time N2 comes back it is removed again."""
    await it_goes_round(cluster, CUT)


@script(about=ABOUT, settings=resolving_and_merging)
async def figure_5_goes_round_black_hole(cluster: Cluster) -> None:
    """N2 and N3, N4 are silent to each other: each time N2 comes back it is removed again, a timeout later."""
    await it_goes_round(cluster, BLACK_HOLE)


async def it_goes_round(cluster: Cluster, how: str) -> None:
    """Each time by one decision for one merge, and no oftener than the two masters look for each other. It ends when
    the links heal."""
    await cluster.form(*ALL)
    await begin_all(cluster, how, ("n2", "n3"), ("n2", "n4"))
    removed = cluster.that.agree("n1", "n3", "n4") & cluster.that.agree("n2")
    goes = cluster.bounds.first_connection + cluster.bounds.resolution + told(cluster) + noticed(cluster, how)
    rounds = cluster.bounds.settle() // cluster.settings.merge_next_run_delay + 4
    came: list[Micros] = []
    for number in range(rounds):
        await cluster.until(removed & cluster.that.has_resolved("n1", times=number + 1), within=goes)
        comes = cluster.that.merged("n2", times=number + 1)
        await cluster.until(comes, within=cluster.bounds.converge())
        came.append(cluster.seen.now())
    await cluster.until(removed & cluster.that.has_resolved("n1", times=rounds + 1), within=goes)
    least = (rounds - 1) * cluster.settings.merge_next_run_delay // 2
    assert came[-1] - came[0] >= least, f"it came back at {came}"
    await cluster.heal_all()
    await cluster.expect(cluster.that.agree(*ALL), within=cluster.bounds.converge())
    await cluster.sleep(cluster.bounds.hanging_up + 2 * cluster.settings.merge_next_run_delay)
    await cluster.until(cluster.that.agree(*ALL), within=0)
