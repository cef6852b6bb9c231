"""What a script may await: the cluster's verbs and nothing else, and never forget to."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator, Generator
from contextlib import asynccontextmanager

import pytest
from tests.harness.scripting.staging import Body, here, play, set_up

from shaketable.harness.records import FaultEnded
from shaketable.harness.scripting.cluster import Cluster
from shaketable.node.core.env import SECOND


def test_a_forgotten_await_is_named_with_its_own_line() -> None:
    async def script(cluster: Cluster) -> None:
        await cluster.form("n1", "n2")
        cluster.kill("n2")  # type: ignore[unused-coroutine]  # here
        await cluster.sleep(SECOND)

    outcome = play(script).outcome
    assert (outcome.kind, outcome.reason) == (
        "unknown",
        f"{here(script)}: kill was called without await: it did nothing",
    )


def test_a_forgotten_await_in_the_last_line_is_seen_too() -> None:
    async def script(cluster: Cluster) -> None:
        await cluster.sleep(1)
        cluster.sleep(2)  # type: ignore[unused-coroutine]  # here

    outcome = play(script).outcome
    assert outcome.kind == "unknown"
    assert outcome.reason.startswith(f"{here(script)}: sleep was called without await")


def test_a_forgotten_await_of_a_child_is_seen_too() -> None:
    async def script(cluster: Cluster) -> None:
        async def child() -> None:
            cluster.sleep(2)  # type: ignore[unused-coroutine]  # here

        await cluster.together(child())

    assert "sleep was called without await" in play(script).outcome.reason


async def _uses_a_name(cluster: Cluster) -> None:
    result = cluster.get("n1", "key")  # here
    assert result.outcome == "ok"  # type: ignore[attr-defined]


async def _uses_it_at_once(cluster: Cluster) -> None:
    assert cluster.get("n1", "key").outcome == "ok"  # type: ignore[attr-defined]  # here


async def _takes_it_apart(cluster: Cluster) -> None:
    _one, _other = cluster.get("n1", "key")  # type: ignore[misc]  # here


async def _takes_a_name_apart(cluster: Cluster) -> None:
    both = cluster.get("n1", "key")  # here
    for _ in both:  # type: ignore[attr-defined]
        pass


async def _enters_it(cluster: Cluster) -> None:
    async with cluster.get("n1", "key"):  # type: ignore[attr-defined]  # here
        pass


@pytest.mark.parametrize("script", [_uses_a_name, _uses_it_at_once, _takes_it_apart, _takes_a_name_apart, _enters_it])
def test_what_is_used_without_await_is_named_where_it_was_called(script: Body) -> None:
    outcome = play(script).outcome
    assert (outcome.kind, outcome.reason) == (
        "unknown",
        f"{here(script)}: get was called without await: it did nothing",
    )


def test_what_was_to_be_awaited_with_a_forgotten_call_is_told_by_that_alone(recwarn: pytest.WarningsRecorder) -> None:
    async def script(cluster: Cluster) -> None:
        cluster.together(cluster.sleep(1), cluster.sleep(2))  # type: ignore[unused-coroutine]  # here

    assert play(script).outcome.reason == f"{here(script)}: together was called without await: it did nothing"
    gc.collect()
    assert not recwarn.list


async def _awaits_a_condition(cluster: Cluster) -> None:
    await cluster.that.is_safe()  # type: ignore[misc]  # here


async def _awaits_what_gives_nothing(cluster: Cluster) -> None:
    await cluster.note("a note")  # type: ignore[func-returns-value, misc]  # here


async def _awaits_a_look(cluster: Cluster) -> None:
    await cluster.seen.now()  # type: ignore[misc]  # here


async def _calls_nothing(cluster: Cluster) -> None:
    await cluster.calm  # type: ignore[misc]  # here


@pytest.mark.parametrize(
    ("script", "said"),
    [
        (
            _awaits_a_condition,
            "a condition is not awaited: write await cluster.until(..., within=...), or cluster.expect",
        ),
        (
            _awaits_what_gives_nothing,
            "this call gives nothing to wait for: it is called without await, as cluster.note(...) is",
        ),
        (_awaits_a_look, "int is not awaited: only calls of verbs are, as in cluster.kill(...)"),
        (_calls_nothing, "a verb is called, and that is awaited: its name is followed by (...)"),
    ],
)
def test_an_await_before_no_call_of_a_verb_says_what_is_written_instead(script: Body, said: str) -> None:
    outcome = play(script).outcome
    assert (outcome.kind, outcome.reason) == ("unknown", f"{here(script)}: {said}")


async def _misspells_a_verb(cluster: Cluster) -> None:
    await cluster.cutt("n1", "n2")  # type: ignore[attr-defined]  # here


async def _misspells_a_condition(cluster: Cluster) -> None:
    cluster.that.agrees("n1")  # type: ignore[attr-defined]  # here


async def _misspells_a_bound(cluster: Cluster) -> None:
    await cluster.sleep(cluster.bounds.crash_time)  # type: ignore[attr-defined]  # here


@pytest.mark.parametrize(
    ("script", "said"),
    [
        (_misspells_a_verb, "Cluster has no cutt; did you mean cut?"),
        (_misspells_a_condition, "That has no agrees; did you mean agree?"),
        (_misspells_a_bound, "Bounds has no crash_time; did you mean crash?"),
    ],
)
def test_a_name_that_is_not_there_is_told_with_those_that_are_like_it(script: Body, said: str) -> None:
    assert play(script).outcome.reason == f"{here(script)}: {said}"


class Foreign:
    """Of some other library: it waits for what its own loop would give it."""

    def __await__(self) -> Generator[int, None, None]:
        yield 5


async def _awaits_another_library(cluster: Cluster) -> None:
    await Foreign()


def test_a_foreign_await_without_asyncio_is_the_same_sentence() -> None:
    outcome = play(_awaits_another_library).outcome
    assert outcome.kind == "unknown"
    assert "a script may only await what the cluster offers" in outcome.reason


async def _sleeps(cluster: Cluster) -> None:
    await asyncio.sleep(1)  # here


async def _yields(cluster: Cluster) -> None:
    await asyncio.sleep(0)  # here


async def _gathers(cluster: Cluster) -> None:
    await asyncio.gather(cluster.sleep(1))  # here


async def _groups(cluster: Cluster) -> None:
    async with asyncio.TaskGroup() as group:  # here
        group.create_task(cluster.sleep(1))


async def _times_out(cluster: Cluster) -> None:
    async with asyncio.timeout(1):  # here
        await cluster.sleep(2)


async def _waits_for_a_future(cluster: Cluster) -> None:
    await asyncio.Future()  # here


async def _waits_for_an_event(cluster: Cluster) -> None:
    await asyncio.Event().wait()  # here


async def _gives_it_to_together(cluster: Cluster) -> None:
    await cluster.together(asyncio.sleep(1))  # here


async def _creates_a_task(cluster: Cluster) -> None:
    asyncio.create_task(cluster.sleep(1))  # noqa: RUF006  # here


FOREIGN = [
    _sleeps, _yields, _gathers, _groups, _times_out, _waits_for_a_future, _waits_for_an_event,
    _gives_it_to_together, _creates_a_task,
]  # fmt: skip


@pytest.mark.parametrize("script", FOREIGN)
@pytest.mark.parametrize("in_a_loop", [False, True], ids=["no loop", "in a loop"])
def test_a_foreign_await_is_the_same_sentence_with_and_without_a_loop(script: Body, in_a_loop: bool) -> None:
    played = set_up(script)

    async def in_loop() -> None:
        asyncio.get_running_loop().call_soon(played.world.run, lambda: played.driver.outcome is not None)
        await asyncio.sleep(0.01)

    if in_a_loop:
        asyncio.run(in_loop())
    else:
        played.world.run(lambda: played.driver.outcome is not None)
    outcome = played.outcome
    assert outcome.kind == "unknown"
    assert outcome.reason == (
        f"{here(script)}: a script may only await what the cluster offers (cluster.sleep, cluster.together), "
        "nothing of asyncio"
    )


def test_a_foreign_await_still_lets_finally_blocks_run() -> None:
    ended = []

    async def script(cluster: Cluster) -> None:
        try:
            await asyncio.sleep(1)
        finally:
            await cluster.sleep(SECOND)
            ended.append(True)

    assert play(script).outcome.kind == "unknown"
    assert ended


def test_a_loop_in_which_no_time_passes_is_ended() -> None:
    async def script(cluster: Cluster) -> None:
        while True:
            await cluster.sleep(0)  # here

    outcome = play(script).outcome
    assert outcome.kind == "unknown"
    assert outcome.reason.startswith(f"{here(script)}: it goes round and round and no time passes")


def test_a_loop_that_swallows_being_told_so_is_ended_as_well() -> None:
    async def script(cluster: Cluster) -> None:
        while True:
            try:
                await cluster.sleep(0)
            except Exception:
                continue

    assert "no time passes" in play(script).outcome.reason


# Async generators


def test_an_async_generator_left_by_break_runs_its_finally() -> None:
    story = []

    async def script(cluster: Cluster) -> None:
        async def ticks() -> AsyncIterator[int]:
            try:
                for i in range(10):
                    await cluster.sleep(SECOND)
                    yield i
            finally:
                await cluster.sleep(SECOND)
                story.append("closed")

        async for tick in ticks():
            if tick == 2:
                break
        gc.collect()
        await cluster.sleep(SECOND)
        story.append("went on")

    played = play(script)
    assert played.outcome.kind == "done"
    assert story == ["closed", "went on"]
    assert played.world.time == 5 * SECOND


def test_an_async_context_manager_heals_what_it_broke() -> None:
    async def script(cluster: Cluster) -> None:
        @asynccontextmanager
        async def silence(a: str, b: str) -> AsyncIterator[None]:
            fault = await cluster.blackhole(a, b)
            try:
                yield
            finally:
                await cluster.heal(fault)

        await cluster.form("n1", "n2")
        async with silence("n1", "n2"):
            raise ValueError

    played = play(script)
    assert "ValueError" in played.outcome.reason
    assert len(played.told(FaultEnded)) == 1
