"""Two campaigns side by side, as plain rows: what newly fails, what is fixed, what takes longer or more, and what only
one of them has run.

A run of one is the pair of a run of the other if script, world, variant, preset, seed and system are the same
(pairs.py). In virtual time such a pair differs only by the code that ran it: a seed that passed and fails now is a
fact. In the real world it may be chance, and is tested. Statements about many runs have passed a test that allows for
the number of comparisons. Runs of two systems are never compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

import msgspec

from shaketable.harness.pipeline.comparing.pairs import Apart, Key, apart, by_pairs
from shaketable.harness.pipeline.comparing.statistics import (
    FEWEST,
    difference_interval,
    fisher,
    holm,
    mean_interval,
    rank_sum,
    sign,
    signed_rank,
)
from shaketable.harness.records import OURS, UnderTest
from shaketable.harness.verdicts.reasons import FAILED
from shaketable.harness.verdicts.verdict import PASSED

LIMIT: Final = 0.05
"""Of the chance that anything at all is called worse or better by accident."""
LEAST: Final = 1.0
"""Per cent: a smaller difference is called none, however sure it is."""
WORSE, BETTER, SAME, DIFFERENT, TOO_FEW = "worse", "better", "same", "different", "too few to say"
NEUTRAL: Final = ("operations", "events")
"""More of these is neither good nor bad."""


class RunFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What comparing needs of one run."""

    outcome: str
    why: str = ""
    again: str = ""
    history_hash: str = ""
    means: Mapping[str, float] = {}
    """of each measure that it has, the mean"""
    checks: tuple[str, ...] = ()
    """of each reason why it has not passed the check; "" of one about anything else"""
    untold: tuple[str, ...] = ()
    """the checks that are not told"""
    system: UnderTest = OURS
    """its name, version and title"""

    def only_by_untold(self, other: RunFacts) -> bool:
        """It has not passed, and only by checks that are not told on one side: that tells nothing of the two."""
        return bool(self.checks) and {*self.untold, *other.untold}.issuperset(self.checks)


class Changed(msgspec.Struct, frozen=True, kw_only=True):
    """A run whose outcome is another one."""

    script: str
    world: str
    variant: str
    seed: int
    before: str
    now: str
    why: str
    """of the one that has not passed"""
    again: str
    system_before: str = ""
    """its full name; "": ours"""
    system_now: str = ""


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """One measure, of one script or of all."""

    measure: str
    script: str | None
    system: str = ""
    """as sentences call it; "": ours"""
    paired: bool
    n: int
    """pairs, or runs of the side that has fewer"""
    differ: int
    """of the pairs; of no pairs: n"""
    before: float
    """means over these runs"""
    now: float
    percent: float
    """by how much it is more: the mean of what each pair differs by, of the mean of its two"""
    low: float
    high: float
    chance: float
    """that it is an accident, corrected for all that was looked at"""
    kind: str

    @property
    def words(self) -> str:
        """ "+12.0 % (+9.1 to +15.0), 40 pairs, by chance < 0.001"."""
        chance = f"{self.chance:.3f}" if self.chance >= 0.001 else "< 0.001"
        of = "pairs" if self.paired else "runs"
        return f"{self.percent:+.1f} % ({self.low:+.1f} to {self.high:+.1f}), {self.n:,} {of}, by chance {chance}"


class Shares(msgspec.Struct, frozen=True, kw_only=True):
    """Of runs without a pair, of scripts that both have run, of one system."""

    failed_before: int
    runs_before: int
    failed_now: int
    runs_now: int
    chance: float

    @property
    def worse(self) -> bool:
        return self.chance < LIMIT and self.failed_now * self.runs_before > self.failed_before * self.runs_now


