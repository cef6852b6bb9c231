"""A search that is spread over Spark: in rounds, each task goes on from a branch that the round before has left.

The states that are known go to all tasks of a round, and the new ones come back. Within a round two tasks may come to
the same state, and both go on from it: that costs time, and its orders are counted twice. The states are not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Final

import msgspec

from shaketable.harness.explore.search import Asleep, Branch, Found
from shaketable.harness.explore.state import Name
from shaketable.harness.explore.task import Task
from shaketable.harness.pipeline.campaigns.simulating import script_in
from shaketable.harness.pipeline.spark.session import scratch_folder
from shaketable.harness.pipeline.spark.travel import arrived, is_local, send_scripts
from shaketable.harness.runs.run import Options, collect_garbage_rarely
from shaketable.harness.worlds.sim.orders import Kind, Window, read_order

if TYPE_CHECKING:
    from pyspark import Broadcast
    from pyspark.sql import SparkSession

FIRST: Final = 20
"""runs in this process, before anything is shared out"""
RUNS: Final = 100
"""of one task at most"""
MOST_TASKS: Final = 64
"""of one round"""


class _Sent(msgspec.Struct, frozen=True):
    """A task as plain data."""

    file: str
    script: str
    seed: int
    preset: str | None
    values: dict[str, str | int | float | bool]
    window: Window
    budget: dict[Kind, int]


class _Part(msgspec.Struct):
    """All that one search has found, and left."""

    orders: int
    runs: int
    states: dict[Name, Asleep]
    left: list[Branch]
    failing: str | None
    blind: dict[str, int]
    unknown: int
    why_unknown: str


_States = dict[Name, Asleep]


def spread(spark: SparkSession, task: Task, most: int | None, tell: Callable[[Found], None]) -> tuple[Found, bool]:
    """And whether it came to its end."""
    context = spark.sparkContext
    where: Callable[[str], str] = str if is_local(context.master) else arrived
    send_scripts(spark, [task.script.file], scratch_folder())
    search = task.search()
    search.glance(most)
    search.run(FIRST if most is None else min(FIRST, most - search.found.runs))
    found, left = search.found, search.left()
    sent = msgspec.msgpack.encode(_as_sent(task))
    while left and found.failing is None and (most is None or found.runs < most):
        many = MOST_TASKS if most is None else min(MOST_TASKS, most - found.runs)
        now, left = left[:many], left[many:]
        runs = RUNS if most is None else min(RUNS, (most - found.runs) // len(now))
        states = context.broadcast(msgspec.msgpack.encode(found.states))
        explore = partial(_explore, sent, states, where, runs)
        branches = [msgspec.msgpack.encode(branch) for branch in now]
        for part in context.parallelize(branches, len(branches)).mapPartitions(explore).collect():
            left += _merge(found, msgspec.msgpack.decode(part, type=_Part))
        states.destroy()
        tell(found)
    return found, not left


def _explore(
    sent: bytes, states: Broadcast[bytes], where: Callable[[str], str], runs: int, branches: Iterator[bytes]
) -> Iterator[bytes]:
    collect_garbage_rarely()
    task = _from_sent(msgspec.msgpack.decode(sent, type=_Sent), where)
    known = msgspec.msgpack.decode(states.value, type=_States)
    for each in branches:
        search = task.search(msgspec.msgpack.decode(each, type=Branch), known)
        search.run(runs)
        found = search.found
        new = {name: asleep for name, asleep in found.states.items() if known.get(name) != asleep}
        failing = None if found.failing is None else str(found.failing)
        yield msgspec.msgpack.encode(
            _Part(found.orders, found.runs, new, search.left(), failing, found.blind, found.unknown, found.why_unknown)
        )


def _merge(found: Found, part: _Part) -> list[Branch]:
    """The branches that it has left. In a state that two have left, the steps are untried that neither has tried."""
    found.orders += part.orders
    found.runs += part.runs
    found.blind.update(part.blind)
    found.unknown += part.unknown
    found.why_unknown = found.why_unknown or part.why_unknown
    if part.failing is not None and found.failing is None:
        found.failing = read_order(part.failing)
    for name, asleep in part.states.items():
        before = found.states.get(name)
        found.states[name] = asleep if before is None else before & asleep
    return part.left


def _as_sent(task: Task) -> _Sent:
    options = task.options
    return _Sent(
        task.script.file,
        task.script.name,
        options.seed,
        options.preset,
        dict(options.values),  # type: ignore[arg-type]
        task.window,
        dict(task.budget),
    )


def _from_sent(sent: _Sent, where: Callable[[str], str]) -> Task:
    options = Options(seed=sent.seed, preset=sent.preset, values=sent.values)
    return Task(script_in(where(sent.file), sent.script), options, sent.window, sent.budget)
