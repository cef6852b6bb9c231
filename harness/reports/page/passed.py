"""What passed: a line a script and variant; of a few runs each is there, folded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from shaketable.harness.checks.result import counted
from shaketable.harness.records import OURS
from shaketable.harness.reports.model import Line, Report
from shaketable.harness.reports.page.markup import Html, Part, joined, table, tag
from shaketable.harness.reports.page.runs import run_card
from shaketable.harness.reports.picture import Picture
from shaketable.harness.reports.shared import FAMILIES, MARKS, in_short, said_of
from shaketable.harness.verdicts.verdict import PASSED

MOST_PASSED: Final = 30
"""runs that are there one by one"""


def passed(report: Report, pictures: Mapping[int, Picture]) -> Html:
    runs = [(place, run) for place, run in enumerate(report.runs) if run.outcome == PASSED]
    parts: list[Part] = []
    if 0 < len(runs) <= MOST_PASSED:
        for place, run in runs:
            said = tag("small", f" {', '.join(filter(None, (f'seed {run.seed}', run.system.if_other, in_short(run))))}")
            mark = tag("span", f"{MARKS[PASSED]} passed ", class_="word passed")
            opened = len(report.runs) == 1
            summary = tag("summary", mark, f" {run.script}", said)
            card = run_card(report, place, pictures.get(place))
            parts.append(tag("details", summary, card, class_="passed-run", open=opened))
    lines = [line for line in report.lines if line.passed]
    if lines and (report.totals.passed > len(runs) or len(runs) > MOST_PASSED):
        parts.append(_lines(lines))
    if report.left_out:
        parts.append(tag("h3", "Not for this world"))
        parts.append(tag("ul", *(tag("li", f"{each.script}: {said_of(each)}") for each in report.left_out)))
    return joined(parts)


def _lines(lines: list[Line]) -> Html:
    system = [("system", "")] if any(line.system for line in lines) else []
    head = [("script", ""), *system, ("variant", ""), ("seeds", "number"), ("passed", "number"), ("not passed", "")]
    families = list(dict.fromkeys(line.family for line in lines))
    if len(families) < 2 and len(lines) <= 60:
        return table(head, [_line(line, bool(system)) for line in lines])
    parts = []
    for family in sorted(families):
        own = [line for line in lines if line.family == family]
        scripts = len({line.script for line in own})
        runs = f"{sum(line.passed for line in own):,} runs of {counted(scripts, 'script')}"
        said = f"{FAMILIES.get(family, family) or 'scripts'}: {runs}"
        parts.append(tag("details", tag("summary", said), table(head, [_line(line, bool(system)) for line in own])))
    return joined(parts)


def _line(line: Line, with_system: bool) -> Html:
    seeds = f"{line.first_seed}" if line.first_seed == line.last_seed else f"{line.first_seed}–{line.last_seed}"
    wrong = [f"{line.failed} failed"] if line.failed else []
    wrong += [f"{line.unknown} unknown"] if line.unknown else []
    said = f"{', '.join(wrong)} (seed {', '.join(map(str, line.failing_seeds))})" if wrong else ""
    return tag(
        "tr",
        tag("th", line.script, scope="row", title=line.title),
        tag("td", line.system or OURS.full_name) if with_system else None,
        tag("td", line.variant),
        tag("td", seeds, class_="number", data_label="seeds"),
        tag("td", f"{line.passed:,}", class_="number", data_label="passed"),
        tag("td", said, class_="word failed" if line.failed else None),
    )