class Compared(msgspec.Struct, frozen=True, kw_only=True):
    pairs: int
    alike: int
    """of the pairs: of one history, event by event"""
    only_before: int
    only_now: int
    scripts_only_before: tuple[str, ...]
    scripts_only_now: tuple[str, ...]
    systems_before: tuple[str, ...]
    """the full names of all whose members ran, ours included"""
    systems_now: tuple[str, ...]
    versions_mixed: tuple[str, ...]
    """systems of which one of the two has several versions"""
    apart: tuple[Apart, ...]
    """without any pair: why there is none, as far as there could be one"""
    new_failures: tuple[Changed, ...]
    """passed before, failed now"""
    new_unknown: tuple[Changed, ...]
    fixed: tuple[Changed, ...]
    failed_before: int
    failed_now: int
    chance_of_failures: float
    """that as many more pairs fail in the real world by accident; 1 without any"""
    without_pair: Shares
    differences: tuple[Difference, ...]

    @property
    def exit_code(self) -> int:
        """0 nothing is worse, 1 something is, 2 it cannot be said."""
        in_virtual_time = any(each.world == "sim" for each in self.new_failures)
        if in_virtual_time or (self.new_failures and self.chance_of_failures < LIMIT):
            return 1
        if self.without_pair.worse or any(each.kind == WORSE for each in self.differences):
            return 1
        told = any(each.kind != TOO_FEW for each in self.differences)
        return 2 if self.new_failures or self.new_unknown or not told else 0


def compared(before: Mapping[Key, RunFacts], now: Mapping[Key, RunFacts], least: float = LEAST) -> Compared:
    keys = before, now
    now = by_pairs(before, now)
    both = [key for key in before if key in now]
    changed = [_changed(key, before[key], now[key]) for key in both if _differ(before[key], now[key])]
    failures = [each for each in changed if each.before == PASSED and each.now == FAILED]
    fixed = [each for each in changed if each.before == FAILED and each.now == PASSED]
    real = [sum(each.world != "sim" for each in some) for some in (failures, fixed)]
    scripts = [dict.fromkeys(key.script for key in runs) for runs in (before, now)]
    return Compared(
        pairs=len(both),
        alike=sum(before[key].history_hash == now[key].history_hash != "" for key in both),
        only_before=len(before) - len(both),
        only_now=len(now) - len(both),
        scripts_only_before=tuple(sorted(name for name in scripts[0] if name not in scripts[1])),
        scripts_only_now=tuple(sorted(name for name in scripts[1] if name not in scripts[0])),
        systems_before=_systems(before),
        systems_now=_systems(now),
        versions_mixed=_mixed(before, now),
        apart=() if both else apart(*keys),
        new_failures=tuple(failures),
        new_unknown=tuple(each for each in changed if each.before == PASSED and each.now != FAILED),
        fixed=tuple(fixed),
        failed_before=sum(before[key].outcome == FAILED for key in both),
        failed_now=sum(now[key].outcome == FAILED for key in both),
        chance_of_failures=sign(*real),
        without_pair=_without_pair(before, now),
        differences=_differences(before, now, least),
    )


def _systems(runs: Mapping[Key, RunFacts]) -> tuple[str, ...]:
    """Ours first."""
    found = {run.system for run in runs.values()}
    return tuple(each.full_name for each in sorted(found, key=lambda each: (not each.is_ours, each.name, each.version)))


def _mixed(*sides: Mapping[Key, RunFacts]) -> tuple[str, ...]:
    versions = [{(run.system.called, run.system.version) for run in side.values()} for side in sides]
    counts = [Counter(called for called, _ in side) for side in versions]
    return tuple(sorted({called for each in counts for called, many in each.items() if many > 1}))


def _differ(before: RunFacts, now: RunFacts) -> bool:
    if before.outcome == now.outcome:
        return False
    return not (before.only_by_untold(now) or now.only_by_untold(before))


def _changed(key: Key, before: RunFacts, now: RunFacts) -> Changed:
    told = now if now.outcome != PASSED else before
    return Changed(
        script=key.script,
        world=key.world,
        variant=key.variant,
        seed=key.seed,
        before=before.outcome,
        now=now.outcome,
        why=told.why,
        again=told.again,
        system_before=before.system.if_other,
        system_now=now.system.if_other,
    )


