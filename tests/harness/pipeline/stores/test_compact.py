"""A store of many small files becomes one of few, with the same runs, where a question skips what is not asked."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.harness.command.command_helpers import here
from tests.harness.pipeline.rows_read import rows_read
from tests.harness.pipeline.stored import history_of, record, row

from shaketable.harness.pipeline.stores import compact_command
from shaketable.harness.pipeline.stores import store as stores
from shaketable.harness.pipeline.stores.compact_command import compact
from shaketable.harness.pipeline.stores.schema import history_batch, records_of, run_batch, run_rows
from shaketable.harness.pipeline.stores.store import append, append_runs, is_store, open_store
from shaketable.harness.pipeline.stores.writing import add_batch

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

SCRIPTS = ("z", "form", "a")
SEEDS = (3, 1, 2)
EVENTS = len(history_of("form"))


def frame(spark: SparkSession, batch: pa.RecordBatch) -> DataFrame:
    return spark.createDataFrame(pa.Table.from_batches([batch]))


def campaign(spark: SparkSession, path: Path) -> None:
    """A batch for each seed, with a run of each script; and one batch of a run without its history."""
    for seed in SEEDS:
        runs = [row(f"{script}/sim/{seed}", script=script, seed=seed, kept="sample") for script in SCRIPTS]
        events = pa.concat_batches([history_batch(each.run, history_of("form")) for each in runs])
        append(spark, path, frame(spark, run_batch(runs)), frame(spark, events))
    append_runs(spark, path, frame(spark, run_batch([row("form/sim/9", seed=9, outcome="failed", same=True)])))


def contents(path: Path) -> dict[str, bytes]:
    return {str(each.relative_to(path)): each.read_bytes() for each in path.rglob("*") if each.is_file()}


def groups(path: Path, table: str, column: str) -> Iterator[tuple[str, str]]:
    """The least and the greatest value of each row group, in the order of the files."""
    for file in sorted(path.glob(f"{table}/*/*/*.parquet")):
        told = pq.ParquetFile(file).metadata
        place = told.schema.names.index(column)
        for number in range(told.num_row_groups):
            statistics = told.row_group(number).column(place).statistics
            yield statistics.min, statistics.max


def test_all_runs_and_events_are_in_few_files_and_the_old_store_is_as_it_was(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    campaign(spark, old)
    was = contents(old)
    before, now = (len([name for name in was if name.endswith(".parquet")]), 2)
    ran = here(capsys, "compact", old, "--out", new)
    told = f"10 runs and {9 * EVENTS} events of {old} put into {new}: {before} files before, {now} now\n"
    assert (ran.code, ran.out, ran.err) == (0, told, "")
    assert contents(old) == was
    assert len([name for name in contents(new) if name.endswith(".parquet")]) == now

    rows = run_rows(open_store(spark, new).runs.toArrow())
    expected = run_rows(open_store(spark, old).runs.toArrow())
    assert sorted(rows, key=lambda each: each.run) == sorted(expected, key=lambda each: each.run)
    assert [(each.script, each.seed) for each in rows] == sorted((each.script, each.seed) for each in rows)
    for run in ("a/sim/1", "z/sim/3"):
        events = records_of(open_store(spark, new).history.where(f"run = '{run}'").toArrow())
        assert sorted(events, key=lambda r: r[:4]) == sorted(history_of("form"), key=lambda r: r[:4])


def test_a_question_about_one_run_or_one_script_skips_the_others(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    monkeypatch.setattr(stores, "A_GROUP", 16 << 10)  # so that these few events are several groups of rows
    campaign(spark, old)
    assert here(capsys, "compact", old, "--out", new).code == 0
    ranges = [*groups(new, "history", "run")]
    assert len(ranges) >= 5
    assert ranges == sorted(ranges)
    assert all(one[1] <= other[0] for one, other in pairwise(ranges))
    history = open_store(spark, new).history
    assert rows_read(history) == 9 * EVENTS
    for where, wanted in (("run = 'form/sim/2'", EVENTS), ("run LIKE 'z/%'", 3 * EVENTS)):
        asked = history.where(where)
        assert asked.count() == wanted
        assert rows_read(asked) <= wanted + 2 * EVENTS


def test_ingest_writes_in_the_order_of_scripts_and_seeds(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for folder, script, seed in (("1", "kill-the-master", 1), ("2", "form", 2), ("3", "form", 1)):
        record(tmp_path / "runs" / folder, script, seed)
    assert here(capsys, "ingest", tmp_path / "runs", "--out", tmp_path / "store").code == 0
    rows = run_rows(open_store(spark, tmp_path / "store").runs.toArrow())
    assert [(each.script, each.seed) for each in rows] == [("form", 1), ("form", 2), ("kill-the-master", 1)]
    ranges = [*groups(tmp_path / "store", "history", "run")]
    assert all(one[1] <= other[0] for one, other in pairwise(ranges))


def test_it_goes_only_to_a_folder_that_is_free(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old, full, new = tmp_path / "old", tmp_path / "full", tmp_path / "new"
    append_runs(spark, old, frame(spark, run_batch([row("one")])))
    was = contents(old)
    full.mkdir()
    (full / "letter").write_text("mine")
    for store, out, refused in (
        (old, old, "old is a store already: give a folder"),
        (old, full, "full is no store of runs, and not empty"),
        (full, new, "full is no store of runs"),
    ):
        here(capsys, "compact", store, "--out", out).refused(refused)
    assert contents(old) == was
    assert contents(full) == {"letter": b"mine"}
    assert not new.exists()


def test_a_store_in_the_place_of_the_new_one_is_refused_before_spark_starts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("one", "other"):
        add_batch(tmp_path / name, "first", pa.Table.from_batches([run_batch([row(name)])]), None)
    started: list[str] = []
    monkeypatch.setattr(compact_command, "session_for", lambda *_, **__: started.append("Spark"))
    monkeypatch.chdir(tmp_path)
    for out in ("one", "./one/", "other"):
        here(capsys, "compact", "one", "--out", out).refused(f"{out} is a store already: give a folder that is not")
    here(capsys, "compact", "one", "--out", "one/new").refused("one/new lies in the old store, which stays as it is")
    assert started == []


def test_a_new_store_that_is_not_whole_is_none_and_can_be_made_again(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    campaign(spark, old)

    def killed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(stores, "append_runs", killed)
        with pytest.raises(KeyboardInterrupt):
            compact(spark, str(old), str(new))
    assert not is_store(spark, new)
    assert here(capsys, "compact", old, "--out", new).code == 0
    store = open_store(spark, new)
    assert (store.runs.count(), store.history.count()) == (10, 9 * EVENTS)
    assert [each.run for each in run_rows(store.runs.where("same").toArrow())] == ["form/sim/9"]
