"""Measures: SQL makes of a store what plain Python makes of the same histories, and promises stand beside it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import msgspec
import pyarrow as pa
import pytest
from tests.harness.pipeline.measuring.plain_measures import samples_of
from tests.harness.pipeline.stored import finished, row
from tests.lengths import NIGHT

from shaketable.harness.console.screen import Screen
from shaketable.harness.errors import UserError
from shaketable.harness.history.history import History
from shaketable.harness.pipeline.measuring import measure
from shaketable.harness.pipeline.measuring.measure import CHOSEN, EVERY_RUN, measured, measures_named
from shaketable.harness.pipeline.measuring.measure_command import _print, groups_named, promised, scales_of, shown
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


@NIGHT
def test_of_very_many_values_percentiles_are_of_a_sketch_and_all_else_is_exact(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = store_of(spark, ["kill-the-master", "storm"], range(1, 6))
    exactly = measured(spark, store)
    monkeypatch.setattr(measure, "EXACT", 0)
    told = measured(spark, store)
    assert [each.exact for each in told] == [False] * len(exactly)
    for one, other in zip(told, exactly, strict=True):
        assert (one.measure, one.n, one.runs, one.total) == (other.measure, other.n, other.runs, other.total)
        assert (one.least, one.most, one.outside) == (other.least, other.most, other.outside)
    with_a_middle = [(one.p50, other.p50) for one, other in zip(told, exactly, strict=True) if other.n % 2]
    assert len(with_a_middle) > 3
    assert all(one == other for one, other in with_a_middle)
    assert all(one.least <= one.p50 <= one.p90 <= one.p99 <= one.most for one in told)


def test_no_task_has_to_see_all_runs_at_once(spark: SparkSession) -> None:
    def exchanges(text: str) -> str:
        frame: Any = spark.sql(text)
        return str(frame._jdf.queryExecution().executedPlan().toString())

    store_of(spark, ["form"], range(1, 3)).runs.createOrReplaceTempView("all_runs")
    chosen = CHOSEN.format(runs="all_runs", which=EVERY_RUN)
    assert "SinglePartition" not in exchanges(chosen)
    in_order = chosen.replace("xxhash64(run)", "row_number() OVER (ORDER BY run)")
    assert "SinglePartition" in exchanges(in_order), "what this looks for is what Spark says of such a task"


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


def test_an_amount_that_stands_alone_has_its_unit() -> None:
    assert [shown(*each) for each in ((301_250, "time"), (2 * SECOND, "time"), (12.5, "%"), (20_000, "bytes"))] == [
        "301.2 ms", "2.000 s", "12.50 %", "20,000",
    ]  # fmt: skip


def measured_row(
    unit: str, *amounts: float, promised: tuple[float | None, float | None] = (None, None), measure: str = ""
) -> MeasureRow:
    """By its percentiles, the highest last."""
    p50, p90, p99, most = amounts
    return MeasureRow(
        measure=measure or f"in {unit}", unit=unit, words="", n=4, runs=1, total=5, least=0, p50=p50, p90=p90, p99=p99,
        most=most, promised_least=promised[0], promised_most=promised[1], outside=0,
    )  # fmt: skip


def test_all_amounts_of_a_row_are_in_one_unit_and_points_stand_in_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    rows = [
        measured_row("time", 301_250, 900_000, SECOND, 2 * SECOND, promised=(None, 65 * SECOND), measure="one"),
        measured_row("time", 250, 1_000, 4_000, 40_000, measure="two"),
        measured_row(
            "time", 41 * SECOND, 82 * SECOND, 123 * SECOND, 5_000 * SECOND, promised=(SECOND, 341 * SECOND),
            measure="three",
        ),
        measured_row("time", 400, 2_000, 4_000, 12 * SECOND, measure="four"),
        measured_row("%", 0, 1.5, 12.5, 50),
        measured_row("bytes", 20_000, 20_000, 20_000, 34_567),
        measured_row("bytes", 20_000, 20_000, 20_000, 1_234_567, measure="many"),
    ]  # fmt: skip
    _print(rows, [])
    told = capsys.readouterr().out.splitlines()
    assert told[:-1] == [
        "measure   n  runs  unit       median        90 %        99 %        most    promised  outside",
        "one       4     1  s           0.301       0.900       1.000       2.000     ..65.00        0",
        "two       4     1  ms           0.25        1.00        4.00       40.00                    0",
        "three     4     1  s              41          82         123       5,000  1.0..341.0        0",
        "four      4     1  ms           0.40        2.00        4.00   12,000.00                    0",
        "in %      4     1  %            0.00        1.50       12.50       50.00                    0",
        "in bytes  4     1  bytes      20,000      20,000      20,000      34,567                    0",
        "many      4     1  kB             20          20          20       1,235                    0",
    ]


def test_all_rows_of_a_measure_are_in_one_unit(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    within = (None, 65 * SECOND)
    rows = [
        measured_row("time", 700, 800, 900, 950, promised=within, measure="join"),
        measured_row("time", 20 * SECOND, 20 * SECOND, 20 * SECOND, 21 * SECOND, promised=within, measure="join"),
        measured_row("time", 30_000, 30_000, 40_000, 50_000, measure="claim"),
        measured_row("time", SECOND, SECOND, SECOND, 2 * SECOND, promised=within, measure="claim"),
        measured_row("bytes", 20, 20, 20, 20),
        measured_row("bytes", 20, 20, 20, 1_234_567),
    ]
    _print(rows, [])
    told = capsys.readouterr().out.splitlines()
    assert told[1:-1] == [
        "join      4     1  ms         0.700       0.800       0.900       0.950  ..65,000        0",
        "          4     1  ms        20,000      20,000      20,000      21,000  ..65,000        0",
        "claim     4     1  s          0.030       0.030       0.040       0.050                  0",
        "          4     1  s          1.000       1.000       1.000       2.000   ..65.00        0",
        "in bytes  4     1  kB         0.020       0.020       0.020       0.020                  0",
        "          4     1  kB         0.020       0.020       0.020   1,234.567                  0",
    ]


def promised_of(row: MeasureRow) -> str:
    return promised(row, scales_of([row])[row.measure].of(row))


def test_a_promise_is_an_interval_in_the_unit_of_its_row() -> None:
    in_seconds = measured_row("time", SECOND, SECOND, SECOND, SECOND, promised=(None, 65 * SECOND))
    assert promised_of(in_seconds) == "..65.00"
    assert promised_of(msgspec.structs.replace(in_seconds, promised_least=5 * SECOND)) == "5.00..65.00"
    assert promised_of(measured_row("time", 5, 5, 5, 5, promised=(None, 65 * SECOND))) == "..65,000"
    assert promised_of(measured_row("time", 5, 5, 5, 5)) == ""


@pytest.mark.parametrize("terminal", [False, True])
def test_no_name_is_broken_on_a_narrow_screen(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], terminal: bool
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setattr(Screen, "is_terminal", terminal)
    of_a_script = MeasureRow(
        measure="silence to suspicion", unit="time", words="", n=1, runs=1, total=5, least=5, p50=5, p90=5, p99=5,
        most=5, script="all-replicas-of-a-partition-are-lost", variant="one of two words", promised_most=65 * SECOND,
        outside=0,
    )  # fmt: skip
    _print([of_a_script], ["script", "variant"])
    told = re.sub("\x1b.*?m", " ", capsys.readouterr().out).split()
    words = {*["silence", "to", "suspicion", "one", "of", "two", "words"], "all-replicas-of-a-partition-are-lost"}
    assert words <= {*told}
    assert {"promised", "outside", "..65,000"} <= {*told}, "nor is a column lost"


def test_a_pipe_and_a_usual_terminal_get_no_line_that_is_wider(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With amounts as a campaign of some thousand runs may have them."""
    monkeypatch.delenv("COLUMNS", raising=False)
    amounts = {"time": (740, 16 * SECOND, 19_600_150, 20 * SECOND), "bytes": (54_540, 77_740, 829_605, 1_234_567)}
    rows = [
        msgspec.structs.replace(
            measured_row(each.unit, *amounts.get(each.unit, (0, 1.5, 500, 12_345)), measure=each.name),
            n=33_123, runs=5_000, promised_most=65_050_000 if each.unit == "time" else None, exact=False,
        )
        for each in MEASURES
    ]  # fmt: skip
    _print(rows, [])
    told = capsys.readouterr().out.splitlines()
    assert max(map(len, told)) <= 80
    assert len(told) > len(rows) + 5, "some names take two lines"
    (claim,) = [each.split() for each in told if each.startswith("claim ")]
    assert claim == ["claim", "33,123", "5,000", "ms", "0.74", "16,000", "19,600", "20,000", "..65,050", "0"]


def _summed(values: list[float]) -> tuple[object, ...]:
    middle = len(values) // 2
    median = values[middle] if len(values) % 2 else (values[middle - 1] + values[middle]) / 2
    return len(values), *(pytest.approx(each) for each in (sum(values), values[0], median, values[-1]))
