"""The parts of many runs tell together what all of them tell, and a store says what it holds of a campaign."""

from __future__ import annotations

import random
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest
from tests.harness.pipeline.campaigns.campaigns import a_case
from tests.harness.pipeline.stored import row

from shaketable.harness.errors import UserError
from shaketable.harness.pipeline.campaigns.keeping import Here, within
from shaketable.harness.pipeline.campaigns.on_spark import kept_already
from shaketable.harness.pipeline.campaigns.results import Results
from shaketable.harness.pipeline.campaigns.spreading import Played, packed, play, unpacked
from shaketable.harness.pipeline.campaigns.summaries import MOST_TOLD, Summary, summary_of
from shaketable.harness.pipeline.stores.schema import run_batch, run_rows
from shaketable.harness.verdicts.rows import KEPT_FAILED, ReasonRow, RunRow

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


def some_rows(count: int) -> list[RunRow]:
    chance = random.Random(count)
    rows = []
    for number in range(count):
        outcome = chance.choice(["passed", "failed", "unknown"])
        rows.append(
            row(
                f"run {number}",
                script=chance.choice(["form", "storm"]),
                variant=chance.choice(["", "fast"]),
                outcome=outcome,
                reasons=[ReasonRow(outcome, "check", f"why {number}")] * (outcome != "passed"),
                kept=KEPT_FAILED if outcome != "passed" else chance.choice(["", "sample"]),
                same=chance.choice([None, True, False]),
                marks=dict.fromkeys(chance.sample(["mark 0", "mark 1", "mark 2"], 2), 3),
                events=chance.randrange(100),
                duration=chance.randrange(100),
            )
        )
    return rows


def wired(told: Summary) -> Summary:
    return msgspec.msgpack.decode(msgspec.msgpack.encode(told), type=Summary)


@pytest.mark.parametrize("size", [1, 7, 20, 99])
def test_however_runs_fall_into_tasks_the_same_is_told_of_all(size: int) -> None:
    rows = some_rows(100)
    whole, parts = Results(), Results()
    whole.add(rows)
    for start in range(0, len(rows), size):
        parts.merge(wired(summary_of(rows[start : start + size])))
    assert parts == whole
    bad = [each for each in rows if each.outcome != "passed"]
    first = [each.run for each in bad if each.outcome == "failed"] + [e.run for e in bad if e.outcome == "unknown"]
    assert [each.run for each in whole.failing] == first[:MOST_TOLD]
    assert whole.differed == [each.run for each in rows if each.same is False]
    assert (whole.runs, whole.not_passed, whole.kept_failed) == (100, len(bad), len(bad))
    assert whole.marks["mark 1"] == sum("mark 1" in each.marks for each in rows)


def played(rows: list[RunRow]) -> Played:
    return Played(summary_of(rows), packed(run_batch(rows)), {each.run: b"" for each in rows if each.kept})


def test_of_runs_that_have_not_passed_the_first_ones_keep_their_histories() -> None:
    rows = some_rows(30)
    bad = [each.run for each in rows if each.outcome != "passed"]
    assert within(played(rows), len(bad)) == played(rows)
    for room in (3, 0):
        some = within(played(rows), room)
        assert some.told.kept_failed == bad[:room]
        told = run_rows(unpacked(some.rows))
        assert [each.run for each in told if each.kept == KEPT_FAILED] == bad[:room]
        assert [msgspec.structs.replace(each, kept="") for each in told] == [
            msgspec.structs.replace(each, kept="") for each in rows
        ]
        assert {each.run for each in told if each.kept} == some.histories.keys()


def test_a_task_hands_over_no_more_histories_than_there_is_room_for(tmp_path: Path) -> None:
    case = a_case(tmp_path, "await cluster.form('n1')\n    assert False, 'as it must'")
    cases = [msgspec.structs.replace(case, seed=seed) for seed in (1, 2, 3)]
    done = play(cases, 2)
    assert [*done.histories] == done.told.kept_failed == [case.run for case in cases[:2]]
    assert [each.kept for each in run_rows(unpacked(done.rows))] == [KEPT_FAILED, KEPT_FAILED, ""]


def kept(path: Path, rows: list[RunRow], *sizes: int) -> None:
    keeper, first = Here(path), 0
    for size in sizes:
        some = [msgspec.structs.replace(each, kept="") for each in rows[first : first + size]]
        assert keeper.take(first, [played(some)], 0) == [summary_of(some)]
        keeper.keep()
        first += size


def test_a_store_tells_of_each_of_its_batches_what_its_tasks_have_told(spark: SparkSession, tmp_path: Path) -> None:
    rows = some_rows(30)
    assert kept_already(spark, str(tmp_path)) == {}
    kept(tmp_path, rows, 4, 1, 25)
    told = kept_already(spark, str(tmp_path))
    assert {first: sum(each.runs for each in parts) for first, parts in told.items()} == {0: 4, 4: 1, 5: 25}
    results, whole = Results(), Results()
    for first in (0, 4, 5):
        for part in told[first]:
            results.merge(part)
    whole.add(msgspec.structs.replace(each, kept="") for each in rows)
    assert results == whole


def test_a_store_from_which_runs_were_taken_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    kept(tmp_path, some_rows(5), 5)
    (batch,) = tmp_path.glob("runs/*/batch=*")
    batch.rename(batch.with_name("batch=runs-00000000-6"))
    with pytest.raises(UserError, match="has 5 runs in the batch runs-00000000-6: give another --out"):
        kept_already(spark, str(tmp_path))
