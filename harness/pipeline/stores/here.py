"""A store on this machine, read by this process: for few runs, of which Spark would make much."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq

from shaketable.harness.errors import UserError, of_another_schema, reason_of
from shaketable.harness.history.codec import CodecError
from shaketable.harness.pipeline.stores.schema import RUN, records_of, run_rows
from shaketable.harness.pipeline.stores.writing import DONE, folder_of
from shaketable.harness.records import Record
from shaketable.harness.verdicts.rows import HISTORY, RUNS, SCHEMA, RunRow

_BATCH: Final = "batch="


def batches_in(store: Path) -> list[tuple[str, Path]]:
    """Of those that are whole the name, and the folder of their rows; sorted."""
    for folder in (store / RUNS).glob("schema=*"):
        schema = folder.name.partition("=")[2]
        if schema != str(SCHEMA):
            raise of_another_schema(store, int(schema), SCHEMA)
    found = sorted((store / RUNS).glob(f"schema={SCHEMA}/{_BATCH}*/{DONE}"))
    return [(each.parent.name.removeprefix(_BATCH), each.parent) for each in found]


def rows_in(batch: Path) -> Iterator[RunRow]:
    for file in sorted(batch.glob("*.parquet")):
        yield from run_rows(_read(file))


def rows_here(store: Path) -> Iterator[RunRow]:
    for _, folder in batches_in(store):
        yield from rows_in(folder)


def history_here(store: Path, run: str) -> Sequence[Record] | None:
    """None: it is not kept, or cannot be read any more."""
    for name, _ in batches_in(store):
        for file in sorted((store / folder_of(HISTORY, name)).glob("*.parquet")):
            table = _read(file, run)
            if table.num_rows:
                try:
                    return sorted(records_of(table), key=lambda record: record[:4])
                except CodecError:
                    return None
    return None


def _read(file: Path, run: str | None = None) -> pa.Table:
    """With a run only its rows: groups that have none of it are skipped."""
    try:
        return pq.read_table(file, partitioning=None, filters=None if run is None else [(RUN, "=", run)])
    except (pa.ArrowInvalid, OSError) as error:
        why = reason_of(error) if isinstance(error, OSError) else "it is corrupt"
        raise UserError(f"{file} cannot be read: {why}; take it away, or take it from a copy") from None
