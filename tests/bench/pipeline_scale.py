"""Is the price of an event flat? `python -m tests.bench.pipeline_scale 1 5 100`: stores of so many million events.

A few simulated runs are recorded, and each is there many times, with other seeds: their lines are one file on the disk,
and are read anew for each. They are ingested and measured; one run's history is looked for, in that store and in the
compacted one. The store is measured by Spark on one core and by DuckDB too. Each size, and each of these, has a process
of its own, as a command would."""

from __future__ import annotations

import itertools
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from rich.console import Console
from rich.table import Table
from tests.bench.figure import number
from tests.bench.pipeline_spark import keep_to, printed_by
from tests.chaos.shipped import ALL
from tests.harness.pipeline.rows_read import rows_read

from shaketable.harness.pipeline.arguments import MOST_EVENTS
from shaketable.harness.pipeline.measuring.measure import measured
from shaketable.harness.pipeline.measuring.on_duckdb import measured_here
from shaketable.harness.pipeline.spark.session import bytes_below, spark_session, stop_spark
from shaketable.harness.pipeline.stores.compact_command import compact
from shaketable.harness.pipeline.stores.ingest_command import ingest_folders
from shaketable.harness.pipeline.stores.reading import folders_of_runs
from shaketable.harness.pipeline.stores.store import Store, open_store
from shaketable.harness.runs.directory import EVENTS, RUN, VERDICT
from shaketable.harness.runs.judging import judged
from shaketable.harness.runs.recorder import Recorder
from shaketable.harness.runs.run import Options, run_simulated

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

HERE: Final = "tests.bench.pipeline_scale"
MILLION: Final = 1_000_000
BASE: Final = 60
"""scripts that are recorded"""
CORES: Final = 2
TIMES: Final = 5
"""that one run's history is looked for; the median counts"""
STAGES: Final = ("ingest", "measure", "measure on one core", "measure by DuckDB", "compact")
FILE_WIDTH: Final = 160
"""of the table where nobody looks at a terminal"""


def make(folder: Path, wanted: int) -> int:
    """How many events there are."""
    runs = {}
    for script in ALL[:: len(ALL) // BASE]:
        finished = run_simulated(script, Options())
        place = folder / "base" / script.name
        recorder = Recorder(place, script, finished.options)
        recorder.take_all(finished.records)
        assert recorder.finish(judged(finished, story=False)) == []
        runs[place] = len(finished.records)
    there = 0
    for copy in itertools.count(1):
        for place, events in runs.items():
            if there >= wanted:
                return there
            _copied(place, folder / "runs" / f"{copy}" / place.name, copy)
            there += events
    raise AssertionError


def _copied(run: Path, to: Path, seed: int) -> None:
    to.mkdir(parents=True)
    for name in (RUN, VERDICT):
        told = json.loads((run / name).read_bytes())
        (to / name).write_text(json.dumps({**told, "seed": seed}))
    (to / EVENTS).symlink_to(run / EVENTS)


def figures(events: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="shaketable-bench-") as name:
        folder = Path(name)
        there = make(folder, events)
        spark = spark_session(cores=CORES, memory="4g")
        try:
            told = {"events": there, **_of_store(spark, folder)}
        finally:
            stop_spark()
        others = [printed_by(HERE, how, str(folder / "store")) for how in OTHERS]
        assert {each["samples"] for each in others} == {told["samples"]}
        return {**told, **{how: each["seconds"] for how, each in zip(OTHERS, others, strict=True)}}


def on_one_core(store: str) -> dict[str, Any]:
    keep_to(1)
    spark = spark_session(cores=1, memory="4g")
    try:
        spark.range(1).count()
        seconds, rows = _timed(lambda: measured(spark, open_store(spark, store)))
        return {"seconds": seconds, "samples": sum(row.n for row in rows)}
    finally:
        stop_spark()


def by_duckdb(store: str) -> dict[str, Any]:
    seconds, rows = _timed(lambda: measured_here(Path(store), cores=CORES))
    return {"seconds": seconds, "samples": sum(row.n for row in rows)}


OTHERS: Final[Mapping[str, Callable[[str], dict[str, Any]]]] = {
    "measure on one core": on_one_core,
    "measure by DuckDB": by_duckdb,
}
"""beside Spark on all of CORES"""


def _of_store(spark: SparkSession, folder: Path) -> dict[str, Any]:
    old, new = folder / "store", folder / "compact"
    spark.range(1).count()  # what starts once is no event's price
    ingest, done = _timed(lambda: ingest_folders(spark, folders_of_runs([str(folder / "runs")]), str(old), MOST_EVENTS))
    assert not done.refused, done.refused[:1]
    store = open_store(spark, old)
    measure, measures = _timed(lambda: measured(spark, store))
    compacting, compacted = _timed(lambda: compact(spark, str(old), str(new)))
    before, now = _one_run(store), _one_run(open_store(spark, new))
    assert before["found"] == now["found"] > 0
    return {
        "ingest": ingest,
        "measure": measure,
        "samples": sum(row.n for row in measures),
        "compact": compacting,
        "files": list(compacted.files),
        "bytes": [bytes_below(old), bytes_below(new)],
        "one run": [before, now],
    }


def _one_run(store: Store) -> dict[str, float]:
    """A run in the middle."""
    names = sorted(each["run"] for each in store.runs.select("run").collect())
    asked = store.history.where(store.history["run"] == names[len(names) // 2])
    times = sorted(_timed(asked.collect)[0] for _ in range(TIMES))
    return {"seconds": times[TIMES // 2], "read": rows_read(asked), "found": asked.count()}


def _timed(call: Callable[[], Any]) -> tuple[float, Any]:
    began = time.perf_counter()
    told = call()
    return time.perf_counter() - began, told


def _lines(told: dict[str, Any]) -> Iterator[tuple[str, str]]:
    events = told["events"]
    for stage in STAGES:
        yield stage, f"{number(told[stage])} s, {number(told[stage] / events * 1e6)} µs an event"
    for which, where in enumerate(("in the store", "in the compacted store")):
        one = told["one run"][which]
        yield f"files {where}", f"{told['files'][which]}, {number(told['bytes'][which] / events)} B an event"
        yield (
            f"one run {where}",
            f"{number(one['seconds'] * 1e3)} ms, {number(one['read'])} rows read for {one['found']}",
        )


def main(sizes: list[str]) -> None:
    rows = [printed_by(HERE, "events", str(int(float(size) * MILLION))) for size in sizes]
    table = Table(box=None, pad_edge=False)
    for heading in ("", *(f"{number(told['events'])} events" for told in rows)):
        table.add_column(heading)
    for lines in zip(*map(_lines, rows), strict=True):
        table.add_row(lines[0][0], *(shown for _, shown in lines))
    console = Console(width=None if sys.stdout.isatty() else FILE_WIDTH)
    console.print(table)
    for stage in STAGES if len(rows) > 1 else ():
        prices = [told[stage] / told["events"] for told in rows]
        console.print(f"{stage}: an event of the last store costs {number(prices[-1] / prices[0])} of the first one's")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["events", events]:
            sys.stdout.write(json.dumps(figures(int(events))) + "\n")
        case [how, store] if how in OTHERS:
            sys.stdout.write(json.dumps(OTHERS[how](store)) + "\n")
        case sizes:
            main(sizes or ["1", "5"])
