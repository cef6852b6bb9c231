"""How fast a store is measured and judged: on Spark with two cores and with one, beside DuckDB and Polars on the same
files in the same run.

The store holds real simulated histories, repeated under other names until there are EVENTS. DuckDB gets the very SQL of
`measure`; Polars a part of it; all three one question that a check would ask. Spark works in a process of its own, as a
command does: `cold` is the first time there, `warm` the best of three more."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from tests.bench.figure import Figure, number
from tests.bench.pipeline_others import duckdb_times, polars_times
from tests.bench.pipeline_spark import printed_by

EVENTS: Final = 10_000_000
FEW: Final = 50_000
CORES: Final = 2
PER_EVENT: Final = 40
"""bytes"""


def figures() -> Iterator[Figure]:
    events = int(os.environ.get("BENCH_EVENTS", EVENTS))
    with tempfile.TemporaryDirectory(prefix="shaketable-bench-") as folder:
        store = Path(folder) / "store"
        made = _spark("make", store, CORES, events)
        events = made["events"]
        size = sum(file.stat().st_size for file in (store / "history").rglob("*.parquet"))
        yield Figure(f"bytes an event on disk, {number(events)} events", size / events, "B", at_most=PER_EVENT)
        two, one = _spark("measure", store, CORES), _spark("measure alone", store, 1)
        duck, polars = duckdb_times(store, CORES), polars_times(store, CORES)
    assert two["samples"] == one["samples"] == duck["samples"], "the two engines measure different things"
    assert two["fallen"] == duck["fallen"] == polars["fallen"]
    assert two["operations"] == duck["operations"] == polars["operations"]
    yield Figure("Spark's session starts", two["session"], "s")
    yield _rate("measure, Spark, cold", events, two["measure"][0])
    yield _rate("measure, Spark, warm", events, two["measure"][1])
    yield _rate("measure, DuckDB, the same SQL, warm", events, duck["measure"][1])
    yield Figure(
        "seconds of Spark for each of DuckDB: measure, warm", two["measure"][1] / duck["measure"][1], "", at_most=4
    )
    yield _rate("measure, Spark, one core, warm", events, one["measure"][1])
    faster = one["measure"][1] / two["measure"][1]
    yield Figure("times as fast on two cores as on one: measure, warm", faster, "", at_least=1.6)
    for question, what in (("operation_times", "operations paired, by outcome"), ("falls", "does a version ever fall")):
        yield _rate(f"{what}, Spark, warm", events, two[question][1])
        for name, others in (("DuckDB", duck), ("Polars", polars)):
            ratio = two[question][1] / others[question][1]
            yield Figure(f"seconds of Spark for each of {name}: {what}, warm", ratio, "", at_most=4)
    yield from _few()
    checked = two["checked"]
    yield _rate(f"check, Spark on {CORES} cores, {number(checked)} events", checked, two["check"])
    yield _rate("check, one process, the same", checked, two["check_alone"])


def _few() -> Iterator[Figure]:
    """The command, as it is typed, on a small store."""
    with tempfile.TemporaryDirectory(prefix="shaketable-bench-") as folder:
        store = Path(folder) / "store"
        events = number(_spark("make", store, CORES, FEW)["events"])
        here, on_spark = _command(store, "--cores", str(CORES)), _command(store, "--spark-master", f"local[{CORES}]")
    yield Figure(f"shaketable measure, {events} events, as on one machine", here, "s")
    yield Figure(f"shaketable measure, {events} events, by Spark", on_spark, "s")


def _command(store: Path, *options: str) -> float:
    began = time.perf_counter()
    command = [sys.executable, "-m", "shaketable", "measure", str(store), *options]
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - began


def _rate(what: str, events: int, seconds: float) -> Figure:
    return Figure(f"{what}: events a second", events / seconds, "/s", spread=f"{seconds:.3g} s")


def _spark(what: str, store: Path, cores: int, events: int = 0) -> dict[str, Any]:
    return printed_by("tests.bench.pipeline_spark", what, str(store), str(cores), str(events))
