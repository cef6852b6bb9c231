"""The driver runs a script to its end, whatever that end is, and names each mistake by the script's own line."""

from __future__ import annotations

import asyncio
import gc
import sys
import warnings
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from tests.harness.staging import Body, Played, here, play, set_up

from shaketable.harness.actions import Action, NoEffect, Receipt
from shaketable.harness.cluster import Cluster, Injected
from shaketable.harness.conditions import Condition
from shaketable.harness.records import Expected, FaultEnded, FaultTook, InvariantBroken
from shaketable.harness.script import LAST_WORDS
from shaketable.harness.steps import Cancelled, Unmet
from shaketable.node.env import SECOND


def never(label: str = "the moon falls") -> Condition:
    return Condition(label, lambda seen: "it is still up")


# How a script ends


def test_a_script_that_comes_to_its_end_is_done() -> None:
    async def script(cluster: Cluster) -> None:
        await cluster.sleep(SECOND)

    played = play(script)
    assert played.outcome.kind == "done"
    assert played.world.time == SECOND


def test_what_is_waited_for_in_vain_fails_the_run_with_the_reason_and_the_place() -> None:
    async def script(cluster: Cluster) -> None:
        await cluster.until(never(), within=SECOND)  # here

    outcome = play(script).outcome
    assert outcome.kind == "failed"
    assert outcome.reason == f"{here(script)}: waited 1.05 s until the moon falls; but it is still up"


def test_an_expectation_counts_from_the_receipt_of_the_last_fault_and_is_recorded() -> None:
    async def script(cluster: Cluster) -> None:
        await cluster.form("n1", "n2")
        await cluster.kill("n2")
        await cluster.sleep(9 * SECOND)
        await cluster.expect(never(), within=10 * SECOND)  # here

    played = play(script)
    assert played.outcome.kind == "failed"
    assert played.outcome.reason.startswith(f"{here(script)}: expected within 10.05 s of the last fault")
    (expected,) = played.told(Expected)
    assert not expected.held
    assert played.world.time == played.times(FaultTook)[0] + 10_050_000


def test_an_exception_is_told_by_type_words_file_and_line() -> None:
    async def script(cluster: Cluster) -> None:
        await cluster.sleep(1)
        dict[str, int]()["n9"]  # here

    outcome = play(script).outcome
    assert (outcome.kind, outcome.reason) == ("unknown", f"{here(script)}: KeyError: 'n9'")


def test_an_assertion_of_the_script_is_an_expectation() -> None:
    async def script(cluster: Cluster) -> None:
        raise AssertionError("two masters")  # here

    outcome = play(script).outcome
    assert outcome.kind == "failed"
    assert outcome.reason == f"{here(script)}: the script's assertion does not hold: two masters"


def test_no_address_of_an_object_gets_into_the_words() -> None:
    async def script(cluster: Cluster) -> None:
        raise ValueError(object())

    assert "ValueError: <object object>" in play(script).outcome.reason


def test_a_script_cannot_end_the_harness() -> None:
    async def script(cluster: Cluster) -> None:
        sys.exit(0)  # here

    outcome = play(script).outcome
    assert (outcome.kind, outcome.reason) == ("unknown", f"{here(script)}: SystemExit: 0")


# What may be awaited


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


async def _creates_a_task(cluster: Cluster) -> None:
    asyncio.create_task(cluster.sleep(1))  # noqa: RUF006  # here


