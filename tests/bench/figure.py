"""One measured figure, with the aim that it is held against and the real Hazelcast's figure where there is one."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    what: str
    value: float
    unit: str
    at_least: float | None = None
    at_most: float | None = None
    hazelcast: str = "-"
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
        return " ".join(f"{sign} {_number(bound)}" for bound, sign in bounds if bound is not None) or "-"

    @property
    def shown(self) -> str:
        return f"{_number(self.value)} {self.unit}{f'  ({self.spread})' if self.spread else ''}"


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
