"""Values that are no pairs: of two sides and one measure, of draws that only one of them has.

Ranks within each cell, as Mann and Whitney's test has them, so a few very long times fool nothing."""

from __future__ import annotations

from typing import Final

import numpy as np

from shaketable.harness.pipeline.comparing.changing_sides import Sides
from shaketable.harness.pipeline.comparing.shifting import (
    EXACT,
    TWO_SIDED,
    WIDEST,
    Floats,
    Ints,
    Size,
    factor_of,
    in_errors,
    part,
    size_by,
)
from shaketable.harness.pipeline.comparing.within_cells import Layout, Sums

FEWEST_DRAWS: Final = 4
"""of either side"""
FEWEST_WAYS: Final = float(np.log(40.0))
"""to share out the draws: with fewer no outcome whatever has a chance below one in twenty"""


class Unpaired:
    """The values of one measure in cells that both sides have."""

    def __init__(self, layout: Layout, values: Floats) -> None:
        self._layout, self._values = layout, values
        self._sides, self._sums = Sides(layout), Sums(layout)
        counts = np.bincount(layout.cells)
        self._middle_rank, self._weight = ((counts + 1) / 2)[layout.cells], (counts + 1)[layout.cells]
        with np.errstate(divide="ignore"):
            logs = np.log(values)
        some = values > 0
        floor = (logs[some].min() if some.any() else 0.0) - WIDEST - 1
        width = (logs[some].max() if some.any() else 0.0) + WIDEST + 1 - floor
        # All cells in one order: each has a stretch of numbers of its own, wide enough for any factor.
        self._keys = np.where(some, logs - floor, 0.0) + layout.cells * width
        self._moves = some.astype(np.float64)
        self._ordered = {side: np.sort(self._keys[layout.now == side]) for side in (False, True)}
        self._begins = {
            side: np.searchsorted(self._ordered[side], layout.cells * width, side="left") for side in (False, True)
        }
        self._own = self._below(np.zeros(1), own=True)[0]

    def could_be_told(self) -> bool:
        return self._sides.ways() >= FEWEST_WAYS

    def chance(self) -> float:
        """Two-sided."""
        return self._sides.chance(self._scores(np.zeros(1))[0])

    def size(self) -> tuple[Size, bool]:
        """The factor at which the test is content; and whether more than half of the values are found on the other
        side as well, and it is content at 1. Then the average is told in its place."""
        size = size_by(self._deviation, len(self._values))
        if abs(size.middle) <= EXACT and self._in_common() > 0.5:
            return self._average(), True
        return size, False

    def _in_common(self) -> float:
        found = []
        for side in (False, True):
            keys, others = self._keys[self._layout.now == side], self._ordered[not side]
            place = np.searchsorted(others, keys, side="left")
            found.append(others[np.minimum(place, len(others) - 1)] == keys)
        return float(np.concatenate(found).mean())

    def _average(self) -> Size:
        """Of by how much values differ from the median of their cell."""
        medians = medians_of(self._values, self._layout.cells)
        scores = self._layout.centred(part(medians[self._layout.cells], self._values))
        (total,), (variance,) = self._sums.told(scores[None, :])
        weight = self._layout.weight()
        mean, error = total / weight, TWO_SIDED * np.sqrt(variance) / weight
        return Size(factor_of(mean), factor_of(mean - error), factor_of(mean + error))

    def _deviation(self, factors: Floats) -> Floats:
        totals, variances = self._sums.told(self._scores(factors))
        return in_errors(totals, np.sqrt(variances), 0.5 / float(self._weight.max()))

    def _scores(self, factors: Floats) -> Floats:
        """Ranks within the cells, with the side of `before` multiplied by each factor; the scores of a cell add up to
        nothing."""
        scores: Floats = (self._own + self._below(factors, own=False) + 0.5 - self._middle_rank) / self._weight
        return scores

    def _below(self, factors: Floats, *, own: bool) -> Floats:
        """Of each value how many of one side lie below it in its cell; those that are equal count half."""
        below = np.empty((len(factors), len(self._values)))
        for side in (False, True):
            here = self._layout.now == side
            other = self._ordered[side if own else not side]
            begins = self._begins[side if own else not side][here]
            move = (0.0 if own else -1.0 if side else 1.0) * self._moves[here]
            asked = self._keys[here] + factors[:, None] * move
            left, right = (np.searchsorted(other, asked, side=of) for of in ("left", "right"))
            below[:, here] = (left + right) / 2 - begins
        return below


def medians_of(values: Floats, cells: Ints) -> Floats:
    """Of each cell from 0 on."""
    order = np.lexsort((values, cells))
    counts = np.bincount(cells)
    begins = np.cumsum(counts) - counts
    ordered = values[order]
    middles: Floats = (ordered[begins + (counts - 1) // 2] + ordered[begins + counts // 2]) / 2
    return middles