FOREIGN = [
    _sleeps, _yields, _gathers, _groups, _times_out, _waits_for_a_future, _waits_for_an_event, _creates_a_task
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


# Together


def test_together_returns_all_results_in_order() -> None:
    async def script(cluster: Cluster) -> None:
        async def after(time: int) -> int:
            await cluster.sleep(time)
            return time

        assert await cluster.together(after(3), after(1), after(2)) == [3, 1, 2]
        assert cluster._world.now() == 3

    assert play(script).outcome.kind == "done"


def test_together_of_nothing_is_nothing() -> None:
    async def script(cluster: Cluster) -> None:
        assert await cluster.together() == []

    assert play(script).outcome.kind == "done"


def test_the_first_error_is_the_parent_s_and_the_siblings_finally_blocks_run_to_their_end() -> None:
    story = []

    async def script(cluster: Cluster) -> None:
        async def fails() -> None:
            await cluster.sleep(SECOND)
            raise ValueError("first")

        async def cleans_up() -> None:
            try:
                await cluster.sleep(10 * SECOND)
            finally:
                story.append("cancelled")
                await cluster.sleep(SECOND)
                story.append("cleaned up")
                raise ValueError("second")

        try:
            await cluster.together(fails(), cluster.together(cleans_up(), cleans_up()))
        except ValueError as error:
            story.append(str(error))
            await cluster.sleep(SECOND)

    played = play(script)
    assert played.outcome.kind == "done"
    assert story == ["cancelled", "cancelled", "cleaned up", "cleaned up", "first"]
    assert played.world.time == 3 * SECOND


def test_a_parent_that_catches_a_child_s_error_is_resumed_once() -> None:
    async def script(cluster: Cluster) -> None:
        async def fails() -> None:
            raise ValueError

        async def waits() -> None:
            await cluster.sleep(SECOND)

        try:
            await cluster.together(waits(), waits(), fails(), waits())
        except ValueError:
            assert await cluster.together() == []
            await cluster.sleep(SECOND)
            await cluster.sleep(SECOND)

    played = play(script)
    assert played.outcome.kind == "done"
    assert played.world.time == 2 * SECOND


def test_a_fault_that_is_under_way_when_a_sibling_fails_gets_its_receipt_and_is_healed() -> None:
    async def script(cluster: Cluster) -> None:
        await cluster.form("n1", "n2", "n3")

        async def fails() -> None:
            await cluster.sleep(1)
            raise ValueError

        await cluster.together(cluster.cut("n1", "n2"), fails())

    played = play(script)
    assert [e.fault for e in played.told(FaultTook)] == [e.fault for e in played.told(FaultEnded)] == [1]


def test_a_heal_in_finally_runs_when_a_sibling_failed_in_the_middle_of_an_action() -> None:
    async def script(cluster: Cluster) -> None:
        await cluster.form("n1", "n2", "n3")

        async def fails() -> None:
            await cluster.sleep(1)
            raise ValueError

        async def silences() -> None:
            first = await cluster.blackhole("n1", "n2")
            second = await cluster.blackhole("n1", "n3")
            try:
                await cluster.together(cluster.slow("n2", "n3", SECOND), fails())
            finally:
                await cluster.heal(first)
                await cluster.together(cluster.heal(second))

        await cluster.together(silences())

    played = play(script)
    assert played.outcome.reason.endswith("ValueError")
    assert sorted(e.fault for e in played.told(FaultEnded)) == [1, 2, 3]


# Always


def test_what_must_always_hold_fails_the_run_at_the_moment_it_breaks_wherever_the_script_is() -> None:
    healed: list[bool] = []

    async def script(cluster: Cluster) -> None:
        await cluster.form("n1", "n2", "n3")
        cluster.always(cluster.agree("n1", "n2", "n3"))

        async def silences(fault: Injected) -> None:
            try:
                await cluster.sleep(3600 * SECOND)
            except Exception:
                healed.append(False)  # a broken invariant is nothing that a script can catch
            finally:
                await cluster.heal(fault)
                healed.append(True)

        async def kills() -> None:
            await cluster.sleep(SECOND)
            await cluster.kill("n3")
            await cluster.sleep(3600 * SECOND)

        await cluster.together(silences(await cluster.slow("n1", "n2", 1000)), kills())

    played = play(script)
    assert played.outcome.kind == "failed"
    assert played.outcome.reason == "n1, n2, n3 agree on one list must always hold; but n3 is not running (killed)"
    assert healed == [True]
    assert len(played.told(InvariantBroken)) == 1
    assert played.world.time < 10 * SECOND


def test_what_does_not_hold_when_it_is_said_to_hold_always_fails_at_once() -> None:
    async def script(cluster: Cluster) -> None:
        cluster.always(never())
        await cluster.sleep(SECOND)

    played = play(script)
    assert played.outcome.kind == "failed"
    assert played.world.time == 0


def test_a_condition_that_raises_is_told_with_its_own_line() -> None:
    def broken(seen: Any) -> str | None:
        return str(seen.no_such_thing)  # here

    async def waits(cluster: Cluster) -> None:
        await cluster.until(Condition("it is so", broken), within=SECOND)

    async def always(cluster: Cluster) -> None:
        cluster.always(Condition("it is so", broken))
        await cluster.sleep(SECOND)

    for script in (waits, always):
        outcome = play(script).outcome
        assert outcome.kind == "unknown"
        assert outcome.reason.startswith(f"{here(broken)}: AttributeError: 'Observed' object")


def test_a_condition_that_begins_to_raise_later_is_told_likewise() -> None:
    def broken(seen: Any) -> str | None:
        return None if 1 // (len(seen.nodes) - 2) == 7 else "not yet"  # here

    async def script(cluster: Cluster) -> None:
        await cluster.together(cluster.until(Condition("it is so", broken), within=SECOND), cluster.form("n1", "n2"))

    assert play(script).outcome.reason.startswith(f"{here(broken)}: ZeroDivisionError")


def test_a_condition_answers_none_or_words() -> None:
    async def script(cluster: Cluster) -> None:
        await cluster.until(Condition("it is so", lambda seen: False), within=SECOND)  # type: ignore[arg-type,return-value]

    assert "the condition 'it is so' answers None or why it does not hold, not bool" in play(script).outcome.reason


def test_what_is_no_condition_is_refused() -> None:
    async def script(cluster: Cluster) -> None:
        await cluster.until(lambda seen: None, within=SECOND)  # type: ignore[arg-type]  # here

    assert play(script).outcome.reason.startswith(f"{here(script)}: that is no condition")


# The limit, and being stopped


def test_a_script_that_hangs_is_ended_and_its_step_is_named() -> None:
    async def script(cluster: Cluster) -> None:
        await cluster.until(never(), within=10_000 * SECOND)  # here

    outcome = play(script, limit=60 * SECOND).outcome
    assert outcome.kind == "unknown"
    assert outcome.reason == (
        f"it did not end in time; it was at {here(script)} (waiting until the moon falls, but it is still up)"
    )


def test_of_several_things_at_once_all_are_named_at_the_limit() -> None:
    async def script(cluster: Cluster) -> None:
        await cluster.together(cluster.sleep(100 * SECOND), cluster.until(never(), within=100 * SECOND))  # here

    reason = play(script, limit=60 * SECOND).outcome.reason
    assert f"{here(script)} (a sleep of 100 s); {here(script)} (waiting until the moon falls" in reason


def stop(played: Played) -> None:
    played.world.call_later(60 * SECOND, lambda: played.driver.stop("it was interrupted"))


def limit(played: Played) -> None:
    played.driver.end_at_limit(60 * SECOND)


@pytest.mark.parametrize("ends", [stop, limit])
def test_finally_blocks_run_when_it_is_ended_from_outside(ends: Callable[[Played], None]) -> None:
    ended = []

    async def script(cluster: Cluster) -> None:
        await cluster.form("n1", "n2", "n3")

        async def silence() -> None:
            fault = await cluster.blackhole("n1", "n2")
            try:
                await cluster.sleep(3600 * SECOND)
            finally:
                await cluster.heal(fault)
                ended.append("silence")

        try:
            await cluster.together(silence(), cluster.together(silence()))
        finally:
            await cluster.sleep(SECOND // 10)
            ended.append("all")

    played = set_up(script, limit=None)
    ends(played)
    played.world.run(lambda: played.driver.outcome is not None)
    assert played.outcome.kind == "unknown"
    assert ended == ["silence", "silence", "all"]
    assert len(played.told(FaultEnded)) == 2


def test_a_finally_that_takes_too_long_is_left() -> None:
    async def script(cluster: Cluster) -> None:
        try:
            await cluster.sleep(3600 * SECOND)
        finally:
            await cluster.sleep(3600 * SECOND)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        played = play(script, limit=60 * SECOND)
    assert "it did not end in time" in played.outcome.reason
    assert played.world.time == 60 * SECOND + LAST_WORDS


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_script_that_will_not_be_cancelled_is_left() -> None:
    async def script(cluster: Cluster) -> None:
        while True:
            try:
                await cluster.sleep(SECOND)
            except BaseException:
                continue

    assert "it did not end in time" in play(script, limit=60 * SECOND).outcome.reason
    gc.collect()


def test_an_action_whose_receipt_never_comes_is_named_and_left() -> None:
    async def script(cluster: Cluster) -> None:
        await cluster.form("n1", "n2")
        await cluster.cut("n1", "n2")  # here

    played = set_up(script, limit=60 * SECOND)
    act = played.world.act

    def lose(action: Action, done: Callable[[Receipt | NoEffect], None]) -> None:
        act(action, done if type(action).__name__ == "Start" else lambda receipt: None)

    played.world.act = lose  # type: ignore[method-assign]
    played.world.run(lambda: played.driver.outcome is not None)
    assert played.outcome.reason == (
        f"it did not end in time; it was at {here(script)} (waiting for the receipt of cut n1->n2 n2->n1)"
    )


def test_stopping_what_has_ended_or_not_begun_changes_nothing() -> None:
    async def script(cluster: Cluster) -> None:
        await cluster.sleep(1)

    played = play(script)
    played.driver.stop("too late")
    assert played.outcome.kind == "done"

    early = set_up(script)
    early.driver.stop("too early")
    assert early.outcome.reason == "too early"
    early.world.run(lambda: False)


def test_what_ended_it_first_is_the_reason() -> None:
    async def script(cluster: Cluster) -> None:
        try:
            await cluster.sleep(3600 * SECOND)
        finally:
            raise ValueError("in the clean-up")

    assert "it did not end in time" in play(script, limit=60 * SECOND).outcome.reason


def test_being_cancelled_is_nothing_that_except_exception_sees() -> None:
    assert not issubclass(Cancelled, Exception)
    assert issubclass(Unmet, Exception)


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
