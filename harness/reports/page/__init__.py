"""report.html: one page that needs no network."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files

from shaketable.harness.reports.model import Report
from shaketable.harness.reports.page.costs import found_after, slowest
from shaketable.harness.reports.page.covered import covered
from shaketable.harness.reports.page.head import head, headline
from shaketable.harness.reports.page.markup import Html, tag
from shaketable.harness.reports.page.passed import passed
from shaketable.harness.reports.page.plots import compared, measured
from shaketable.harness.reports.page.runs import not_passed
from shaketable.harness.reports.picture import Picture
from shaketable.harness.verdicts.verdict import PASSED


def to_html(report: Report, pictures: Mapping[int, Picture] | None = None) -> str:
    """`pictures`: by the place of a run among the report's runs."""
    sections = [each for each in _sections(report, pictures or {}) if each[2]]
    links = [tag("a", title, href=f"#{name}") for name, title, _ in sections]
    page = tag(
        "html",
        _meta(f"{headline(report)}: {report.title or 'shaketable'}"),
        tag(
            "body",
            head(report, tag("nav", *links, aria_label="sections") if len(links) > 1 else None),
            tag("main", *(tag("section", tag("h2", title), said, id=name) for name, title, said in sections)),
            _foot(report),
            tag("script", Html(_asset("report.js"))),
        ),
        lang="en",
    )
    return f"<!doctype html>\n{page}\n"


def alone(title: str, lead: str, said: Html) -> str:
    """A page of one table, that needs no network either."""
    page = tag(
        "html",
        _meta(title),
        tag(
            "body",
            tag("header", tag("h1", title), tag("p", lead, class_="sentence"), class_="top"),
            tag("main", said),
        ),
        lang="en",
    )
    return f"<!doctype html>\n{page}\n"


def _meta(title: str) -> Html:
    return tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=_policy()),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", title),
        tag("style", Html(_asset("report.css"))),
    )


def _sections(report: Report, pictures: Mapping[int, Picture]) -> Iterator[tuple[str, str, Html]]:
    yield "trouble", "What did not pass", not_passed(report, pictures)
    yield "covered", "What was covered", covered(report)
    yield "found", "How soon it was found", found_after(report)
    yield "slowest", "Which stories are slow", slowest(report)
    yield "times", "How long it took", measured(report)
    yield "compared", "What has changed", compared(report)
    yield "passed", "What passed" if report.outcome == PASSED else "What else passed", passed(report, pictures)


def _foot(report: Report) -> Html:
    together = f"Histories together {report.history_hash[:12]}. " if report.history_hash else ""
    return tag(
        "footer",
        tag(
            "p",
            f"Judged by shaketable {report.shaketable}. {together}The same is in report.md, junit.xml, report.json.",
        ),
        tag("p", "This page is one file: it asks nothing of any network, and may be kept or sent as it is."),
    )


@cache
def _asset(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


@cache
def _policy() -> str:
    """Nothing is loaded, and no script runs but ours, whatever a name on the page may hold."""
    digest = base64.b64encode(hashlib.sha256(_asset("report.js").encode()).digest()).decode()
    return f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
