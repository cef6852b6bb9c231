"""The reports of a campaign, from plain rows: no Spark here, so whoever has a store reads it and hands the rows over.

The rows are read once and may come in any order: the same rows give the same reports, byte for byte."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from shaketable.harness.pipeline.rows import RunRow
from shaketable.harness.records import Record
from shaketable.harness.reports.model import Comparison, Measure, Minimal, Report


def _nothing_kept(run: str) -> Sequence[Record] | None:
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignFacts:
    """What a campaign, or a store that was ingested, hands over."""

    title: str
    """in words, for the head of the page: "campaign: 5000 seeds of 12 scripts, 3 variants" """
    rows: Iterable[RunRow]
    """every run; read once, as a stream. `verdict` is needed of those that have not passed only"""
    again: str = ""
    """the command that does it again"""
    marks: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """all that can be reached, in the order in which it is listed: by name its family, and what it means in words.
    One that no row has is a line "never reached" in the report"""
    history_of: Callable[[str], Sequence[Record] | None] = _nothing_kept
    """of a run (its name in the store) the records, for its picture; None where they are not kept. It is asked for the
    runs that are shown in full only, at most MOST_SHOWN"""
    minimal: Mapping[str, Minimal] = field(default_factory=dict)
    """by run: what shrinking made of it"""
    measures: Sequence[Measure] = ()
    comparisons: Sequence[Comparison] = ()
    notes: Sequence[str] = ()
    """each a sentence: "interrupted after 3120 of 5000 runs", files that could not be read"""
    complete: bool = True
    """False: not all that was asked for was run, so that the whole can be no better than unknown"""
    shown_passed: Sequence[str] = ()
    """runs that have passed and are to be shown with a picture all the same; their rows need their verdict"""


def write_campaign_reports(facts: CampaignFacts, out: Path) -> Report:
    """Writes report.html, report.md, junit.xml and report.json to `out`; the report knows the outcome and exit code.

    It raises UserError, in one sentence, where they cannot be written."""
    raise NotImplementedError
