"""What a task tells of its runs in the place of their rows: merged counts, and what is read of single runs.

Summaries of neighbours make the summary of both: however the runs of a campaign fell into tasks, what is told of all of
them is the same."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import msgspec

from shaketable.harness.nemesis.corpus import Found
from shaketable.harness.pipeline.campaigns.steering import Reached
from shaketable.harness.pipeline.stores.drawing import plays_a_plan
from shaketable.harness.verdicts.reasons import FAILED
from shaketable.harness.verdicts.rows import KEPT_FAILED, KEPT_SAMPLE, RunRow
from shaketable.harness.verdicts.verdict import PASSED

MOST_TOLD: Final = 20
"""runs that have not passed"""


class Failing(msgspec.Struct, frozen=True):
    """A run that has not passed."""

    run: str
    script: str
    variant: str
    seed: int
    outcome: str
    why: list[str]
    again: str
    plan: str = ""
    """where the plan is kept that it played in the place of its own"""


class Summary(msgspec.Struct):
    runs: int = 0
    outcomes: dict[str, int] = {}
    by_variant: dict[str, dict[str, int]] = {}
    """by variant and outcome, how many runs"""
    families: dict[str, int] = {}
    events: int = 0
    simulated: int = 0
    """micros of the runs' own time"""
    wall: int = 0
    """micros of this machine's time"""
    twice: int = 0
    bad_after: int | None = None
    """so many runs until the first that has not passed"""
    micros_until_bad: int = 0
    differed: list[str] = []
    failing: list[Failing] = []
    """the first of those that have not passed, what has failed before what is unknown"""
    kept_failed: list[str] = []
    """runs that have not passed and whose histories are kept, in their order"""
    kept_sample: int = 0
    reached: Reached = msgspec.field(default_factory=Reached)


def summary_of(rows: Iterable[RunRow]) -> Summary:
    told = Summary()
    for row in rows:
        _add(told, row)
    told.failing = first_of(told.failing)
    return told


def first_of(failing: list[Failing]) -> list[Failing]:
    return sorted(failing, key=lambda each: each.outcome != FAILED)[:MOST_TOLD]


def without_room(told: Summary, room: int) -> tuple[Summary, list[str]]:
    """With so many kept histories of runs that have not passed, the first ones; and the runs that have none then."""
    kept, others = told.kept_failed[:room], told.kept_failed[room:]
    return (msgspec.structs.replace(told, kept_failed=kept) if others else told), others


def _add(told: Summary, row: RunRow) -> None:
    told.runs += 1
    _count(told.outcomes, row.outcome)
    _count(told.by_variant.setdefault(row.variant, {}), row.outcome)
    _count(told.families, row.family)
    told.events += row.events
    told.simulated += row.duration
    told.wall += row.wall_micros
    told.twice += row.same is not None
    told.kept_sample += row.kept == KEPT_SAMPLE
    told.reached.add(row.script, row.marks, _plays(row))
    if row.kept == KEPT_FAILED:
        told.kept_failed.append(row.run)
    if row.same is False:
        told.differed.append(row.run)
    if row.outcome != PASSED:
        if told.bad_after is None:
            told.bad_after, told.micros_until_bad = told.runs, told.wall
        why = [reason.text for reason in row.reasons]
        told.failing.append(Failing(row.run, row.script, row.variant, row.seed, row.outcome, why, row.again, row.plan))


def _plays(row: RunRow) -> Found | None:
    """The run as one to go on from, if it played a plan to its end."""
    if not plays_a_plan(row.script) or not row.marks:
        return None
    return Found(row.events, row.run, row.script, row.variant, row.seed)


def _count(counts: dict[str, int], name: str) -> None:
    counts[name] = counts.get(name, 0) + 1
