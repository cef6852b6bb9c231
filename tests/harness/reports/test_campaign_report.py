"""The reports of a campaign are made of plain rows, whatever their order, and stay small."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import msgspec
import pytest
from tests.harness.reports.told_runs import crash, quiet

from shaketable.harness.pipeline.stores.run_rows import row_of
from shaketable.harness.reports import markdown_campaign, report_of_session
from shaketable.harness.reports.campaign_report import (
    CampaignFacts,
    report_of_campaign,
    verdict_of,
    write_campaign_reports,
)
from shaketable.harness.reports.junit import to_junit
from shaketable.harness.reports.markdown import to_markdown
from shaketable.harness.reports.model import MOST_LINES, MOST_SHOWN, Comparison, Measure, Minimal, Report, Spread
from shaketable.harness.verdicts.rows import RunRow
from shaketable.harness.verdicts.verdict import RunVerdict, session_of

MARKS = {
    "claim": ("cluster", "a claim"),
    "never seen": ("cluster", "what nobody saw"),
    "rejoin": ("gms", "a rejoin"),
    "any": ("both", "anything"),
}


def row(verdict: RunVerdict, seed: int, variant: str = "", **values: object) -> RunRow:
    made = row_of(
        msgspec.structs.replace(verdict, seed=seed),
        run=f"{verdict.script}-sim-{variant}-{seed}",
        family="cluster",
        settings={},
        allowance=0,
        marks={"claim": 2} if seed % 2 else {},
        variant=variant,
    )
    return msgspec.structs.replace(made, **values)


def campaign(runs: int, failing: int) -> list[RunRow]:
    good, bad = quiet()[0], crash()[0]
    rows = [row(good, seed) for seed in range(1, runs - failing + 1)]
    return rows + [row(bad, seed, "legacy" if seed % 2 else "") for seed in range(1, failing + 1)]


def report(rows: Sequence[RunRow], **values: object) -> Report:
    return report_of_campaign(CampaignFacts(title="a campaign", rows=rows, marks=MARKS, **values))  # type: ignore[arg-type]


def test_all_runs_are_counted_and_some_are_shown() -> None:
    made = report(campaign(1500, 900))
    assert (made.outcome, made.exit_code) == ("failed", 1)
    assert (made.totals.runs, made.totals.passed, made.totals.failed) == (1500, 600, 900)
    assert (len(made.runs), len(made.others), made.more) == (6, MOST_LINES, 900 - 6 - MOST_LINES)
    assert [(run.seed, shown.variant) for run, shown in zip(made.runs, made.shown, strict=True)] == [
        (2, ""), (1, "legacy"), (4, ""), (3, "legacy"), (6, ""), (5, "legacy"),
    ], "one of each kind, then the next ones"  # fmt: skip
    by_name = {(line.script, line.variant): line for line in made.lines}
    legacy = by_name["crash", "legacy"]
    assert (legacy.failed, legacy.first_seed, legacy.last_seed, legacy.failing_seeds[:3]) == (450, 1, 899, (1, 3, 5))
    broken = {each.name: each.broken for each in made.guarantees if each.broken}
    assert broken["view integrity"] == 900


def test_more_kinds_than_a_page_holds_are_lines() -> None:
    bad = crash()[0]
    made = report([row(bad, seed, f"variant {seed}") for seed in range(1, 41)])
    assert (len(made.runs), len(made.others), made.more) == (MOST_SHOWN, 40 - MOST_SHOWN, 0)


def test_the_order_of_the_rows_changes_nothing(tmp_path: Path) -> None:
    rows = campaign(400, 120)
    for name in ("one", "two"):
        facts = CampaignFacts(title="a campaign", rows=rows, marks=MARKS, history_of=lambda run: crash()[1])
        write_campaign_reports(facts, tmp_path / name)
        random.Random(1).shuffle(rows)
    for file in sorted((tmp_path / "one").iterdir()):
        assert file.read_bytes() == (tmp_path / "two" / file.name).read_bytes(), file.name


def test_what_was_reached_and_what_was_not() -> None:
    made = report(campaign(10, 0))
    assert {mark.mark: (mark.runs, mark.times, mark.first_seed) for mark in made.coverage} == {
        "claim": (5, 10, 1),
        "never seen": (0, 0, None),
        "any": (0, 0, None),
    }
    assert report_of_campaign(CampaignFacts(title="without marks", rows=campaign(10, 0))).coverage == ()


def test_a_run_that_differs_when_it_is_executed_again_is_no_pass() -> None:
    good = quiet()[0]
    assert report([row(good, 1, same=True)]).outcome == "passed"
    made = report([row(good, 1, same=False), row(good, 2, same=True)])
    assert (made.outcome, made.totals.twice, made.totals.differed) == ("failed", 2, 1)
    assert "1 run gave another history when executed again" in made.notes[0]


def test_an_empty_or_an_interrupted_campaign_is_no_pass() -> None:
    assert report([]).outcome == "unknown"
    assert report(campaign(3, 0), complete=False, notes=["interrupted after 3 of 9 runs"]).outcome == "unknown"


def test_what_could_not_be_read_in_full_is_told() -> None:
    good = quiet()[0]
    made = report([row(good, seed, trouble=f"run {seed} ends within line 7") for seed in range(11, 24)])
    assert made.notes[0] == "run 11 ends within line 7"
    assert "And 3 more runs that could not be read in full." in made.notes


def test_a_row_without_its_verdict_is_shown_by_what_it_says() -> None:
    bad = row(crash()[0], 3)
    known, bare = verdict_of(bad), verdict_of(msgspec.structs.replace(bad, verdict=""))
    assert [check.status for check in bare.checks] == [check.status for check in known.checks]
    assert [reason.text for reason in bare.reasons] == [reason.text for reason in known.reasons]
    assert "n3 installs v4 [n2], in which it is not." in write_to_text(msgspec.structs.replace(bad, verdict=""))


def test_its_violation_is_known_however_its_reason_is_put() -> None:
    bad = msgspec.structs.replace(row(crash()[0], 3), verdict="")
    said = next(iter(bad.violations.values()))
    others = [msgspec.structs.replace(reason, text="broken") for reason in bad.reasons]

    def first(one: RunRow) -> str:
        return next(check.violations[0].sentence for check in verdict_of(one).checks if check.violations)

    assert first(msgspec.structs.replace(bad, reasons=others)) == said
    older = msgspec.structs.replace(bad, violations={})
    assert first(older).endswith(said)


def write_to_text(one: RunRow) -> str:
    from shaketable.harness.reports.page import to_html

    return to_html(report([one]))


def test_junit_and_markdown_say_the_same(tmp_path: Path) -> None:
    minimal = {"crash-sim--2": Minimal(script="await cluster.kill('n1')", said="9 faults became 1")}
    facts = CampaignFacts(
        title="a campaign", rows=campaign(30, 4), marks=MARKS, history_of=lambda run: crash()[1], minimal=minimal
    )
    made = write_campaign_reports(facts, tmp_path)
    suites = {suite.get("name"): suite for suite in ElementTree.parse(tmp_path / "junit.xml").getroot()}
    cases = {case.get("name"): case for case in suites["scripts"]}
    assert cases["crash [sim]"].find("failure") is not None
    assert cases["quiet [sim]"].find("failure") is None
    assert suites["reached"].get("skipped") == "2"
    page = (tmp_path / "report.md").read_text(encoding="utf-8")
    row_of_marks = "| others | 1 | 2 | claim, in 15 runs |"
    for words in ("26 passed, 4 failed", row_of_marks, "await cluster.kill('n1')", "9 faults became 1"):
        assert words in page
    assert page.index("9 faults became 1") < page.index(row_of_marks), "what did not pass comes first"
    assert re.search(r"\n1 .*◆3.*✗\n", page.replace("\nn1", "\n1")), "the lanes of the nodes"
    written = msgspec.json.decode((tmp_path / "report.json").read_bytes(), type=Report)
    assert written == made
    assert (written.schema, written.report_schema) == (1, 1)


COMPARED = Comparison(
    what="seed 1", script="crash", before="passed", now="failed", said="view integrity is broken", kind="new failure"
)
MEASURED = Measure(
    measure="claim", script="crash", spread=Spread(count=3, least=1000, median=2000, high=3000, most=3000)
)


@pytest.mark.parametrize(
    ("of_all", "on_the_page", "suite"),
    [
        ({"comparisons": [COMPARED]}, "| new failure | seed 1 | crash | passed | failed |", "compared"),
        ({"notes": ["Worse than before."]}, "- Worse than before.\n", "scripts"),
        ({"again": "shaketable campaign crash"}, "shaketable campaign crash\n", "scripts"),
        ({"measures": [MEASURED]}, "| claim | crash |  | median 2 ms", "scripts"),
        ({"marks": MARKS}, "| others | 1 | 2 | claim, in 3 runs |", "reached"),
        ({"title": "a small campaign"}, "\na small campaign\n", "scripts"),
    ],
)
def test_what_is_known_of_all_runs_is_told_however_few_there_are(
    of_all: dict[str, Any], on_the_page: str, suite: str
) -> None:
    made = report_of_campaign(CampaignFacts(**{"title": "", "rows": campaign(6, 6), **of_all}))
    assert len(made.runs) == made.totals.runs == 6, "each is there in full"
    assert on_the_page in to_markdown(made)
    assert suite in suites_of(to_junit(made))


def test_a_session_of_plain_runs_has_the_form_of_a_session() -> None:
    session = session_of([quiet()[0], crash()[0]], "1")
    made = report_of_session(session)
    assert to_junit(made) == to_junit(session)
    assert to_markdown(made) == to_markdown(session)


def suites_of(xml: str) -> list[str]:
    return [suite.get("name", "") for suite in ElementTree.fromstring(xml.encode())]


def test_markdown_names_what_was_never_reached_where_enough_runs_were_played(monkeypatch: pytest.MonkeyPatch) -> None:
    made = report(campaign(30, 0))
    assert "never reached: " not in to_markdown(made)
    monkeypatch.setattr(markdown_campaign, "ENOUGH", 30)
    assert "- never reached: never seen, what nobody saw\n- never reached: any, anything\n" in to_markdown(made)


def test_a_run_with_a_shorter_story_comes_first_and_the_story_before_its_picture(tmp_path: Path) -> None:
    def made(*minimal: str) -> Report:
        small = {run: Minimal(script="await cluster.kill('n1')") for run in minimal}
        facts = CampaignFacts(
            title="", rows=campaign(30, 4), marks=MARKS, history_of=lambda run: crash()[1], minimal=small
        )
        return write_campaign_reports(facts, tmp_path)

    usual = [each.run for each in made().shown]
    assert len(usual) > 2
    *others, last = usual
    assert [each.run for each in made(last).shown] == [last, *others]
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert page.index("await cluster.kill(") < page.index("<svg", page.index('id="run-1"'))


def test_five_thousand_runs_make_a_small_page(tmp_path: Path) -> None:
    good, bad = quiet()[0], crash()[0]
    rows = [row(good, seed, f"variant {seed % 400}") for seed in range(1, 4101)]
    rows += [row(bad, seed, f"variant {seed % 30}") for seed in range(1, 901)]
    facts = CampaignFacts(title="a campaign", rows=rows, marks=MARKS, history_of=lambda run: crash()[1])
    write_campaign_reports(facts, tmp_path)
    assert max(file.stat().st_size for file in tmp_path.iterdir()) < 5_000_000
