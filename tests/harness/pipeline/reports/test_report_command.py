"""`shaketable report`: recorded runs, or a store, become the reports; what could not be read is said in them."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest
from tests.harness.command.command_helpers import Ran, here
from tests.harness.pipeline.stored import record

from shaketable.harness.pipeline.stores.store import append, open_store
from shaketable.harness.reports.model import Report
from shaketable.node.config import UNORDERED_UPDATES

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("spark")]
FILES = {"report.html", "report.md", "junit.xml", "report.json"}


def reported(capsys: pytest.CaptureFixture[str], *arguments: object) -> Ran:
    return here(capsys, "report", "--no-measures", *arguments)


def read(out: Path) -> Report:
    return msgspec.json.decode((out / "report.json").read_bytes(), type=Report)


def test_recorded_runs_are_judged_and_shown_and_their_store_as_well(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record(tmp_path / "runs" / "one", "kill-the-master")
    record(tmp_path / "runs" / "two", "ordered-updates", fault=UNORDERED_UPDATES)
    ran = reported(capsys, tmp_path / "runs", "--out", tmp_path / "out")
    assert (ran.code, ran.err) == (1, "")
    assert ran.out.startswith("✗ FAILED  1 passed, 1 failed\nReports: ")
    assert {file.name for file in (tmp_path / "out").iterdir()} == {*FILES, "store"}
    made = read(tmp_path / "out")
    assert [(run.script, run.outcome) for run in made.runs] == [
        ("ordered-updates", "failed"),
        ("kill-the-master", "passed"),
    ]
    assert all(run.story and run.faults for run in made.runs)
    assert (tmp_path / "out" / "report.html").read_text(encoding="utf-8").count('class="picture"') == 2

    # Of a store what has passed is counted; and what others have judged stands where it is asked for.
    store = open_store(spark, tmp_path / "out" / "store")
    append(spark, tmp_path / "older", store.runs.replace("failed", "unknown", ["outcome"]).coalesce(1), store.history)
    ran = reported(capsys, tmp_path / "older", "--as-judged", "--out", tmp_path / "again")
    assert (ran.code, {file.name for file in (tmp_path / "again").iterdir()}) == (2, FILES)
    again = read(tmp_path / "again")
    assert (again.totals.passed, again.totals.unknown, again.history_hash) == (1, 1, made.history_hash)
    assert [run.script for run in again.runs] == ["ordered-updates"]
    assert made.coverage == ()
    assert [mark for mark in again.coverage if not mark.runs], "two runs reach little"


def test_a_run_that_cannot_be_read_makes_the_whole_unknown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record(tmp_path / "runs" / "one", "kill-the-master")
    shutil.copytree(tmp_path / "runs" / "one", tmp_path / "runs" / "two")
    (tmp_path / "runs" / "two" / "run.json").write_text("{")
    ran = reported(capsys, tmp_path / "runs", "--out", tmp_path / "out")
    assert (ran.code, ran.err) == (2, "")
    made = read(tmp_path / "out")
    assert (made.outcome, made.totals.passed) == ("unknown", 1)
    assert made.notes[0].startswith(f"Left out: {tmp_path}/runs/two/run.json is no description of a recorded run")


def test_what_holds_no_run_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = "--out", tmp_path / "out"
    reported(capsys, tmp_path / "nowhere", *out).refused("there is no folder", "nowhere")
    reported(capsys, tmp_path, *out).refused("holds no recorded run")
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "run.json").write_text("{")
    reported(capsys, tmp_path / "bad", *out).refused("none of these runs could be read")
    reported(capsys, tmp_path / "bad", "--against", tmp_path, *out).refused("compares two stores", "ingest")


@pytest.mark.usefixtures("spark")
def test_a_recording_that_lacks_events_is_unknown_and_no_guarantee_is_called_broken(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = record(tmp_path / "run", "kill-the-master")
    (folder / "events" / "n3.jsonl").unlink()
    ran = reported(capsys, folder, "--out", tmp_path / "out")
    assert (ran.code, ran.err) == (2, "")
    assert "? UNKNOWN  1 unknown" in ran.out
    (run,) = read(tmp_path / "out").runs
    assert "the others are lost" in run.reasons[0].text
    assert "broken" not in (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
