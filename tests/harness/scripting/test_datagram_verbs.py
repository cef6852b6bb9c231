"""The verbs of datagrams: what each asks of the world, its receipt, and how its misuse is told."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import pytest
from tests.harness.scripting.staging import play

from shaketable.harness.records import FaultAsked, FaultEnded, FaultTook, FaultWithoutEffect
from shaketable.harness.scripting.cluster import Cluster
from shaketable.node.config import FAST
from shaketable.node.core.env import MILLISECOND, SECOND

GROUP = FAST.with_values({"family": "gms", "gms_udp": "heartbeats"})
NAMES = ("n1", "n2", "n3")
MISUSES: Mapping[str, tuple[Callable[[Cluster], Awaitable[Any]], str]] = {
    "an unknown node": (
        lambda c: c.lose_datagrams("n1", "n9", percent=10), "n9 is not a node of this run (n1, n2, n3)"
    ),
    "no link": (
        lambda c: c.lose_datagrams("n1", ["n1"], percent=10), "there is no link from n1 to itself"
    ),
    "more than all": (
        lambda c: c.repeat_datagrams("n1", "n2", percent=101), "the percentage of datagrams is at most 100, not 101"
    ),
    "none": (
        lambda c: c.delay_datagrams("n1", "n2", 5, percent=0), "the percentage of datagrams is at least 1, not 0"
    ),
    "no delay": (lambda c: c.delay_datagrams("n1", "n2", 0), "the longest delay is at least 1, not 0"),
    "half a percent": (
        lambda c: c.lose_datagrams("n1", "n2", percent=0.5),  # type: ignore[arg-type]
        "the percentage of datagrams is a whole number (a time has microseconds: 5 * SECOND // 2), not 0.5",
    ),
}  # fmt: skip


async def formed(cluster: Cluster) -> None:
    await cluster.form(NAMES[0], knowing=NAMES)
    await cluster.join(*NAMES[1:], knowing=NAMES)


@pytest.mark.parametrize("misuse", MISUSES)
def test_misuse_is_told_in_a_sentence(misuse: str) -> None:
    verb, sentence = MISUSES[misuse]

    async def body(cluster: Cluster) -> None:
        await formed(cluster)
        await verb(cluster)

    outcome = play(body, settings=GROUP).outcome
    assert outcome.kind == "unknown"
    assert outcome.reason.endswith(sentence)


@pytest.mark.parametrize("values", [{"gms_udp": "both"}, {"family": "gms"}])
def test_who_sends_no_datagrams_has_none_to_lose(values: dict[str, object]) -> None:
    async def body(cluster: Cluster) -> None:
        await cluster.start("n1", "n2")
        await cluster.lose_datagrams("n1", "n2", percent=10)

    outcome = play(body, settings=FAST.with_values(values)).outcome
    assert "lose datagrams: n1 sends none; it takes settings=" in outcome.reason


def test_each_takes_effect_and_tells_at_its_end_how_many_it_came_upon() -> None:
    async def body(cluster: Cluster) -> None:
        await formed(cluster)
        faults = [
            await cluster.lose_datagrams("n1", ["n2", "n3"], percent=100, one_way=True),
            await cluster.delay_datagrams(NAMES, NAMES, 20 * MILLISECOND),
            await cluster.repeat_datagrams("n2", "n3", percent=50, later=MILLISECOND),
        ]
        for fault in faults:
            await cluster.until(cluster.that.caught(fault), within=SECOND * 2)
        await cluster.heal_link("n2", "n3")
        await cluster.heal(faults[0])

    played = play(body, settings=GROUP)
    assert played.outcome.kind == "done", played.outcome
    asked = [(each.verb, each.links, each.detail) for each in played.told(FaultAsked)]
    both = ("n2->n3", "n3->n2")
    every = ("n1->n2", "n2->n1", "n1->n3", "n3->n1", *both)
    assert asked == [
        ("lose datagrams", ("n1->n2", "n1->n3"), "100 %"),
        ("delay datagrams", every, "100 %, by up to 20 ms"),
        ("repeat datagrams", both, "50 %, by up to 1 ms"),
    ]
    assert len(played.told(FaultTook)) == 3
    ended = {each.fault: each.how for each in played.told(FaultEnded)}
    assert {number: how.split()[-1] for number, how in ended.items()} == {1: "lost", 2: "delayed", 3: "repeated"}
    assert not any(how.startswith("0 of") for how in ended.values())
    assert not played.told(FaultWithoutEffect)


@pytest.mark.parametrize("healed", [True, False])
def test_one_that_came_upon_no_datagram_took_no_effect(healed: bool) -> None:
    async def body(cluster: Cluster) -> None:
        await formed(cluster)
        fault = await cluster.lose_datagrams("n1", "n2", percent=100)
        if healed:
            await cluster.heal(fault)

    told = play(body, settings=GROUP).told(FaultWithoutEffect)
    assert [each.reason for each in told] == ["it came upon no datagram of n1->n2, n2->n1"]
