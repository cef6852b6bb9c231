"""DuckDB and Polars over the files of a store, asked what Spark is asked.

DuckDB measures as `shaketable measure` does on one machine. Polars has no SQL of that kind: it answers two questions in
its own words."""

from __future__ import annotations

import importlib
import os
from pathlib import Path
from typing import Any

from tests.bench.pipeline_spark import FALLS, OPERATIONS, timed

from shaketable.harness.pipeline.measuring.on_duckdb import database_of, measured_here


def duckdb_times(store: Path, threads: int) -> dict[str, Any]:
    times, rows = timed(lambda: measured_here(store, cores=threads))
    with database_of(store, threads) as database:
        falls, fallen = timed(lambda: database.execute(FALLS.format(history="history")).fetchall())
        pairs, operations = timed(lambda: database.execute(OPERATIONS.format(history="history")).fetchall())
    return {
        "measure": times,
        "samples": sum(row.n for row in rows),
        "falls": falls,
        "fallen": fallen[0][0],
        "operation_times": pairs,
        "operations": [list(each) for each in operations],
    }


def polars_times(store: Path, threads: int) -> dict[str, Any]:
    os.environ["POLARS_MAX_THREADS"] = str(threads)
    pl: Any = importlib.import_module("polars")
    history = pl.scan_parquet(f"{store}/history/schema=2/*/*.parquet", hive_partitioning=False)
    kind = pl.col("kind")

    def fallen() -> Any:
        own = ["run", "node", "incarnation"]
        installs = history.filter(kind == "ViewInstalled").select(*own, "time", "sequence", "version")
        before = pl.col("version").shift(1).over(own, order_by=["time", "sequence"])
        return installs.filter(pl.col("version") < before).select(pl.len()).collect().item()

    def operations() -> Any:
        begins, detail = kind == "OperationCalled", pl.col("detail")
        name = detail.str.split(',"does":').list.first().str.split(',"outcome":').list.first().hash()
        sides = history.filter(begins | (kind == "OperationReturned")).select(
            "run", "incarnation", name.alias("key"), "time", begins.alias("begins"),
            (detail.str.contains('"outcome":"ok"', literal=True) & ~begins).cast(pl.Int32).alias("outcome"),
        )  # fmt: skip
        time_of = pl.col("time")
        pairs = sides.group_by("run", "incarnation", "key").agg(
            (time_of.filter(~pl.col("begins")).min() - time_of.filter(pl.col("begins")).min()).alias("took"),
            pl.col("outcome").max(),
        )
        took = pl.col("took")
        summed = pairs.group_by("outcome").agg(pl.len(), took.sum().alias("sum"), took.max().alias("most"))
        return [list(each) for each in summed.sort("outcome").collect().rows()]

    falls, told = timed(fallen)
    pairs, found = timed(operations)
    return {"falls": falls, "fallen": told, "operation_times": pairs, "operations": found}
