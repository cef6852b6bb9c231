"""What report.md says of a campaign: how much was run and what changed; after what did not pass what was reached, and
how long things took."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from shaketable.harness.checks.result import counted
from shaketable.harness.records import OURS
from shaketable.harness.reports.markdown_text import escaped, fenced
from shaketable.harness.reports.model import Comparison, Guarantee, Line, Measure, Report
from shaketable.harness.reports.shared import MARKS, promise_of, said_of_spread, untold_by

MOST_LINES: Final = 60
ENOUGH: Final = 2_000
"""runs: what fewer have not reached tells little"""
MOST_NEVER: Final = 60
MOST_MEASURES: Final = 60


def campaign_blocks(report: Report) -> Iterator[str]:
    totals = report.totals
    if report.title:
        yield f"{escaped(report.title)}\n"
    yield from (f"- {escaped(note)}" for note in report.notes)
    figures = [counted(totals.runs, "run"), counted(totals.faults, "fault"), f"{totals.events:,} events"]
    figures += (
        [f"{totals.twice} executed twice, {totals.differed} of them with another history"] if totals.twice else []
    )
    yield f"\n{', '.join(figures)}.\n"
    if report.again:
        yield fenced(report.again, "sh")
    yield from _guarantees(report)
    yield from _lines([line for line in report.lines if line.failed or line.unknown])
    yield from _compared(report.comparisons)
    if report.others or report.more:
        others = counted(len(report.others) + report.more, "more run has", "more runs have")
        yield f"\n{others} not passed: report.html and the store list them.\n"


def covered_blocks(report: Report) -> Iterator[str]:
    yield ""
    yield from _reached(report)
    yield from _measures(report.measures)


def _guarantees(report: Report) -> Iterator[str]:
    judged = [each for each in report.guarantees if each.held + each.broken + each.expected + each.unknown]
    if judged:
        yield from _judged(judged)
    for by, names in untold_by(report.guarantees).items():
        yield f"Not told in some runs{f' of {escaped(by)}' if by else ''}: {escaped(', '.join(names))}.\n"


def _judged(judged: list[Guarantee]) -> Iterator[str]:
    yield "| check | | held | broken | as expected | unknown | looked at |\n|---|---|--:|--:|--:|--:|--:|"
    for each in sorted(judged, key=lambda each: not each.broken):
        mark = MARKS["broken"] if each.broken else MARKS["held"]
        cells = (each.held, each.broken, each.expected, each.unknown, each.looked_at)
        yield f"| {escaped(each.name)} | {mark} | {' | '.join(f'{cell:,}' for cell in cells)} |"
    yield ""


def _lines(lines: list[Line]) -> Iterator[str]:
    if not lines:
        return
    with_systems = any(line.system for line in lines)
    system = ("| system ", "|---") if with_systems else ("", "")
    yield f"| script | variant {system[0]}| runs | failed | unknown | seeds |\n|---|---{system[1]}|--:|--:|--:|---|"
    for line in lines[:MOST_LINES]:
        seeds = ", ".join(map(str, line.failing_seeds))
        names = (line.script, line.variant, *([line.system or OURS.full_name] if with_systems else []))
        cells = (*map(escaped, names), line.runs, line.failed, line.unknown, seeds)
        yield f"| {' | '.join(map(str, cells))} |"
    if len(lines) > MOST_LINES:
        yield f"\nand {len(lines) - MOST_LINES} more"
    yield ""


def _reached(report: Report) -> Iterator[str]:
    """A row a service; by name only where so many runs were played that it tells something."""
    if not report.coverage:
        return
    never = [mark for mark in report.coverage if not mark.runs]
    reached = len(report.coverage) - len(never)
    yield f"**Reached: {reached} of {counted(len(report.coverage), 'mark')}.**\n"
    yield "| service | reached | never | rarest |\n|---|--:|--:|---|"
    for service in dict.fromkeys(mark.service for mark in report.coverage):
        marks = [mark for mark in report.coverage if mark.service == service]
        there = [mark for mark in marks if mark.runs]
        rarest = min(there, key=lambda mark: (mark.runs, mark.mark), default=None)
        said = f"{escaped(rarest.mark)}, in {counted(rarest.runs, 'run')}" if rarest is not None else ""
        yield f"| {escaped(service or 'others')} | {len(there)} | {len(marks) - len(there)} | {said} |"
    yield ""
    if report.totals.runs < ENOUGH:
        return
    yield from (f"- never reached: {escaped(mark.mark)}, {escaped(mark.means)}" for mark in never[:MOST_NEVER])
    if len(never) > MOST_NEVER:
        yield f"- and {len(never) - MOST_NEVER} more"
    yield ""


def _measures(measures: tuple[Measure, ...]) -> Iterator[str]:
    shown = [each for each in measures if each.spread.count][:MOST_MEASURES]
    if not shown:
        return
    yield "| measure | script | variant | measured | promised |\n|---|---|---|---|---|"
    for each in shown:
        promised = promise_of(each) + (f", **{each.outside} outside**" if each.outside else "")
        cells = (
            each.measure,
            ", ".join(filter(None, (each.script or "all", each.system))),
            each.variant,
            said_of_spread(each.spread, each.unit),
        )
        yield f"| {' | '.join(map(escaped, cells))} | {promised} |"
    yield ""


def _compared(comparisons: tuple[Comparison, ...]) -> Iterator[str]:
    if not comparisons:
        return
    with_variants = any(each.variant for each in comparisons)
    variant = ("| variant ", "|---") if with_variants else ("", "")
    yield f"| | what | script {variant[0]}| before | now | |\n|---|---|---{variant[1]}|---|---|---|"
    for each in comparisons[:MOST_LINES]:
        names = (each.what, each.script, *([each.variant] if with_variants else []))
        cells = (each.kind, *names, each.before, each.now, each.said)
        yield f"| {' | '.join(map(escaped, cells))} |"
    yield ""
