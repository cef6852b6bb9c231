"""How sure a quantile and a mean are: the interval in which the true one lies in 95 of 100 such measurements.

That of a quantile holds for any distribution, and in 95 cases or more: both ends are values that were measured. That of
a mean is Student's, and holds the better the more runs there are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import comb, sqrt
from statistics import NormalDist, fmean, stdev
from typing import Final

from shaketable.node.core.env import Micros

EACH_SIDE: Final = 0.025
FEWEST: Final = 6
"""of a mean: with fewer values nothing is said"""


def interval_of_median(values: Iterable[Micros]) -> tuple[Micros, Micros] | None:
    return interval_of_quantile(values, 0.5)


def interval_of_quantile(values: Iterable[Micros], share: float) -> tuple[Micros, Micros] | None:
    """None: they are too few. As many of them lie below the true quantile as this share's coin shows heads."""
    ordered = sorted(values)
    many = len(ordered)
    below, above = _ranks(many, share), _ranks(many, 1 - share)
    return None if below < 0 or above < 0 else (ordered[below], ordered[many - 1 - above])


def _ranks(many: int, share: float) -> int:
    """The place of the last value of which it is sure enough that it is not above. -1: of none."""
    outside, place = 0.0, -1
    for heads in range(many):
        outside += comb(many, heads) * share**heads * (1 - share) ** (many - heads)
        if outside > EACH_SIDE:
            break
        place = heads
    return place


def interval_of_mean(values: Sequence[float]) -> tuple[float, float] | None:
    """None: they are too few, or all the same, which says nothing of how they differ."""
    if len(values) < FEWEST or min(values) == max(values):
        return None
    mean, wide = fmean(values), _student(len(values) - 1) * stdev(values) / sqrt(len(values))
    return mean - wide, mean + wide


def _student(free: int) -> float:
    """The quantile of Student's distribution, by its expansion around the normal one: to 0.003 from 5 degrees on."""
    z = NormalDist().inv_cdf(1 - EACH_SIDE)
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return z + first / free + second / free**2 + third / free**3
