"""Tasks beside a script: what goes wrong in them is told, and is no matter of the script."""

from __future__ import annotations

from inspect import CORO_CLOSED, getcoroutinestate
from typing import Any

from tests.harness.scripting.staging import Played, set_up

from shaketable.harness.errors import ScriptError
from shaketable.harness.records import FaultAsked
from shaketable.harness.scripting.cluster import Cluster
from shaketable.harness.scripting.fault_book import Injected
from shaketable.node.core.env import SECOND

Told = list[tuple[Any, BaseException | None]]


async def long(cluster: Cluster) -> None:
    await cluster.form("n1", "n2")
    await cluster.sleep(100 * SECOND)


def beside(played: Played, *calls: Any) -> Told:
    """Ten seconds after the beginning."""
    told: Told = []

    def begin() -> None:
        for call in calls:
            played.driver.also(call, lambda result, error: told.append((result, error)))

    played.world.call_later(50 * SECOND, begin)
    played.world.run(lambda: played.driver.outcome is not None)
    return told


def test_they_go_on_beside_the_script_and_beside_each_other() -> None:
    played = set_up(long)
    cluster = played.cluster
    told = beside(played, cluster.flap("n1", "n2", down=SECOND, up=SECOND, times=3), cluster.pause("n2"))
    assert played.outcome.kind == "done"
    assert [event.verb for event in played.told(FaultAsked)] == ["cut", "pause", "cut", "cut"]
    (pause, no_error), (nothing, nor_here) = told
    assert isinstance(pause, Injected)
    assert (nothing, no_error, nor_here) == (None, None, None)


def test_a_mistake_in_one_is_told_and_the_script_goes_on() -> None:
    played = set_up(long)
    told = beside(played, played.cluster.kill("n9"))
    assert played.outcome.kind == "done"
    ((nothing, error),) = told
    assert nothing is None
    assert isinstance(error, ScriptError)


def test_what_the_end_of_the_script_finds_is_left_where_it_is() -> None:
    ended: list[str] = []

    async def for_ever(cluster: Cluster) -> None:
        try:
            await cluster.sleep(1_000 * SECOND)
        finally:
            ended.append("closed")

    played = set_up(long)
    assert beside(played, for_ever(played.cluster)) == []
    assert (played.outcome.kind, ended) == ("done", ["closed"])
    too_late = for_ever(played.cluster)
    played.driver.also(too_late, lambda result, error: ended.append("told"))
    assert getcoroutinestate(too_late) == CORO_CLOSED
    assert ended == ["closed"]  # the run is over: it never began
