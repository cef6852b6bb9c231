"""The reports of a campaign, from plain rows: no Spark here, so the owner of a store reads it and hands the rows over.

The rows are read once and may come in any order: the same rows give the same reports, byte for byte."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import msgspec
from msgspec import UNSET

from shaketable import harness
from shaketable.harness.checks.registry import CHECK_NAMES
from shaketable.harness.checks.result import BROKEN, CheckResult, Violation, counted
from shaketable.harness.coverage import BOTH, SERVICES
from shaketable.harness.records import Record
from shaketable.harness.reports import write_reports
from shaketable.harness.reports.chosen import Chosen
from shaketable.harness.reports.model import Comparison, Coverage, Measure, Minimal, Report, Shown
from shaketable.harness.reports.tally import CheckSaid, RunSaid, Tally
from shaketable.harness.verdicts.reasons import FAILED, Reason
from shaketable.harness.verdicts.rows import CheckRow, RunRow, system_of
from shaketable.harness.verdicts.verdict import PASSED, SCHEMA, UNKNOWN_OUTCOME, RunVerdict, merged

MOST_NOTES: Final = 10
"""of one kind, before the rest is counted"""


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
    One that no row has is a line "never reached" in the report; those of a family of which nothing was run are left
    out. Without any the report does not speak of what was reached"""
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
    report = report_of_campaign(facts)
    write_reports(report, out, lambda place: facts.history_of(report.shown[place].run))
    return report


def report_of_campaign(facts: CampaignFacts) -> Report:
    tally, chosen, marks, hashes = Tally(), Chosen(facts.minimal), _Marks(), _Hashes()
    asked = dict.fromkeys(facts.shown_passed, True)
    passed: list[RunRow] = []
    troubles: list[str] = []
    for row in facts.rows:
        tally.add(_said_by(row))
        marks.add(row)
        hashes.add(row)
        if row.outcome != PASSED:
            chosen.add(row)
        elif row.run in asked and row.verdict:
            passed.append(row)
        if row.trouble:
            troubles.append(row.trouble)
    shown = [*chosen.shown(), *sorted(passed, key=lambda row: row.run)]
    others = chosen.others(shown)
    totals = tally.totals()
    outcome = merged([*tally.outcomes(), *([] if facts.complete else [UNKNOWN_OUTCOME])])
    return Report(
        schema=SCHEMA,
        shaketable=harness.version(),
        outcome=FAILED if totals.differed else outcome,
        history_hash=hashes.together(),
        runs=tuple(map(verdict_of, shown)),
        title=facts.title,
        again=facts.again,
        totals=totals,
        lines=tally.lines(),
        guarantees=tally.guarantees(CHECK_NAMES),
        shown=tuple(Shown(run=row.run, variant=row.variant, minimal=facts.minimal.get(row.run)) for row in shown),
        others=tuple(others),
        more=chosen.count - len(others) - len(shown) + len(passed),
        coverage=marks.coverage(facts.marks),
        measures=tuple(facts.measures),
        comparisons=tuple(facts.comparisons),
        notes=(
            *_few(facts.notes, "more of the kind"),
            *_differed(totals.differed),
            *_few(sorted(troubles), "more runs that could not be read in full"),
        ),
    )


def _differed(differed: int) -> Iterator[str]:
    if differed:
        runs = counted(differed, "run")
        yield f"{runs} gave another history when executed again: one seed no longer gives one history."


def _few(notes: Sequence[str], others: str) -> Iterator[str]:
    yield from notes[:MOST_NOTES]
    if len(notes) > MOST_NOTES:
        yield f"And {len(notes) - MOST_NOTES} {others}."


def _said_by(row: RunRow) -> RunSaid:
    def expected(name: str) -> bool:
        return name == row.expects_violation or name in row.broken_too

    return RunSaid(
        row.script,
        row.title,
        row.family,
        row.world,
        row.variant,
        row.seed,
        row.outcome,
        row.events,
        row.faults,
        row.duration,
        [CheckSaid(check.name, check.status, check.count, expected(check.name)) for check in row.checks],
        row.wall_micros,
        row.same,
        system_of(row).if_other,
    )


def verdict_of(row: RunRow) -> RunVerdict:
    """The whole one where the row has it, else what the row says."""
    if row.verdict:
        return msgspec.json.decode(row.verdict, type=RunVerdict)
    return RunVerdict(
        schema=SCHEMA,
        script=row.script,
        title=row.title,
        file=row.file,
        world=row.world,
        fabric=row.fabric,
        seed=row.seed,
        preset=row.preset,
        outcome=row.outcome,
        reasons=tuple(Reason(reason.outcome, reason.about, reason.text, check=reason.check) for reason in row.reasons),
        about=tuple(row.about),
        expects_violation=row.expects_violation,
        broken_too=tuple(row.broken_too),
        checks=tuple(_check_of(check, row) for check in row.checks),
        faults=(),
        expectations=(),
        counts={"nodes": row.nodes, "processes": row.processes, "events": row.events, "faults": row.faults},
        duration=row.duration,
        history_hash=row.history_hash,
        again=row.again,
        story=(),
        allowance=row.allowance,
        other=system_of(row) if row.system else UNSET,
    )


def _check_of(check: CheckRow, row: RunRow) -> CheckResult:
    """Of its violations only the first is known."""
    if check.status != BROKEN:
        why = row.untold.get(check.name, "")
        return CheckResult(check.name, "", check.status, why, check.count, pending=check.pending)
    told = [row.violations.get(check.name, ""), *(each.text for each in row.reasons if each.check == check.name)]
    first = Violation(next(filter(None, told), counted(check.violations, "violation")), ())
    return CheckResult(check.name, "", BROKEN, "", check.count, (first,), max(0, check.violations - 1), check.pending)


class _Marks:
    def __init__(self) -> None:
        self._times: dict[str, int] = {}
        self._runs: dict[str, int] = {}
        self._first: dict[str, int] = {}
        self._families: dict[str, bool] = {}

    def add(self, row: RunRow) -> None:
        self._families[row.family] = True
        for mark, times in row.marks.items():
            if times:
                self._times[mark] = self._times.get(mark, 0) + times
                self._runs[mark] = self._runs.get(mark, 0) + 1
                self._first[mark] = min(self._first.get(mark, row.seed), row.seed)

    def coverage(self, known: Mapping[str, tuple[str, str]]) -> tuple[Coverage, ...]:
        if not known:
            return ()
        listed = {name: known[name] for name in known if self._could_be(name, known)}
        listed |= {name: ("", "") for name in sorted(self._runs) if name not in known}
        return tuple(
            Coverage(
                mark=name,
                family=family,
                service=SERVICES.get(name, ""),
                means=means,
                times=self._times.get(name, 0),
                runs=self._runs.get(name, 0),
                first_seed=self._first.get(name),
            )
            for name, (family, means) in listed.items()
        )

    def _could_be(self, name: str, known: Mapping[str, tuple[str, str]]) -> bool:
        return name in self._runs or known[name][0] == BOTH or known[name][0] in self._families


class _Hashes:
    """Of all histories together, in whatever order they come."""

    def __init__(self) -> None:
        self._sum = 0

    def add(self, row: RunRow) -> None:
        self._sum += int.from_bytes(hashlib.sha256(f"{row.run} {row.history_hash}".encode()).digest(), "big")

    def together(self) -> str:
        return hashlib.sha256(str(self._sum).encode()).hexdigest()
