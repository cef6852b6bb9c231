"""What the settings promise of each policy: how soon a crash is suspected and told, and how many heartbeats it costs.

The formulas are those of the checks (harness/bounds/cluster.py and group.py). This module adds what the kind of fault
changes: if a process is killed, its links tell it, and a probe fails at once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.bounds.group import GroupBounds
from shaketable.harness.detectors.variants import Variant
from shaketable.harness.detectors.workload import (
    KILLED,
    MASTER_GONE,
    MASTER_KILLED,
    NEIGHBOURS_GONE,
)
from shaketable.harness.worlds.sim.world import SimWorld
from shaketable.node.config import ALL_TO_ALL, INFERRED, Settings
from shaketable.node.core.env import MILLISECOND, Micros

FAILED_BEFORE: Final = 4
"""so often an answer may have stayed out before the second of two crashed members is found"""


@dataclass(frozen=True, slots=True)
class Span:
    least: Micros
    most: Micros

    def outside(self, measured: Iterable[Micros]) -> int:
        """How many lie outside, with what the world itself may add. From one message to another less may pass at the
        receiver than at the sender, if the first was slower."""
        least, most = self.least - MILLISECOND, self.most + SimWorld.allowance
        return sum(not least <= each <= most for each in measured)


@dataclass(frozen=True, slots=True)
class Promise:
    """Of one kind of crash. Counted from the victim's last heartbeat, but `verified` from the suspicion on."""

    suspected: Span
    verified: Span | None
    """None: a cluster's member is removed on suspicion"""
    announced: Span


def promise(variant: Variant, members: int, kind: str) -> Promise:
    settings, master = variant.settings, kind in (MASTER_GONE, MASTER_KILLED)
    killed = kind in (KILLED, MASTER_KILLED)
    if not variant.is_group:
        return _of_cluster(settings, master, killed)
    if settings.swims:
        return _of_swim(settings, members, master, kind == NEIGHBOURS_GONE)
    return _of_group(replace(settings, gms_probe_timeout=0) if killed else settings, master, kind == NEIGHBOURS_GONE)


def _of_group(s: Settings, master: bool, two: bool) -> Promise:
    """With a probe that fails at once R is 0. A machine that is gone answers none: each probe takes all of R."""
    bounds = GroupBounds(s)
    least, verified = bounds.shortest_suspicion + s.gms_probe_timeout, bounds.verification
    if not master:
        announced = bounds.failure(2 if two else 1)
        return Promise(Span(least, announced - verified), Span(verified, verified), Span(least + verified, announced))
    # A member that expects no heartbeat of the master asks it for a sign every two windows, and may do so at once.
    soonest = least if s.gms_detection == ALL_TO_ALL else s.gms_probe_timeout
    asked = s.gms_probe_timeout + s.gms_verify_timeout
    most = bounds.take_over()
    return Promise(
        Span(soonest, most - asked - bounds.verification),
        Span(verified, verified + asked),
        Span(soonest + verified, most),
    )


def _of_swim(s: Settings, members: int, master: bool, two: bool) -> Promise:
    """No member knows its links, so that a process that is killed is like a machine that is gone. The last heartbeat is
    the last ping, up to a period before the crash. Before somebody's ping of one crashed member has failed, nobody
    takes itself for slow. With a second one gone, each ping of the first may have failed twice, for want of its answer
    and of the other's."""
    bounds = GroupBounds(s, members=members, health=min(s.worst_health, FAILED_BEFORE) if two else 0)
    shortest, longest = s.suspicion_wait(members - 1, members), bounds.verification
    asked = s.gms_probe_timeout + s.gms_verify_timeout if master else 0
    least, most = bounds.shortest_suspicion, bounds.take_over() if master else bounds.failure()
    most += s.gms_heartbeat_period
    return Promise(Span(least, most - longest - asked), Span(shortest, longest + asked), Span(least + shortest, most))


def _of_cluster(s: Settings, master: bool, killed: bool) -> Promise:
    bounds = Bounds(s)
    if killed:
        suspected = Span(bounds.shortest_grace, s.heartbeat_interval + bounds.crash)
    else:
        suspected = Span(s.heartbeat_timeout, bounds.silence)
    claim = s.mastership_claim_longest_retry if master else 0
    return Promise(suspected, None, Span(suspected.least, suspected.most + claim))


def heartbeats(variant: Variant, members: int, periods: int, *, talking: bool = False) -> tuple[int, int]:
    """The fewest and the most in so many periods, of all members together (rulings 5.5). In a ring with inferred ones
    a single message stands for one when all is quiet: who sends its heartbeats to the master, but expects none of it,
    asks it for a sign each two windows."""
    s = variant.settings
    if not variant.is_group:
        return (periods * members * (members - 1),) * 2
    _, most = GroupBounds(s).heartbeats(members)
    if s.worst_health and talking:  # by then members have slept, and may still take themselves for slow
        return periods * most // (1 + s.worst_health), periods * most
    if s.gms_detection != INFERRED:
        return periods * most, periods * most
    if talking:
        return 0, periods * (most - 1)
    return periods * most - -(-periods // (2 * s.gms_max_missed)), periods * most
