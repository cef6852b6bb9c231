"""Rows and events become columns, and come back as what they were."""

from __future__ import annotations

import msgspec
import pyarrow as pa
import pytest
from tests.harness.pipeline.stored import history_of, row

from shaketable.harness.history.codec import COLUMNS
from shaketable.harness.pipeline.stores.schema import (
    history_batch,
    history_schema,
    records_of,
    run_batch,
    run_rows,
    runs_schema,
)
from shaketable.harness.verdicts.rows import CheckRow, ReasonRow, RunRow

pytestmark = pytest.mark.spark


def test_a_run_comes_back_as_it_went() -> None:
    full = row(
        "one",
        reasons=[ReasonRow("failed", "check", "it broke")],
        checks=[CheckRow("settled", "held", 3, 0, 0)],
        marks={"claim refused": 2, "election": 1},
        about=["settled"],
        expects_violation="settled",
        verdict="{}",
        same=True,
        wall_micros=5,
    )
    assert run_rows(run_batch([full, row("two")])) == [full, row("two")]


def test_each_column_of_a_row_is_one_of_the_table() -> None:
    assert runs_schema().names == list(RunRow.__struct_fields__)
    assert history_schema().names == ["run", *COLUMNS]


def test_a_column_that_older_files_lack_is_at_its_default() -> None:
    older = run_batch([row("one", trouble="torn")]).drop_columns(["trouble", "broken_too", "same", "violations"])
    assert run_rows(older) == [row("one")]
    without = pa.table({**older.to_pydict(), "wall_began": [None]}, schema=older.schema)
    assert run_rows(without) == [row("one")]


def test_all_events_of_runs_of_both_families_come_back() -> None:
    for script in ("form", "group-neighbours-crash-ring"):
        records = history_of(script)
        batch = history_batch("it", records)
        assert batch.schema == history_schema()
        assert sorted(records_of(batch), key=lambda r: r[:4]) == sorted(records, key=lambda r: r[:4])
        assert set(batch.column("run").to_pylist()) == {"it"}


def test_no_events_are_a_batch_too() -> None:
    assert records_of(history_batch("none", [])) == []


def test_the_rows_are_plain_data() -> None:
    assert msgspec.convert(msgspec.to_builtins(row("one")), RunRow) == row("one")
