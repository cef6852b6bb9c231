"""report.html: nothing on it can break it, it asks no network, and the same input gives the same bytes."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import msgspec
import pytest
from tests.harness.reports.told_runs import WILD, crash, quiet, wild
from tests.where import DOCS

from shaketable.harness.checks.registry import CHECK_NAMES
from shaketable.harness.reports import report_of_session
from shaketable.harness.reports.model import Comparison, Coverage, Measure, Minimal, OneLine, Report, Shown, Spread
from shaketable.harness.reports.page import to_html
from shaketable.harness.reports.page.markup import json_in_page, tag
from shaketable.harness.reports.picture import picture_of
from shaketable.harness.reports.pictures import pictures_of
from shaketable.harness.reports.sections import SECTIONS
from shaketable.harness.verdicts.verdict import LeftOut, session_of

SPREAD = Spread(count=3, least=10, median=20, high=30, most=30, bins=((10, 20, 1), (20, 31, 2)))


class Read(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.scripts: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.words: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        if self.tags[-1:] == ["script"]:
            self.scripts.append(data)
        self.words.append(data)

    @property
    def said(self) -> str:
        return " ".join(" ".join(self.words).split())


def full_of(word: str, run: tuple) -> tuple[Report, dict]:  # type: ignore[type-arg]
    """All that a report may hold, with this word wherever somebody else's words may stand."""
    verdict, records = run
    session = session_of([verdict, quiet()[0]], word, [LeftOut(word, word, word)])
    report = msgspec.structs.replace(
        report_of_session(session),
        title=word,
        again=word,
        shown=(Shown(run=word, variant=word, minimal=Minimal(script=word, file=word, again=word, said=word)),),
        others=(OneLine(run=word, outcome="failed", why=word, again=word),),
        more=3,
        coverage=(
            Coverage(mark=word, family=word, means=word, times=3, runs=2, first_seed=1),
            Coverage(mark="never", family=word, means=word, times=0, runs=0),
        ),
        measures=(
            Measure(measure=word, about=word, script=word, variant=word, unit=word, spread=SPREAD, promised_most=25),
        ),
        comparisons=(Comparison(what=word, script=word, before=word, now=word, said=word, kind="worse"),),
        notes=(word,),
    )
    return report, {0: picture_of(records, verdict)}


def test_no_name_breaks_the_page() -> None:
    plain = Read(to_html(*full_of("plain", crash())))
    broken = Read(to_html(*full_of(WILD, wild())))
    assert broken.tags == plain.tags, "somebody's words have become markup"
    assert "<img src=x onerror=alert(1)>" in broken.said, "and yet they are told"
    assert not re.search("[\x00\x9b]", to_html(*full_of(WILD, wild())))


def test_no_name_breaks_the_data_of_a_picture() -> None:
    (script,) = [data for data in Read(to_html(*full_of(WILD, wild()))).scripts if data.startswith('{"end"')]
    assert not set("<>&") & set(script)
    names = [lane["node"] for lane in msgspec.json.decode(script)["lanes"]]
    assert "n2</script><script>alert(1)</script><img src=x onerror=alert(1)>\"'&amp;\ufffd\ufffd{{}}`" in names


def test_the_page_asks_no_network() -> None:
    page = to_html(*full_of("plain", crash()))
    assert not re.search(r"https?:|//[a-z]|url\(|@import|\bfetch\(|XMLHttpRequest", page)
    links = [value or "" for name, value in Read(page).attributes if name in ("href", "src")]
    assert links
    assert all(link.startswith("#") for link in links)
    assert any("default-src 'none'" in (value or "") for _, value in Read(page).attributes)


def test_the_same_input_gives_the_same_bytes() -> None:
    assert to_html(*full_of("plain", crash())) == to_html(*full_of("plain", crash()))


def test_the_verdict_stands_at_the_top_in_words() -> None:
    failed = Read(to_html(report_of_session(session_of([crash()[0], quiet()[0]], "1")))).said
    assert failed.index("Failed") < failed.index("1 of 2 runs did not keep what was promised. Broken: view integrity")
    assert failed.index("1 passed, 1 failed") < failed.index("What did not pass") < failed.index("What was covered")
    assert "The run kept every guarantee" in Read(to_html(report_of_session(session_of([quiet()[0]], "1")))).said
    assert "Nothing was run" in Read(to_html(report_of_session(session_of([], "1")))).said


def test_a_session_that_was_broken_off_is_not_called_passed() -> None:
    session = msgspec.structs.replace(session_of([quiet()[0]], "1"), outcome="unknown")
    assert "not all that was asked for was run" in Read(to_html(report_of_session(session))).said


def test_a_failure_shows_rule_section_proof_and_how_to_run_it_again() -> None:
    run, _ = crash()
    said = Read(to_html(report_of_session(session_of([run], "1")))).said
    for words in (
        "Each process is a member of every view that it installs, by address and uuid.",
        "From Cluster Service Consistency Improvements, “Theory, M3 (View Integrity)”",
        "rule by rule in docs/cluster-service-rules.md, “Member lists”",
        "n3 installs v4 [n2], in which it is not.",
        "shaketable run chaos/crash.py::crash --world sim --seed 7",
        "took effect at 0.008 s",
    ):
        assert words in said, words


def test_a_mark_that_was_never_reached_is_a_line() -> None:
    report, pictures = full_of("plain", crash())
    said = Read(to_html(report, pictures)).said
    assert "1 of 2 marks were reached." in said
    assert "Never reached: 1" in said
    assert "What clusters alone can reach is not listed" in said


@pytest.mark.parametrize("check", CHECK_NAMES)
def test_every_check_says_which_section_it_comes_from(check: str) -> None:
    section = SECTIONS[check]
    page = (DOCS / f"{section.page}.md").read_text(encoding="utf-8")
    assert f"\n## {section.heading}\n" in page


def test_runs_without_a_record_have_no_picture() -> None:
    report = report_of_session(session_of([crash()[0], quiet()[0]], "1"))
    assert pictures_of(report, lambda place: None) == {}
    assert list(pictures_of(report, lambda place: crash()[1] if place == 0 else None)) == [0]


def test_markup_is_made_by_tags_alone() -> None:
    assert tag("p", "<b>", tag("b", "&"), class_='a"b', hidden=True, id=None) == (
        '<p class="a&quot;b" hidden>&lt;b&gt;<b>&amp;</b></p>'
    )
    assert tag("p", "\ud800") == "<p>\ufffd</p>"
    assert json_in_page(["</é\U0001f600"]) == '["\\u003c/\\u00e9\\ud83d\\ude00"]'
