"""Campaigns on Spark: the same rows as without it, whatever is killed or interrupted on the way."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pyarrow.compute as pc
import pytest
from tests.harness.pipeline.campaigns.campaigns import asked, plain, written

from shaketable.harness.errors import UserError
from shaketable.harness.history.history import History
from shaketable.harness.pipeline.campaigns import campaign as campaigns
from shaketable.harness.pipeline.campaigns import portions
from shaketable.harness.pipeline.campaigns.by_tasks import work_for
from shaketable.harness.pipeline.campaigns.campaign import Campaign
from shaketable.harness.pipeline.campaigns.cases import cells_of
from shaketable.harness.pipeline.campaigns.simulating import simulated
from shaketable.harness.pipeline.campaigns.summaries import summary_of
from shaketable.harness.pipeline.campaigns.variants import each_under_all, variants_named
from shaketable.harness.pipeline.campaigns.waves import Asked, Planner
from shaketable.harness.pipeline.reports.store_report import rows_of
from shaketable.harness.pipeline.stores.schema import records_of, run_rows
from shaketable.harness.pipeline.stores.store import open_store
from shaketable.harness.runs.interrupts import Interrupts
from shaketable.harness.scripting.scripts import scripts_of
from shaketable.harness.verdicts.rows import RunRow

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark
ASKED = asked("form", "kill-the-master", runs=20, variants=["as written", "fast"], wave=8)


def rows_in(spark: SparkSession, path: Path) -> dict[str, RunRow]:
    rows = run_rows(open_store(spark, path).runs.toArrow())
    assert len({row.run for row in rows}) == len(rows)
    return {row.run: plain(row) for row in rows}


def campaign(spark: SparkSession, path: Path, what: Asked = ASKED, interrupts: Interrupts | None = None) -> Campaign:
    return Campaign(work_for(spark, str(path)), str(path), what, interrupts=interrupts or Interrupts())


def by_hand(what: Asked = ASKED) -> dict[str, RunRow]:
    """Without Spark."""
    planner, rows = Planner(what), {}
    for _ in range(what.waves):
        wave = []
        for case in planner.next():
            row = plain(simulated(case).row)
            wave.append(msgspec.structs.replace(row, kept="sample" if case.sample else ""))
        planner.over(summary_of(wave).reached)
        rows.update({row.run: row for row in wave})
    return rows


def test_it_gives_the_rows_that_a_plain_loop_gives(spark: SparkSession, tmp_path: Path) -> None:
    shown: list[tuple[int, int]] = []
    running = campaign(spark, tmp_path)
    running.show = lambda done, bad: shown.append((done, bad))
    assert (running.already(), running.run()) == (0, True)
    rows = rows_in(spark, tmp_path)
    assert rows == by_hand()
    assert (running.results.runs, running.results.outcome) == (20, "passed")
    assert shown[-1] == (20, 0)
    kept = {row.run: row.history_hash for row in rows.values() if row.kept}
    histories = open_store(spark, tmp_path).history.toArrow()
    assert set(histories.column("run").to_pylist()) == set(kept)
    for run, told in kept.items():
        assert History(records_of(histories.filter(pc.equal(histories["run"], run)))).hash == told


@pytest.mark.parametrize("enough", [1, 8])
def test_an_interrupted_one_goes_on_and_ends_as_if_nothing_had_been(
    enough: int, spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the middle of a wave, and at its end."""
    monkeypatch.setattr(portions, "FIRST", 1)
    interrupts, shown = Interrupts(), list[int]()
    first = campaign(spark, tmp_path, interrupts=interrupts)

    def interrupt(done: int, bad: int) -> None:
        shown.append(done)
        if done >= enough:
            interrupts._count = 1

    first.show = interrupt
    assert (first.already(), first.run()) == (0, False)
    written_then = rows_in(spark, tmp_path)
    assert enough <= shown[-1] <= len(written_then) == first.results.runs < 20
    assert {run: row for run, row in by_hand().items() if run in written_then} == written_then
    second = campaign(spark, tmp_path)
    assert second.already() == len(written_then)
    assert second.run()
    assert rows_in(spark, tmp_path) == by_hand()
    assert second.results.runs == 20
    third = campaign(spark, tmp_path)
    assert (third.already(), third.run()) == (20, True)
    assert third.results == second.results


