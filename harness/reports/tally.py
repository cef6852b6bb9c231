"""Counts runs: in all, by script and variant, and what each check said. The runs may come in any order."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from shaketable.harness.checks.result import BROKEN, HELD, NOT_TOLD, UNKNOWN, VACUOUS
from shaketable.harness.reports.model import Guarantee, Line, Spread, Totals
from shaketable.harness.verdicts.reasons import FAILED
from shaketable.harness.verdicts.verdict import PASSED, UNKNOWN_OUTCOME, RunVerdict
from shaketable.node.core.env import Micros

MOST_SEEDS: Final = 8
"""of runs that have not passed, that a line names"""
BINS: Final = 40


class CheckSaid(NamedTuple):
    name: str
    status: str
    looked_at: int
    expected: bool
    """it was to be broken"""


class RunSaid(NamedTuple):
    """What is counted of one run."""

    script: str
    title: str
    family: str
    world: str
    variant: str
    seed: int
    outcome: str
    events: int
    faults: int
    duration: Micros
    checks: Sequence[CheckSaid]
    wall: Micros = 0
    same: bool | None = None
    system: str = ""
    """the full name of another one than ours"""


def said_by(run: RunVerdict) -> RunSaid:
    return RunSaid(
        run.script,
        run.title,
        "",
        run.world,
        "",
        run.seed,
        run.outcome,
        run.counts.get("events", 0),
        len(run.faults),
        run.duration,
        [CheckSaid(c.name, c.status, c.count, run.is_to_break(c.name)) for c in run.checks],
        system=run.system.if_other,
    )


@dataclass(slots=True)
class _OfLine:
    title: str
    family: str
    outcomes: dict[str, int] = field(default_factory=dict)
    seeds: tuple[int, int] | None = None
    failing: list[int] = field(default_factory=list)
    durations: array[int] = field(default_factory=lambda: array("q"))
    wall: Micros = 0


@dataclass(slots=True)
class _OfCheck:
    statuses: dict[str, int] = field(default_factory=dict)
    looked_at: int = 0
    not_told_by: dict[str, bool] = field(default_factory=dict)


EXPECTED: Final = "expected"


class Tally:
    def __init__(self) -> None:
        self._lines: dict[tuple[str, str, str, str], _OfLine] = {}
        self._checks: dict[str, _OfCheck] = {}
        self._sums = dict.fromkeys(("events", "faults", "duration", "wall", "twice", "differed"), 0)

    def add(self, run: RunSaid) -> None:
        line = self._lines.setdefault((run.script, run.world, run.variant, run.system), _OfLine(run.title, run.family))
        line.outcomes[run.outcome] = line.outcomes.get(run.outcome, 0) + 1
        first, last = line.seeds or (run.seed, run.seed)
        line.seeds = min(first, run.seed), max(last, run.seed)
        if run.outcome != PASSED:
            line.failing = sorted([*line.failing, run.seed])[:MOST_SEEDS]
        line.durations.append(run.duration)
        line.wall += run.wall
        for check in run.checks:
            of = self._checks.setdefault(check.name, _OfCheck())
            status = EXPECTED if check.status == BROKEN and check.expected else check.status
            of.statuses[status] = of.statuses.get(status, 0) + 1
            of.looked_at += check.looked_at
            if status == NOT_TOLD:
                of.not_told_by[run.system] = True
        sums = self._sums
        sums["events"] += run.events
        sums["faults"] += run.faults
        sums["duration"] += run.duration
        sums["wall"] += run.wall
        sums["twice"] += run.same is not None
        sums["differed"] += run.same is False

    def totals(self) -> Totals:
        outcomes = [line.outcomes for line in self._lines.values()]
        passed, failed, unknown = (sum(o.get(word, 0) for o in outcomes) for word in (PASSED, FAILED, UNKNOWN_OUTCOME))
        return Totals(runs=passed + failed + unknown, passed=passed, failed=failed, unknown=unknown, **self._sums)

    def outcomes(self) -> list[str]:
        return [word for line in self._lines.values() for word in line.outcomes]

    def lines(self) -> tuple[Line, ...]:
        """By script, world, variant and system; those of which some have not passed first."""
        made = (_line(*key, line) for key, line in sorted(self._lines.items()))
        return tuple(sorted(made, key=lambda line: (not line.failed, not line.unknown)))

    def guarantees(self, order: Iterable[str] = ()) -> tuple[Guarantee, ...]:
        """In this order; what is not in it comes last."""
        places = {name: place for place, name in enumerate(order)}
        names = sorted(self._checks, key=lambda name: (places.get(name, len(places)), name))
        return tuple(_guarantee(name, self._checks[name]) for name in names)


def _line(script: str, world: str, variant: str, system: str, line: _OfLine) -> Line:
    assert line.seeds is not None
    count = line.outcomes.get
    return Line(
        script=script,
        title=line.title,
        family=line.family,
        world=world,
        variant=variant,
        system=system,
        runs=sum(line.outcomes.values()),
        passed=count(PASSED, 0),
        failed=count(FAILED, 0),
        unknown=count(UNKNOWN_OUTCOME, 0),
        first_seed=line.seeds[0],
        last_seed=line.seeds[1],
        failing_seeds=tuple(line.failing),
        durations=spread_of(line.durations),
        wall=line.wall,
    )


def _guarantee(name: str, of: _OfCheck) -> Guarantee:
    count = of.statuses.get
    return Guarantee(
        name=name,
        held=count(HELD, 0),
        broken=count(BROKEN, 0),
        expected=count(EXPECTED, 0),
        vacuous=count(VACUOUS, 0),
        unknown=count(UNKNOWN, 0),
        looked_at=of.looked_at,
        not_told=count(NOT_TOLD, 0),
        not_told_by=tuple(sorted(filter(None, of.not_told_by))),
    )


def spread_of(values: Iterable[Micros]) -> Spread | None:
    """Its bins are of one width, from the least to the most."""
    ordered = sorted(values)
    if not ordered:
        return None
    least, most = ordered[0], ordered[-1]
    width = max(1, -(-(most - least + 1) // BINS))
    counts: dict[int, int] = {}
    for value in ordered:
        counts[(value - least) // width] = counts.get((value - least) // width, 0) + 1
    return Spread(
        count=len(ordered),
        least=least,
        median=_share(ordered, 50),
        ninety=_share(ordered, 90),
        high=_share(ordered, 99),
        most=most,
        bins=tuple((least + at * width, least + (at + 1) * width, count) for at, count in sorted(counts.items())),
    )


def _share(ordered: Sequence[Micros], percent: int) -> Micros:
    """So many of 100 are no later than this one."""
    return ordered[max(0, -(-len(ordered) * percent // 100) - 1)]
