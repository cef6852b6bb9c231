"""Plays runs in waves: each run by a process of this machine, or as a task of Spark, with the same result."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from shaketable.harness.cores import cores_here
from shaketable.harness.detectors.plays import Play, Show
from shaketable.harness.pipeline.needed import refuse_without_spark
from shaketable.harness.pipeline.spark.session import ending_in_order, spark_session
from shaketable.harness.pipeline.spark.trouble import told_in_words
from shaketable.harness.pipeline.workers import Workers
from shaketable.harness.runs.interrupts import sigterm_as_ctrl_c
from shaketable.harness.runs.run import collect_garbage_rarely

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LOOK: Final = 0.25
"""seconds between two looks at how far it is"""
Played = Callable[[bytes], bytes]
"""one run"""


@contextmanager
def playing(options: argparse.Namespace, worker: str, played: Played) -> Iterator[Play]:
    """By Spark where its master is named; else by processes, which are there at once. `worker`: the module of such a
    process, which does what `played` does."""
    if options.spark_master is not None:
        refuse_without_spark()
        with ending_in_order():
            spark = spark_session(options.spark_master, cores=options.cores, app="shaketable compare-detectors")
            yield by_spark(spark, played)
        return
    workers = Workers(options.cores or cores_here(), worker)
    with sigterm_as_ctrl_c():
        try:
            yield by_processes(workers)
        finally:
            workers.stop()


def by_processes(workers: Workers) -> Play:
    def play(tasks: Sequence[bytes], show: Show) -> list[bytes]:
        under_way = [workers.begin(task) for task in tasks]
        while (state := wait_for(under_way, LOOK)).not_done:
            show(len(state.done), len(tasks))
            for each in state.done:
                each.result()  # a run that failed ends the search at once
        return [each.result() for each in under_way]

    return play


def by_spark(spark: SparkSession, played: Played) -> Play:
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
