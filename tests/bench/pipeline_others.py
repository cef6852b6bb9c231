"""DuckDB and Polars over the files of a store, asked what Spark is asked. Nobody but this bench has them.

DuckDB reads the SQL of `measure` as it stands, with a name of its own for four functions; it is spared the promises.
Polars has no SQL of that kind: it answers two questions in its own words."""

from __future__ import annotations

import importlib
import os
import re
from pathlib import Path
from typing import Any, Final

from tests.bench.pipeline_spark import FALLS, OPERATIONS, timed

from shaketable.harness.pipeline.measuring.facts import facts_sql
from shaketable.harness.pipeline.measuring.measure import CHOSEN, PASSED_ONLY, ROWS, USUAL_SHARES
from shaketable.harness.pipeline.measuring.measures import MEASURES
from shaketable.harness.pipeline.measuring.relations import CALMS, CRASH
from shaketable.harness.pipeline.measuring.samples import samples_sql

_OWN_NAMES: Final = """
    CREATE MACRO xxhash64(x) AS hash(x);
    CREATE MACRO substring_index(s, d, n) AS split_part(s, d, n);
    CREATE MACRO percentile(x, p) AS quantile_cont(x, p);
    CREATE TABLE promises (measure STRING, terms STRING, promised_least DOUBLE, promised_most DOUBLE)"""
_NAMES: Final = {name: name for name in ("runs", "history", "chosen", "facts", "calms", "crash", "samples", "promises")}


def duckdb_times(store: Path, threads: int) -> dict[str, Any]:
    database: Any = importlib.import_module("duckdb").connect()
    database.execute(f"SET threads = {threads}")
    for statement in _OWN_NAMES.split(";"):
        database.execute(statement)
    for table in ("runs", "history"):
        database.execute(f"CREATE VIEW {table} AS SELECT * FROM '{store}/{table}/schema=2/*/*.parquet'")

    def measured() -> Any:
        for name, text in (
            ("chosen", CHOSEN.format(which=PASSED_ONLY, **_NAMES)),
            ("facts", facts_sql().format(**_NAMES)),
            ("calms", CALMS.format(**_NAMES)),
            ("crash", CRASH.format(**_NAMES)),
        ):
            database.execute(f"CREATE OR REPLACE TABLE {name} AS {text}")
        database.execute(f"CREATE OR REPLACE VIEW samples AS {samples_sql(MEASURES, _NAMES)}")
        rows = ROWS.format(by="", of_run="", groups="measure", shares=", ".join(map(str, USUAL_SHARES)),
            runs_told="count(DISTINCT id)", **_NAMES)  # fmt: skip
        return database.execute(re.sub(r"array\((.*?)\)", r"[\1]", rows)).fetchall()

    times, rows = timed(measured)
    falls, fallen = timed(lambda: database.execute(FALLS.format(**_NAMES)).fetchall())
    pairs, operations = timed(lambda: database.execute(OPERATIONS.format(**_NAMES)).fetchall())
    return {
        "measure": times,
        "samples": sum(row[1] for row in rows),
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
