"""One case as a task runs it: the same row each time, and trouble that stays with its run."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from tests.chaos.shipped import ALL as SCRIPTS
from tests.harness.pipeline.campaigns.campaigns import a_case, cases_of, plain

from shaketable.harness.pipeline.campaigns import simulating
from shaketable.harness.pipeline.campaigns.simulating import simulated
from shaketable.harness.verdicts.verdict import RunVerdict


def test_the_same_case_gives_the_same_row_but_for_the_wall_clock() -> None:
    (case,) = cases_of("kill-the-master", runs=1)
    one, other = simulated(case), simulated(case)
    assert plain(one.row) == plain(other.row)
    assert one.row.wall_micros > 0
    assert [*one.records] == [*other.records]


def test_a_row_says_what_ran_and_what_was_reached() -> None:
    (case,) = cases_of("kill-the-master", runs=1, variants=["short claims"])
    row = simulated(case).row
    assert (row.run, row.outcome, row.verdict) == ("kill-the-master/sim/short claims/1", "passed", "")
    assert (row.variant, json.loads(row.values)) == ("short claims", {"mastership_claim_timeout_seconds": 20})
    assert row.marks["sometimes: the master was killed"] == 1
    assert row.same is None


def test_what_is_executed_twice_says_whether_it_came_out_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    (case,) = cases_of("form", runs=1)
    twice = msgspec.structs.replace(case, twice=True)
    assert simulated(twice).row.same is True
    hashes = iter(["one", "another"])
    monkeypatch.setattr(simulating, "_hash_of", lambda finished: next(hashes))
    assert simulated(twice).row.same is False


def test_a_run_that_fails_brings_its_whole_verdict_with_its_story(tmp_path: Path) -> None:
    case = a_case(tmp_path, "await cluster.form('n1')\n    assert False, 'as it must'")
    row = simulated(case).row
    verdict = msgspec.json.decode(row.verdict, type=RunVerdict)
    assert (row.outcome, verdict.outcome) == ("failed", "failed")
    assert verdict.story
    assert (verdict.again, verdict.file) == (case.again, case.shown)


def test_what_goes_wrong_in_our_own_code_is_that_run_s_trouble(monkeypatch: pytest.MonkeyPatch) -> None:
    (case,) = cases_of("form", runs=1)

    def broken(*_: object) -> None:
        raise ZeroDivisionError("a mistake of ours")

    monkeypatch.setattr(simulating, "marks_of", broken)
    row = simulated(case).row
    assert row.outcome == "unknown"
    assert [reason.text for reason in row.reasons] == [
        "it could not be run and judged: ZeroDivisionError: a mistake of ours"
    ]


def test_a_script_that_is_not_there_any_more_is_told() -> None:
    (case,) = cases_of("form", runs=1)
    row = simulated(msgspec.structs.replace(case, script="formed")).row
    assert row.outcome == "unknown"
    assert "has no script formed here" in row.reasons[0].text


def test_every_script_that_ships_can_be_found_by_a_task() -> None:
    for script in SCRIPTS[::40]:
        assert simulating.script_in(script.file, script.name).title == script.title
