"""Cuts waves into portions: each is a Spark job of a task for each core, and lasts a few seconds.

Runs are kept portion by portion, so a portion is small in time. How many runs it has hangs on how long the ones
before took on this machine. Which runs there are does not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from shaketable.harness.pipeline.campaigns.cases import Case
from shaketable.harness.pipeline.campaigns.waves import Planner

A_TASK: Final = 2_000_000
"""micros: of less, what Spark does for a task would be much"""
FIRST: Final = 4
"""runs of a task, as long as nobody knows how long one takes; and at the end, where all cores are to end at once"""
MOST: Final = 100
"""runs of a task"""


class Portion(NamedTuple):
    first: int
    """the number of its first case"""
    tasks: Sequence[Sequence[Case]]
    ends_a_wave: bool

    @property
    def runs(self) -> int:
        return sum(map(len, self.tasks))


class Cutter:
    def __init__(self, planner: Planner, runs: int, cores: Callable[[], int]) -> None:
        """`runs`: of the whole campaign. `cores` is asked anew for each portion: the executors of a cluster come one
        by one, and long after its driver has begun."""
        self._planner = planner
        self._left = runs
        self._cores = cores
        self._cases: list[Case] = []
        """the rest of the wave that was planned last"""
        self._runs = self._micros = 0.0

    def next(self) -> Portion | None:
        """None: there is none, or not yet."""
        if not self._has_cases():
            return None
        cores = max(1, self._cores())
        cases = self._taken(cores * self._size(cores))
        size = -(-len(cases) // cores)
        tasks = [cases[start : start + size] for start in range(0, len(cases), size)]
        return Portion(cases[0].number, tasks, not self._cases)

    def passed_over(self, runs: int) -> Portion | None:
        """The next so many runs, which are in the store already; None if so many are not together in one wave."""
        if not self._has_cases() or not 0 < runs <= len(self._cases):
            return None
        cases = self._taken(runs)
        return Portion(cases[0].number, [cases], not self._cases)

    def learn(self, runs: int, micros: int) -> None:
        """How long they took. The latest say most."""
        self._runs = self._runs / 2 + runs
        self._micros = self._micros / 2 + micros

    def _has_cases(self) -> bool:
        if not self._cases and self._planner.is_ready:
            self._cases = self._planner.next()
        return bool(self._cases)

    def _taken(self, count: int) -> list[Case]:
        cases, self._cases = self._cases[:count], self._cases[count:]
        self._left -= len(cases)
        return cases

    def _size(self, cores: int) -> int:
        """Runs of a task."""
        if not self._runs:
            return FIRST
        in_time = int(A_TASK * self._runs / max(self._micros, 1))
        half = max(FIRST, self._left // (2 * cores))
        return max(1, min(in_time, MOST, half))
