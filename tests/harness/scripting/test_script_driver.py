"""The driver runs a script to its end, whatever that end is, and names each mistake by the script's own line."""

from __future__ import annotations

import sys

from tests.harness.scripting.staging import here, never, play

from shaketable.harness.records import Expected, FaultEnded, FaultTook
from shaketable.harness.scripting.cluster import Cluster
from shaketable.node.core.env import SECOND

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
