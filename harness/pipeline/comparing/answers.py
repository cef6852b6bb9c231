"""The answers that a comparison may give: it is worse, it is no worse than so much, or nothing can be said, and about
how many more draws would do."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, exp, isfinite, log1p
from typing import Final, NamedTuple

import msgspec
from scipy import stats

from shaketable.harness.pipeline.comparing.shifting import TWO_SIDED, Size

LIMIT: Final = 0.05
"""Of the differences that are called, so large a share may be called by accident, on average (Benjamini and
Hochberg). If nothing differs, it is the chance that any is called."""
LEAST: Final = 1.0
"""Per cent: a smaller difference is called none, however sure it is."""
MARGIN: Final = 20.0
"""Per cent: nothing is called no worse of which a larger difference is possible."""
WORSE, BETTER, DIFFERENT = "worse", "better", "different"
NO_WORSE: Final = "no worse"
CANNOT_SAY: Final = "cannot say"
DIFFERS: Final = (WORSE, BETTER, DIFFERENT)
NEUTRAL: Final = ("operations", "events")
"""More of these is neither good nor bad."""


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """From how much on a difference counts, in per cent."""

    least: float = LEAST
    margin: float = MARGIN


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """One measure, of one script or of all."""

    measure: str
    script: str | None
    system: str = ""
    """as sentences call it; "": ours"""
    paired: bool
    draws: int
    """that are pairs, or of the side that has fewer"""
    differ: int
    """of the pairs; of no pairs: all"""
    before: float
    """the median of these runs, or the mean where most are exactly alike"""
    now: float
    average: bool = False
    """most are exactly alike: means are compared, and not the usual run"""
    percent: float | None
    """by how much it is more; None: by more than any factor tells"""
    low: float | None
    """where it lies, 95 of 100 times; None: no bound is known"""
    high: float | None
    chance: float
    """that it is an accident, corrected for all that was looked at"""
    kind: str
    bound: float | None = None
    """of "no worse": by no more per cent than these"""
    more: int = 0
    """of "cannot say": about how many more draws a side would do"""

    @property
    def usual(self) -> str:
        """The kind of average that `before` and `now` are."""
        return "mean" if self.average else "median"

    @property
    def words(self) -> str:
        """ "by pairs +12.0 % (+9.1 to +15.0 %), 40 draws of both, by chance < 0.001". It is the size by the test, which
        may be far from that of the medians."""
        how, of = ("by pairs", "draws of both") if self.paired else ("cell by cell", "draws a side")
        said = f"{how} {_percent(self.percent)} ({_between(self.low, self.high)}), {self.draws:,} {of}"
        if self.kind == NO_WORSE:
            return f"at most {self.bound:.1f} % {'apart' if self.measure in NEUTRAL else 'more'}: {said}"
        if self.kind == CANNOT_SAY:
            return f"{said}; about {self.more:,} more would do"
        return f"{said}, by chance {f'{self.chance:.3f}' if self.chance >= 0.001 else '< 0.001'}"


class Found(NamedTuple):
    """What the tests say of one comparison."""

    size: Size
    could_be_told: bool
    """some outcome would have been so unlikely that it is told"""
    chance: float
    draws: int
    fewest: int
    """draws of a side: with fewer hardly anything is ever told"""


def corrected(found: Sequence[Found]) -> list[float]:
    """The chance of each, for all that were looked at; only those that could be told at all count as such (Tarone)."""
    told = [place for place, each in enumerate(found) if each.could_be_told]
    chances = [1.0] * len(found)
    if told:
        for place, chance in zip(
            told, stats.false_discovery_control([found[place].chance for place in told]), strict=True
        ):
            chances[place] = float(chance)
    return chances


def answer(found: Found, chance: float, asked: Asked, neutral: bool) -> str:
    """`chance`: corrected."""
    low, high, least, margin = found.size.low, found.size.high, log1p(asked.least / 100), log1p(asked.margin / 100)
    if chance < LIMIT and (low >= least or high <= -least):
        return DIFFERENT if neutral else WORSE if low > 0 else BETTER
    if high <= margin and (not neutral or low >= -margin):
        return NO_WORSE
    return CANNOT_SAY


def more_draws(found: Found, asked: Asked, comparisons: int) -> int:
    """About how many more a side would do to say the one or the other, if things go on as they are: an interval is half
    as wide with four times as many."""
    size = found.size
    missing = max(found.fewest - found.draws, 1)
    if not isfinite(size.low) or not isfinite(size.high):
        return max(missing, found.draws)
    stricter: float = stats.norm.isf(LIMIT / 2 / max(comparisons, 1)) / TWO_SIDED
    least, margin = log1p(asked.least / 100), log1p(asked.margin / 100)
    allowed = max(margin - size.middle, (abs(size.middle) - least) / stricter, (margin - least) / 8, 1e-3)
    half = max(size.high - size.middle, size.middle - size.low, (size.high - size.low) / 2)
    return max(missing, ceil(found.draws * ((half / float(allowed)) ** 2 - 1)))


def per_cent(factor: float) -> float | None:
    """Of the logarithm of a factor."""
    return 100 * (exp(factor) - 1) if isfinite(factor) else None


def _percent(value: float | None) -> str:
    return "more than can be told" if value is None else f"{value:+.1f} %"


def _between(low: float | None, high: float | None) -> str:
    if low is None:
        return "no bound is known" if high is None else f"up to {high:+.1f} %"
    return f"from {low:+.1f} % on" if high is None else f"{low:+.1f} to {high:+.1f} %"
