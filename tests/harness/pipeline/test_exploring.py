"""A search that is spread over Spark finds what one search finds."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import msgspec
import pytest
from tests.planted.broken_claims import LearnsNothing

from shaketable.chaos.small_worlds import a_small_claim, a_small_claim_during_a_join
from shaketable.harness.explore.search import Branch, Found
from shaketable.harness.explore.task import Task, task_of
from shaketable.harness.pipeline import exploring
from shaketable.harness.runs.run import Options
from shaketable.harness.scripting.scripts import Script
from shaketable.harness.worlds.sim.orders import FAULTS, Kind

if TYPE_CHECKING:
    from pyspark import Broadcast
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


def task(script: Script, kind: Kind, values: dict[str, object] | None = None) -> Task:
    budget = {each: int(each is kind) for each in FAULTS}
    options = Options(preset="fast", values=values or {})
    return task_of(script, options, budget, start=None, lasts=500_000, latest=2_000)


def test_the_states_are_those_of_one_search(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exploring, "RUNS", 20)
    of = task(a_small_claim, Kind.KILL)
    alone = of.search()
    alone.glance()
    assert alone.run(100_000)
    told: list[int] = []

    def tell(found: Found) -> None:
        told.append(len(found.states))

    found, whole = exploring.spread(spark, of, None, tell)
    assert whole
    assert set(found.states) == set(alone.found.states)
    assert found.orders >= alone.found.orders
    assert found.failing is None
    assert found.unknown == 0
    assert len(told) > 1
    assert told[-1] == len(found.states)


def test_it_gives_up_after_the_runs_that_it_may_have(spark: SparkSession) -> None:
    found, whole = exploring.spread(spark, task(a_small_claim, Kind.CUT), 50, lambda found: None)
    assert not whole
    assert found.runs >= 50


class _Known:
    value = msgspec.msgpack.encode({})


def test_a_mistake_that_a_task_finds_comes_back() -> None:
    values: dict[str, object] = {"own_member": f"{LearnsNothing.__module__}:{LearnsNothing.__qualname__}"}
    of = task(a_small_claim_during_a_join, Kind.CUT, values)
    search = of.search()
    assert search.glance()
    assert search.found.failing is not None
    branch = msgspec.msgpack.encode(Branch(search.found.failing.steps))
    sent = msgspec.msgpack.encode(exploring._as_sent(of))
    (done,) = exploring._explore(sent, cast("Broadcast[bytes]", _Known()), str, 100, iter([branch]))
    found = Found()
    assert exploring._merge(found, msgspec.msgpack.decode(done, type=exploring._Part)) == []
    assert found.failing is not None
    assert str(found.failing).startswith(str(search.found.failing))
    assert of.judge(of.follow(found.failing)).outcome == "failed"
