"""What of the protocols was reached, as a map: a row a service, a cell a mark, the darker the more runs reached it.

A cell that is hollow was never reached. Behind each row are its marks by name, so that nothing depends on colours, or
on a pointer that can rest on a cell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from shaketable.harness.checks.result import counted
from shaketable.harness.reports.model import Coverage, Report
from shaketable.harness.reports.page.markup import Html, Part, table, tag
from shaketable.harness.reports.page.plots import reached_by
from shaketable.harness.reports.shared import FAMILIES

MOST_OPEN: Final = 40
"""marks that are not folded"""
RARE: Final = 3
"""runs"""
SHARES: Final = (5, 25)
"""of a hundred runs: above each of them the next darker cell begins"""


def reached(report: Report) -> Iterator[Part]:
    never = [mark for mark in report.coverage if not mark.runs]
    here = dict.fromkeys(mark.family for mark in report.coverage)
    absent = [word for family, word in FAMILIES.items() if family not in here]
    left_out = f" What {absent[0]} alone can reach is not listed: no script of theirs was run." if absent else ""
    there = len(report.coverage) - len(never)
    yield tag("p", f"{there} of {counted(len(report.coverage), 'mark')} were reached.{left_out}")
    yield _key()
    for service in dict.fromkeys(mark.service for mark in report.coverage):
        yield _row(service, [mark for mark in report.coverage if mark.service == service], report.totals.runs)
    yield reached_by(report)
    if never:
        said = tag("summary", f"Never reached: {len(never)}", class_="never")
        listed = table([("mark", ""), ("what it means", "")], [_never(mark) for mark in never])
        yield tag("details", said, listed, open=len(never) <= MOST_OPEN)


def _key() -> Html:
    low, high = SHARES
    said = ("never", f"in 1 to {RARE} runs", f"in up to {low} % of the runs", f"up to {high} %", "more")
    keys = [tag("span", tag("i", class_=f"cell of-{place}"), each, class_="key") for place, each in enumerate(said)]
    return tag("p", *keys, class_="soft")


def _row(service: str, marks: Sequence[Coverage], runs: int) -> Html:
    there = [mark for mark in marks if mark.runs]
    cells = [tag("i", class_=f"cell of-{darkness(mark.runs, runs)}", title=_said(mark)) for mark in marks]
    name = (service or "others").capitalize()
    summary = tag(
        "summary",
        tag("span", name, class_="service"),
        tag("span", f"{len(there)} of {len(marks)}", class_="count"),
        tag("span", *cells, class_="cells", aria_hidden="true"),
    )
    listed = [tag("li", tag("span", mark.mark, title=mark.means), tag("span", _times(mark))) for mark in _rarest(marks)]
    return tag("details", summary, tag("ul", *listed, class_="marks"), class_="map")


def darkness(times: int, runs: int) -> int:
    """0: never; 1: in a few runs; then by the share of all runs."""
    if times <= RARE:
        return min(times, 1)
    return 2 + sum(times * 100 > share * runs for share in SHARES)


def _rarest(marks: Sequence[Coverage]) -> list[Coverage]:
    return sorted(marks, key=lambda mark: (mark.runs, mark.mark))


def _said(mark: Coverage) -> str:
    return f"{mark.mark}: {_times(mark)}"


def _times(mark: Coverage) -> str:
    return f"in {counted(mark.runs, 'run')}" if mark.runs else "never"


def _never(mark: Coverage) -> Html:
    return tag("tr", tag("th", mark.mark, scope="row"), tag("td", mark.means))
