"""The measures of a store on this machine, by DuckDB: the same statements as on Spark, which takes seconds to start.

DuckDB is made for one machine, Spark for many. Both read the SQL of facts.py, relations.py, samples.py and measure.py.
A test asks both the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

import msgspec

from shaketable.harness.errors import UserError
from shaketable.harness.pipeline.measuring.facts import facts_sql
from shaketable.harness.pipeline.measuring.measure import (
    CHOSEN,
    PASSED_ONLY,
    PROMISED,
    Summed,
    in_order,
    promises_of,
    rows_sql,
)
from shaketable.harness.pipeline.measuring.measures import MEASURES, Measure, MeasureRow
from shaketable.harness.pipeline.measuring.relations import CALMS, CRASH
from shaketable.harness.pipeline.measuring.samples import samples_sql
from shaketable.harness.pipeline.stores.here import batches_in
from shaketable.harness.pipeline.stores.schema import history_schema, runs_schema
from shaketable.harness.pipeline.stores.writing import folder_of
from shaketable.harness.verdicts.rows import HISTORY, RUNS, RunRow

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_FUNCTIONS: Final = (
    "CREATE MACRO xxhash64(x) AS hash(x)",
    "CREATE MACRO substring_index(s, d, n) AS split_part(s, d, n)",
)
"""what has another name here"""
_SUMMED: Final = Summed("count(DISTINCT id)", "quantile_cont(value, [{shares}])")
RELATIONS_HERE: Final = {
    name: name for name in ("runs", "history", "chosen", "facts", "calms", "crash", "samples", "promises")
}
"""what the statements call each of them here"""


def measured_here(
    store: Path,
    by: Sequence[str] = (),
    measures: Sequence[Measure] = MEASURES,
    which: str = PASSED_ONLY,
    *,
    cores: int | None = None,
) -> list[MeasureRow]:
    """As measure.measured, of a store in this folder."""
    with database_of(store, cores) as database:
        sample(database, measures, which)
        database.execute(
            "CREATE TABLE promises (measure STRING, terms STRING, promised_least DOUBLE, promised_most DOUBLE)"
        )
        promises = promises_of(rows_of(database, PROMISED.format(**RELATIONS_HERE)), measures)
        if promises:
            database.executemany("INSERT INTO promises VALUES (?, ?, ?, ?)", promises)
        told = rows_of(database, rows_sql(by, (), _SUMMED, RELATIONS_HERE))
        return [row for row, _ in in_order(told, measures, by, exact=True)]


def sample(database: DuckDBPyConnection, measures: Sequence[Measure], which: str) -> None:
    """Makes `samples`, and `chosen` of the runs that they are of."""
    for name, text in (("chosen", CHOSEN), ("facts", facts_sql()), ("calms", CALMS), ("crash", CRASH)):
        database.execute(f"CREATE TABLE {name} AS {text.format(which=which, **RELATIONS_HERE)}")
    database.execute(f"CREATE VIEW samples AS {samples_sql(measures, RELATIONS_HERE)}")


@contextmanager
def database_of(store: Path, cores: int | None) -> Iterator[DuckDBPyConnection]:
    """With the two tables of the store, and the functions of the statements."""
    import duckdb

    with TemporaryDirectory(prefix="shaketable-duckdb-") as scratch:
        database = duckdb.connect(config={"temp_directory": scratch, **({"threads": cores} if cores else {})})
        try:
            for statement in _FUNCTIONS:
                database.execute(statement)
            batches = [name for name, _ in batches_in(store)]
            for table, schema in ((RUNS, runs_schema()), (HISTORY, history_schema())):
                files = [str(file) for name in batches for file in (store / folder_of(table, name)).glob("*.parquet")]
                database.register(f"no_{table}", schema.empty_table())
                text = f"SELECT {_columns(table, schema.names)} FROM no_{table}"
                if files:
                    read = f"SELECT * FROM read_parquet({files}, union_by_name = true, hive_partitioning = false)"
                    text = f"SELECT {_columns(table, schema.names)} FROM ({read} UNION ALL BY NAME FROM no_{table})"
                database.execute(f"CREATE VIEW {table} AS {text}")
            yield database
        except duckdb.Error as error:
            why = str(error).strip().partition("\n")[0]
            raise UserError(f"the runs of {store} cannot be measured: {why}") from None
        finally:
            database.close()


def _columns(table: str, names: Sequence[str]) -> str:
    """A column that was added later is null in older files."""
    defaults = {field.name: field.default for field in msgspec.structs.fields(RunRow)} if table == RUNS else {}

    def column(name: str) -> str:
        default = defaults.get(name)
        if type(default) in (str, int, bool):
            return f'coalesce("{name}", {default!r}) AS "{name}"'
        return f'"{name}"'

    return ", ".join(map(column, names))


def rows_of(database: DuckDBPyConnection, text: str) -> list[dict[str, object]]:
    done = database.execute(text)
    names = [column[0] for column in done.description or ()]
    return [dict(zip(names, row, strict=True)) for row in done.fetchall()]
