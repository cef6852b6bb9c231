"""`shaketable museum`: the exhibits, shown as Spark tasks, and what is told of them."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from shaketable.harness.console.screen import Screen
from shaketable.harness.errors import UserError, cannot_be_written
from shaketable.harness.nemesis.plan_files import write_plans
from shaketable.harness.pipeline.campaigns.progress import Progress
from shaketable.harness.pipeline.museum.exhibits import CANARY, Exhibit, legacy_exhibits, own_exhibits
from shaketable.harness.pipeline.museum.museum import Random, Shown, show
from shaketable.harness.pipeline.museum.museum_text import tell, tell_list
from shaketable.harness.pipeline.needed import refuse_without_spark
from shaketable.harness.pipeline.spark.session import (
    ending_in_order,
    scratch_folder,
    spark_session,
)
from shaketable.harness.pipeline.spark.travel import arrived, is_local, send_scripts
from shaketable.harness.pipeline.spark.trouble import told_in_words
from shaketable.harness.pipeline.stores.drawing import plays_a_plan
from shaketable.harness.runs.directory import RECORDINGS
from shaketable.harness.runs.run import Options, collect_garbage_rarely
from shaketable.harness.scripting.scripts import Script, scripts_of
from shaketable.harness.scripting.targets import scripts_of_ours
from shaketable.harness.verdicts.verdict import EXIT_CODES, PASSED, shown_file
from shaketable.harness.whole_files import write_json

if TYPE_CHECKING:
    from pyspark import Accumulator
    from pyspark.sql import SparkSession

SCHEMA: Final = 1
NOT_CAUGHT: Final = 1
LOOK: Final = 0.25
MOST: Final = 100_000
"""runs of one exhibit"""
FOUND: Final = "museum"
"""the folder of plans that the search has made and that show a fault"""


class Museum(msgspec.Struct, frozen=True):
    """What --report writes."""

    schema: int
    caught: bool
    shown: list[Shown]


def museum(options: argparse.Namespace) -> int:
    for name, least in (("seeds", 1), ("random", 0)):
        if not least <= getattr(options, name) <= MOST:
            raise UserError(f"--{name} {getattr(options, name)}: give {least} to {MOST}")
    scripts = scripts_of_ours()
    exhibits = _chosen(options, scripts)
    screen = Screen()
    if options.list:
        tell_list(exhibits, screen)
        return EXIT_CODES[PASSED]
    if options.canary:
        shown = [show(exhibit, 1) for exhibit in exhibits]
    else:
        refuse_without_spark()
        shown = _on_spark(options, exhibits, scripts)
    caught = all(each.caught for each in shown)
    _keep_plans(shown)
    try:
        tell(shown, screen)
    finally:  # somebody may have read as much as they wanted, and will want the file
        if options.report:
            _write(Path(options.report), Museum(SCHEMA, caught, shown))
    return EXIT_CODES[PASSED] if caught else NOT_CAUGHT


def _chosen(options: argparse.Namespace, scripts: Sequence[Script]) -> list[Exhibit]:
    exhibits = [*legacy_exhibits(scripts), *(each for file in options.also for each in own_exhibits(file))]
    if options.canary:
        return [exhibit for exhibit in exhibits if exhibit.name == CANARY]
    known = {exhibit.name: None for exhibit in exhibits}
    for name in options.names:
        if name not in known:
            raise UserError(f"there is no fault {name!r}; there are {', '.join(known)}")
    return [exhibit for exhibit in exhibits if not options.names or exhibit.name in options.names]


def _on_spark(options: argparse.Namespace, exhibits: Sequence[Exhibit], scripts: Sequence[Script]) -> list[Shown]:
    plans = _plans(scripts)
    with ending_in_order():
        spark = spark_session(options.spark_master, cores=options.cores, app="shaketable museum")
        files = [*(exhibit.file for exhibit in exhibits), *options.also, *(file for file, *_ in plans)]
        send_scripts(spark, files, scratch_folder())
        by_chance = Random((), options.random, options.search, options.seed, str(RECORDINGS / FOUND))
        return _shown(spark, exhibits, plans, options.seeds, by_chance)


Plan = tuple[str, str, str, str]
"""of a random one the file, what that is called here, the name and the family"""


def _plans(scripts: Sequence[Script]) -> list[Plan]:
    named = [script for script in scripts if plays_a_plan(script.name)]
    return [(each.file, shown_file(each.file), each.name, Options("sim").settings(each).family) for each in named]


def _shown(
    spark: SparkSession, exhibits: Sequence[Exhibit], plans: Sequence[Plan], seeds: int, by_chance: Random
) -> list[Shown]:
    """Each exhibit is a task: if it is lost, another one comes to the same."""
    from pyspark import inheritable_thread_target

    context = spark.sparkContext
    done, bad = context.accumulator(0), context.accumulator(0)
    where = str if is_local(context.master) else arrived
    task = partial(_task, plans=plans, seeds=seeds, by_chance=by_chance, where=where, done=done, bad=bad)
    named = [(exhibit, shown_file(exhibit.file)) for exhibit in exhibits]

    @inheritable_thread_target(spark)
    def compute() -> list[bytes]:
        with told_in_words("the exhibits cannot be shown"):
            return context.parallelize(named, len(named)).map(task).collect()

    progress = Progress(len(exhibits), what="exhibits")
    with ThreadPoolExecutor(1, "museum") as pool:
        computing = pool.submit(compute)
        try:
            while not wait_for([computing], LOOK).done:
                progress.show(done.value, bad.value)
        except BaseException:
            context.cancelAllJobs()
            raise
        finally:
            progress.end()
        return [msgspec.json.decode(shown, type=Shown) for shown in computing.result()]


def _task(
    named: tuple[Exhibit, str],
    plans: Sequence[Plan],
    seeds: int,
    by_chance: Random,
    where: Callable[[str], str],
    done: Accumulator[int],
    bad: Accumulator[int],
) -> bytes:
    collect_garbage_rarely()
    exhibit, file = named
    here = msgspec.structs.replace(exhibit, file=where(exhibit.file), source=exhibit.source and where(exhibit.source))
    of_its_family = [plan for plan in plans if plan[-1] == exhibit.family]
    own = [replace(_named(where(plan), name), file=called) for plan, called, name, _ in of_its_family]
    shown = msgspec.structs.replace(show(here, seeds, by_chance._replace(plans=own), file=file), exhibit=exhibit)
    done.add(1)
    bad.add(not shown.caught)
    return msgspec.json.encode(shown)


def _keep_plans(shown: Iterable[Shown]) -> None:
    """So that the commands that are told play the same runs again."""
    for way in (each.random for each in shown):
        if way is not None and way.plan:
            write_plans(Path(way.plan_at), [way.plan], instead="make room, or go to another folder")


def _named(file: str, name: str) -> Script:
    return next(script for script in scripts_of(Path(file)) if script.name == name)


def _write(file: Path, museum: Museum) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        write_json(file, museum)
    except OSError as error:
        raise cannot_be_written(file, error, "give another one with --report") from None
