"""By which factor one side has to be multiplied so that a test sees nothing any more: the size of a difference, and the
interval of all factors at which the test is content. All factors are logarithms here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

WIDEST: Final = float(np.log(1000.0))
"""Of a larger factor nothing is told but that it is one."""
EXACT: Final = 1e-4
TWO_SIDED: Final = 1.959964
"""errors of the normal distribution on either side, for 95 of 100"""
_AT_ONCE: Final = 200_000
"""values of a test that are computed together"""
_MOST_POINTS: Final = 24


class Size(NamedTuple):
    """Logarithms of factors; -inf and inf where there is no bound."""

    middle: float
    low: float
    high: float


def size_by(deviation: Callable[[Floats], Floats], values: int) -> Size:
    """`deviation`: of each of these factors by how many errors the test deviates, which falls as the factor grows.
    `values`: how many numbers it computes for one factor."""
    targets = np.array([TWO_SIDED, 0.0, 0.0, -TWO_SIDED])
    inclusive = np.array([False, False, True, True])
    points = int(np.clip(_AT_ONCE // max(values, 1) // len(targets), 1, _MOST_POINTS))
    steps = np.arange(1, points + 1) / (points + 1)
    low, high = np.full(len(targets), -WIDEST), np.full(len(targets), WIDEST)
    rows = np.arange(len(targets))
    while (high - low).max() > EXACT:
        grid = low[:, None] + (high - low)[:, None] * steps
        found = deviation(grid.ravel()).reshape(grid.shape)
        beyond = np.where(inclusive[:, None], found >= targets[:, None], found > targets[:, None])
        place = beyond.sum(axis=1)
        edges = np.hstack([low[:, None], grid, high[:, None]])
        low, high = edges[rows, place], edges[rows, place + 1]
    middle = (low + high) / 2
    middle[low <= -WIDEST] = -np.inf
    middle[high >= WIDEST] = np.inf
    with np.errstate(invalid="ignore"):
        between = (middle[1] + middle[2]) / 2
    return Size(0.0 if np.isnan(between) else float(between), float(middle[0]), float(middle[3]))


def part(before: Floats, now: Floats) -> Floats:
    """By how much it is more, of the mean of both: no value can outweigh the others, and none is divided by 0."""
    mean = (before + now) / 2
    return np.divide(now - before, mean, out=np.zeros_like(mean), where=mean > 0)


def factor_of(parts: float) -> float:
    """The logarithm of the factor by which values differ that differ by such a part."""
    if abs(parts) >= 2:
        return float(np.copysign(np.inf, parts))
    return float(np.log((2 + parts) / (2 - parts)))
