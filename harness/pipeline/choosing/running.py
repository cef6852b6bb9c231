"""Plays the waves of a search: each run by a process of this machine, or as a task of Spark, with the same result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from typing import TYPE_CHECKING, Final

from shaketable.harness.detectors.choosing.playing import packed, played, unpacked
from shaketable.harness.detectors.choosing.search import Search
from shaketable.harness.pipeline.spark.trouble import told_in_words
from shaketable.harness.pipeline.workers import Workers
from shaketable.harness.runs.run import collect_garbage_rarely

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

WORKER: Final = "shaketable.harness.pipeline.choosing.worker"
LOOK: Final = 0.25
"""seconds between two looks at how far it is"""
Show = Callable[[int, int], None]
"""is told how many runs of a wave are over, and how many it has"""
Play = Callable[[Sequence[bytes], Show], list[bytes]]


def run(search: Search, play: Play, show: Show) -> None:
    while tasks := search.wave():
        search.take([unpacked(done) for done in play([packed(task) for task in tasks], show)])


def by_processes(workers: Workers) -> Play:
    def play(tasks: Sequence[bytes], show: Show) -> list[bytes]:
        under_way = [workers.begin(task) for task in tasks]
        while (state := wait_for(under_way, LOOK)).not_done:
            show(len(state.done), len(tasks))
            for each in state.done:
                each.result()  # a run that failed ends the search at once
        return [each.result() for each in under_way]

    return play


def by_spark(spark: SparkSession) -> Play:
    """A task has one run: if it is lost, another one comes to the same."""
    from pyspark import inheritable_thread_target

    context = spark.sparkContext

    def play(tasks: Sequence[bytes], show: Show) -> list[bytes]:
        done = context.accumulator(0)

        def one(pieces: Iterable[bytes]) -> Iterator[bytes]:
            collect_garbage_rarely()
            for each in pieces:
                yield played(each)
                done.add(1)

        @inheritable_thread_target(spark)
        def compute() -> list[bytes]:
            with told_in_words("the runs cannot be simulated"):
                return list(context.parallelize(tasks, len(tasks)).mapPartitions(one).collect())

        with ThreadPoolExecutor(1, "wave") as pool:
            computing = pool.submit(compute)
            try:
                while not wait_for([computing], LOOK).done:
                    show(done.value, len(tasks))
            except BaseException:
                context.cancelAllJobs()
                raise
            return list(computing.result())

    return play
