"""One measured figure, with the aim that it is held against and the real Hazelcast's figure where there is one."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    what: str
    value: float
    unit: str
    at_least: float | None = None
    at_most: float | None = None
    hazelcast: str = ""
    spread: str = ""
    """least and most of several, where several were measured"""

    @property
    def reached(self) -> bool:
        if self.at_least is not None and self.value < self.at_least:
            return False
        return self.at_most is None or self.value <= self.at_most

    @property
    def aim(self) -> str:
        bounds = [(self.at_least, ">="), (self.at_most, "<=")]
        return " ".join(f"{sign} {number(bound)}" for bound, sign in bounds if bound is not None) or "-"

    @property
    def shown(self) -> str:
        return f"{number(self.value)} {self.unit}{f'  ({self.spread})' if self.spread else ''}"


def median_of(
    what: str, values: Sequence[float], unit: str, *, at_most: float | None = None, hazelcast: str = ""
) -> Figure:
    least, most = min(values), max(values)
    spread = f"{number(least)} to {number(most)} of {len(values)}"
    return Figure(what, statistics.median(values), unit, at_most=at_most, hazelcast=hazelcast, spread=spread)


def number(value: float) -> str:
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3g}" if abs(value) >= 0.1 else f"{value:.2g}"
