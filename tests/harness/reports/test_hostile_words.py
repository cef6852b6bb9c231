"""Words that came from outside are told in every report of a campaign, and are markup, or an order, in none.

Each report is made twice, of plain words and of hostile ones: both have the same elements."""

from __future__ import annotations

from collections.abc import Sequence
from html.parser import HTMLParser
from io import StringIO
from pathlib import Path
from typing import Final, NamedTuple
from xml.etree import ElementTree

import msgspec
import pytest
from markdown_it import MarkdownIt
from tests.harness.reports.test_campaign_report import row
from tests.harness.reports.told_runs import crash, quiet

from shaketable.harness.console.screen import Screen
from shaketable.harness.pipeline.campaigns.campaign_text import tell
from shaketable.harness.pipeline.campaigns.results import Results
from shaketable.harness.reports.campaign_report import CampaignFacts, write_campaign_reports
from shaketable.harness.reports.model import Comparison, Minimal
from shaketable.harness.verdicts.rows import RunRow

PLAIN: Final = "plain"
HOSTILE: Final = {
    "a script": "</script></title></style><script>alert(1)</script>",
    "an image": "<img src=x onerror=alert(1)>",
    "quotes": '"\'` onmouseover="alert(1)" \'>',
    "entities": "&lt;script&gt;alert(1)&lt;/script&gt; &amp; &#60;b&#62;",
    "the end of a section": "]]> --> <![CDATA[ <!-- ?>",
    "Markdown": "[a](javascript:alert(1)) ![b](x) | **c** `d` ~~e~~ <f> # g",
    "fences": "```\n</details>\n\n````\n# A heading\n\n<script>alert(1)</script>",
    "lines": "one\n\n<script>alert(1)</script>\r\n- a\n1. b\n\n| c | d |\n|---|---|",
    "orders to a terminal": "\x1b[2J\x1b]0;title\x07\x9b31m\x08\x00",
    "a turn of direction": "\u202eevil\u2066\u200f",
    "a long one": "x" * 5_000,
}


class Elements(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, tuple[str, ...]]] = []
        self.words: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        if tag != "br":  # a line of a text may end
            self.tags.append((tag, tuple(name for name, _ in attrs)))

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def rows(word: str) -> list[RunRow]:
    bad, good = (
        msgspec.structs.replace(run, script=word, title=word, file=word, fabric=word, directory=word, again=word)
        for run in (crash()[0], quiet()[0])
    )
    bad = msgspec.structs.replace(
        bad,
        reasons=tuple(msgspec.structs.replace(reason, text=word, check="") for reason in bad.reasons),
        checks=tuple(
            msgspec.structs.replace(
                check,
                looked_at=word,
                violations=tuple(
                    msgspec.structs.replace(each, sentence=word, why=(word,)) for each in check.violations
                ),
            )
            for check in bad.checks
        ),
        story=tuple(msgspec.structs.replace(moment, told=word) for moment in bad.story),
    )
    made = [row(bad, 1, word), row(bad, 2, word), row(good, 3, word)]
    return [
        msgspec.structs.replace(
            each, run=f"run {place}", marks={word: 1}, trouble=word, wall_micros=1_000 * place, again=word
        )
        for place, each in enumerate(made, 1)
    ]


def written(word: str, out: Path) -> Path:
    comparison = Comparison(what=word, script=word, variant=word, before=word, now=word, said=word, kind="worse")
    facts = CampaignFacts(
        title=word,
        rows=rows(word),
        again=word,
        marks={word: ("cluster", word), "never": ("cluster", word)},
        minimal={"run 1": Minimal(script=word, file=word, again=word, said=word)},
        comparisons=[comparison],
        notes=[word],
        history_of=lambda run: crash()[1],
    )
    write_campaign_reports(facts, out)
    return out


class Written(NamedTuple):
    word: str
    folder: Path


@pytest.fixture(scope="module", params=[*HOSTILE.values()], ids=[*HOSTILE])
def hostile(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Written:
    return Written(request.param, written(request.param, tmp_path_factory.mktemp("hostile")))


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(PLAIN, tmp_path_factory.mktemp("plain"))


def text(file: Path) -> str:
    return file.read_text(encoding="utf-8")


def test_the_page_has_no_other_elements(hostile: Written, plain: Path) -> None:
    page = Elements(text(hostile.folder / "report.html"))
    assert page.tags == Elements(text(plain / "report.html")).tags
    if hostile.word.isprintable():
        assert hostile.word in "".join(page.words), "and yet it is told"


def test_markdown_has_no_other_elements(hostile: Written, plain: Path) -> None:
    def elements(folder: Path) -> list[tuple[str, tuple[str, ...]]]:
        made = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
        return Elements(made.render(text(folder / "report.md"))).tags

    assert elements(hostile.folder) == elements(plain)


def test_junit_has_no_other_elements(hostile: Written, plain: Path) -> None:
    def elements(folder: Path) -> list[tuple[str, list[str]]]:
        return [(each.tag, sorted(each.keys())) for each in ElementTree.parse(folder / "junit.xml").iter()]

    assert elements(hostile.folder) == elements(plain)


def test_no_report_and_no_terminal_gets_an_order(hostile: Written) -> None:
    word, results, told = hostile.word, Results(), StringIO()
    results.add(rows(word))
    tell(results, 3, Screen(file=told, width=80), out=Path("out"))
    texts = [text(file) for file in sorted(hostile.folder.iterdir())]
    for said in [*texts, told.getvalue()]:
        orders = {character for character in said if not character.isprintable()} - {"\n", "\t"}
        assert not orders, orders
    if word.isprintable():
        assert word in told.getvalue()
