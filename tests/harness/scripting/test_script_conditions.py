"""What a script waits for, or says must always hold: how it breaks, and what is told of a condition that is wrong."""

from __future__ import annotations

from typing import Any

from tests.harness.scripting.staging import here, never, play

from shaketable.harness.conditions.cluster import Condition
from shaketable.harness.records import InvariantBroken
from shaketable.harness.scripting.cluster import Cluster, Injected
from shaketable.node.core.env import SECOND


def test_what_must_always_hold_fails_the_run_at_the_moment_it_breaks_wherever_the_script_is() -> None:
    healed: list[bool] = []

    async def script(cluster: Cluster) -> None:
        await cluster.form("n1", "n2", "n3")
        cluster.always(cluster.that.agree("n1", "n2", "n3"))

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


def test_a_script_can_wait_for_the_end_of_a_node_however_it_ends() -> None:
    async def script(cluster: Cluster) -> None:
        await cluster.form("n1", "n2", "n3")
        await cluster.leave("n2")
        await cluster.until(cluster.that.ended("n2"), within=SECOND)
        await cluster.kill("n3")
        await cluster.until(cluster.that.ended("n3"), within=0)
        await cluster.expect(cluster.that.ended("n1"), within=SECOND)

    played = play(script)
    assert played.outcome.kind == "failed"
    assert "n1 has ended; but n1 is running" in played.outcome.reason


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
        assert outcome.reason == f"{here(broken)}: Observed has no no_such_thing"


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
