"""A script that is ended from outside still runs its `finally` blocks, and says where it was."""

from __future__ import annotations

import gc
import warnings
from collections.abc import Callable

import pytest
from tests.harness.scripting.staging import Played, here, never, play, set_up

from shaketable.harness.faults.actions import Action, NoEffect, Receipt
from shaketable.harness.records import FaultEnded
from shaketable.harness.scripting.cluster import Cluster
from shaketable.harness.scripting.driver import LAST_WORDS
from shaketable.harness.scripting.steps import Cancelled, Unmet
from shaketable.node.core.env import SECOND


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
