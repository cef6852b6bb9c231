"""The verbs and conditions of groups refuse what makes no sense, in one clear sentence, and do what they say."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.harness.scripting.staging import play

from shaketable.harness.scripting.cluster import Cluster
from shaketable.node.config import DEFAULT, FAST, GMS, INFERRED
from shaketable.node.core.env import SECOND

GROUP = FAST.with_values({"family": GMS, "gms_detection": INFERRED})


def reason(body: Callable[[Cluster], object]) -> str:
    """How a script ends that does this when n1 and n2 are a group."""

    async def script(cluster: Cluster) -> None:
        await cluster.form("n1", "n2", knowing=("n3",))
        done = body(cluster)
        if hasattr(done, "__await__"):
            await done

    return play(script, settings=GROUP).outcome.reason


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (lambda c: c.that.is_signalled("n1", "LEAVE"), "there is no signal 'LEAVE'; there are JOIN, JOINED_AND_READY"),
        (lambda c: c.that.is_signalled("n1", "JOIN", of="n9"), "n9 is not a node of this run (n1, n2)"),
        (lambda c: c.that.is_signalled("n1", "JOIN", times=-1), "the number of signals is at least 0, not -1"),
        (lambda c: c.that.takes_again("n1", times=0), "the number of notifications is at least 1, not 0"),
        (lambda c: c.that.watches("n1", "n1"), "watches needs two nodes: no node watches itself"),
        (lambda c: c.that.spares_heartbeats("n9"), "n9 is not a node of this run (n1, n2)"),
        (lambda c: c.that.ignores_a_hint("n9"), "n9 is not a node of this run (n1, n2)"),
        (lambda c: c.that.drops_foreign_messages("n9"), "n9 is not a node of this run (n1, n2)"),
        (lambda c: c.that.has_started_the_group("n9"), "n9 is not a node of this run (n1, n2)"),
        (lambda c: c.start_group("n1", ["n9"]), "n9 is not a node of this run (n1, n2)"),
        (lambda c: c.hint("n1", "n9"), "n9 is not a node of this run (n1, n2)"),
        (lambda c: c.talk("n1", every=-1), "a time between messages is at least 0, not -1"),
        (lambda c: c.stop_group("n9"), "n9 is not a node of this run (n1, n2)"),
    ],
)
def test_what_makes_no_sense_is_refused(body: Callable[[Cluster], object], said: str) -> None:
    assert said in reason(body)


@pytest.mark.parametrize(
    ("body", "verb"),
    [
        (lambda c: c.start_group("n1", ["n2"]), "start_group"),
        (lambda c: c.stop_group("n1"), "stop_group"),
        (lambda c: c.hint("n1", "n2"), "hint"),
        (lambda c: c.talk("n1", every=SECOND), "talk"),
    ],
)
def test_a_cluster_has_no_such_verb(body: Callable[[Cluster], object], verb: str) -> None:
    async def script(cluster: Cluster) -> None:
        await cluster.form("n1", "n2")
        await body(cluster)  # type: ignore[misc]

    said = play(script, settings=DEFAULT).outcome.reason
    assert f'{verb} is for a group: the script needs settings={{"family": "gms"}}' in said


def test_a_watchdog_can_only_hint() -> None:
    async def script(cluster: Cluster) -> None:
        await cluster.form("n1", "n2")
        await cluster.start("w1", settings={"gms_member_type": "watchdog"})
        await cluster.hint("w1", "n2")
        await cluster.talk("w1", every=SECOND)

    said = play(script, settings=GROUP).outcome.reason
    assert "talk of w1: w1 is a watchdog, which is in no view, and can only hint" in said


def test_all_nodes_of_a_run_are_of_one_family() -> None:
    said = reason(lambda c: c.start("n4", settings={"family": "cluster"}))
    assert "family = 'cluster': all nodes of a run are of one family, gms" in said


def test_who_is_expected_may_be_named_before_it_runs() -> None:
    async def script(cluster: Cluster) -> None:
        await cluster.form("n1", knowing=("n2", "n3"))
        await cluster.start_group("n1", "n2")
        await cluster.start("n2", knowing=("n1",))
        await cluster.until(cluster.that.has_started_the_group("n1"), within=cluster.bounds.forming)

    outcome = play(script, settings=GROUP).outcome
    assert outcome.kind == "done", outcome.reason


def test_a_ring_is_who_watches_whom() -> None:
    async def script(cluster: Cluster) -> None:
        await cluster.form("n1", "n2", "n3")
        ring = cluster.that.watches("n2", "n1") & cluster.that.watches("n3", "n2") & cluster.that.watches("n1", "n3")
        await cluster.until(ring, within=SECOND)

    outcome = play(script, settings=GROUP).outcome
    assert outcome.kind == "done", outcome.reason