def _without_pair(before: Mapping[Key, RunFacts], now: Mapping[Key, RunFacts]) -> Shares:
    scripts = {(key.script, key.system) for key in before} & {(key.script, key.system) for key in now}
    sides = [
        [
            run.outcome == FAILED
            for key, run in runs.items()
            if key not in others and (key.script, key.system) in scripts
        ]
        for runs, others in ((before, now), (now, before))
    ]
    told = (sum(sides[0]), len(sides[0]), sum(sides[1]), len(sides[1]))
    return Shares(
        failed_before=told[0], runs_before=told[1], failed_now=told[2], runs_now=told[3], chance=fisher(*told)
    )


class _Values(NamedTuple):
    """Of one measure and system, of one script or all."""

    measure: str
    system: str
    script: str | None
    pairs: list[tuple[float, float]]
    before: list[float]
    now: list[float]


def _differences(before: Mapping[Key, RunFacts], now: Mapping[Key, RunFacts], least: float) -> tuple[Difference, ...]:
    """Of each system, of all scripts together and of each: by its pairs, or, where it has too few of those, by all its
    runs. Only what could be told at all counts as looked at (Tarone): fewer pairs that differ than FEWEST never
    could."""
    found = [_difference(values) for values in _values(before, now)]
    tested = [place for place, each in enumerate(found) if each.differ >= FEWEST]
    corrected = dict(zip(tested, holm([found[place].chance for place in tested]), strict=True))
    told = []
    for place, each in enumerate(found):
        chance = corrected.get(place, 1.0)
        told.append(msgspec.structs.replace(each, chance=chance, kind=_kind(each, chance, least)))
    return tuple(told)


def _kind(each: Difference, chance: float, least: float) -> str:
    beyond = each.low >= least or each.high <= -least
    if each.n < FEWEST or (beyond and chance >= LIMIT):
        return TOO_FEW
    if not beyond:
        return SAME
    if each.measure in NEUTRAL:
        return DIFFERENT
    return WORSE if each.percent > 0 else BETTER


def _values(before: Mapping[Key, RunFacts], now: Mapping[Key, RunFacts]) -> Iterator[_Values]:
    cells: dict[tuple[str, str, str | None], _Values] = {}

    def cell(measure: str, run: RunFacts, script: str | None) -> _Values:
        system = "" if run.system.is_ours else run.system.called
        return cells.setdefault((measure, system, script), _Values(measure, system, script, [], [], []))

    for key, run in before.items():
        others = now[key].means if key in now else {}
        for measure, value in run.means.items():
            cell(measure, run, key.script).before.append(value)
            if measure in others:
                for script in (None, key.script):
                    cell(measure, run, script).pairs.append((value, others[measure]))
    for key, run in now.items():
        for measure, value in run.means.items():
            cell(measure, run, key.script).now.append(value)
    for place in sorted(cells, key=lambda each: (each[0], each[1], each[2] is not None, each[2] or "")):
        values = cells[place]
        if values.pairs or (values.before and values.now):
            yield values


def _difference(values: _Values) -> Difference:
    fewer = min(len(values.before), len(values.now))
    paired = len(values.pairs) >= min(FEWEST, fewer)  # of all scripts together there is nothing but pairs
    if paired:
        parts = [_part(*pair) for pair in values.pairs]
        before, now = [one for one, _ in values.pairs], [other for _, other in values.pairs]
        differ = sum(1 for each in parts if each)
        percent, chance = sum(parts) / len(parts), signed_rank(parts)
        interval = mean_interval(parts, resample=differ >= FEWEST)
    else:
        before, now, differ = values.before, values.now, fewer
        middle = (_mean(before) + _mean(now)) / 2 or 1.0
        low, high = difference_interval(before, now)
        percent, interval, chance = (
            _part(_mean(before), _mean(now)),
            (low / middle, high / middle),
            rank_sum(before, now),
        )
    return Difference(
        measure=values.measure,
        script=values.script,
        system=values.system,
        paired=paired,
        n=min(len(before), len(now)),
        differ=differ,
        before=_mean(before),
        now=_mean(now),
        percent=100 * percent,
        low=100 * interval[0],
        high=100 * interval[1],
        chance=chance,
        kind="",
    )


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


def _part(before: float, now: float) -> float:
    """By how much it is more, of the mean of both: no single pair can outweigh the others, and none is divided by 0."""
    mean = (abs(before) + abs(now)) / 2
    return (now - before) / mean if mean else 0.0
