"""What has come of a campaign so far: outcomes, what has not passed, what was reached, what came out differently.

It is told of all runs once, in their order, by the summaries of their tasks, and keeps what a person reads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from shaketable.harness.coverage import ALL_MARKS, BOTH
from shaketable.harness.nemesis.corpus import Corpus
from shaketable.harness.pipeline.campaigns.summaries import Failing, Summary, first_of, summary_of
from shaketable.harness.verdicts.reasons import FAILED
from shaketable.harness.verdicts.rows import RunRow
from shaketable.harness.verdicts.verdict import PASSED, UNKNOWN_OUTCOME, merged

RARE: Final = 3
"""reached in no more runs than these"""


@dataclass(slots=True)
class Results:
    runs: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    by_variant: dict[str, Counter[str]] = field(default_factory=dict)
    scripts: set[str] = field(default_factory=set)
    """of which something was run"""
    events: int = 0
    simulated: int = 0
    """micros of the runs' own time"""
    wall: int = 0
    """micros of this machine's cores"""
    bad_after: int | None = None
    """so many runs until the first that has not passed"""
    micros_until_bad: int = 0
    corpus: Corpus = field(default_factory=Corpus)
    """of the runs that play fault plans"""
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
        self.merge(summary_of(rows))

    def merge(self, told: Summary) -> None:
        """Of the runs that come after those of before."""
        if self.bad_after is None and told.bad_after is not None:
            self.bad_after = self.runs + told.bad_after
            self.micros_until_bad = self.wall + told.micros_until_bad
        self.runs += told.runs
        self.wall += told.wall
        self.corpus.merge(told.reached.corpus)
        self.outcomes.update(told.outcomes)
        for variant, outcomes in told.by_variant.items():
            self.by_variant.setdefault(variant, Counter()).update(outcomes)
        self.scripts.update(told.reached.by_script)
        self.families.update(told.families)
        self.events += told.events
        self.simulated += told.simulated
        self.twice += told.twice
        self.differed += told.differed
        self.kept_failed += len(told.kept_failed)
        self.kept_sample += told.kept_sample
        self.marks.update(told.reached.in_all)
        self.failing = first_of([*self.failing, *told.failing])

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
