"""What stories of split-brain recovery have in common: how a cluster comes apart, and how it is one again.

The end is the promise of the text on split-brain recovery: members that could form one cluster are one again, once the
links between them are whole. Members that went over have a new identity, the others kept theirs, and all stay so."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import reduce
from operator import and_
from typing import Final

from shaketable import Cluster, Condition, Injected, Micros
from shaketable.chaos import LISTS

ABOUT: Final = (*LISTS, "split heals", "converged", "one direction", "identities renewed")
ON_THE_WAY: Final = tuple(name for name in ABOUT if name != "split heals")
"""Some are under way already when the last fault ends, or one again: then no split has to heal."""
OF_TWO: Final = tuple(name for name in ABOUT if name != "view order")
"""Of two members no two ever install two lists that both have: what has an order is not seen."""
Parts = Sequence[Sequence[str]]


async def come_apart(cluster: Cluster, *parts: Sequence[str], how: str = "cut", within: Micros = 0) -> Injected:
    """Each is a cluster of its own."""
    apart = await cluster.split(*parts, how=how)
    await cluster.until(are_apart(cluster, parts), within=within or cluster.bounds.settle())
    return apart


async def come_apart_until_forgotten(cluster: Cluster, *parts: Sequence[str]) -> None:
    """Nobody remembers anybody of another part any more when the links are whole again."""
    apart = await come_apart(cluster, *parts)
    await cluster.sleep(cluster.settings.address_retention + cluster.settings.merge_next_run_delay)
    await cluster.heal(apart)


async def heal_until_held(
    cluster: Cluster, apart: Injected, who: str, event: str, after: int | None = None
) -> Injected:
    """The links are whole again, and this one holds there, on its way to the larger part."""
    held = await cluster.hold(who, event, after=after)
    await cluster.heal(apart)
    await cluster.until_held(who, event, within=cluster.bounds.converge())
    return held


def are_apart(cluster: Cluster, parts: Parts) -> Condition:
    return reduce(and_, [cluster.that.agree(*part) for part in parts])


async def become_one(
    cluster: Cluster, staying: Sequence[str], going_over: Sequence[str], *, clusters: int = 2, times: int = 1
) -> None:
    """The parts become one cluster, and stay so while masters go on looking for each other."""
    await cluster.expect(cluster.that.agree(*staying, *going_over), within=cluster.bounds.converge(clusters))
    await it_stays_so(cluster, staying, going_over, times=times)


async def it_stays_so(cluster: Cluster, staying: Iterable[str], going_over: Iterable[str], *, times: int = 1) -> None:
    """Nobody goes over but these, and nobody back again."""
    cluster.always(have_gone_over(cluster, staying, 0) & have_gone_over(cluster, going_over, times))
    await cluster.sleep(3 * cluster.settings.merge_next_run_delay)


def have_gone_over(cluster: Cluster, names: Iterable[str], times: int) -> Condition:
    """Each of these members has gone over exactly `times` times since its process began."""
    names = tuple(names)
    label = f"{', '.join(names)} have gone over {'once' if times == 1 else f'{times} times'}"
    return replace(reduce(and_, [cluster.that.merged(name, times=times) for name in names]), label=label)
