"""What has come of a campaign so far: outcomes, what has not passed, what was reached, what came out differently.

It is told of every row once, wave by wave, and keeps of many thousands what a person reads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from shaketable.harness.coverage import ALL_MARKS, BOTH
from shaketable.harness.verdicts.reasons import FAILED
from shaketable.harness.verdicts.rows import KEPT_FAILED, KEPT_SAMPLE, RunRow
from shaketable.harness.verdicts.verdict import PASSED, UNKNOWN_OUTCOME, merged

MOST_TOLD: Final = 20
"""runs that have not passed"""
RARE: Final = 3
"""reached in no more runs than these"""


@dataclass(slots=True)
class Failing:
    """A run that has not passed."""

    run: str
    script: str
    variant: str
    seed: int
    outcome: str
    why: Sequence[str]
    again: str


@dataclass(slots=True)
class Results:
    runs: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    by_variant: dict[str, Counter[str]] = field(default_factory=dict)
    events: int = 0
    simulated: int = 0
    """micros of the runs' own time"""
    failing: list[Failing] = field(default_factory=list)
    """the first of those that have not passed, what has failed before what is unknown"""
    twice: int = 0
    differed: list[str] = field(default_factory=list)
    kept_failed: int = 0
    kept_sample: int = 0
    marks: Counter[str] = field(default_factory=Counter)
    """by mark, in how many runs"""
    families: Counter[str] = field(default_factory=Counter)

    def add(self, rows: Iterable[RunRow]) -> None:
        for row in rows:
            self._add(row)
        self.failing.sort(key=lambda failing: failing.outcome != FAILED)
        del self.failing[MOST_TOLD:]

    def _add(self, row: RunRow) -> None:
        self.runs += 1
        self.outcomes[row.outcome] += 1
        self.by_variant.setdefault(row.variant, Counter())[row.outcome] += 1
        self.families[row.family] += 1
        self.events += row.events
        self.simulated += row.duration
        self.twice += row.same is not None
        self.kept_failed += row.kept == KEPT_FAILED
        self.kept_sample += row.kept == KEPT_SAMPLE
        self.marks.update(row.marks.keys())
        if row.same is False:
            self.differed.append(row.run)
        if row.outcome != PASSED:
            why = [reason.text for reason in row.reasons]
            self.failing.append(Failing(row.run, row.script, row.variant, row.seed, row.outcome, why, row.again))

    @property
    def not_passed(self) -> int:
        return self.runs - self.outcomes[PASSED]

    @property
    def outcome(self) -> str:
        """Where two executions of one case differ nothing could be replayed: no better than a broken guarantee."""
        worst = merged([*self.outcomes] or [UNKNOWN_OUTCOME])
        return FAILED if self.differed else worst

    def marks_in_reach(self) -> Mapping[str, int]:
        """All marks of the families that were run, with the number of runs that reached each."""
        wanted = {BOTH, *self.families}
        return {name: self.marks[name] for name, mark in ALL_MARKS.items() if mark.family in wanted}

    def never(self) -> list[str]:
        return [name for name, runs in self.marks_in_reach().items() if not runs]

    def rare(self) -> list[tuple[str, int]]:
        found = [(name, runs) for name, runs in self.marks_in_reach().items() if 0 < runs <= RARE]
        return sorted(found, key=lambda each: each[1])
