"""The top of the page: the verdict in words, and what it is about."""

from __future__ import annotations

from typing import Final

from shaketable.harness.reports.model import Report
from shaketable.harness.reports.page.markup import Html, Part, tag
from shaketable.harness.reports.shared import MARKS, summary_of, whose_members
from shaketable.harness.verdicts.verdict import PASSED

HEADLINES: Final = {"passed": "Passed", "failed": "Failed", "unknown": "It cannot be said"}
MOST_NAMED: Final = 5
"""checks"""


def headline(report: Report) -> str:
    return HEADLINES[report.outcome] if report.totals.runs or report.outcome != "unknown" else "Nothing was run"


def head(report: Report, nav: Html | None) -> Html:
    about = [report.title] if report.title else []
    return tag(
        "header",
        tag("p", " · ".join(["shaketable", *about]), class_="brand"),
        tag("h1", tag("span", MARKS[report.outcome], class_="sign", aria_hidden="true"), headline(report)),
        tag("p", sentence_of(report), class_="sentence"),
        shares(report),
        tag("p", summary_of(report), class_="soft"),
        *(tag("p", said) for said in filter(None, (whose_members(report), *report.notes))),
        again(report.again) if report.again else None,
        nav,
        class_=f"top {report.outcome}",
    )


def sentence_of(report: Report) -> str:
    """What the outcome means, in one or two sentences."""
    totals = report.totals
    broken = [each.name for each in report.guarantees if each.broken]
    expected = any(each.expected for each in report.guarantees)
    if report.outcome == PASSED:
        kept = "kept every guarantee that could be judged"
        kept += ", or broke those that it was to break" if expected else ""
        who = "The run" if totals.runs == 1 else f"All {totals.runs:,} runs"
        return f"{who} {kept}."
    if totals.failed:
        who = "The run" if totals.runs == 1 else f"{totals.failed:,} of {totals.runs:,} runs"
        what = f" Broken: {_listed(broken)}." if broken else ""
        return f"{who} did not keep what was promised.{what}"
    if totals.unknown:
        who = "In the run" if totals.runs == 1 else f"In {totals.unknown:,} of {totals.runs:,} runs"
        return f"{who} something was missing to tell. Nothing is believed that was not observed."
    if totals.runs:
        return "All runs have passed, but not all that was asked for was run and recorded."
    return "No script was run, so nothing is known."


def _listed(names: list[str]) -> str:
    more = [f"{len(names) - MOST_NAMED} more"] if len(names) > MOST_NAMED else []
    parts = [*names[:MOST_NAMED], *more]
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def shares(report: Report) -> Html | None:
    totals = report.totals
    counts = {"passed": totals.passed, "unknown": totals.unknown, "failed": totals.failed}
    if totals.runs < 2:
        return None
    parts: list[Part] = [
        tag("span", style=f"flex-grow:{count}", class_=word) for word, count in counts.items() if count
    ]
    return tag("div", *parts, class_="shares", aria_hidden="true")


def again(command: str) -> Html:
    button = tag("button", "copy", class_="copy", type="button", hidden=True)
    return tag("div", tag("code", command), button, class_="again")
