"""What each of a row of campaigns has found, night after night: a line each in a file, and one page of them.

A campaign that goes on from the corpus of an earlier one goes on with its nights as well."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from shaketable.harness.checks.result import counted
from shaketable.harness.coverage import ALL_MARKS
from shaketable.harness.pipeline.campaigns.json_lines import read_lines, write_lines
from shaketable.harness.pipeline.campaigns.progress import span
from shaketable.harness.pipeline.campaigns.results import Results
from shaketable.harness.reports.page import alone
from shaketable.harness.reports.page.markup import Html, joined, table, tag
from shaketable.harness.whole_files import write_whole
from shaketable.node.core.env import SECOND

FILE: Final = "nights.jsonl"
PAGE: Final = "nights.html"
MOST_NAMED: Final = 12
"""marks that are new"""


class Night(msgspec.Struct, frozen=True):
    ended: str
    """the day, by this machine"""
    store: str
    runs: int
    not_passed: int
    marks: int
    """that were reached"""
    new: list[str]
    """marks that no night before has reached"""
    bad_after: int | None
    """so many runs until the first that has not passed"""
    seconds: float | None
    """of one core until then"""
    plans: int
    """in its corpus"""


def night(results: Results, before: Sequence[Night], *, ended: str, store: str, plans: int) -> Night:
    known = {mark for each in before for mark in each.new}
    reached = [mark for mark in ALL_MARKS if results.marks[mark]]
    return Night(
        ended=ended,
        store=store,
        runs=results.runs,
        not_passed=results.not_passed,
        marks=len(reached),
        new=[mark for mark in reached if mark not in known],
        bad_after=results.bad_after,
        seconds=None if results.bad_after is None else results.micros_until_bad / SECOND,
        plans=plans,
    )


def read_nights(where: Path) -> list[Night]:
    """`where`: the folder of a campaign, or a file in it; without any night of before there is none."""
    file = (where if where.is_dir() else where.parent) / FILE
    return read_lines(file, Night, otherwise="tells no nights") if file.exists() else []


def write_nights(folder: Path, nights: Sequence[Night]) -> None:
    write_lines(folder / FILE, nights)
    write_whole(folder / PAGE, page(nights))


def page(nights: Sequence[Night]) -> str:
    """The newest first."""
    most = max(each.runs for each in nights)
    head = [
        ("night", ""), ("runs", ""), ("not passed", "number"), ("the first of these", ""), ("marks", "number"),
        ("new", ""), ("plans kept", "number"),
    ]  # fmt: skip
    said = table(head, [_row(each, most) for each in reversed(nights)])
    runs = sum(each.runs for each in nights)
    marks = len({mark for each in nights for mark in each.new})
    lead = f"{counted(runs, 'run')} in {counted(len(nights), 'night')} have reached {counted(marks, 'mark')}."
    return alone("The nights", lead, said)


def _row(each: Night, most: int) -> Html:
    found = "none"
    if each.bad_after is not None and each.seconds is not None:
        found = f"after {counted(each.bad_after, 'run')}, {span(each.seconds)} of one core"
    hidden = len(each.new) - MOST_NAMED
    new = ", ".join(each.new[:MOST_NAMED]) + f" and {hidden} more" * (hidden > 0)
    share = f"width: {100 * each.runs / most:.1f}%"
    bar = tag("div", tag("span", class_="held", style=share), class_="bar")
    return joined(
        [
            tag(
                "tr",
                tag("th", each.ended, tag("br"), tag("small", each.store), scope="row"),
                tag("td", str(each.runs), bar, class_="barred", data_label="runs"),
                tag("td", str(each.not_passed), class_="number", data_label="not passed"),
                tag("td", found, data_label="the first of these"),
                tag("td", str(each.marks), class_="number", data_label="marks"),
                tag("td", f"{len(each.new)}{': ' * bool(new)}{new}", data_label="new"),
                tag("td", str(each.plans), class_="number", data_label="plans kept"),
            )
        ]
    )
