"""Values that are no pairs: of two sides and one measure, of draws that only one of them has.

Ranks within each cell, as Mann and Whitney's test has them, so a few very long times fool nothing."""

from __future__ import annotations

from functools import cached_property
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

_EQUALS: Final = ("left", "right")
"""of equal values that of `now` lies above that of `before`"""
FEWEST_DRAWS: Final = 4
"""of either side"""
FEWEST_WAYS: Final = float(np.log(40.0))
"""to share out the draws: with fewer no outcome whatever has a chance below one in twenty"""


class Unpaired:
    """The values of one measure in cells that both sides have."""

    def __init__(self, layout: Layout, values: Floats) -> None:
        order = np.lexsort((values, layout.cells, layout.now))
        self._layout = layout = Layout(layout.cells[order], layout.draws[order], layout.now[order])
        self._values = values = values[order]
        self._sums = Sums(layout)
        self._before = int(np.count_nonzero(~layout.now))
        counts = np.bincount(layout.cells)
        self._middle_rank, self._weight = ((counts + 1) / 2)[layout.cells], (counts + 1)[layout.cells]
        some = values > 0
        logs = np.log(values, out=np.zeros_like(values), where=some)
        floor = (logs[some].min() if some.any() else 0.0) - WIDEST - 1
        width = (logs[some].max() if some.any() else 0.0) + WIDEST + 1 - floor
        # All cells in one order: each has a stretch of numbers of its own, wide enough for any factor.
        keys, begins = np.where(some, logs - floor, 0.0) + layout.cells * width, layout.cells * width
        moves = some.astype(np.float64)
        cut = self._before
        self._keys, self._moves = (keys[:cut], keys[cut:]), (moves[:cut], -moves[cut:])
        self._begins = tuple(
            np.searchsorted(self._keys[1 - side], of) for side, of in enumerate((begins[:cut], begins[cut:]))
        )
        self._own = np.concatenate(
            [
                _half_of_equals(self._keys[side], self._keys[side]) - np.searchsorted(self._keys[side], of)
                for side, of in enumerate((begins[:cut], begins[cut:]))
            ]
        )
        self._across = np.concatenate(
            [_half_of_equals(self._keys[1 - side], self._keys[side]) - self._begins[side] for side in (0, 1)]
        )
        self._nothing = np.flatnonzero(~some)

    @cached_property
    def _sides(self) -> Sides:
        return Sides(self._layout, self._sums)

    def could_be_told(self) -> bool:
        return self._sides.ways() >= FEWEST_WAYS

    def chance(self) -> float:
        """Two-sided."""
        return self._sides.chance(self._scores(self._across[None, :])[0])

    def size(self) -> tuple[Size, bool]:
        """The factor at which the test is content; and whether more than half of the values are found on the other
        side as well, and it is content at 1. Then the average is told in its place."""
        size = size_by(self._deviation, len(self._values))
        if abs(size.middle) <= EXACT and self._in_common() > 0.5:
            return self._average(), True
        return size, False

    def _in_common(self) -> float:
        found = []
        for side in (0, 1):
            others = self._keys[1 - side]
            place = np.searchsorted(others, self._keys[side])
            found.append(others[np.minimum(place, len(others) - 1)] == self._keys[side])
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
        """With the side of `before` multiplied by each factor, which leaves nothing as it is. Of two other values that
        are equal it is all the same which is called the larger: by a factor next to this one they are not equal."""
        across = np.empty((len(factors), len(self._values)))
        for side, part_of in enumerate((slice(None, self._before), slice(self._before, None))):
            asked = self._keys[side] + factors[:, None] * self._moves[side]
            across[:, part_of] = np.searchsorted(self._keys[1 - side], asked, side=_EQUALS[side])
            across[:, part_of] -= self._begins[side]
        across[:, self._nothing] = self._across[self._nothing]
        totals, variances = self._sums.told(self._scores(across))
        return in_errors(totals, np.sqrt(variances), 0.5 / float(self._weight.max()))

    def _scores(self, across: Floats) -> Floats:
        """Ranks within the cells, of how many of the other side lie below each value; the scores of a cell add up to
        nothing."""
        scores: Floats = (self._own + across + 0.5 - self._middle_rank) / self._weight
        return scores


def _half_of_equals(ordered: Floats, keys: Floats) -> Floats:
    """How many of these lie below each; those that are equal count half."""
    below: Floats = (np.searchsorted(ordered, keys, side="left") + np.searchsorted(ordered, keys, side="right")) / 2
    return below


def medians_of(values: Floats, cells: Ints) -> Floats:
    """Of each cell from 0 on."""
    order = np.lexsort((values, cells))
    counts = np.bincount(cells)
    begins = np.cumsum(counts) - counts
    ordered = values[order]
    middles: Floats = (ordered[begins + (counts - 1) // 2] + ordered[begins + counts // 2]) / 2
    return middles
