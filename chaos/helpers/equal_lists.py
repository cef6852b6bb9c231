"""Of several equally large lists ours keep that of the oldest members; of another system any may stay."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from itertools import product
from operator import or_
from typing import NamedTuple

from shaketable import Cluster, Condition, Micros

Names = Sequence[str]


class Parts(NamedTuple):
    staying: Names
    leaving: Names


def one_of_each(*pairs: tuple[str, str]) -> Sequence[Names]:
    """All ways; in the first of them each pair's first one leaves."""
    return list(product(*pairs))


def allowed(cluster: Cluster, names: Names, leaving: Sequence[Names]) -> Sequence[Parts]:
    """`leaving`: who may leave, the first of them as ours decide. The first of the names is the master, and stays."""
    ways = leaving if cluster.under_test.any_best else leaving[:1]
    return [Parts([name for name in names if name not in gone], gone) for gone in ways]


async def one_list_stays(cluster: Cluster, names: Names, *leaving: Names, within: Micros) -> Parts:
    """Those who stay agree within that time."""
    ways = allowed(cluster, names, leaving)
    agreed = reduce(or_, [cluster.that.agree(*way.staying) for way in ways])
    if len(ways) > 1:
        agreed = Condition(f"all but {', '.join(leaving[0])}, or as many in their place, agree", agreed.ask)
    await cluster.until(agreed, within=within)
    return how_they_parted(cluster, names, *leaving)


def how_they_parted(cluster: Cluster, names: Names, *leaving: Names) -> Parts:
    """By the master's list."""
    kept = {member.uuid for member in cluster.seen.view(names[0]).members}
    ways = allowed(cluster, names, leaving)
    return next(way for way in ways if all(cluster.seen.view(name).incarnation in kept for name in way.staying))
