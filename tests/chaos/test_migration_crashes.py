"""Every cell of the matrix of crashes during a migration passes in virtual time, with both presets, and is visited."""

from __future__ import annotations

import json
from functools import cache
from io import StringIO
from xml.etree import ElementTree

import pytest
from rich.console import Console
from tests.chaos.shipped import MATRIX
from tests.lengths import LONG, mostly_by_night, one_in

from shaketable.chaos.helpers.migrating import BACKUP_MOVE, Migrating, while_migrating
from shaketable.harness.console.report import print_summary
from shaketable.harness.history.crash_points import (
    COPIED,
    FETCH_ANSWERED,
    MASTER,
    OWNER,
    PHASES,
    PUBLISHED,
    CrashPoint,
    visited,
)
from shaketable.harness.history.history import History
from shaketable.harness.records import NodeEnded
from shaketable.harness.reports import to_json
from shaketable.harness.reports.crash_matrix import IMPOSSIBLE, ROWS, CrashMatrix
from shaketable.harness.reports.junit import to_junit
from shaketable.harness.reports.markdown import to_markdown
from shaketable.harness.runs.judging import judged
from shaketable.harness.runs.run import Options, run_simulated
from shaketable.harness.scripting.cluster import Cluster, Injected
from shaketable.harness.scripting.scripts import script
from shaketable.harness.verdicts.verdict import RunVerdict, SessionVerdict, session_of
from shaketable.node.config import PRESETS
from shaketable.node.events import Held, MigrationFinished, MigrationRequested, TableInstalled


@cache
def verdict_of(number: int, preset: str) -> RunVerdict:
    return judged(run_simulated(MATRIX[number], Options(seed=1, preset=preset)))


@pytest.mark.parametrize("first", mostly_by_night(3, one_in(8, range(8))))
@pytest.mark.parametrize("preset", PRESETS)
def test_nobody_crashes_at_any_point_with_any_harm(first: int, preset: str) -> None:
    verdicts = [verdict_of(number, preset) for number in range(first, len(MATRIX), 8)]
    assert {verdict.script: verdict.reasons for verdict in verdicts if verdict.outcome != "passed"} == {}


@LONG
def test_every_possible_cell_is_visited_and_the_reports_say_so() -> None:
    session = session_of([verdict_of(number, "default") for number in range(len(MATRIX))], "0")
    matrix = CrashMatrix(session)
    assert matrix.missing() == []
    assert {cell for cell in IMPOSSIBLE if matrix.cell(*cell).isdigit()} == set()
    shown = StringIO()
    print_summary(session, Console(file=shown, width=80))
    page = to_markdown(session)
    for text in (shown.getvalue(), page):
        assert "Crash points visited" in text
        assert "67 of 67 were visited" in text
        assert "not visited" not in text
        assert "Publishes sent: 1 of 3, 1 of 4, 2 of 3, 2 of 4, 3 of 4." in text
    # A name that is too long for the line stays whole.
    assert all(len(line) <= 80 or line.endswith("  seed 1") for line in shown.getvalue().splitlines())
    assert f"| | {' | '.join(PHASES)} |" in page
    suite = suite_of(session)
    assert suite is not None
    assert [suite.get(name) for name in ("tests", "skipped", "failures", "errors")] == ["67", "0", "0", "0"]


def test_an_answer_to_the_new_master_counts_though_its_hold_is_told_after_that_one_has_gone_on() -> None:
    """On a busy machine the new master has asked for the next migration by then: the hold is not of that one."""
    (drama,) = [each for each in MATRIX if each.name == "a-move-of-a-backup-old-backup-fetch-answered"]
    records = run_simulated(drama, Options(seed=1)).records
    before = visited(History(records))
    (end,) = [r for r in records if isinstance(r.event, NodeEnded) and r.event.peer == "n4"]
    held = [r for r in records if isinstance(r.event, Held)][-1]
    asked = next(r for r in records if isinstance(r.event, MigrationRequested) and r.time > end.time)
    order = (asked, held, end)
    late = [r._replace(time=end.time + 1 + order.index(r)) if r in order else r for r in records]
    assert FETCH_ANSWERED in [point.phase for point in before]
    assert visited(History(late)) == before


