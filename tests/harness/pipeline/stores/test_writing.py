"""A batch is in its table whole or not at all, a store has one writer at a time, and what a killed one left goes."""

from __future__ import annotations

import errno
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.harness.command.command_helpers import here
from tests.harness.pipeline.stored import history_of, record, row
from tests.waiting import HANG

from shaketable.harness.errors import UserError
from shaketable.harness.pipeline.stores.schema import history_batch, records_of, run_batch, run_rows
from shaketable.harness.pipeline.stores.store import append, append_history, append_runs, open_store
from shaketable.harness.pipeline.stores.writing import WRITING, add_batch, alone_writing
from shaketable.harness.runs.alone import alone_in

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

RUN = pa.Table.from_batches([run_batch([row("one", marks={"join: admitted": 3}, same=True)])])
EVENTS = pa.Table.from_batches([history_batch("one", history_of("form"))])
HOLDS = """
import sys
from pathlib import Path
from shaketable.harness.runs.alone import alone_in
with alone_in(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def files(store: Path) -> list[str]:
    return sorted(str(path.relative_to(store)) for path in store.rglob("*") if path.is_file())


def frame(spark: SparkSession, table: pa.Table) -> DataFrame:
    return spark.createDataFrame(table)


def test_what_this_process_has_written_spark_reads_as_its_own(spark: SparkSession, tmp_path: Path) -> None:
    add_batch(tmp_path / "ours", "b", RUN, EVENTS)
    append(spark, tmp_path / "spark-s", frame(spark, RUN), frame(spark, EVENTS), batch="b")
    for name in ("ours", "spark-s"):
        store = open_store(spark, tmp_path / name)
        assert run_rows(store.runs.toArrow()) == [row("one", marks={"join: admitted": 3}, same=True)]
        told = records_of(store.history.toArrow())
        assert sorted(told, key=lambda r: r[:4]) == sorted(history_of("form"), key=lambda r: r[:4])
        assert store.history.where("kind = 'ViewInstalled' and version > 1").count() > 0


def test_numbers_that_follow_each_other_are_written_by_difference(tmp_path: Path) -> None:
    add_batch(tmp_path, "b", RUN, EVENTS)
    (file,) = tmp_path.glob("history/*/*/*.parquet")
    group = pq.ParquetFile(file).metadata.row_group(0)
    by_name = {group.column(n).path_in_schema: group.column(n).encodings for n in range(group.num_columns)}
    assert "DELTA_BINARY_PACKED" in by_name["time"]
    assert "RLE_DICTIONARY" in by_name["kind"]
    assert "RLE_DICTIONARY" in by_name["members.list.element.uuid"]


@pytest.mark.parametrize("table", ["history", "runs"])
def test_where_the_disk_is_full_nothing_is_seen_of_a_batch(
    table: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_batch(tmp_path, "before", RUN, EVENTS)
    before, write = files(tmp_path), pq.write_table

    def full(rows: pa.Table, file: Path, **options: Any) -> None:
        write(rows, file, **options)
        if file.parent.name.startswith(table):
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(pq, "write_table", full)
    with pytest.raises(UserError, match=r"cannot be written: the disk is full; what was written before is kept"):
        add_batch(tmp_path, "after", RUN, EVENTS)
    assert files(tmp_path) == before


@pytest.mark.parametrize("ends", ["", WRITING, "history", "runs"])
def test_what_a_killed_writer_left_is_taken_away_by_the_next_one(
    ends: str, spark: SparkSession, tmp_path: Path
) -> None:
    """`ends`: in the middle of which part of a batch it was killed."""
    append(spark, tmp_path, frame(spark, RUN), frame(spark, EVENTS), batch="whole")
    before = files(tmp_path)
    if ends == WRITING:
        half = tmp_path / WRITING / "history-killed"
        half.mkdir(parents=True)
        (half / "part-00000.zstd.parquet").write_bytes(b"PAR1")
    if ends in ("history", "runs"):
        append_history(spark, tmp_path, frame(spark, EVENTS), batch="killed")
    if ends == "runs":  # where a file system moves no folder at once
        append_runs(spark, tmp_path, frame(spark, RUN), batch="killed")
        (tmp_path / "runs/schema=2/batch=killed/_SUCCESS").unlink()
    with alone_writing(spark, str(tmp_path)):
        assert [name for name in files(tmp_path) if name != ".lock"] == before
    assert files(tmp_path) == before
    assert sorted(each.name for each in tmp_path.iterdir()) == ["history", "runs"]


def test_the_batch_of_a_killed_writer_may_be_written_again(spark: SparkSession, tmp_path: Path) -> None:
    append_history(spark, tmp_path, frame(spark, EVENTS), batch="runs-00000000-1")
    append(spark, tmp_path, frame(spark, RUN), frame(spark, EVENTS), batch="runs-00000000-1")
    assert open_store(spark, tmp_path).history.count() == EVENTS.num_rows


def test_two_processes_do_not_ingest_into_one_store_at_once(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record(tmp_path / "run", "form")
    store = tmp_path / "store"
    ingest = ("ingest", tmp_path / "run", "--out", store)
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDS, store], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        here(capsys, *ingest).refused(f"{store} is in use by another run: wait for its end, or give another folder")
        here(capsys, "report", tmp_path / "run", "--out", tmp_path).refused("is in use by another run")
        holder.send_signal(signal.SIGKILL)
        holder.wait(HANG)
        assert here(capsys, *ingest).code == 0
    finally:
        holder.kill()
        holder.communicate()
    assert sorted(each.name for each in store.iterdir()) == ["history", "runs"]
    assert here(capsys, *ingest).out == f"0 runs put into {store}; 1 were there already\n"


def test_a_store_whose_lock_leads_elsewhere_is_refused_and_a_link_to_a_store_is_that_store(
    spark: SparkSession, tmp_path: Path
) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    lock = tmp_path / ".lock"
    lock.symlink_to(tmp_path / "elsewhere")
    refused = pytest.raises(UserError, match="cannot be written: it is a symbolic link")
    with refused, alone_writing(spark, str(tmp_path)):
        pass
    lock.unlink()
    with alone_in(tmp_path), pytest.raises(UserError, match="in use"), alone_writing(spark, str(tmp_path / "link")):
        pass
