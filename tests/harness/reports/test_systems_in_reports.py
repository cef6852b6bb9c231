"""Each report says whose members ran, where they were not all ours."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import msgspec
from tests.harness.reports.told_runs import crash, quiet
from tests.notation.other_system import other

from shaketable.harness.pipeline.stores.run_rows import row_of
from shaketable.harness.records import OURS, UnderTest
from shaketable.harness.reports import write_reports
from shaketable.harness.reports.campaign_report import CampaignFacts, report_of_campaign
from shaketable.harness.reports.markdown import to_markdown
from shaketable.harness.reports.model import Report
from shaketable.harness.reports.shared import whose_members
from shaketable.harness.verdicts.rows import RunRow
from shaketable.harness.verdicts.verdict import RunVerdict, named, session_of

OLD = msgspec.structs.replace(other(), version="5.3")
NEW = other()


def of(verdict: RunVerdict, system: UnderTest) -> RunVerdict:
    return msgspec.structs.replace(verdict, other=named(system))


def row(verdict: RunVerdict, system: UnderTest) -> RunRow:
    run = f"{verdict.script} {system.asked}"
    return row_of(of(verdict, system), run=run, family="cluster", settings={}, allowance=0, marks={})


def campaign(*systems: UnderTest) -> Report:
    rows = [row(told()[0], system) for system in systems for told in (quiet, crash)]
    return report_of_campaign(CampaignFacts(title="a store", rows=rows))


def test_whose_members_ran_is_told_but_for_ours_alone() -> None:
    assert whose_members(campaign(OURS)) == ""
    assert whose_members(campaign(NEW)) == "Whose members ran: Other 5.7."
    said = "Whose members ran: Shaketable in 2 runs, Other 5.3 in 2 runs, Other 5.7 in 2 runs."
    assert whose_members(campaign(NEW, OURS, OLD)) == said
    assert whose_members(session_of([of(quiet()[0], NEW)], "1")) == "Whose members ran: Other 5.7."


def test_each_file_of_a_store_of_two_versions_tells_them_apart(tmp_path: Path) -> None:
    write_reports(campaign(OLD, NEW), tmp_path, lambda place: None)
    said = "Whose members ran: Other 5.3 in 2 runs, Other 5.7 in 2 runs."
    page, markdown = ((tmp_path / name).read_text(encoding="utf-8") for name in ("report.html", "report.md"))
    assert said in page
    assert said in markdown
    assert "| crash |  | Other 5.3 | 1 | 1 | 0 | 7 |" in markdown
    root = ElementTree.parse(tmp_path / "junit.xml").getroot()
    (scripts,) = root.findall("testsuite[@name='scripts']")
    cases = {case.get("name"): [each.get("value") for each in case.iter("property")] for case in scripts}
    assert cases["quiet [sim, Other 5.3]"] == ["Other 5.3"]
    assert cases["crash [sim, Other 5.7]"] == ["Other 5.7"]
    names = [suite.get("name") for suite in root]
    assert len(names) == len(set(names))
    written = msgspec.json.decode((tmp_path / "report.json").read_bytes(), type=Report)
    assert sorted({line.system for line in written.lines}) == ["Other 5.3", "Other 5.7"]


def test_the_table_of_runs_has_a_column_for_it_only_where_it_says_something() -> None:
    ours, others = quiet()[0], of(quiet()[0], NEW)
    assert "| seed | world | links |" in to_markdown(session_of([ours], "1"))
    told = to_markdown(session_of([ours, others], "1"))
    assert "| script | seed | world | system | links | why |" in told
    assert "| sim | Shaketable | simulated |" in told
    assert "| sim | Other 5.7 | simulated |" in told
