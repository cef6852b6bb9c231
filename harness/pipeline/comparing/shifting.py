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
_FIRST: Final = np.sinh(np.linspace(-1.0, 1.0, 17) * np.arcsinh(WIDEST * 40)) / 40
"""the factors that are tried first: close to each other near 1, where most sizes lie"""
_AT_ONCE: Final = 1_000
"""values of a test that are computed together: more cost time, fewer cost calls"""
_MOST_POINTS: Final = 15


class Size(NamedTuple):
    """Logarithms of factors; -inf and inf where there is no bound."""

    middle: float
    low: float
    high: float


def size_by(deviation: Callable[[Floats], Floats], values: int) -> Size:
    """`deviation`: of each of these factors by how many errors the test deviates, which falls as the factor grows.
    `values`: how many numbers it computes for one factor."""
    targets = np.array([TWO_SIDED, 0.0, 0.0, -TWO_SIDED])
    inclusive = np.array([[False], [False], [True], [True]])
    points = int(np.clip(_AT_ONCE // max(values, 1), 1, _MOST_POINTS))
    steps = np.arange(1, points + 1) / (points + 1)
    rows = np.arange(len(targets))

    def between(edges: Floats, inner: Floats) -> tuple[Floats, Floats]:
        """For each target the two edges between which it is passed."""
        beyond = np.where(inclusive, inner >= targets[:, None], inner > targets[:, None]).sum(axis=1)
        return edges[rows, beyond], edges[rows, beyond + 1]

    first = np.tile(_FIRST, (len(targets), 1))
    low, high = between(first, np.tile(deviation(_FIRST[1:-1]), (len(targets), 1)))
    while (high - low).max() > EXACT:
        grid = low[:, None] + (high - low)[:, None] * steps
        found = deviation(grid.ravel()).reshape(grid.shape)
        low, high = between(np.hstack([low[:, None], grid, high[:, None]]), found)
    middle = (low + high) / 2
    middle[low <= _FIRST[0]] = -np.inf
    middle[high >= _FIRST[-1]] = np.inf
    with np.errstate(invalid="ignore"):
        balanced = (middle[1] + middle[2]) / 2
    return Size(0.0 if np.isnan(balanced) else float(balanced), float(middle[0]), float(middle[3]))


def in_errors(sums: Floats, errors: Floats, half_a_step: float) -> Floats:
    """How far sums lie from nothing. Those of few ranks have steps, and of a step half is not counted (Yates)."""
    less = np.sign(sums) * np.maximum(np.abs(sums) - half_a_step, 0.0)
    told: Floats = np.divide(less, errors, out=np.zeros_like(less), where=errors > 0)
    return told


def part(before: Floats, now: Floats) -> Floats:
    """By how much it is more, of the mean of both: no value can outweigh the others, and none is divided by 0."""
    mean = (before + now) / 2
    return np.divide(now - before, mean, out=np.zeros_like(mean), where=mean > 0)


def factor_of(parts: float) -> float:
    """The logarithm of the factor by which values differ that differ by such a part."""
    if abs(parts) >= 2:
        return float(np.copysign(np.inf, parts))
    return float(np.log((2 + parts) / (2 - parts)))