def test_one_that_searches_goes_on_with_the_same_plans(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which plans are changed, and how, hangs on what the waves before have reached, also of a process before."""
    monkeypatch.setattr(portions, "FIRST", 1)
    few = asked("nemesis", "form", runs=30, variants=["as written", "fast"], wave=6)
    what = replace(few, plans=str(tmp_path / "plans"))
    wanted = by_hand(what)
    assert sum(bool(row.plan) for row in wanted.values()) >= 3
    interrupts = Interrupts()
    first = campaign(spark, tmp_path / "store", what, interrupts)
    first.show = lambda done, bad: setattr(interrupts, "_count", int(done >= 20))
    assert (first.already(), first.run()) == (0, False)
    plans = {file: file.read_text() for file in (tmp_path / "plans").iterdir()}
    assert plans
    for file in plans:
        file.unlink()
    second = campaign(spark, tmp_path / "store", what)
    assert 20 <= second.already() < 30
    assert second.run()
    assert rows_in(spark, tmp_path / "store") == wanted
    assert second.kept() == campaign_that_is_over(spark, tmp_path / "store", what).kept()
    now = {file: file.read_text() for file in (tmp_path / "plans").iterdir()}
    assert plans.items() <= now.items()
    assert {row.plan.rpartition(":")[0] for row in wanted.values() if row.plan} == set(map(str, now))


def campaign_that_is_over(spark: SparkSession, path: Path, what: Asked) -> Campaign:
    over = campaign(spark, path, what)
    assert over.already() == what.runs
    return over


def test_its_time_ends_it_as_if_it_had_been_asked_for_no_more(spark: SparkSession, tmp_path: Path) -> None:
    work = work_for(spark, str(tmp_path))
    over = Campaign(work, str(tmp_path), ASKED, interrupts=Interrupts(), until=0.0)
    assert (over.already(), over.run(), over.results.runs) == (0, True, 0)


def test_what_is_done_is_kept_before_its_wave_is_over_and_progress_never_runs_backwards(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(campaigns, "KEPT_WITHIN", 0.0)
    monkeypatch.setattr(portions, "FIRST", 2)
    what = asked("form", "kill-the-master", runs=24, wave=24)
    running = campaign(spark, tmp_path, what)
    shown, kept = list[int](), list[int]()

    def look(done: int, bad: int) -> None:
        shown.append(done)
        names = [batch.name.rpartition("-")[2] for batch in tmp_path.glob("runs/*/batch=*")]
        kept.append(sum(map(int, names)))

    running.show = look
    assert running.run()
    assert shown == sorted(shown)
    assert {4, 24} <= {*shown}
    assert kept == shown


def test_a_store_that_is_not_the_beginning_of_this_campaign_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    assert campaign(spark, tmp_path / "store").run()
    other = asked("form", "kill-the-master", runs=20, variants=["as written", "fast"], wave=3)
    with pytest.raises(UserError, match="holds runs of another campaign: give another --out"):
        campaign(spark, tmp_path / "store", other).already()
    shutil.rmtree(next(tmp_path.glob("store/runs/*/batch=runs-00000000-*")))
    with pytest.raises(UserError, match="lacks the runs from number 0 on, but has later ones: give another --out"):
        campaign(spark, tmp_path / "store").already()


def test_a_killed_worker_changes_nothing(spark: SparkSession, tmp_path: Path) -> None:
    """The script kills the process that plays it, once: its task is given to another one."""
    once = tmp_path / "once"
    head = f"import os, pathlib, signal\nONCE = pathlib.Path({str(once)!r})\n"
    body = "await cluster.form('n1', 'n2')\n    if not ONCE.exists():\n        ONCE.touch()\n        "
    (story,) = scripts_of(written(tmp_path, f"{body}os.kill(os.getpid(), signal.SIGKILL)", head))
    what = Asked(cells_of([story], each_under_all([story], variants_named(["as written"]))), 6, 1, 5)
    running = campaign(spark, tmp_path / "store", what)
    assert running.run()
    assert once.exists()
    assert rows_in(spark, tmp_path / "store") == by_hand(what)


def test_whole_histories_of_failures_are_kept_up_to_a_bound(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(campaigns, "MOST_KEPT", 3)
    (story,) = scripts_of(written(tmp_path, "await cluster.form('n1')\n    assert False, 'as it must'"))
    cells = cells_of([story], each_under_all([story], variants_named(["as written"])))
    running = campaign(spark, tmp_path / "store", Asked(cells, 6, 1, 0))
    assert running.run()
    rows = rows_in(spark, tmp_path / "store")
    assert [row.kept for row in rows.values()].count("not passed") == 3
    assert all(row.outcome == "failed" and row.verdict for row in rows.values())
    assert (running.results.outcome, running.results.kept_failed) == ("failed", 3)
    told = {row.run: plain(row) for row in rows_of(open_store(spark, tmp_path / "store").runs)}
    assert told == rows