def test_a_cell_that_nobody_visited_is_said_to_be_missing() -> None:
    runs = [verdict_of(number, "default") for number in range(2)]
    matrix = CrashMatrix(session := session_of(runs, "0"))
    assert len(matrix.missing()) == 65
    assert matrix.cell(MASTER, FETCH_ANSWERED) == "–"
    assert matrix.cell(ROWS[-1], PHASES[0]) == "not visited"
    assert "2 of 67 were visited" in to_markdown(session)
    assert not CrashMatrix(session_of(runs[:1], "0"))


def test_a_build_server_shows_a_test_case_for_each_crash_point() -> None:
    runs = [verdict_of(number, "default") for number in range(2)]
    suite = suite_of(session_of(runs, "0"))
    assert suite is not None
    cases = {case.get("name"): case for case in suite.iter("testcase")}
    assert (len(cases), suite.get("tests"), suite.get("skipped")) == (67, "67", "65")
    told = {name: case.findtext("system-out") for name, case in cases.items() if case.find("skipped") is None}
    assert told == {
        "master, requested": "visited, number of runs: 1",
        "master, first chunk": "visited, number of runs: 1",
    }
    (skipped,) = cases["next in line, copied"]
    assert (skipped.tag, skipped.get("message")) == ("skipped", "not visited")
    assert suite[-1].tag == "system-out"
    assert "2 of 67 were visited" in str(suite[-1].text)
    assert suite_of(session_of(runs[:1], "0")) is None


def test_each_run_says_which_crash_points_it_visited() -> None:
    (number,) = (
        n for n, each in enumerate(MATRIX) if each.name == "a-move-of-a-backup-master-2-of-4-tables-are-published"
    )
    run = verdict_of(number, "default")
    root = ElementTree.fromstring(to_junit(session_of([run], "0")).encode())
    (said,) = [each.get("value") for each in root.iter("property") if each.get("name") == "crash_points"]
    assert said == "master at k of n publishes sent (2 of 4) in a MOVE of backup 1"
    told = {"phase": PUBLISHED, "parts": [MASTER], "migration": "MOVE of backup 1", "sent": 2, "to": 4}
    assert json.loads(to_json(session_of([run], "0")))["runs"][0]["crash_points"] == [told]


def suite_of(session: SessionVerdict) -> ElementTree.Element | None:
    return ElementTree.fromstring(to_junit(session).encode()).find("testsuite[@name='Crash points visited']")


@pytest.mark.parametrize("name", [each.name for each in MATRIX if "-master-" in each.name and "-tables-" in each.name])
def test_just_so_many_have_been_told(name: str) -> None:
    """Members with the dead master's last table got it by the first k publishes, or with its commit; others never."""
    (cell,) = (script for script in MATRIX if script.name == name)
    history = History(run_simulated(cell, Options(seed=1)).records)
    (point,) = (point for point in visited(history) if point.phase == PUBLISHED)
    ends = [record.event for record in history.of(MigrationFinished) if record.node == "n1"]
    version = max(event.version for event in ends if isinstance(event, MigrationFinished))
    got = {
        record.node: record.event.reason
        for record in history.of(TableInstalled)
        if isinstance(record.event, TableInstalled) and record.event.version == version
    }
    first = ["n2", "n3", "n4", "n5"][: point.sent]
    assert sorted(node for node in got if got[node] == "published" or node in first) == first


def test_who_is_killed_when_all_go_on_again_has_visited_nothing() -> None:
    assert points_of(release_first=True) == ()
    ((phase, parts),) = [(point.phase, point.parts) for point in points_of(release_first=False)]
    assert (phase, parts) == (COPIED, (OWNER,))


def points_of(*, release_first: bool) -> tuple[CrashPoint, ...]:
    async def drama(cluster: Cluster, it: Migrating, planned: Injected) -> None:
        held = await cluster.hold(it[MASTER], "MigrationCopied", where={"migration": it.id})
        await cluster.heal(planned)
        await cluster.until_held(it[MASTER], "MigrationCopied", within=cluster.bounds.safe())
        if release_first:
            await cluster.heal(held)
        await cluster.kill(it[OWNER])
        if not release_first:
            await cluster.heal(held)

    @script(about=[], settings=BACKUP_MOVE.settings)
    async def story(cluster: Cluster) -> None:
        """Of a copied migration the owner is killed."""
        await while_migrating(cluster, BACKUP_MOVE, drama)

    return visited(History(run_simulated(story, Options(seed=1)).records))
