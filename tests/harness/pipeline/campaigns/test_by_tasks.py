"""A campaign as a cluster plays it: its tasks write what they have played, and its store is the same."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from tests.harness.pipeline.campaigns.campaigns import asked, written
from tests.harness.pipeline.campaigns.test_campaign import by_hand, rows_in

from shaketable.harness.errors import UserError
from shaketable.harness.history.history import History
from shaketable.harness.pipeline.campaigns import by_tasks
from shaketable.harness.pipeline.campaigns import campaign as campaigns
from shaketable.harness.pipeline.campaigns.by_tasks import ByTasks
from shaketable.harness.pipeline.campaigns.campaign import Campaign
from shaketable.harness.pipeline.campaigns.cases import cells_of
from shaketable.harness.pipeline.campaigns.variants import each_under_all, variants_named
from shaketable.harness.pipeline.campaigns.waves import Asked
from shaketable.harness.pipeline.stores import store as stores
from shaketable.harness.pipeline.stores.schema import records_of
from shaketable.harness.records import Record
from shaketable.harness.runs.interrupts import Interrupts
from shaketable.harness.scripting.scripts import scripts_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark
ASKED = asked("form", "kill-the-master", runs=40, variants=["as written", "fast"], wave=16)


def campaign(spark: SparkSession, path: Path, what: Asked) -> Campaign:
    """As on a cluster."""
    return Campaign(ByTasks(spark, str(path)), str(path), what, interrupts=Interrupts())


def test_tasks_write_their_rows_and_histories_and_the_store_is_the_same(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(by_tasks, "A_FILE", 4)
    running = campaign(spark, tmp_path, ASKED)
    assert running.run()
    rows = rows_in(spark, tmp_path)
    assert rows == by_hand(ASKED)
    assert running.results.runs == 40
    batches = [*tmp_path.glob("runs/schema=*/batch=*")]
    assert max(len([*batch.glob("*.parquet")]) for batch in batches) > 1, "several tasks write one batch"
    histories: dict[str, list[Record]] = {}
    for file in tmp_path.glob("history/*/*/*.parquet"):
        table = pq.ParquetFile(file).read()
        for run in table.column("run").unique().to_pylist():
            histories.setdefault(run, []).extend(records_of(table.filter(pc.equal(table["run"], run))))
    assert {run: History(records).hash for run, records in histories.items()} == {
        row.run: row.history_hash for row in rows.values() if row.kept
    }
    again = campaign(spark, tmp_path, ASKED)
    assert (again.already(), again.run()) == (40, True)
    assert again.results == running.results


def test_whole_histories_of_failures_are_kept_up_to_a_bound(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A task knows how many there are only of itself."""
    monkeypatch.setattr(campaigns, "MOST_KEPT", 3)
    (story,) = scripts_of(written(tmp_path, "await cluster.form('n1')\n    assert False, 'as it must'"))
    cells = cells_of([story], each_under_all([story], variants_named(["as written"])))
    running = campaign(spark, tmp_path / "store", Asked(cells, 12, 1, 0))
    assert running.run()
    rows = rows_in(spark, tmp_path / "store")
    kept = {run for run, row in rows.items() if row.kept == "not passed"}
    assert (len(rows), len(kept), running.results.kept_failed) == (12, 3, 3)
    files = (tmp_path / "store").glob("history/*/*/*.parquet")
    assert {run for file in files for run in pq.ParquetFile(file).read().column("run").to_pylist()} == kept


def test_executors_that_write_to_another_disk_are_noticed(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    append = stores.append

    def elsewhere(spark: SparkSession, path: str, runs: DataFrame, history: DataFrame | None, *, batch: str) -> None:
        append(spark, path, runs, history, batch=batch)
        for file in tmp_path.glob("*/*/*/*.parquet"):
            file.unlink()

    monkeypatch.setattr(stores, "append", elsewhere)
    with pytest.raises(UserError, match=r"another folder on the executors than here \(0 of \d+ runs came\)"):
        campaign(spark, tmp_path, ASKED).run()
    assert [*tmp_path.glob("*/*/batch=*")] == []
