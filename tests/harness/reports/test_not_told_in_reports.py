"""Each report says of a check that is not told which system does not tell it, and what."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest
from tests.harness.reports.test_verdict_in_reports import GOOD, on_console
from tests.harness.reports.told_runs import crash
from tests.notation.notation import history_of
from tests.notation.other_system import of_system, other

from shaketable.harness.pipeline.stores.run_rows import row_of
from shaketable.harness.reports import write_reports
from shaketable.harness.reports.campaign_report import CampaignFacts, report_of_campaign, verdict_of
from shaketable.harness.reports.markdown import to_markdown
from shaketable.harness.reports.model import Report
from shaketable.harness.reports.shared import in_a_word, in_short
from shaketable.harness.verdicts.rows import RunRow
from shaketable.harness.verdicts.verdict import RunVerdict, ScriptSubject, SessionVerdict, judge, session_of
from shaketable.node.config import DEFAULT

VIEWS = other(tells=["ViewInstalled"])
SAID = "joined, which the script is about, is not told: Other does not tell Joined and Started"


def run_of(*about: str) -> RunVerdict:
    subject = ScriptSubject("good", "A story", "chaos/good.py", about)
    return judge(of_system(history_of(GOOD), VIEWS), subject, DEFAULT, 0)


def session() -> SessionVerdict:
    return session_of([run_of("view integrity", "joined")], "0.1.0")


def flat(text: str) -> str:
    return " ".join(text.split())


def row(verdict: RunVerdict) -> RunRow:
    return row_of(verdict, run=verdict.script, family="cluster", settings={}, allowance=0, marks={})


def campaign(*rows: RunRow) -> Report:
    return report_of_campaign(CampaignFacts(title="", rows=list(rows)))


def test_the_console_says_it_beside_the_check_and_of_a_subject_at_the_head() -> None:
    said = flat(on_console(session(), width=100))
    assert f"sim · Other 5.7 · links: simulated · seed 7 · preset default · 2 nodes · 0.006 s virtual {SAID}" in said
    assert "· not told joined * Other does not tell Joined and Started" in said
    assert "✓ held view integrity *" in said


def test_a_line_of_a_run_counts_it_apart() -> None:
    run = run_of()
    statuses = [check.status for check in run.checks]
    held, untold, vacuous = (statuses.count(each) for each in ("held", "not told", "vacuous"))
    assert min(held, untold, vacuous) > 0
    assert in_short(run) == f"{held} checks held, {untold} not told, {vacuous} saw nothing"
    assert in_a_word(run) == f"{held} held, {untold} not told, {vacuous} saw nothing"


def test_markdown_says_it() -> None:
    said = to_markdown(session())
    assert f"\n- {SAID}\n" in said
    assert "| **joined** | · not told | Other does not tell Joined and Started |" in said
    assert "Other 5.7" in said


def test_the_page_says_it(tmp_path: Path) -> None:
    write_reports(session(), tmp_path, lambda place: None)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert '<td class="word not-told">· not told</td><td>Other does not tell Joined and Started</td>' in page
    assert f"{SAID}." in page
    assert "Other 5.7" in page


@pytest.mark.parametrize("others", [(), (row(crash()[0]),)], ids=["alone", "beside ours"])
def test_a_campaign_counts_it_apart_from_what_saw_nothing(others: Sequence[RunRow], tmp_path: Path) -> None:
    report = campaign(row(run_of()), *others)
    (claims,) = [each for each in report.guarantees if each.name == "claims"]
    assert (claims.not_told, claims.vacuous, claims.broken) == (1, 0, len(others))
    write_reports(report, tmp_path, lambda place: None)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert ("not told 1 (by Other 5.7)" in page) == bool(others)
    assert ("Not told in any run, of Other 5.7: single authority, following, claims, " in page) == (not others)
    assert claims.not_told_by == ("Other 5.7",)
    assert "Not told in some runs of Other 5.7: " in to_markdown(report)


def test_a_row_keeps_the_reason_and_the_system() -> None:
    verdict = run_of("view integrity", "joined")
    kept = row(verdict)
    assert (kept.system, kept.system_version, kept.system_title) == ("other", "5.7", "Other")
    assert kept.untold["joined"] == "Other does not tell Joined and Started"
    shown = verdict_of(msgspec.structs.replace(kept, verdict=""))
    assert [(c.name, c.status) for c in shown.checks] == [(c.name, c.status) for c in verdict.checks]
    assert (shown.system.full_name, next(c.looked_at for c in shown.checks if c.name == "joined")) == (
        "Other 5.7",
        "Other does not tell Joined and Started",
    )
    ours = row(crash()[0])
    assert (ours.system, ours.system_version, ours.untold) == ("", "", {})
