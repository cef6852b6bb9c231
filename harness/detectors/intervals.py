"""How sure a measured median is: the interval in which the true one lies in 95 of 100 such measurements, or in more.

Both ends are values that were measured: by chance alone so many of them lie on one side of the true median as a coin
shows heads. No form of their distribution is supposed."""

from __future__ import annotations

from collections.abc import Iterable
from math import comb
from typing import Final

from shaketable.node.core.env import Micros

DOUBT: Final = 0.05


def interval_of_median(values: Iterable[Micros]) -> tuple[Micros, Micros] | None:
    """None: they are too few."""
    ordered = sorted(values)
    many = len(ordered)
    outside, place = 0.0, -1
    for below in range(many):
        outside += 2 * comb(many, below) / 2**many
        if outside > DOUBT:
            break
        place = below
    return None if place < 0 else (ordered[place], ordered[many - 1 - place])
