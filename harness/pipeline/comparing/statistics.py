"""What may be said of two samples: tests that assume no shape of distribution, exact where few values leave no other
way, an interval for how large a difference is, and the correction for looking at many differences at once."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate
from math import comb, erfc, sqrt
from typing import Final

MOST_EXACT: Final = 40
"""pairs: beyond these the normal distribution is as good"""
RESAMPLES: Final = 1000
MOST_RESAMPLED: Final = 400
"""values: beyond these the mean's own error is as good"""
_IN_95: Final = 1.96
"""errors of a mean on either side"""
FEWEST: Final = 6
"""pairs, or values of either side: with fewer no outcome whatever has a chance below one in twenty"""


def signed_rank(differences: Sequence[float]) -> float:
    """Wilcoxon's test of pairs, two-sided: how likely is it that differences lie on one side so much if both sides are
    alike? Pairs without a difference tell of no side."""
    told = [each for each in differences if each]
    if not told:
        return 1.0
    doubled = _doubled_ranks([abs(each) for each in told])
    above = sum(rank for rank, each in zip(doubled, told, strict=True) if each > 0)
    whole = sum(doubled)
    extreme = min(above, whole - above)
    if len(told) <= MOST_EXACT:
        return min(1.0, 2 * _share_of_sums(doubled, extreme))
    spread = sqrt(sum(rank * rank for rank in doubled)) / 2
    return _two_sided((abs(above - whole / 2) - 1) / spread)


def rank_sum(one: Sequence[float], other: Sequence[float]) -> float:
    """Mann and Whitney's test of values that are no pairs, two-sided, by the normal distribution with ties allowed
    for: for FEWEST and more on each side."""
    n, m = len(one), len(other)
    if not n or not m:
        return 1.0
    ranks = _doubled_ranks([*one, *other])
    ties = sum(count**3 - count for count in Counter([*one, *other]).values())
    total = n + m
    variance = n * m / 12 * (total + 1 - ties / (total * (total - 1)))
    if variance <= 0:
        return 1.0
    above = sum(ranks[:n]) / 2 - n * (n + 1) / 2
    return _two_sided((abs(above - n * m / 2) - 0.5) / sqrt(variance))


def sign(first: int, second: int) -> float:
    """Of so many pairs that differ, so many on each side: exact, two-sided."""
    together, fewer = first + second, min(first, second)
    return min(1.0, float(Fraction(2 * sum(comb(together, each) for each in range(fewer + 1)), 2**together)))


def fisher(failed: int, runs: int, other_failed: int, other_runs: int) -> float:
    """Of two shares, exact, two-sided: all tables that are no likelier than this one."""
    together, failures = runs + other_runs, failed + other_failed

    def weight(first: int) -> int:
        return comb(runs, first) * comb(other_runs, failures - first)

    lowest, highest = max(0, failures - other_runs), min(runs, failures)
    weights = [weight(each) for each in range(lowest, highest + 1)]
    own = weight(failed)
    return min(1.0, float(Fraction(sum(each for each in weights if each <= own), comb(together, failures))))


def mean_interval(values: Sequence[float], *, resample: bool = True) -> tuple[float, float]:
    """In which the mean lies, 95 of 100 times: by drawing again from few values, always the same way, or by the error
    of the mean of many, and where nothing depends on it."""
    n = len(values)
    if n == 1 or min(values) == max(values):
        return values[0], values[0]
    if n > MOST_RESAMPLED or not resample:
        mean, error = _mean_and_error(values)
        return mean - _IN_95 * error, mean + _IN_95 * error
    draw = random.Random(n)
    means = sorted(sum(draw.choices(values, k=n)) / n for _ in range(RESAMPLES))
    cut = RESAMPLES // 40
    return means[cut], means[-1 - cut]


def difference_interval(one: Sequence[float], other: Sequence[float]) -> tuple[float, float]:
    """In which it lies by how much the other's mean is more, 95 of 100 times, by the errors of both."""
    (mean, error), (other_mean, other_error) = _mean_and_error(one), _mean_and_error(other)
    both = _IN_95 * sqrt(error * error + other_error * other_error)
    return other_mean - mean - both, other_mean - mean + both


def _mean_and_error(values: Sequence[float]) -> tuple[float, float]:
    n = len(values)
    mean = sum(values) / n
    return mean, sqrt(sum((each - mean) ** 2 for each in values) / max(n - 1, 1) / n)


def holm(chances: Sequence[float]) -> list[float]:
    """Each chance, corrected for how many were looked at: for any below a limit to be there by accident is no likelier
    than the limit."""
    order = sorted(range(len(chances)), key=chances.__getitem__)
    corrected = accumulate(((len(chances) - place) * chances[each] for place, each in enumerate(order)), max)
    found = dict(zip(order, corrected, strict=True))
    return [min(1.0, found[each]) for each in range(len(chances))]


def _doubled_ranks(values: Sequence[float]) -> list[int]:
    """Equal ones share the mean of their ranks; doubled, so that they are whole numbers."""
    counts = Counter(values)
    before = 0
    ranks: dict[float, int] = {}
    for value in sorted(counts):
        ranks[value] = 2 * before + counts[value] + 1
        before += counts[value]
    return [ranks[value] for value in values]


def _share_of_sums(ranks: Sequence[int], most: int) -> float:
    """Of all ways to take some of these ranks: the share of those whose sum is at most this."""
    ways = [1] + [0] * most
    for rank in ranks:
        for total in range(most, rank - 1, -1):
            ways[total] += ways[total - rank]
    return float(Fraction(sum(ways), 2 ** len(ranks)))


def _two_sided(deviation: float) -> float:
    return min(1.0, erfc(max(deviation, 0.0) / sqrt(2)))
