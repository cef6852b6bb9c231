"""How likely is it by chance that a side's sum is so far from nothing, if it is all the same which draws are on which
side? By the normal distribution where there are many draws, else by letting them change sides 9,999 times."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import special, stats

from shaketable.harness.pipeline.comparing.shifting import Floats, Ints
from shaketable.harness.pipeline.comparing.within_cells import Layout, Sums, strata_of

Bools = NDArray[np.bool_]
PLAIN: Final = 0.2
"""A larger chance by the normal distribution needs no better answer."""
ENOUGH: Final = 12
"""draws that differ from the usual one, as many as are to be expected on the smaller side: then it is good"""
MANY: Final = 400
"""draws"""
CHANGES: Final = (9999, 1999)
"""how often sides are changed: of few draws, of many"""
_KEPT: Final = 8


class Sides:
    """The draws of a layout, and how they may change sides: within their strata."""

    def __init__(self, layout: Layout, sums: Sums | None = None) -> None:
        self._sums = sums or Sums(layout)
        strata = strata_of(layout)
        now = np.zeros(len(strata), dtype=np.bool_)
        now[layout.draws] = layout.now
        self._order = np.argsort(strata, kind="stable")
        self._strata, self._now = strata[self._order], now[self._order]

    def ways(self) -> float:
        """The logarithm of how many ways there are to share out the draws."""
        sizes, of_now = np.bincount(self._strata), np.bincount(self._strata, self._now)
        return float(
            (special.gammaln(sizes + 1) - special.gammaln(of_now + 1) - special.gammaln(sizes - of_now + 1)).sum()
        )

    def chance(self, scores: Floats) -> float:
        """Two-sided."""
        (total,), (variance,) = self._sums.told(scores[None, :])
        by_draw = self._sums.by_draw(scores)[self._order]
        told = self._telling(by_draw)
        by_draw, strata, now = by_draw[told], np.unique(self._strata[told], return_inverse=True)[1], self._now[told]
        if not len(by_draw):
            return 1.0
        sizes, of_now = np.bincount(strata), np.bincount(strata[now], minlength=int(strata.max()) + 1)
        means = np.bincount(strata, by_draw) / sizes
        spread = np.bincount(strata, (by_draw - means[strata]) ** 2)
        of_changes = (of_now * (sizes - of_now) / (sizes * np.maximum(sizes - 1, 1)) * spread).sum()
        if max(variance, of_changes) <= 0:
            return 1.0
        deviation = abs(total) / np.sqrt(max(variance, of_changes))
        chance = float(2 * stats.norm.sf(deviation))
        if chance > PLAIN or _unusual(by_draw, strata, sizes, of_now) >= ENOUGH or not of_changes:
            return chance
        changed = _changed(tuple(sizes.tolist()), tuple(of_now.tolist()))
        found = np.abs(changed @ by_draw - (of_now * means).sum()) / np.sqrt(of_changes)
        return float((1 + np.count_nonzero(found >= deviation - 1e-9)) / (1 + len(found)))

    def _telling(self, by_draw: Floats) -> Bools:
        """In strata in which not all are alike, and that have both sides."""
        ends = np.flatnonzero(np.diff(self._strata, prepend=-1))
        low, high = np.minimum.reduceat(by_draw, ends), np.maximum.reduceat(by_draw, ends)
        share = np.add.reduceat(self._now.astype(np.float64), ends) / np.diff(ends, append=len(by_draw))
        told: Bools = ((high - low > 1e-12) & (share > 0) & (share < 1))[self._strata]
        return told


def _unusual(by_draw: Floats, strata: Ints, sizes: Ints, of_now: Ints) -> float:
    """How many draws that are not as most of their stratum are to be expected on the smaller side."""
    order = np.lexsort((by_draw, strata))
    new = np.diff(strata[order], prepend=-1) != 0
    new[1:] |= np.diff(by_draw[order]) > 1e-12
    begins = np.flatnonzero(new)
    alike = np.zeros(len(sizes))
    np.maximum.at(alike, strata[order][begins], np.diff(begins, append=len(by_draw)))
    smaller = np.minimum(of_now, sizes - of_now) / sizes
    return float(((sizes - alike) * smaller).sum())


@lru_cache(maxsize=_KEPT)
def _changed(sizes: tuple[int, ...], of_now: tuple[int, ...]) -> Bools:
    """Which draws are of `now`, a row each time, of draws in the order of their strata. Always the same ones."""
    draw = np.random.default_rng(len(sizes))
    strata = np.repeat(np.arange(len(sizes)), sizes)
    many = CHANGES[len(strata) > MANY]
    now = np.concatenate([np.arange(size) < some for size, some in zip(sizes, of_now, strict=True)])
    order = np.argsort(strata + draw.random((many, len(strata))), axis=1)
    changed = np.empty((many, len(strata)), dtype=np.bool_)
    np.put_along_axis(changed, order, np.broadcast_to(now, changed.shape), axis=1)
    return changed
