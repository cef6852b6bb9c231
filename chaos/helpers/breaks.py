"""What the stories of partial disconnection break, and when it is known: a cut at once, a black hole by silence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from shaketable import Cluster, Condition, Injected, Micros

CUT: Final = "cut"
BLACK_HOLE: Final = "blackhole"


async def begin(cluster: Cluster, how: str, a: str, b: str, *, one_way: bool = False) -> Injected:
    verb = cluster.cut if how == CUT else cluster.blackhole
    return await verb(a, b, one_way=one_way)


async def begin_all(cluster: Cluster, how: str, *links: tuple[str, str], one_way: bool = False) -> Sequence[Injected]:
    """At once. One way: what the first of each sends to the second."""
    return await cluster.together(*[begin(cluster, how, a, b, one_way=one_way) for a, b in links])


def both_suspect(cluster: Cluster, a: str, b: str) -> Condition:
    """Each of the two suspects the other."""
    return cluster.that.suspects(a, b) & cluster.that.suspects(b, a)


def noticed(cluster: Cluster, how: str) -> Micros:
    """The last of those who can notice it suspects."""
    return cluster.bounds.crash if how == CUT else cluster.bounds.silence


def reported(cluster: Cluster, how: str) -> Micros:
    """And tells its master, with its next heartbeat."""
    return noticed(cluster, how) + cluster.settings.heartbeat_interval


def all_trust_but(cluster: Cluster, names: Iterable[str], *two: str) -> None:
    """From now on nobody of them suspects anybody, these two apart."""
    for a in names:
        for b in names:
            if a != b and {a, b} != set(two):
                cluster.always(cluster.that.trusts(a, b))
