"""What two stores differ in, as a report shows it: a line a run whose outcome changed, and a line a measure."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from shaketable.harness.pipeline.comparing.answers import Difference
from shaketable.harness.pipeline.comparing.compare_command import (
    VERDICTS,
    of_pairs,
    of_the_rest,
    systems_of,
    systems_of_both,
)
from shaketable.harness.pipeline.comparing.comparing import Changed, Compared, compared
from shaketable.harness.pipeline.comparing.facts import RunFacts
from shaketable.harness.pipeline.comparing.pairs import Key
from shaketable.harness.pipeline.comparing.reading import runs_here, runs_of
from shaketable.harness.pipeline.measuring.measures import BY_NAME
from shaketable.harness.reports.model import Comparison
from shaketable.harness.reports.shared import amount

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from shaketable.harness.pipeline.stores.store import Store

MOST: Final = 100
"""lines of one kind; `shaketable compare --json` has them all"""


Lines = tuple[list[Comparison], list[str]]
"""and in sentences what was compared"""


def comparisons_of(spark: SparkSession, before: Store, now: Store) -> Lines:
    return _lines(runs_of(spark, before), runs_of(spark, now), before.path)


def comparisons_here(before: Path, now: Path) -> Lines:
    return _lines(runs_here(before), runs_here(now), str(before))


def _lines(before: dict[Key, RunFacts], now: dict[Key, RunFacts], path: str) -> Lines:
    told = compared(before, now)
    return list(as_lines(told)), list(_said(told, path))


def _said(told: Compared, path: str) -> Iterator[str]:
    who = f" ({', '.join(whose)})" if (whose := systems_of_both(told)[0]) else ""
    said = f"Compared with {path}{who}: {told.pairs:,} runs of both, "
    said += f"{told.alike:,} of them alike event by event, "
    yield f"{said}{told.only_before:,} only before, {told.only_now:,} only now."
    yield from of_pairs(told)
    yield " ".join((VERDICTS[told.exit_code], *of_the_rest(told)))


def as_lines(told: Compared) -> Iterator[Comparison]:
    for run in told.new_failures[:MOST]:
        yield _changed(run, "new failure")
    for run in told.new_unknown[:MOST]:
        yield _changed(run, "now unknown")
    for run in told.fixed[:MOST]:
        yield _changed(run, "gone failure")
    for run in told.no_longer_unknown[:MOST]:
        yield _changed(run, "known now")
    yield from map(_difference, told.called[:MOST])


def _changed(run: Changed, kind: str) -> Comparison:
    return Comparison(
        what=", ".join(filter(None, (f"seed {run.seed}", systems_of(run)))),
        script=run.script,
        variant=run.variant,
        before=run.before,
        now=run.now,
        said=run.why,
        kind=kind,
    )


def _difference(of: Difference) -> Comparison:
    unit = BY_NAME[of.measure].unit
    return Comparison(
        what=", ".join(filter(None, (of.measure, of.system))),
        script=of.script or "",
        before=amount(of.before, unit),
        now=amount(of.now, unit),
        said=of.words,
        kind=of.kind,
    )
