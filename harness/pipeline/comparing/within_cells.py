"""Values that are no pairs are compared within their cells alone: a script, its world, variant and preset. So another
mix of variants is no difference, however much these differ among themselves.

Each value has a score, and the scores of a cell add up to nothing. The sum over all scores of the side `now` says how
far it lies above the other. Runs of one draw are one observation: its variance goes by the sums of draws (van Elteren's
test, for clusters). It does not depend on which draws are on which side."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse

from shaketable.harness.pipeline.comparing.shifting import Floats, Ints


class Layout(NamedTuple):
    """Where the values of both sides lie: numbers from 0 on, and true for `now`."""

    cells: Ints
    draws: Ints
    now: np.ndarray[tuple[int], np.dtype[np.bool_]]

    def of_now(self) -> Floats:
        """Of each cell the share of its values that are of `now`."""
        return np.bincount(self.cells, self.now) / np.bincount(self.cells)

    def centred(self, values: Floats) -> Floats:
        """Scores: without the mean of the cell."""
        scores: Floats = values - (np.bincount(self.cells, values) / np.bincount(self.cells))[self.cells]
        scores[np.abs(scores) < 1e-12] = 0.0
        return scores

    def weight(self) -> float:
        """What the sum of all scores of `now` would be if each lay above those of `before` by one."""
        share = self.of_now()
        return float((np.bincount(self.cells) * share * (1 - share)).sum())


class Sums:
    """Sums of scores and their variances, of many scorings of one layout at once."""

    def __init__(self, layout: Layout) -> None:
        self._order = np.argsort(layout.draws, kind="stable")
        _, self._starts = np.unique(layout.draws[self._order], return_index=True)
        self._now = layout.now
        counts, share = np.bincount(layout.cells), layout.of_now()
        lost = np.sqrt(counts / np.maximum(counts - 1, 1))  # by the mean that the scores of a cell are without
        self._as_now = (lost * (1 - share))[layout.cells]
        self._as_before = (lost * share)[layout.cells]
        self._chance = np.bincount(layout.draws, share[layout.cells]) / np.bincount(layout.draws)

    def told(self, scores: Floats) -> tuple[Floats, Floats]:
        """Scores, a row each: of each row the sum of `now`, and its variance."""
        totals = scores[:, self._now].sum(axis=1)
        as_now = self._by_draw(scores * self._as_now)
        as_before = self._by_draw(scores * self._as_before)
        return totals, (self._chance * as_now**2 + (1 - self._chance) * as_before**2).sum(axis=1)

    def by_draw(self, scores: Floats) -> Floats:
        sums: Floats = self._by_draw(scores[None, :])[0]
        return sums

    def _by_draw(self, scores: Floats) -> Floats:
        sums: Floats = np.add.reduceat(scores[:, self._order], self._starts, axis=1)
        return sums


def strata_of(layout: Layout) -> Ints:
    """Of each draw a number: draws that are joined by cells may change sides with each other."""
    draws, cells = int(layout.draws.max()) + 1, int(layout.cells.max()) + 1
    of_draws = np.zeros(draws, dtype=np.int64)
    of_draws[layout.draws] = layout.cells
    if (of_draws[layout.draws] == layout.cells).all():
        return of_draws  # each draw has one cell
    ones = np.ones(len(layout.cells), dtype=np.int8)
    joined = sparse.coo_matrix((ones, (layout.draws, draws + layout.cells)), shape=(draws + cells, draws + cells))
    _, found = sparse.csgraph.connected_components(joined, directed=False)
    numbers: Ints = np.unique(found[:draws], return_inverse=True)[1].astype(np.int64)
    return numbers
