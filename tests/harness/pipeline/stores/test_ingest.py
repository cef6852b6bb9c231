"""Recorded runs, whole or torn, become rows and events of a store; what cannot be read is told, all else is there."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.harness.command.command_helpers import Ran, here
from tests.harness.pipeline.stored import finished, record

from shaketable.harness.history.history import History
from shaketable.harness.pipeline.stores.run_rows import as_json
from shaketable.harness.pipeline.stores.schema import records_of, run_rows
from shaketable.harness.pipeline.stores.store import open_store
from shaketable.harness.runs.judging import judged
from shaketable.harness.verdicts.rows import KEPT_ASKED, KEPT_FAILED, RunRow
from shaketable.node.config import UNORDERED_UPDATES

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("spark")]


def ingested(capsys: pytest.CaptureFixture[str], *arguments: object) -> Ran:
    return here(capsys, "ingest", *arguments)


def rows_in(spark: SparkSession, store: Path) -> dict[str, RunRow]:
    """By the script's name and how the run was told apart."""
    return {row.run: row for row in run_rows(open_store(spark, store).runs.toArrow())}


def test_a_run_is_in_the_store_as_it_was_recorded_and_but_once(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record(tmp_path / "runs" / "deep" / "one", "kill-the-master")
    record(tmp_path / "runs" / "two", "ordered-updates", fault=UNORDERED_UPDATES)
    shutil.copytree(tmp_path / "runs" / "two", tmp_path / "runs" / "copy")
    ran = ingested(capsys, tmp_path / "runs", tmp_path / "runs" / "two", "--out", tmp_path / "store")
    assert (ran.code, ran.out, ran.err) == (0, f"2 runs put into {tmp_path}/store\n", "")
    first, second = sorted(rows_in(spark, tmp_path / "store").values(), key=lambda row: row.script)
    run, verdict = finished("kill-the-master"), judged(finished("kill-the-master"))
    assert (first.outcome, first.kept, first.trouble, first.events) == ("passed", KEPT_ASKED, "", len(run.records))
    assert (first.history_hash, first.again, first.settings) == (
        verdict.history_hash, verdict.again, as_json(run.settings.outside())
    )  # fmt: skip
    assert [check.name for check in first.checks if check.status == "held"]
    assert first.marks
    assert (second.outcome, second.kept) == ("failed", KEPT_FAILED)
    assert second.verdict
    events = records_of(open_store(spark, tmp_path / "store").history.where(f"run = '{first.run}'").toArrow())
    assert History(events).records == History(run.records).records

    ran = ingested(capsys, tmp_path / "runs", "--out", tmp_path / "store")
    assert ran.out == f"0 runs put into {tmp_path}/store; 2 were there already\n"
    assert len(rows_in(spark, tmp_path / "store")) == 2


def test_a_torn_last_line_is_told_and_what_came_before_it_is_there(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = record(tmp_path / "torn", "form")
    (folder / "verdict.json").unlink()
    file = max((folder / "events").glob("*.jsonl"), key=lambda path: path.stat().st_size)
    file.write_bytes(file.read_bytes()[:-9])
    ran = ingested(capsys, folder, "--out", tmp_path / "store")
    assert (ran.code, ran.err) == (0, "")
    assert f"{file.name} ends within line" in ran.out
    (row,) = rows_in(spark, tmp_path / "store").values()
    assert "that event is lost; it has no verdict of its own: judged when it was ingested" in row.trouble
    assert (row.outcome, row.checks) == ("unknown", []), "nobody knows what the lost event would have changed"
    assert "that event is lost" in row.unjudged
    assert row.events == len(finished("form").records) - 1 == open_store(spark, tmp_path / "store").history.count()


def test_what_cannot_be_read_is_told_each_in_a_sentence_and_the_others_are_there(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("good", "newer", "older", "foreign", "corrupt", "unknown", "long"):
        record(tmp_path / name, "form" if name != "long" else "group-neighbours-crash-ring")
        (tmp_path / name / "run.json").write_text((tmp_path / name / "run.json").read_text() + " " * len(name))
    newer = tmp_path / "newer" / "run.json"
    newer.write_text(newer.read_text().replace('"schema": 2', '"schema": 3'))
    older = tmp_path / "older" / "run.json"
    older.write_text(older.read_text().replace('"schema": 2', '"schema": 1'))
    (tmp_path / "foreign" / "run.json").write_text('{"compilerOptions": {}}')
    events = max((tmp_path / "corrupt" / "events").glob("*.jsonl"))
    events.write_bytes(b"\x00\xff not an event\n" + events.read_bytes())
    unknown = tmp_path / "unknown" / "run.json"
    unknown.write_text(unknown.read_text().replace('"settings": {', '"settings": {"of_tomorrow": 1,'))
    most = len(finished("form").records) + 10
    ran = ingested(capsys, tmp_path, "--out", tmp_path / "store", "--most-events", most)
    assert ran.code == 2
    told = sorted(ran.err.splitlines())
    assert len(told) == 6
    why = (
        "corrupt/events/",
        "foreign/run.json is no description",
        "long holds",
        "newer/run.json is of schema 3, and this shaketable reads schema 2: take a newer one",
        "older/run.json is of schema 1, and this shaketable reads schema 2: run it again, or read it with",
        "of_tomorrow",
    )
    for sentence, words in zip(told, why, strict=True):
        assert sentence.startswith(f"shaketable: {tmp_path}/")
        assert words in sentence
    assert ran.out == f"1 run put into {tmp_path}/store; 6 could not be read\n"
    assert len(rows_in(spark, tmp_path / "store")) == 1


def test_a_verdict_of_other_events_is_not_believed(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = record(tmp_path / "one", "form")
    (folder / "verdict.json").write_bytes((record(tmp_path / "two", "form", seed=2) / "verdict.json").read_bytes())
    assert ingested(capsys, folder, "--out", tmp_path / "store").code == 0
    (row,) = rows_in(spark, tmp_path / "store").values()
    assert "its verdict is of other events than are here" in row.trouble
    assert row.history_hash == History(finished("form").records).hash


def test_a_run_that_lacks_events_is_unknown_to_all_who_judge_it_anew(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Judged without them, guarantees would seem broken."""
    for name, damaged in (("gone", "n3"), ("cut", "n2"), ("filled", "n1")):
        record(tmp_path / name, "kill-the-master")
        (tmp_path / name / "run.json").write_text((tmp_path / name / "run.json").read_text() + " " * len(name))
        file = tmp_path / name / "events" / f"{damaged}.jsonl"
        match name:
            case "gone":
                file.unlink()
            case "cut":
                file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
            case "filled":
                file.write_bytes(b"\x00\xff\x17" * 99)
    assert ingested(capsys, *(tmp_path / name for name in ("gone", "cut", "filled")), "--out", tmp_path / "s").code == 0
    rows = list(rows_in(spark, tmp_path / "s").values())
    whole = len(finished("kill-the-master").records)
    assert [row.outcome for row in rows] == ["unknown"] * 3
    for row in rows:
        assert f"holds {row.events} of the {whole} events that its verdict is of: the others are lost" in row.lost
    for command in ("check", "revalidate"):
        ran = here(capsys, command, tmp_path / "s")
        assert (ran.code, ran.out.count("the run cannot be judged: ")) == (2, 3)


def test_what_is_no_run_and_what_is_no_store_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty").mkdir()
    ingested(capsys, tmp_path / "empty", "--out", tmp_path / "s").refused("holds no recorded run")
    ingested(capsys, tmp_path / "gone", "--out", tmp_path / "s").refused("there is no folder")
    ingested(capsys, tmp_path, "--out", "s", "--most-events", 0).refused("--most-events 0: give at least 1")
    folder = record(tmp_path / "one", "form")
    ingested(capsys, folder, "--out", tmp_path).refused("is no store of runs, and not empty: give another folder")
    here(capsys, "ingest", folder, "--out", tmp_path / "s", "--spark-master", "local").refused("Spark runs at local[*]")
