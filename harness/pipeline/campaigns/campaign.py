"""A campaign on Spark: its waves one after the other, two under way at a time, each written when it is over.

If this process ends, what was written stays, and the next process goes on from there. A killed executor loses only its
tasks. Another executor repeats them, with the same rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from contextlib import suppress
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from shaketable.harness.pipeline.campaigns.cases import Case
from shaketable.harness.pipeline.campaigns.results import Results
from shaketable.harness.pipeline.campaigns.spreading import Counts, rows_of, spread, with_kept
from shaketable.harness.pipeline.campaigns.waves import LAG, Asked, Ended, Planner
from shaketable.harness.pipeline.spark.trouble import told_in_words
from shaketable.harness.pipeline.stores import store as stores
from shaketable.harness.pipeline.stores.schema import run_rows
from shaketable.harness.runs.interrupts import Interrupts
from shaketable.harness.verdicts.rows import KEPT_FAILED, KEPT_SAMPLE, RunRow
from shaketable.harness.verdicts.verdict import PASSED

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

MOST_KEPT: Final = 500
"""histories of runs that have not passed; there may be more such runs, and their verdicts are there"""
LOOK: Final = 0.25
"""seconds between two looks at how far it is"""


class Computed(NamedTuple):
    cases: Sequence[Case]
    rows: Sequence[RunRow]
    df: DataFrame


_UnderWay = tuple["Future[Computed]", Counts]


class _Interrupted(Exception):
    pass


class Campaign:
    def __init__(
        self,
        spark: SparkSession,
        path: str,
        asked: Asked,
        *,
        interrupts: Interrupts,
    ) -> None:
        self._spark = spark
        self._path = path
        self._asked = asked
        self._interrupts = interrupts
        self.show: Callable[[int, int], None] = lambda done, not_passed: None
        self._planner = Planner(asked)
        self.results = Results()

    def already(self) -> int:
        """Takes up what earlier processes have written. How many runs that is."""
        written = _written(self._spark, self._path)
        while self._waves_left:
            cases = self._planner.peek()
            if not all(case.run in written for case in cases):
                break
            self._planner.next()
            self._over([written[case.run] for case in cases])
        return self.results.runs

    def run(self) -> bool:
        """Whether it came to its end; else it was interrupted."""
        under_way: list[_UnderWay] = []
        with ThreadPoolExecutor(LAG, "wave") as pool:
            try:
                for _ in range(min(LAG, self._waves_left)):
                    under_way.append(self._begin(pool))
                while under_way:
                    self._wait(under_way)
                    wave = under_way.pop(0)[0].result()
                    kept = self._take(wave)
                    if self._waves_left:
                        under_way.append(self._begin(pool))  # before the writing, during which nobody shall be idle
                    self._write(wave, kept)
            except _Interrupted:
                return False
            finally:
                self._stop(under_way)
        return True

    def _begin(self, pool: ThreadPoolExecutor) -> _UnderWay:
        from pyspark import inheritable_thread_target

        cases, counts = self._planner.next(), Counts(self._spark)

        @inheritable_thread_target(self._spark)
        def compute() -> Computed:
            # Else what is written would wait until the waves that were begun before have no task left to be given.
            self._spark.sparkContext.setLocalProperty("spark.scheduler.pool", "waves")
            with told_in_words("the runs cannot be simulated"):
                df = spread(self._spark, cases, counts).persist()
                return Computed(cases, rows_of(df), df)

        return pool.submit(compute), counts

    def _wait(self, under_way: Sequence[_UnderWay]) -> None:
        while not (self._interrupts.came or wait_for([under_way[0][0]], LOOK).done):
            done = self.results.runs + sum(counts.runs.value for _, counts in under_way)
            bad = self.results.not_passed + sum(counts.not_passed.value for _, counts in under_way)
            self.show(min(done, self._asked.runs), bad)
        if self._interrupts.came:
            raise _Interrupted

    def _take(self, wave: Computed) -> dict[str, str]:
        """Its rows are told and planned with. By run, whose histories are to be kept, and why."""
        bad = [row.run for row in wave.rows if row.outcome != PASSED][: MOST_KEPT - self.results.kept_failed]
        good = {row.run for row in wave.rows if row.outcome == PASSED}
        sample = [case.run for case in wave.cases if case.sample and case.run in good]
        kept = {**dict.fromkeys(bad, KEPT_FAILED), **dict.fromkeys(sample, KEPT_SAMPLE)}
        self._over([msgspec.structs.replace(row, kept=kept.get(row.run, "")) for row in wave.rows])
        return kept

    def _write(self, wave: Computed, kept: Mapping[str, str]) -> None:
        rows, histories = with_kept(wave.df, kept)
        with told_in_words(f"{self._path} cannot be written"):
            stores.append(self._spark, self._path, rows, histories)
            wave.df.unpersist()
        self.show(self.results.runs, self.results.not_passed)

    def _over(self, rows: Sequence[RunRow]) -> None:
        self.results.add(rows)
        self._planner.over([Ended(row.script, row.marks) for row in rows])

    @property
    def _waves_left(self) -> int:
        return self._asked.waves - self._planner.planned

    def _stop(self, under_way: Sequence[_UnderWay]) -> None:
        """Nobody waits for what nobody will write."""
        if not under_way:
            return
        with suppress(Exception):
            self._spark.sparkContext.cancelAllJobs()
        for future, _ in under_way:
            with suppress(Exception):
                future.result()


def _written(spark: SparkSession, path: str) -> dict[str, RunRow]:
    """By name, the runs that are in the store: what planning and telling need of them."""
    if not stores.is_store(spark, path):
        return {}
    from pyspark.sql.functions import lit

    with told_in_words(f"{path} cannot be read"):
        rows = stores.open_store(spark, path).runs.withColumns({"verdict": lit(""), "settings": lit("")}).toArrow()
    return {row.run: row for row in run_rows(rows)}
