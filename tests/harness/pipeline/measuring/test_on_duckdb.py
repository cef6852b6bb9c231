"""DuckDB and Spark are asked the same of one store, in the same words, and tell the same."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pyarrow as pa
import pytest
from tests.harness.command.command_helpers import here
from tests.harness.pipeline.campaigns.campaigns import asked
from tests.harness.pipeline.stored import row

from shaketable.harness.errors import UserError
from shaketable.harness.pipeline.campaigns.campaign import Campaign
from shaketable.harness.pipeline.campaigns.processes import Processes
from shaketable.harness.pipeline.measuring import measure_command
from shaketable.harness.pipeline.measuring.measure import EVERY_RUN, PASSED_ONLY, measured, measures_named
from shaketable.harness.pipeline.measuring.measures import MEASURES, MeasureRow
from shaketable.harness.pipeline.measuring.on_duckdb import measured_here
from shaketable.harness.pipeline.stores.schema import run_batch
from shaketable.harness.pipeline.stores.store import open_store
from shaketable.harness.pipeline.stores.writing import add_batch
from shaketable.harness.runs.interrupts import Interrupts

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark
SCRIPTS = (
    "kill-the-master", "storm", "no-confirmations", "issue-18661", "a-partial-disconnection-heals",
    "a-backup-misses-writes", "all-replicas-of-a-partition-are-lost", "group-watchdog-tells",
    "group-split-by-cut-master-and-likely-by-seniority",
)  # fmt: skip


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of a campaign, each history of which is kept; and of a run that has not passed, without one."""
    path = tmp_path_factory.mktemp("measured") / "store"
    what = asked(*SCRIPTS, runs=40, variants=["as written", "fast"])
    running = Campaign(Processes(path, 2), str(path), replace(what, sample=100), interrupts=Interrupts())
    assert running.run()
    other = row("failed", outcome="failed", duration=5, system="other", system_version="5.7", kept="")
    add_batch(path, "one-more", pa.Table.from_batches([run_batch([other])]), None)
    return path


def told(row: MeasureRow) -> dict[str, object]:
    """Sums of fractions hang on their order."""
    values = msgspec.structs.asdict(row)
    return {name: pytest.approx(value) if isinstance(value, float) else value for name, value in values.items()}


@pytest.mark.parametrize(
    ("by", "which"),
    [
        ((), PASSED_ONLY),
        (("script",), EVERY_RUN),
        (("variant", "nodes"), PASSED_ONLY),
        (("world", "system", "version"), EVERY_RUN),
    ],
)
def test_both_engines_measure_the_same(spark: SparkSession, store: Path, by: tuple[str, ...], which: str) -> None:
    on_spark = measured(spark, open_store(spark, store), by, MEASURES, which)
    assert len(on_spark) > 20
    on_duckdb = measured_here(store, by, MEASURES, which, cores=1)
    assert [*map(msgspec.structs.asdict, on_duckdb)] == [*map(told, on_spark)]


def test_a_batch_that_is_not_whole_is_not_measured(store: Path, tmp_path: Path) -> None:
    copy = tmp_path / "store"
    shutil.copytree(store, copy)
    for mark in copy.glob("runs/*/batch=runs-*/_SUCCESS"):
        mark.unlink()
    measures = measures_named(["script", "join"])
    (left,) = measured_here(copy, (), measures, EVERY_RUN)
    assert (left.measure, left.n, left.most) == ("script", 1, 5)
    assert measured_here(copy, (), measures) == []


def test_a_column_that_an_older_file_lacks_is_at_its_default(store: Path, tmp_path: Path) -> None:
    rows = pa.Table.from_batches([run_batch([row("old", duration=5)])])
    add_batch(tmp_path, "old", rows.drop_columns(["system", "system_version"]), None)
    (told_of,) = measured_here(tmp_path, ("system", "version"), measures_named(["script"]))
    assert (told_of.system, told_of.version, told_of.most) == ("shaketable", "", 5)


def test_a_corrupt_file_is_told_in_a_sentence(tmp_path: Path) -> None:
    add_batch(tmp_path, "torn", pa.Table.from_batches([run_batch([row("torn")])]), None)
    (file,) = tmp_path.glob("runs/*/*/*.parquet")
    file.write_bytes(b"torn")
    with pytest.raises(UserError, match=r"the runs of .* cannot be measured: .*part-00000.zstd.parquet"):
        measured_here(tmp_path)


def test_the_command_starts_no_spark_for_a_store_here(
    store: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def session_for(*_: object, **__: object) -> None:
        raise UserError("it would start")

    monkeypatch.setattr(measure_command, "session_for", session_for)
    ran = here(capsys, "measure", str(store), "--measure", "join")
    assert ran.code == 0
    assert ran.out.startswith("measure")
    here(capsys, "measure", str(store), "--spark-master", "local[1]").refused("it would start")
