"""A hold may mean only events with certain values; what cannot be compared is told in one sentence."""

from __future__ import annotations

from typing import Any

import pytest
from tests.harness.scripting.staging import here, play

from shaketable.harness.records import FaultAsked
from shaketable.harness.scripting.cluster import Cluster
from shaketable.node.events import Held, Suspected


def test_a_hold_waits_for_the_event_with_its_values() -> None:
    async def script(cluster: Cluster) -> None:
        await cluster.form("n1", "n2", "n3")
        await cluster.hold("n1", "Suspected", where={"peer": "n3", "why": "connection-lost"})
        await cluster.kill("n2")
        await cluster.expect(cluster.that.agree("n1", "n3"), within=cluster.bounds.crash)
        await cluster.kill("n3")
        await cluster.until_held("n1", "Suspected", within=cluster.bounds.crash)

    played = play(script)
    assert played.outcome.kind == "done"
    assert [event.peer.address for event in played.told(Suspected, "n1")] == ["127.0.0.1:5702", "127.0.0.1:5703"]
    assert len(played.told(Held)) == 1
    assert played.told(FaultAsked)[0].detail == (
        "before the messages of Suspected with peer 127.0.0.1:5703, why connection-lost number 1"
    )


@pytest.mark.parametrize(
    ("event", "where", "sentence"),
    [
        (
            "MigrationBegan", {"colour": 1},
            "where: MigrationBegan has no field colour to compare; it has partition, migration, role",
        ),
        (
            "MigrationRequested", {"info": "x"},
            "where: MigrationRequested has no field info to compare; it has partition",
        ),
        (
            "MigrationFinished", {"partition": "5"},
            "where: partition of MigrationFinished is a whole number, not '5'",
        ),
        (
            "MigrationFinished", {"successful": 1},
            "where: successful of MigrationFinished is True or False, not 1",
        ),
        ("Suspected", {"silence": "long"}, "where: silence of Suspected is a whole number or None, not 'long'"),
        (
            "Suspected",
            {"why": "so"},
            "where: why of Suspected is a kind of reason (see list(shaketable.Why)), not 'so'",
        ),
        ("CommitSent", {"peer": "n9"}, "n9 is not a node of this run (n1)"),
        ("CommitSent", {"peer": 5}, "where: peer of CommitSent is the name of a node, not 5"),
        (
            "CommitSent", ["peer"],
            "where: give fields of CommitSent with their values, {'role': 'master'}, not ['peer']",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_compared_is_one_sentence(event: str, where: Any, sentence: str) -> None:
    async def script(cluster: Cluster) -> None:
        await cluster.form("n1")
        await cluster.hold("n1", event, where=where)  # here

    outcome = play(script).outcome
    assert (outcome.kind, outcome.reason) == ("unknown", f"{here(script)}: {sentence}")
