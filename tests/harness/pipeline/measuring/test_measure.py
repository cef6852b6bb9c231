"""Measures: SQL makes of a store what plain Python makes of the same histories, and promises stand beside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pytest
from tests.harness.pipeline.measuring.plain_measures import samples_of
from tests.harness.pipeline.stored import finished, row

from shaketable.harness.console.screen import Screen
from shaketable.harness.errors import UserError
from shaketable.harness.history.history import History
from shaketable.harness.pipeline.measuring.measure import measured, measures_named
from shaketable.harness.pipeline.measuring.measure_command import _print, groups_named, promised, shown
from shaketable.harness.pipeline.measuring.measures import BY_NAME, MEASURES, MeasureRow
from shaketable.harness.pipeline.stores.run_rows import as_json
from shaketable.harness.pipeline.stores.schema import history_batch, history_schema, run_batch, spark_schema
from shaketable.harness.pipeline.stores.store import Store
from shaketable.harness.verdicts.rows import KEPT_ASKED
from shaketable.node.core.env import SECOND

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

SCRIPTS: Final = (
    "kill-the-master",
    "storm",
    "no-confirmations",
    "issue-18661",
    "a-partial-disconnection-heals",
    "a-backup-misses-writes",
    "all-replicas-of-a-partition-are-lost",
    "group-watchdog-tells",
    "group-split-by-cut-master-and-likely-by-seniority",
)
NEVER: Final = ("frames dropped",)
"""What no simulated run has."""


def store_of(spark: SparkSession, scripts: Sequence[str], seeds: Sequence[int] = (1,), kept: str = KEPT_ASKED) -> Store:
    runs, events = [], []
    for script in scripts:
        for seed in seeds:
            run = finished(script, seed)
            history = History(run.records)
            name = f"{script} sim {seed}"
            runs.append(
                row(
                    name, script=script, seed=seed, family=run.settings.family, kept=kept, duration=history.end,
                    nodes=len({process.node for process in history.processes.values()}), allowance=run.allowance,
                    events=len(history.records), settings=as_json(run.settings.outside()),
                )
            )  # fmt: skip
            events.append(history_batch(name, run.records))
    return Store(
        "here",
        spark.createDataFrame(pa.Table.from_batches([run_batch(runs)])),
        spark.createDataFrame(pa.Table.from_batches(events)),
    )


def test_what_spark_measures_is_what_plain_python_measures(spark: SparkSession) -> None:
    rows = {(row.script, row.measure): row for row in measured(spark, store_of(spark, SCRIPTS), ["script"])}
    expected: dict[tuple[str, str], list[float]] = {}
    for script in SCRIPTS:
        for name, value in samples_of(History(finished(script).records)):
            expected.setdefault((script, name), []).append(value)
    assert {name for _, name in expected} == set(BY_NAME) - set(NEVER)
    told = {key: (row.n, row.total, row.least, row.p50, row.most) for key, row in rows.items()}
    assert told == {key: _summed(sorted(values)) for key, values in expected.items()}
    crash = rows["kill-the-master", "crash to suspicion"]
    assert (crash.promised_least, crash.promised_most, crash.outside) == (200_000, 450_000, 0)
    assert all(row.outside is None for row in rows.values() if BY_NAME[row.measure].promise is None)


def test_runs_are_told_apart_by_system_and_version(spark: SparkSession) -> None:
    runs = [
        row("ours", duration=5),
        row("theirs", duration=7, system="other", system_version="5.3"),
        row("newer", duration=9, system="other", system_version="5.7"),
    ]
    of_runs = spark.createDataFrame(pa.Table.from_batches([run_batch(runs)]))
    store = Store("here", of_runs, spark.createDataFrame([], spark_schema(history_schema())))
    told = measured(spark, store, groups_named("system,version"), measures_named(["script"]))
    assert [(each.system, each.version, each.most) for each in told] == [
        ("other", "5.3", 7), ("other", "5.7", 9), ("shaketable", "", 5),
    ]  # fmt: skip


def test_a_run_that_has_not_passed_is_not_measured_though_its_history_is_not_kept(spark: SparkSession) -> None:
    """A campaign keeps the first 500 of those."""
    runs = [
        row("passed", duration=5),
        row("failed", duration=7, outcome="failed"),
        row("u", duration=9, outcome="unknown"),
    ]
    of_runs = spark.createDataFrame(pa.Table.from_batches([run_batch(runs)]))
    store = Store("here", of_runs, spark.createDataFrame([], spark_schema(history_schema())))
    (told,) = measured(spark, store, measures=measures_named(["script"]))
    assert (told.n, told.most) == (1, 5)


def test_a_name_that_nothing_has_is_refused() -> None:
    with pytest.raises(
        UserError, match="nothing is measured by the name of speed: there are crash to suspicion, crash"
    ):
        measures_named(["speed"])
    with pytest.raises(UserError, match="--by seed: give some of script, world, variant, nodes"):
        groups_named("script,seed")
    assert groups_named("script,nodes,script") == ("script", "nodes")
    assert [each.name for each in measures_named(["claim"])] == ["claim"]
    assert measures_named([]) == MEASURES


def test_values_are_shown_with_their_unit_and_promises_as_an_interval() -> None:
    assert [shown(*each) for each in ((301_250, "time"), (2 * SECOND, "time"), (12.5, "%"), (20_000, "bytes"))] == [
        "301.2 ms", "2.000 s", "12.50 %", "20,000",
    ]  # fmt: skip
    told = MeasureRow(
        measure="claim", unit="time", words="", n=1, runs=1, total=5, least=5, p50=5, p90=5, p99=5, most=5,
        promised_least=None, promised_most=65 * SECOND, outside=0,
    )  # fmt: skip
    assert promised(told) == "..65.00 s"


def test_no_name_is_broken_in_a_narrow_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    of_a_script = MeasureRow(
        measure="silence to suspicion", unit="time", words="", n=1, runs=1, total=5, least=5, p50=5, p90=5, p99=5,
        most=5, script="all-replicas-of-a-partition-are-lost", promised_most=65 * SECOND, outside=0,
    )  # fmt: skip
    _print([of_a_script], ["script"])
    (line,) = [each for each in capsys.readouterr().out.splitlines() if "silence to suspicion" in each]
    assert "all-replicas-of-a-partition-are-lost" in line
    assert line.endswith("..65.00 s        0")
    monkeypatch.setattr(Screen, "is_terminal", True)
    _print([of_a_script], ["script"])
    told = capsys.readouterr().out.split()
    assert {*["silence", "to", "suspicion"], "all-replicas-of-a-partition-are-lost"} <= {*told}


def _summed(values: list[float]) -> tuple[object, ...]:
    middle = len(values) // 2
    median = values[middle] if len(values) % 2 else (values[middle - 1] + values[middle]) / 2
    return len(values), *(pytest.approx(each) for each in (sum(values), values[0], median, values[-1]))
