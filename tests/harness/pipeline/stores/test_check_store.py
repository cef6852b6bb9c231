"""A run of a store is judged as it was when it ran, by all of its events, or not at all."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pyarrow as pa
import pytest
from tests.harness.command.command_helpers import Ran, here
from tests.harness.pipeline.stored import finished

from shaketable.harness.console.screen import Screen
from shaketable.harness.coverage import marks_of
from shaketable.harness.history.history import History
from shaketable.harness.pipeline.stores.checking import judged_anew, judged_row, judged_runs
from shaketable.harness.pipeline.stores.revalidate_command import _tell, changes_of
from shaketable.harness.pipeline.stores.run_rows import row_of, unjudged
from shaketable.harness.pipeline.stores.schema import history_batch, run_batch, run_rows
from shaketable.harness.pipeline.stores.store import append, open_store
from shaketable.harness.runs.judging import judged
from shaketable.harness.runs.run import Finished, Options, run_simulated
from shaketable.harness.verdicts.rows import KEPT_SAMPLE, CheckRow, ReasonRow, RunRow
from shaketable.harness.verdicts.verdict import RunVerdict
from shaketable.node.config import UNORDERED_UPDATES

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

MANY = 10_000_000


def of_a_campaign(run: Finished, kept: str = KEPT_SAMPLE) -> RunRow:
    return row_of(
        judged(run),
        run=f"{run.script.name} {run.options.seed} {run.settings.legacy_fault}",
        family=run.settings.family,
        settings=run.settings.outside(),
        allowance=run.allowance,
        marks=marks_of(History(run.records)),
        values=run.options.values,
        kept=kept,
    )


def events_of(row: RunRow, run: Finished) -> pa.Table:
    return pa.Table.from_batches([history_batch(row.run, run.records)])


RUNS = (
    finished("kill-the-master", 3),
    finished("ordered-updates", 1, UNORDERED_UPDATES),
    finished("legacy-unordered-updates"),
    finished("group-neighbours-crash-ring", 2),
)
ROWS = tuple(map(of_a_campaign, RUNS))


# Without Spark: what a task does


@pytest.mark.parametrize(("row", "run"), [*zip(ROWS, RUNS, strict=True)], ids=[row.run for row in ROWS])
def test_the_verdict_is_the_one_of_the_very_same_run(row: RunRow, run: Finished) -> None:
    again = judged_row(row, events_of(row, run), MANY)
    assert again == row
    if row.verdict:
        assert msgspec.json.decode(again.verdict, type=RunVerdict) == judged(run)


def test_checks_of_ones_own_judge_it_again() -> None:
    """The history of a run says which they are."""
    values = {"own_checks": "tests.harness.checks.own_examples:no_claims"}
    run = run_simulated(RUNS[0].script, Options(values=values))
    row = of_a_campaign(run)
    assert row.outcome == "failed"
    assert row.checks[-1].name == "no claims"
    assert judged_row(row, events_of(row, run), MANY) == row


def test_a_run_that_lacks_events_is_not_judged() -> None:
    row, events = ROWS[0], events_of(ROWS[0], RUNS[0])
    again = judged_row(row, events.slice(1), MANY)
    assert (again.outcome, again.checks) == ("unknown", [])
    (reason,) = again.reasons
    assert again.unjudged == f"{row.events - 1} of its {row.events} events are in the store"
    assert reason.text == f"the run cannot be judged: {again.unjudged}"


def test_whether_a_run_could_be_judged_is_no_matter_of_words(capsys: pytest.CaptureFixture[str]) -> None:
    lost = unjudged(ROWS[0], "it is gone")
    other = msgspec.structs.replace(lost, reasons=[ReasonRow("unknown", "script", "nobody can say")])
    blind = msgspec.structs.replace(ROWS[0], reasons=[ReasonRow("unknown", "check", "it cannot be judged: …")])
    for now, code in ((lost, 2), (other, 2), (blind, 0)):
        assert _tell({ROWS[0].run: ROWS[0]}, [now], Screen()) == code
    assert capsys.readouterr().out.count("0 changed, 1 cannot be judged") == 2


def test_a_run_too_large_for_a_task_is_refused_in_words() -> None:
    row, events = ROWS[0], events_of(ROWS[0], RUNS[0])
    assert judged_row(row, events, row.events) == row
    again = judged_row(row, events, row.events - 1)
    assert again.outcome == "unknown"
    assert again.reasons[0].text.endswith(
        f"it has {row.events} events, and one task takes {row.events - 1}: give a larger --most-events"
    )


def test_an_event_or_a_setting_that_nobody_knows_makes_it_unknown() -> None:
    row, events = ROWS[0], events_of(ROWS[0], RUNS[0])
    strange = events.set_column(5, "kind", pa.array(["Strange"] * events.num_rows))
    assert "no event of the kind 'Strange' is known here" in judged_row(row, strange, MANY).reasons[0].text
    later = msgspec.structs.replace(row, settings='{"of_tomorrow":1}')
    assert "of_tomorrow" in judged_row(later, events, MANY).reasons[0].text


@pytest.mark.parametrize("at_once", [1, 50, 10_000])
def test_wherever_a_batch_of_events_ends_each_run_is_judged_whole(at_once: int) -> None:
    """As Spark hands them over: a run's row, and then its events."""
    doubled, lost = (msgspec.structs.replace(ROWS[0], run=name) for name in ("told twice", "without events"))
    tables = [table for row, run in zip(ROWS, RUNS, strict=True) for table in (as_json(row), events_of(row, run))]
    tables += [as_json(doubled), as_json(doubled), events_of(doubled, RUNS[0]), as_json(lost)]
    batches = pa.concat_tables(tables, promote_options="default").combine_chunks().to_batches(at_once)
    *whole, twice, without = judged_runs(batches, MANY)
    assert whole == [*ROWS]
    assert twice.reasons[0].text == "the run cannot be judged: the store holds several runs of this name"
    assert without.reasons[0].text.endswith(f"0 of its {lost.events} events are in the store")


