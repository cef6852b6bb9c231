"""What a campaign's time went to: how soon what is broken was found, and which stories are the slowest."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from shaketable.harness.checks.result import counted
from shaketable.harness.reports.model import Report
from shaketable.harness.reports.page.markup import Html, joined, table, tag
from shaketable.harness.reports.shared import amount
from shaketable.node.core.env import Micros

MOST_ROWS: Final = 20
MOST_STORIES: Final = 12
FOUND: Final = (
    "So many runs of this campaign, whatever they play, it takes on the average until one shows it, and so much time "
    "of one core."
)
SLOWEST: Final = "Real time of one run, judged, on one core of the machine that ran it; and the share of the whole."


def found_after(report: Report) -> Html:
    """Of each thing that is broken, and of each script that has not passed."""
    runs, wall = report.totals.runs, report.totals.wall
    if runs < 2 or not (report.totals.failed or report.totals.unknown):
        return joined([])
    found = [(each.name, "check", each.broken) for each in report.guarantees if each.broken]
    by_script: dict[str, int] = {}
    for line in report.lines:
        by_script[line.script] = by_script.get(line.script, 0) + line.failed + line.unknown
    found += [(script, "script", times) for script, times in by_script.items() if times]
    found.sort(key=lambda each: (each[1], -each[2], each[0]))
    head = [("what", ""), ("", ""), ("in runs", "number"), ("one in", "number")]
    head += [("core time to one", "number")] if wall else []
    rows = [_found(name, what, times, runs, wall) for name, what, times in found[:MOST_ROWS]]
    more = len(found) - len(rows)
    said = tag("p", f"and {more} more, found as seldom or more seldom", class_="soft") if more else None
    return joined([tag("p", FOUND, class_="lead"), table(head, rows), said])


def _found(name: str, what: str, times: int, runs: int, wall: Micros) -> Html:
    return tag(
        "tr",
        tag("th", name, scope="row"),
        tag("td", what),
        tag("td", f"{times:,}", class_="number", data_label="in runs"),
        tag("td", counted(round(runs / times), "run"), class_="number", data_label="one in"),
        tag("td", amount(wall / times), class_="number", data_label="core time to one") if wall else None,
    )


def slowest(report: Report) -> Html:
    wall, stories = report.totals.wall, list(_stories(report))
    if not wall or len(stories) < 2:
        return joined([])
    stories.sort(key=lambda each: (-each[1] / each[2], each[0]))
    shown = stories[:MOST_STORIES]
    rows = [_slow(name, spent, runs, wall) for name, spent, runs in shown]
    together = 100 * sum(spent for _, spent, _ in shown) / wall
    left = f"{len(stories) - len(shown)} more stories took {100 - together:.0f} % of the time."
    head = [("story", ""), ("a run", "number"), ("runs", "number"), ("share", "number"), ("", "")]
    said = tag("p", left, class_="soft") if len(stories) > len(shown) else None
    return joined([tag("p", SLOWEST, class_="lead"), table(head, rows), said])


def _stories(report: Report) -> Iterator[tuple[str, Micros, int]]:
    """Each with the time of all its runs, and how many these are."""
    told: dict[str, tuple[Micros, int]] = {}
    for line in report.lines:
        spent, runs = told.get(line.script, (0, 0))
        told[line.script] = spent + line.wall, runs + line.runs
    for script, (spent, runs) in told.items():
        yield script, spent, runs


def _slow(name: str, spent: Micros, runs: int, wall: Micros) -> Html:
    share = 100 * spent / wall
    bar = tag("span", style=f"width:{share:.1f}%")
    return tag(
        "tr",
        tag("th", name, scope="row"),
        tag("td", amount(spent / runs), class_="number", data_label="a run"),
        tag("td", f"{runs:,}", class_="number", data_label="runs"),
        tag("td", f"{share:.1f} %", class_="number", data_label="share"),
        tag("td", tag("div", bar, class_="share", aria_hidden="true"), class_="barred"),
    )
