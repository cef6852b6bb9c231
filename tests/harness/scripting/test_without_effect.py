"""A fault that can have no effect, or had none, says why, and the script goes on."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from tests.harness.scripting.staging import Played, play

from shaketable.harness.records import FaultWithoutEffect, NodeSpawned
from shaketable.harness.scripting.cluster import Cluster
from shaketable.node.core.env import SECOND

NAMES = ("n1", "n2", "n3")
Verb = Callable[[Cluster], Awaitable[Any]]


async def _pause(cluster: Cluster) -> None:
    await cluster.pause("n3")


async def _kill(cluster: Cluster) -> None:
    await cluster.kill("n3")


async def _leave(cluster: Cluster) -> None:
    await cluster.leave("n3")


async def _clock(cluster: Cluster) -> None:
    await cluster.clock("n3", jump=SECOND)


async def _hold(cluster: Cluster) -> None:
    await cluster.hold("n3", "ViewInstalled")


async def _drop(cluster: Cluster) -> None:
    await cluster.drop("heartbeat", sender="n3")


@pytest.mark.parametrize("verb", [_pause, _kill, _leave, _clock, _hold, _drop])
def test_a_fault_of_a_dead_node_takes_no_effect_and_the_script_goes_on(verb: Verb) -> None:
    async def script(cluster: Cluster) -> None:
        await cluster.form(*NAMES)
        await cluster.kill("n3")
        await verb(cluster)
        await cluster.expect(cluster.that.agree("n1", "n2"), within=cluster.bounds.crash)

    played = play(script)
    assert played.outcome.kind == "done"
    assert [e.reason for e in played.told(FaultWithoutEffect)] == ["n3 is not running (killed)"]


def test_a_reset_of_a_link_that_is_not_up_takes_no_effect() -> None:
    async def script(cluster: Cluster) -> None:
        await cluster.form(*NAMES)
        await cluster.cut("n1", "n2")
        await cluster.reset("n1", "n2")

    assert [e.reason for e in play(script).told(FaultWithoutEffect)] == ["the link n1->n2 is not up"]


def test_a_restart_of_a_running_node_takes_no_effect() -> None:
    async def script(cluster: Cluster) -> None:
        await cluster.form(*NAMES)
        await cluster.restart("n2")

    played = play(script)
    assert [e.reason for e in played.told(FaultWithoutEffect)] == ["n2 still runs"]
    assert len(played.told(NodeSpawned)) == 3


def test_a_second_leave_takes_no_effect_and_neither_waits_for_ever() -> None:
    async def script(cluster: Cluster) -> None:
        await cluster.form(*NAMES)
        await cluster.together(cluster.leave("n3"), cluster.leave("n3"))

    played = play(script)
    assert played.outcome.kind == "done"
    assert [e.reason for e in played.told(FaultWithoutEffect)] == ["n3 is leaving already"]


def without_effect(played: Played) -> list[tuple[int, str]]:
    return [(e.fault, e.reason) for e in played.told(FaultWithoutEffect)]


def test_a_filter_that_caught_nothing_took_no_effect() -> None:
    async def script(cluster: Cluster) -> None:
        await cluster.form(*NAMES)
        await cluster.drop("membersupdate", sender="n2")
        healed = await cluster.hold_back("mastershipclaim", sender="n2")
        await cluster.drop("heartbeat", sender="n2", to="n3", count=1)
        await cluster.sleep(2 * cluster.settings.heartbeat_interval)
        await cluster.heal(healed)

    assert without_effect(play(script)) == [
        (1, "no message matched: n2 sent no such membersupdate"),
        (2, "no message matched: n2 sent no such mastershipclaim"),
    ]


def test_a_hold_that_held_nobody_took_no_effect() -> None:
    async def script(cluster: Cluster) -> None:
        await cluster.form(*NAMES)
        await cluster.hold("n1", "ViewPublished")
        await cluster.hold("n1", "ViewPublished", nth=7)
        healed = await cluster.hold("n2", "ClaimStarted")
        await cluster.heal(healed)
        await cluster.kill("n3")
        await cluster.until_held("n1", "ViewPublished", within=cluster.bounds.crash)
        await cluster.kill("n1")

    assert without_effect(play(script)) == [
        (2, "n1 never came to ViewPublished"), (3, "n2 never came to ClaimStarted")
    ]  # fmt: skip


@pytest.mark.parametrize("verb", [_clock, _hold, _drop])
def test_nothing_can_be_set_in_a_paused_node(verb: Verb) -> None:
    async def script(cluster: Cluster) -> None:
        await cluster.form(*NAMES)
        pause = await cluster.pause("n3")
        await verb(cluster)
        await cluster.heal(pause)

    assert without_effect(play(script))[0] == (2, "n3 is paused: nothing can be set in it")