def as_json(row: RunRow) -> pa.Table:
    return pa.table({"run": [row.run], "row": [msgspec.json.encode(row).decode()]})


# What a verdict's change is


def test_a_verdict_stands_where_only_words_and_numbers_differ() -> None:
    old = msgspec.structs.replace(ROWS[1], shaketable="0.0.1", reasons=[ReasonRow("failed", "check", "in other words")])
    assert changes_of(old, ROWS[1]) == []


def test_each_change_of_a_verdict_is_said() -> None:
    def with_checks(outcome: str, reason: str, **statuses: str) -> RunRow:
        checks = [CheckRow(name, status, 1, 0, 0) for name, status in statuses.items()]
        return msgspec.structs.replace(
            ROWS[0], outcome=outcome, checks=checks, reasons=[ReasonRow(outcome, "check", reason)] if reason else []
        )

    old = with_checks("passed", "", settled="held", gone="held", vague="vacuous")
    new = with_checks("failed", "it broke", settled="broken", vague="vacuous", new="broken", fine="held")
    assert changes_of(old, new) == [
        "passed before, failed now",
        "settled: held before, broken now",
        "new, which nobody checked before, is broken",
        "gone: held before, and not checked any more",
        "now: it broke",
    ]
    assert changes_of(new, old)[-1] == "no more: it broke"
    blind = with_checks("passed", "", settled="held", gone="not told", vague="vacuous")
    assert changes_of(old, blind) == changes_of(blind, old) == []


# On Spark


def stored(spark: SparkSession, path: Path, rows: Any = ROWS, of: Callable[[RunRow], RunRow] = lambda row: row) -> Path:
    runs = spark.createDataFrame(pa.Table.from_batches([run_batch([of(row) for row in rows])]))
    events = pa.Table.from_batches([history_batch(row.run, run.records) for row, run in zip(ROWS, RUNS, strict=True)])
    append(spark, path, runs, spark.createDataFrame(events))
    return path


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> Ran:
    return here(capsys, *arguments)


def test_a_store_is_judged_run_by_run(spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    torn = msgspec.structs.replace(ROWS[0], trouble="n1.jsonl ends within line 9: that event is lost")
    rows = [torn, *ROWS[1:]]
    store = stored(spark, tmp_path / "store", rows)
    passed_without = msgspec.structs.replace(ROWS[0], run="passed, and not kept", kept="")
    append(spark, store, spark.createDataFrame(pa.Table.from_batches([run_batch([passed_without])])))
    judged_now = run_rows(judged_anew(open_store(spark, store), MANY).toArrow())
    assert sorted(judged_now, key=lambda row: row.run) == sorted(rows, key=lambda row: row.run)

    ran = run(capsys, "check", store)
    assert (ran.code, ran.err) == (1, "")
    assert f"failed   {ROWS[1].run}\n         view order is broken: " in ran.out
    assert f"         again: {ROWS[1].again}\n" in ran.out
    assert "4 of 5 runs judged: 3 passed, 1 failed\nOf 1 of them not all was there when" in ran.out
    assert f"the first is {torn.run}: {torn.trouble}\nOf the other 1 the store holds no history" in ran.out

    ran = run(capsys, "check", store, "--most-events", 5)
    assert ran.code == 2
    assert "4 of 5 runs judged: 4 unknown" in ran.out
    assert "give a larger --most-events" in ran.out


def test_verdicts_of_before_are_compared_with_those_of_now(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ran = run(capsys, "revalidate", stored(spark, tmp_path / "same"))
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("4 of 4 verdicts stand under shaketable ")

    def once_passed(row: RunRow) -> RunRow:
        if row.outcome == "passed":
            return row
        checks = [msgspec.structs.replace(check, status="held") for check in row.checks if check.name != "settled"]
        return msgspec.structs.replace(row, outcome="passed", reasons=[], checks=checks, shaketable="0.0.1")

    ran = run(capsys, "revalidate", stored(spark, tmp_path / "older", of=once_passed))
    assert (ran.code, ran.err) == (1, "")
    assert f"{ROWS[1].run} (judged by 0.0.1)\n    passed before, failed now\n" in ran.out
    assert "    view order: held before, broken now\n" in ran.out
    assert "    now: view order is broken: " in ran.out
    assert "3 of 4 verdicts stand under" in ran.out


def test_a_store_without_histories_and_none_at_all_are_refused(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bare = spark.createDataFrame(pa.Table.from_batches([run_batch([msgspec.structs.replace(ROWS[0], kept="")])]))
    append(spark, tmp_path / "bare", bare)
    for command in ("check", "revalidate"):
        refused = "holds no run with its history: there is nothing to judge"
        assert refused in run(capsys, command, tmp_path / "bare").err
        run(capsys, command, tmp_path).refused("is no store of runs: `shaketable ingest RUNS --out")


def test_a_corrupt_file_is_named(spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (file, *_) = sorted(stored(spark, tmp_path / "store").glob("history/*/*/*.parquet"))
    data = bytearray(file.read_bytes())
    data[100:900] = bytes(800)
    file.write_bytes(data)
    for _ in range(2):
        run(capsys, "check", tmp_path / "store").refused("the runs of ", f"cannot be judged: {file} is corrupt")
        (file.parent / f".{file.name}.crc").unlink(missing_ok=True)  # what Spark wrote to know of it
