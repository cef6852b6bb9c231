"""A group is split in two, and the split heals: two masters learn of each other, and one rule says which stays.

From rulings 5.2: each master goes on asking; the loser's members adopt the winner's view. Five members, of whom the
oldest are last in their order, so that the two elections have different winners."""

from __future__ import annotations

from shaketable import Cluster
from shaketable.chaos.helpers.groups import ABOUT, BY_SENIORITY, CALM, LEADERSHIP, follow, form, scripts_under

LEFT, RIGHT = ("n2", "n3"), ("n4", "n5", "n6")
HEALS = (*ABOUT, *CALM, "suspected first", "no false failure", LEADERSHIP)


@scripts_under(about=HEALS)
async def group_split_by_cut(cluster: Cluster) -> None:
    """Connections between two sides break and return: each side has a master, and in the end all have one."""
    await a_split_heals(cluster, "cut")


@scripts_under(about=HEALS)
async def group_split_by_black_hole(cluster: Cluster) -> None:
    """Two sides do not hear each other for long: each has a master, in the end all have one."""
    await a_split_heals(cluster, "blackhole")


async def a_split_heals(cluster: Cluster, how: str) -> None:
    await form(cluster, "n1", *LEFT, *RIGHT)
    await cluster.leave("n1")
    group, everybody = cluster.bounds.group, [*LEFT, *RIGHT]
    await cluster.until(cluster.that.agree(*everybody), within=group.shutdown)
    by_age = cluster.settings.gms_election == BY_SENIORITY
    left, right, winner = ("n3", "n6", "n6") if by_age else ("n2", "n4", "n2")
    split = await cluster.split(LEFT, RIGHT, how=how)
    sides = cluster.that.agree(*LEFT) & cluster.that.agree(*RIGHT)
    within = group.take_over_and_failures(candidates=1, others=2)
    await cluster.expect(sides & follow(cluster, LEFT, left) & follow(cluster, RIGHT, right), within=within)
    await cluster.heal(split)
    await cluster.expect(cluster.that.agree(*everybody) & follow(cluster, everybody, winner), within=group.heal)
    await cluster.calm()
    await cluster.until(cluster.that.agree(*everybody) & follow(cluster, everybody, winner), within=0)
