"""A store: what is added stays, what is half written is not there, and what is none is refused."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from tests.harness.pipeline.stored import history_of, row

from shaketable.harness.errors import UserError
from shaketable.harness.pipeline.stores.schema import history_batch, records_of, run_batch, run_rows
from shaketable.harness.pipeline.stores.store import append, append_history, append_runs, may_be_added_to, open_store

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark


def frame(spark: SparkSession, batch: pa.RecordBatch) -> DataFrame:
    return spark.createDataFrame(pa.Table.from_batches([batch]))


def stored(spark: SparkSession, path: Path, *runs: str) -> None:
    for run in runs:
        history = frame(spark, history_batch(run, history_of("form")))
        append(spark, path, frame(spark, run_batch([row(run)])), history)


def test_what_was_added_is_there_whole(spark: SparkSession, tmp_path: Path) -> None:
    stored(spark, tmp_path, "one", "two")
    append_runs(spark, tmp_path, frame(spark, run_batch([row("without", outcome="failed")])))
    store = open_store(spark, tmp_path)
    assert run_rows(store.runs.orderBy("run").toArrow()) == [row("one"), row("two"), row("without", outcome="failed")]
    there = records_of(store.history.where("run = 'two'").toArrow())
    assert sorted(there, key=lambda r: r[:4]) == sorted(history_of("form"), key=lambda r: r[:4])
    assert store.history.count() == 2 * len(there)


def test_what_is_half_written_is_not_there(spark: SparkSession, tmp_path: Path) -> None:
    stored(spark, tmp_path, "one")
    append_history(spark, tmp_path, frame(spark, history_batch("lost", history_of("form"))), batch="killed")
    append_runs(spark, tmp_path, frame(spark, run_batch([row("half")])), batch="killed-later")
    (tmp_path / "runs/schema=2/batch=killed-later/_SUCCESS").unlink()
    store = open_store(spark, tmp_path)
    assert [each.run for each in run_rows(store.runs.toArrow())] == ["one"]
    assert store.history.select("run").distinct().count() == 1


def test_another_schema_is_refused_and_a_file_from_before_a_column_is_read(spark: SparkSession, tmp_path: Path) -> None:
    older = frame(spark, run_batch([row("old", trouble="gone")])).drop("schema", "trouble", "broken_too", "same")
    older.write.parquet(str(tmp_path / "runs/schema=2/batch=old"))
    (read,) = run_rows(open_store(spark, tmp_path).runs.toArrow())
    assert read == row("old")
    append_runs(spark, tmp_path, frame(spark, run_batch([row("new")])))
    for schema, told, instead in ((2, 3, "take a newer one"), (3, 1, "run it again, or read it with the shaketable")):
        (tmp_path / f"runs/schema={schema}").rename(tmp_path / f"runs/schema={told}")
        with pytest.raises(UserError, match=f"is of schema {told}, and this shaketable reads schema 2: {instead}"):
            open_store(spark, tmp_path)


def test_what_is_no_store_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "nothing"):
        may_be_added_to(spark, path)
        with pytest.raises(UserError, match="is no store of runs: `shaketable ingest RUNS --out"):
            open_store(spark, path)
    append_runs(spark, tmp_path / "out" / "store", frame(spark, run_batch([row("one")])))
    with pytest.raises(UserError, match=r"out is no store of runs, but \S+/out/store is one: give that"):
        open_store(spark, tmp_path / "out")
    (tmp_path / "letters").mkdir()
    with pytest.raises(UserError, match="is no store of runs, and not empty"):
        may_be_added_to(spark, tmp_path)
    file = tmp_path / "letters" / "one"
    file.touch()
    with pytest.raises(UserError, match="is a file: give a folder for the store"):
        may_be_added_to(spark, file)


def test_what_cannot_be_written_is_said_in_a_sentence_and_leaves_nothing(spark: SparkSession, tmp_path: Path) -> None:
    stored(spark, tmp_path, "one")
    (tmp_path / "history").rename(tmp_path / "kept")
    (tmp_path / "history").touch()
    with pytest.raises(UserError, match=r"^[^\n]* cannot be written: [^\n]*$"):
        stored(spark, tmp_path, "two")
    (tmp_path / "history").unlink()
    (tmp_path / "kept").rename(tmp_path / "history")
    assert [each.run for each in run_rows(open_store(spark, tmp_path).runs.toArrow())] == ["one"]
