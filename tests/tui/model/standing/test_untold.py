"""On the screens a check that the system does not tell says so, live, recorded and before anything was judged."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from tests.notation.notation import history_of
from tests.notation.other_system import of_system, other
from tests.tui.panels.stories import crowd, shown

from shaketable.harness.checks.result import HELD, NOT_TOLD, CheckResult
from shaketable.harness.records import OURS, UnderTest
from shaketable.harness.runs.directory import RunInfo, RunWriter, read_run
from shaketable.harness.verdicts.verdict import ScriptSubject, judge
from shaketable.node.config import DEFAULT
from shaketable.tui.model.session import Session
from shaketable.tui.model.standing.guarantees import NOT_JUDGED, UNTOLD, guarantees
from shaketable.tui.plain import text
from shaketable.tui.source import Recorded

SYSTEM = other(tells=["ViewInstalled"])
STORY = "n1 installs v1 [n1]\nn1 installs v2 [n1 n2]\nn2 installs v2 by n1 [n1 n2]"


@pytest.fixture
def replayed(tmp_path: Path) -> Session:
    records = of_system(history_of(STORY), SYSTEM)
    writer = RunWriter(
        tmp_path, RunInfo(script="a", seed=1, world="real", preset="default", settings={}, system=SYSTEM)
    )
    writer.extend(records)
    writer.finish(judge(records, ScriptSubject("a", "", "a.py", ("joined",)), DEFAULT, 0))
    session = Recorded(tmp_path).session
    session.move(len(session.store))
    return session


def test_the_screen_of_the_checks_says_it_of_a_recorded_run(replayed: Session) -> None:
    rows = [
        line
        for line in shown(replayed, "guarantees", 120, 40).split("\n")
        if "view integrity" in line or "joined" in line
    ]
    assert ["· joined" in row and "not told by Other" in row for row in rows] == [False, True]
    assert "Other does not tell Joined and Started" in rows[1]
    assert "✓ view integrity" in rows[0]


def test_its_proof_says_what_is_not_told(replayed: Session) -> None:
    replayed.chosen.check = "joined"
    said = shown(replayed, "proof", 100, 20)
    assert "not judged" in said
    assert "Other does not tell Joined and Started" in said


def test_the_heading_names_the_system_and_counts_what_is_not_told(replayed: Session) -> None:
    said = shown(replayed, "heading", 200, 1)
    many = [check.status for check in replayed.checks].count(NOT_TOLD)
    assert "a  Other 5.7  real" in said
    assert f"· {many} not told" in said


def test_plain_lines_say_it(replayed: Session) -> None:
    said = list(text.status(replayed))
    many = [check.status for check in replayed.checks].count(NOT_TOLD)
    assert ", recorded: a, Other 5.7, world real," in said[0]
    assert any(line.startswith("checks: ") and f"{many} not told by Other" in line for line in said)


@pytest.mark.parametrize(("system", "state"), [(SYSTEM, UNTOLD), (OURS, NOT_JUDGED)])
def test_it_is_known_before_anything_was_judged(system: UnderTest, state: str) -> None:
    session = crowd(3)
    session.facts = msgspec.structs.replace(session.facts, system=system)
    session.store.complete, session.live, session.checks = False, True, ()
    states = {each.name: each.state for each in guarantees(session)}
    assert (states["joined"], states["view integrity"]) == (state, NOT_JUDGED)


def test_where_all_is_told_nothing_is_said_of_it() -> None:
    session = crowd(3)
    session.checks, session.checked = (CheckResult("settled", "", HELD, "", 1),), 5
    assert "told" not in shown(session, "heading", 200, 1)


def test_a_recorded_run_keeps_the_system_and_of_ours_no_word(tmp_path: Path) -> None:
    for system, kept in ((SYSTEM, True), (OURS, False)):
        folder = tmp_path / system.name
        info = RunInfo(script="a", seed=1, world="real", preset="default", settings={})
        writer = RunWriter(folder, msgspec.structs.replace(info, system=system) if kept else info)
        writer.extend(of_system(history_of(STORY), system))
        writer.finish(None)
        assert ("system" in msgspec.json.decode((folder / "run.json").read_bytes())) == kept
        assert (read_run(folder).info.system or OURS) == system
