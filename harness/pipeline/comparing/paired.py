"""Pairs: the same draw on both sides. Wilcoxon's test asks for how many draws one side lies above the other, and by
how much.

A draw is one observation, however many pairs it has: their differences are averaged first."""

from __future__ import annotations

from typing import Final

import numpy as np
from scipy import stats

from shaketable.harness.pipeline.comparing.shifting import (
    EXACT,
    Floats,
    Ints,
    Size,
    factor_of,
    in_errors,
    part,
    size_by,
)

FEWEST_PAIRS: Final = 6
"""draws: with fewer no outcome whatever has a chance below one in twenty"""
_IN_95: Final = 0.975


class Pairs:
    """The pairs of one measure; `draws` says to which draw each belongs."""

    def __init__(self, before: Floats, now: Floats, draws: Ints) -> None:
        order = np.argsort(draws, kind="stable")
        self._before, self._now = before[order], now[order]
        numbers, self._starts, self._counts = np.unique(draws[order], return_index=True, return_counts=True)
        self.n = len(numbers)
        self.figures = self._by_draw(part(self._before, self._now)[None, :])[0]
        self.differ = int(np.count_nonzero(self.figures))

    def chance(self) -> float:
        """Two-sided; draws without a difference tell of no side."""
        told = self.figures[self.figures != 0]
        return float(stats.wilcoxon(told).pvalue) if len(told) else 1.0

    def size(self) -> tuple[Size, bool]:
        """The factor at which the test is content; and whether more than half of the draws are exactly alike. Then the
        test is content at 1 alone, and the average is told in its place."""
        if 2 * self.differ < self.n:
            return self._average(), True
        return size_by(self._deviation, len(self._now)), False

    def _average(self) -> Size:
        mean = float(np.mean(self.figures))
        error = float(stats.sem(self.figures) * stats.t.ppf(_IN_95, self.n - 1)) if self.differ else 0.0
        return Size(factor_of(mean), factor_of(mean - error), factor_of(mean + error))

    def _deviation(self, factors: Floats) -> Floats:
        """The signed rank statistic in its own errors, with the sides of `before` multiplied by each factor."""
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = np.log(self._now) - np.log(self._before)
        both_none = np.isnan(ratios)
        parts = 2 * np.tanh((np.where(both_none, 0.0, ratios)[None, :] - factors[:, None]) / 2)
        parts[:, both_none] = 0.0
        figures = self._by_draw(parts)
        ranks = stats.rankdata(np.abs(figures), axis=1) * np.sign(figures)
        errors = np.sqrt((ranks**2).sum(axis=1))
        return in_errors(ranks.sum(axis=1), errors, 1.0)

    def _by_draw(self, parts: Floats) -> Floats:
        found: Floats = np.add.reduceat(parts, self._starts, axis=1) / self._counts
        found[np.abs(found) < EXACT * EXACT] = 0.0
        return found
