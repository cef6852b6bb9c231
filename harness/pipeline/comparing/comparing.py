"""Two campaigns side by side, as plain rows: what newly fails, what is fixed, what takes longer or more, and what only
one of them has run.

A run of one is the pair of a run of the other if script, world, variant, preset, seed and system are the same
(pairs.py). In virtual time such a pair differs only by the code that ran it: a seed that passed and fails now is a
fact. In the real world it may be chance, and is tested. Statements about many runs have passed a test that takes the
runs of one draw as one (columns.py) and allows for the number of comparisons (answers.py)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import msgspec

from shaketable.harness.pipeline.comparing.alike import are_alike
from shaketable.harness.pipeline.comparing.answers import CANNOT_SAY, DIFFERS, LIMIT, WORSE, Asked, Difference
from shaketable.harness.pipeline.comparing.columns import SIMULATED, Runs
from shaketable.harness.pipeline.comparing.differences import differences
from shaketable.harness.pipeline.comparing.facts import RunFacts
from shaketable.harness.pipeline.comparing.failures import Shares, chance_of_pairs, corrected, shares
from shaketable.harness.pipeline.comparing.other_settings import OtherSetting, other_settings
from shaketable.harness.pipeline.comparing.pairs import Apart, Key, apart, by_pairs
from shaketable.harness.verdicts.reasons import FAILED
from shaketable.harness.verdicts.verdict import PASSED, UNKNOWN_OUTCOME


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
    settings: tuple[OtherSetting, ...]
    """in which pairs differ"""
    new_failures: tuple[Changed, ...]
    """passed before, failed now"""
    new_unknown: tuple[Changed, ...]
    fixed: tuple[Changed, ...]
    no_longer_unknown: tuple[Changed, ...]
    """unknown before, passed now"""
    passed: int
    """runs of both sides that have passed"""
    passed_and_kept: int
    """of these, whose histories are in the stores: most measures need them"""
    failed_before: int
    failed_now: int
    chance_of_failures: float
    """that so many more draws fail in pairs of the real world by accident; 1 without any"""
    without_pair: Shares
    differences: tuple[Difference, ...]
    asked: Asked

    @property
    def exit_code(self) -> int:
        """0 nothing worse was found, 1 something is, 2 it cannot be said."""
        in_virtual_time = any(each.world == SIMULATED for each in self.new_failures)
        if in_virtual_time or (self.new_failures and self.chance_of_failures < LIMIT):
            return 1
        if self.without_pair.worse or any(each.kind == WORSE for each in self.differences):
            return 1
        repaired = self.fixed or self.no_longer_unknown
        told = repaired or self.nothing_differs or any(each.kind != CANNOT_SAY for each in self.differences)
        return 2 if self.new_failures or self.new_unknown or not told else 0

    @property
    def nothing_differs(self) -> bool:
        """All pairs are alike, event by event, and nothing else is to be told."""
        changed = self.new_failures or self.new_unknown or self.fixed or self.no_longer_unknown
        other = changed or self.without_pair.worse or self.of_kinds(CANNOT_SAY, *DIFFERS)
        return self.pairs == self.alike > 0 and not other

    def of_kinds(self, *kinds: str) -> list[Difference]:
        return [each for each in self.differences if each.kind in kinds]

    @property
    def called(self) -> list[Difference]:
        """The differences that are sure, by kind."""
        return sorted(self.of_kinds(*DIFFERS), key=lambda each: DIFFERS.index(each.kind))


def compared(before: Runs, now: Runs, asked: Asked | None = None) -> Compared:
    asked = asked or Asked()
    keys = before, now
    now = by_pairs(before, now)
    both = [key for key in before if key in now]
    differing = [key for key in both if _differ(before[key], now[key])]
    failures = _keys(differing, before, now, PASSED, FAILED)
    fixed = _keys(differing, before, now, FAILED, PASSED)
    changed = {key: _changed(key, before[key], now[key]) for key in differing}
    scripts = [dict.fromkeys(key.script for key in runs) for runs in (before, now)]
    passed = [run for side in (before, now) for run in side.values() if run.outcome == PASSED]
    without_pair, chance = corrected(shares(before, now), chance_of_pairs(failures, fixed, before))
    return Compared(
        pairs=len(both),
        alike=sum(are_alike(before[key], now[key]) for key in both),
        only_before=len(before) - len(both),
        only_now=len(now) - len(both),
        scripts_only_before=tuple(sorted(name for name in scripts[0] if name not in scripts[1])),
        scripts_only_now=tuple(sorted(name for name in scripts[1] if name not in scripts[0])),
        systems_before=_systems(before),
        systems_now=_systems(now),
        versions_mixed=_mixed(before, now),
        apart=() if both else apart(*keys),
        settings=other_settings(before, now, both),
        new_failures=tuple(changed[key] for key in failures),
        new_unknown=tuple(
            each for each in changed.values() if each.before == PASSED and each.now not in (PASSED, FAILED)
        ),
        fixed=tuple(changed[key] for key in fixed),
        no_longer_unknown=tuple(changed[key] for key in _keys(differing, before, now, UNKNOWN_OUTCOME, PASSED)),
        passed=len(passed),
        passed_and_kept=sum(run.kept for run in passed),
        failed_before=sum(before[key].outcome == FAILED for key in both),
        failed_now=sum(now[key].outcome == FAILED for key in both),
        chance_of_failures=chance,
        without_pair=without_pair,
        differences=differences(before, now, asked),
        asked=asked,
    )


def _keys(keys: Iterable[Key], before: Runs, now: Runs, was: str, is_now: str) -> list[Key]:
    return [key for key in keys if before[key].outcome == was and now[key].outcome == is_now]


def _systems(runs: Runs) -> tuple[str, ...]:
    """Ours first."""
    found = {run.system for run in runs.values()}
    return tuple(each.full_name for each in sorted(found, key=lambda each: (not each.is_ours, each.name, each.version)))


def _mixed(*sides: Runs) -> tuple[str, ...]:
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
