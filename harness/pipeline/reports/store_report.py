"""The reports of a store: its rows as a stream, and of the runs that are shown in full their histories.

However many runs there are, this process holds few of them at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from shaketable.harness.coverage import ALL_MARKS
from shaketable.harness.history.codec import CodecError
from shaketable.harness.pipeline.measuring.measured_report import measures_of
from shaketable.harness.pipeline.spark.trouble import told_in_words
from shaketable.harness.pipeline.stores.checking import settings_of, verdict_of
from shaketable.harness.pipeline.stores.schema import records_of
from shaketable.harness.pipeline.stores.store import Store
from shaketable.harness.records import Record
from shaketable.harness.reports.campaign_report import CampaignFacts, write_campaign_reports
from shaketable.harness.reports.model import Comparison, Measure, Minimal, Report
from shaketable.harness.verdicts.rows import RunRow
from shaketable.harness.verdicts.verdict import PASSED

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

A_PART: Final = 10_000
"""rows that this process takes at once"""


def write_store_reports(
    store: Store,
    out: Path,
    *,
    title: str,
    again: str = "",
    runs: DataFrame | None = None,
    minimal: Mapping[str, Minimal] | None = None,
    measured: bool = False,
    comparisons: Sequence[Comparison] = (),
    notes: Sequence[str] = (),
    complete: bool = True,
    shown_passed: Sequence[str] = (),
    marks: Mapping[str, tuple[str, str]] = ALL_MARKS,
    begins: Callable[[str], None] = lambda step: None,
) -> Report:
    """`runs`: rows to tell of in the place of all of the store's, as others have judged them maybe. `measured`: whether
    to say how long things took, by the histories that are kept, which takes a while however few there are. `begins` is
    told of each step. The rest is as CampaignFacts says."""
    with told_in_words(f"the runs of {store.path} cannot be reported"):
        chosen = store.runs if runs is None else runs
        measures: Sequence[Measure] = ()
        if measured:
            begins("measuring how long things took")
            measures = measures_of(Store(store.path, chosen, store.history))
        begins("reading the runs")

        def drawn(run: str) -> Sequence[Record] | None:
            begins("drawing the pictures")
            return history_of(store, run)

        facts = CampaignFacts(
            title=title,
            rows=_with_verdicts(rows_of(chosen), store, shown_passed),
            again=again,
            marks=marks,
            history_of=drawn,
            minimal=minimal or {},
            measures=measures,
            comparisons=comparisons,
            notes=notes,
            complete=complete,
            shown_passed=shown_passed,
        )
        return write_campaign_reports(facts, out)


def rows_of(runs: DataFrame) -> Iterator[RunRow]:
    """All tasks make them at once, and this process takes one part after the other."""
    from pyspark.sql.functions import struct, to_json

    lines = runs.select(to_json(struct("*")).alias("row")).persist()
    try:
        parts = max(1, lines.count() // A_PART)
        for told in lines.coalesce(parts).toLocalIterator():
            yield msgspec.json.decode(told["row"], type=RunRow)
    finally:
        lines.unpersist()


def _with_verdicts(rows: Iterable[RunRow], store: Store, names: Sequence[str]) -> Iterator[RunRow]:
    """Rows of runs that have passed are without their verdicts: those of these runs are made once more."""
    wanted = dict.fromkeys(names, True)
    for row in rows:
        records = (
            history_of(store, row.run) if row.run in wanted and row.outcome == PASSED and not row.verdict else None
        )
        if records:
            verdict = verdict_of(row, list(records), settings_of(row))
            row = msgspec.structs.replace(row, verdict=msgspec.json.encode(verdict).decode())
        yield row


def history_of(store: Store, run: str) -> Sequence[Record] | None:
    """None: it is not kept, or cannot be read any more; its verdict stands."""
    from pyspark.sql.functions import col, lit

    table = store.history.where(col("run") == lit(run)).toArrow()
    try:
        return sorted(records_of(table), key=lambda record: record[:4]) or None
    except CodecError:
        return None
