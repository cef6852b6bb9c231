"""What was covered: how much was run and broken, what each check said, and what of the protocols was reached."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from shaketable.harness.checks.result import counted
from shaketable.harness.history.crash_points import PHASES
from shaketable.harness.reports.crash_matrix import ROWS, SAID, TITLE, CrashMatrix
from shaketable.harness.reports.model import Guarantee, Report
from shaketable.harness.reports.page.markup import Html, Part, joined, table, tag
from shaketable.harness.reports.page.reached import reached
from shaketable.harness.reports.shared import MARKS, untold_by
from shaketable.node.core.env import SECOND, Micros

SHARES: Final = ("held", "expected", "broken", "unknown", "vacuous", "not_told")
SAYS: Final = {"held": "held", "expected": "broken, as expected", "broken": "BROKEN", "unknown": "unknown"}


def covered(report: Report) -> Html:
    if not report.totals.runs:
        return joined([])
    parts: list[Part] = [_figures(report)]
    if report.coverage:
        parts += [tag("h3", "What of the protocols was reached"), *reached(report)]
    if report.guarantees:
        parts += [tag("h3", "Guarantees"), _guarantees(report)]
    parts += _crash_points(report)
    return joined(parts)


def long_time(time: Micros) -> str:
    """Of the worlds' own time, in words: "41 s", "3 h 12 min", "17 days 4 h"."""
    seconds = time // SECOND
    for size, unit, smaller, part in ((86_400, "days", 3_600, "h"), (3_600, "h", 60, "min"), (60, "min", 1, "s")):
        if seconds >= 2 * size:
            rest = seconds % size // smaller
            return f"{seconds // size:,} {unit}{f' {rest} {part}' if rest else ''}"
    return f"{time / SECOND:.1f} s" if time < 10 * SECOND else f"{seconds} s"


def _figures(report: Report) -> Html:
    totals = report.totals
    scripts = len({line.script for line in report.lines})
    variants = len({line.variant for line in report.lines})
    figures = [
        ("runs", f"{totals.runs:,}"),
        (_noun("script", scripts), f"{scripts:,}"),
        ("variants", f"{variants:,}") if variants > 1 else None,
        (_noun("fault", totals.faults), f"{totals.faults:,}"),
        ("events recorded", f"{totals.events:,}"),
        ("of their own time", long_time(totals.duration)),
        ("of real time, all runs together", long_time(totals.wall)) if totals.wall else None,
        ("runs executed twice and compared", f"{totals.twice:,}") if totals.twice else None,
        ("of them with another history", f"{totals.differed:,}") if totals.twice else None,
    ]
    made = [tag("div", tag("dt", name), tag("dd", said)) for name, said in filter(None, figures)]
    return tag("dl", *made, class_="figures")


def _noun(thing: str, number: int) -> str:
    return counted(number, thing).split(" ", 1)[1]


def _guarantees(report: Report) -> Html:
    judged = [each for each in report.guarantees if each.held + each.broken + each.expected + each.unknown]
    others = [each for each in report.guarantees if each not in judged]
    idle = [each.name for each in others if each.vacuous or not each.not_told]
    untold = [each for each in others if each.not_told and not each.vacuous]
    head = [("check", ""), ("", ""), ("in how many runs", ""), ("looked at", "number")]
    rows = [_guarantee(each) for each in sorted(judged, key=lambda each: (not each.broken, not each.unknown))]
    said = [f"Nothing to judge in any run: {', '.join(idle)}."] if idle else []
    said += [
        f"Not told in any run{f', of {by}' if by else ''}: {', '.join(names)}."
        for by, names in untold_by(untold).items()
    ]
    return joined([table(head, rows), *(tag("p", each, class_="soft") for each in said)])


def _guarantee(of: Guarantee) -> Html:
    counts = {name: getattr(of, name) for name in SHARES}
    bar = [tag("span", class_=name, style=f"flex-grow:{count}") for name, count in counts.items() if count]
    by = f" (by {', '.join(of.not_told_by)})" if of.not_told_by else ""
    words = [f"{SAYS[name]} {counts[name]:,}" for name in SAYS if counts[name]]
    words += [f"saw nothing {of.vacuous:,}"] if of.vacuous else []
    words += [f"not told {of.not_told:,}{by}"] if of.not_told else []
    status = "broken" if of.broken else "unknown" if of.unknown and not of.held else "held"
    mark = tag("span", f"{MARKS[status]} ", class_=f"word {status}", aria_hidden="true")
    return tag(
        "tr",
        tag("th", mark, of.name, scope="row"),
        tag("td", tag("div", *bar, class_="bar", aria_hidden="true"), class_="barred"),
        tag("td", ", ".join(words)),
        tag("td", f"{of.looked_at:,}", class_="number", data_label="looked at"),
    )


def _crash_points(report: Report) -> Iterator[Html]:
    matrix = CrashMatrix(report)
    if not matrix:
        return
    yield tag("h3", TITLE)
    yield tag("p", SAID, class_="soft")
    rows = [
        tag(
            "tr",
            tag("th", row, scope="row"),
            *(tag("td", matrix.cell(row, phase), data_label=phase) for phase in PHASES),
        )
        for row in ROWS
    ]
    yield table([("", ""), *((phase, "") for phase in PHASES)], rows)
    yield from (tag("p", sentence, class_="soft") for sentence in matrix.sentences())
