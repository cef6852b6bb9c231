"""Policies at equal cost: each gets the heartbeat period with which a member sends as much as each other's does.

A quiet group is counted over a whole cycle. Nearly all that it sends comes so many times in a period: with twice the
period a member sends half as much in a second. For the rest it is counted again with the new period."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from shaketable.harness.detectors.members import Members
from shaketable.harness.detectors.variants import Variant
from shaketable.harness.detectors.workload import cycle
from shaketable.harness.errors import UserError
from shaketable.node.core.env import MILLISECOND, SECOND, Micros

MESSAGES: Final = "messages"
BYTES: Final = "bytes"
TWICE: Final = 2
LEAST: Final[Micros] = 10 * MILLISECOND
MOST: Final[Micros] = 3600 * SECOND
"""periods"""


@dataclass(frozen=True, slots=True)
class Cost:
    """That a member sends in a second, on the average, when all is quiet."""

    many: float
    unit: str
    """`MESSAGES` or `BYTES`"""


def period_at(policy: str, variant: Variant, members: int, cost: Cost, seed: int) -> Micros:
    for _ in range(TWICE):
        s = variant.settings
        period = round(s.gms_heartbeat_period * sent(variant, members, seed)[cost.unit] / cost.many)
        if not LEAST <= period <= MOST:
            raise UserError(
                f"--{cost.unit} {cost.many:g}: {policy} with {members} members would need a heartbeat period of "
                f"{period / SECOND:.3g} s; give a number that lets it lie between {LEAST / SECOND:g} s and "
                f"{MOST / SECOND:g} s"
            )
        variant = with_period(variant, period)
    return variant.settings.gms_heartbeat_period


def with_period(variant: Variant, period: Micros) -> Variant:
    made = replace(variant.settings, gms_heartbeat_period=period)
    if not variant.is_group:
        made = replace(made, heartbeat_interval=period, heartbeat_timeout=made.detection_window)
    return Variant(variant.name, made)


def sent(variant: Variant, members: int, seed: int) -> dict[str, float]:
    """By a member in a second, by the unit."""
    group = Members(variant, members, seed)
    group.form()
    group.be_quiet()
    traffic = group.world.traffic
    traffic.begin(weighs=True)
    seconds = cycle(variant.settings) * group.period / SECOND
    group.world.pass_time(cycle(variant.settings) * group.period)
    of_each = members * seconds
    return {MESSAGES: traffic.messages.total() / of_each, BYTES: traffic.bytes / of_each}
