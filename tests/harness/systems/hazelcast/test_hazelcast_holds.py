"""Crash points: the pattern for the agent fits the line of the kept logs at which the event is told, and no other."""

from __future__ import annotations

import json
import re

import pytest
from tests.harness.systems.hazelcast.kept import FOLDER, VERSIONS, Story

from shaketable.harness.systems.hazelcast.holds import HOLDS, point_of
from shaketable.node.process import control


def points(release: str, story: str) -> list[str]:
    """What the agent compares with its patterns."""
    told = []
    for line in (FOLDER / release / f"{story}.jsonl").read_text(encoding="utf-8").splitlines():
        fact = json.loads(line)
        if fact.get("kind") == "log":
            told.append(f"{fact['from']}: {fact['text']}")
        elif fact.get("kind") == "migration":
            told.append(f"migration: {fact['step']} {fact['role']} {fact['partition']}")
    return told


def fits(release: str, story: str, event: str, **where: str | int | bool) -> int:
    pattern, refusal = point_of(control.ArmHold(1, 1, event, where=tuple(where.items())))
    assert not refusal
    return sum(re.search(pattern, point, re.DOTALL) is not None for point in points(release, story))


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    ("story", "event", "often"),
    [
        ("form", "ClaimStarted", 1),
        ("form", "ClaimConsented", 1),
        ("form", "MemberRemoved", 1),
        ("figure5", "DisconnectionResolved", 1),
        ("split", "MergeBegan", 1),
        ("split", "Merging", 1),
        ("hold", "ClaimStarted", 1),
    ],
)
def test_a_point_is_there(version: str, story: str, event: str, often: int) -> None:
    assert fits(version, story, event) == often


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    ("story", "event", "told"), [("form", "Joined", 4), ("form", "ClaimFinished", 1), ("split", "Joined", 4)]
)
def test_a_line_that_stands_for_more_than_its_event_counts_only_within_a_call_of_it(
    version: str, story: str, event: str, told: int
) -> None:
    """A founder, two that join, and one that comes back; and each list that a master sends is such a line."""
    events = [heard.event for heard in Story(FOLDER / version / f"{story}.jsonl").events]
    assert [type(each).__name__ for each in events].count(event) == told
    assert fits(version, story, event) > told
    assert HOLDS[event].within


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    ("story", "event"),
    [("form", "ClaimStarted"), ("form", "ClaimConsented"), ("form", "MemberRemoved"), ("split", "Merging")],
)
def test_a_line_of_its_own_counts_wherever_it_is_logged(version: str, story: str, event: str) -> None:
    events = [heard.event for heard in Story(FOLDER / version / f"{story}.jsonl").events]
    assert fits(version, story, event) == [type(each).__name__ for each in events].count(event)
    assert not HOLDS[event].within


@pytest.mark.parametrize("version", VERSIONS)
def test_a_point_by_its_fields(version: str) -> None:
    assert fits(version, "form", "ViewInstalled", version=4) == 2
    assert fits(version, "form", "ViewInstalled", version=44) == 0
    assert fits(version, "form", "Suspected", peer="n1:21001") == 2
    assert fits(version, "form", "Suspected", peer="n2:21002") == 0
    assert fits(version, "form", "MemberRemoved", peer="n3:21003") == 1


@pytest.mark.parametrize("version", VERSIONS)
def test_a_step_of_a_migration(version: str) -> None:
    parts = range(4)
    for event in ("MigrationRequested", "MigrationCopied", "CommitSent"):
        assert [fits(version, "joiner", event, partition=part) for part in parts] == [1, 1, 1, 1]
    assert fits(version, "joiner", "MigrationBegan", partition=1) == 2
    assert fits(version, "joiner", "MigrationBegan", partition=1, role="destination") == 1
    assert fits(version, "joiner", "MigrationFinished", partition=1, role="master", successful=True) == 1
    assert fits(version, "joiner", "MigrationFinished", partition=1, role="master", successful=False) == 0


@pytest.mark.parametrize(
    ("hold", "words"),
    [
        (control.ArmHold(1, 1, "ChunkSent"), "ChunkSent"),
        (control.ArmHold(1, 1, "ViewInstalled", after=2), "after a number of messages"),
        (control.ArmHold(1, 1, "ViewInstalled", where=(("author", "x"),)), "author"),
        (control.ArmHold(1, 1, "MigrationBegan", where=(("role", "nobody"),)), "role is nobody"),
    ],
)
def test_what_cannot_be_held_is_refused(hold: control.ArmHold, words: str) -> None:
    pattern, refusal = point_of(hold)
    assert not pattern
    assert words in refusal


def test_each_pattern_is_one() -> None:
    for event in HOLDS:
        pattern, _ = point_of(control.ArmHold(1, 1, event))
        assert "{" not in pattern
        re.compile(pattern)
