"""The bounds of groups are the formulas that docs/group-rules.md has in words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.bounds.group import GroupBounds
from shaketable.node.config import (
    ALL_TO_ALL,
    DEFAULT,
    DETECTIONS,
    FAST,
    GMS,
    INFERRED,
    LIFEGUARD,
    MASTER_AND_LIKELY,
    RING,
    SWIM,
    Settings,
)
from shaketable.node.core.env import MILLISECOND, SECOND


def settings(detection: str, **more: object) -> Settings:
    return DEFAULT.with_values({"family": GMS, "gms_detection": detection, **more})


def seconds(detection: str, **more: object) -> dict[str, float]:
    """P 3 s, K 3, R 10 s, V 2.5 s."""
    bounds = GroupBounds(settings(detection, **more))
    found = {
        "failure": bounds.failure(),
        "failures of 3 in a row": bounds.failure(3),
        "take over": bounds.take_over(),
        "take over, 1 dead": bounds.take_over(1),
        "take over, 2 dead": bounds.take_over(2),
    }
    return {name: time / SECOND for name, time in found.items()}


def test_of_one_probe_and_one_verification_they_are_those_of_the_rulings() -> None:
    bounds = GroupBounds(settings(ALL_TO_ALL))
    assert (bounds.shortest_suspicion, bounds.suspicion) == (9 * SECOND, 22 * SECOND)
    assert (bounds.shortest_verification, bounds.verification) == (2500 * MILLISECOND, 12_500 * MILLISECOND)
    assert bounds.unheard_master == 31 * SECOND
    assert bounds.heal == 20 * SECOND


def test_each_policy_has_its_own() -> None:
    assert seconds(ALL_TO_ALL) == {
        "failure": 34.5,
        "failures of 3 in a row": 34.5,
        "take over": 22 + 12.5 + 12.5,
        "take over, 1 dead": 22 + 2.5 + 12.5 + 12.5,
        "take over, 2 dead": 22 + 2 * 2.5 + 12.5 + 12.5,
    }
    assert seconds(MASTER_AND_LIKELY) == {
        **seconds(ALL_TO_ALL),
        "take over, 2 dead": 31 + 2 * 2.5 + 12.5 + 12.5,
    }
    assert seconds(MASTER_AND_LIKELY, likely_successors=3) == seconds(ALL_TO_ALL)
    ring = {
        "failure": 37,
        "failures of 3 in a row": 3 * 37,
        "take over": 22 + 12.5 + 12.5 + 12.5,
        "take over, 1 dead": 31 + 12.5 + 2.5 + 12.5 + 12.5,
        "take over, 2 dead": 31 + 12.5 + 2 * 2.5 + 12.5 + 12.5,
    }
    assert seconds(RING) == seconds(INFERRED) == ring


def test_under_swim_they_grow_with_the_members_and_lifeguard_may_be_slower() -> None:
    """A period of 3 s, and 3 s for a ping with the help of others. A suspect has 15 s, with 100 members twice that."""
    few = GroupBounds(settings(SWIM), members=5)
    assert few.suspicion == (2 * 4 - 1) * 3 * SECOND + 3 * SECOND
    assert (few.shortest_suspicion, few.verification) == (3 * SECOND, 15 * SECOND)
    assert few.failure() == few.failure(3) == 24 * SECOND + 2500 * MILLISECOND + 15 * SECOND
    assert few.take_over() == 24 * SECOND + 12_500 * MILLISECOND + 15 * SECOND + 12_500 * MILLISECOND
    assert few.take_over(2) == few.take_over() + 5 * SECOND
    many = replace(few, members=100)
    assert many.suspicion == (2 * 99 - 1) * 3 * SECOND + 3 * SECOND
    assert many.verification == 30 * SECOND
    assert GroupBounds(settings(SWIM)) == replace(few, members=10)
    slow = GroupBounds(settings(LIFEGUARD), members=5)
    assert slow.suspicion == 9 * few.suspicion
    assert replace(slow, health=0).suspicion == few.suspicion
    assert (slow.shortest_verification, slow.verification) == (2500 * MILLISECOND, 6 * 15 * SECOND)


def test_who_crashed_with_the_master_is_verified_at_once_or_missed_from_then_on() -> None:
    bounds = GroupBounds(settings(RING))
    assert bounds.take_over_and_failures() == bounds.take_over()
    assert bounds.take_over_and_failures(candidates=1) == bounds.take_over(1) + bounds.verification
    assert bounds.take_over_and_failures(others=2) == bounds.take_over() + bounds.failure(2)


@pytest.mark.parametrize("detection", DETECTIONS)
def test_what_settles_has_time_for_a_master_a_member_and_a_split(detection: str) -> None:
    bounds = GroupBounds(settings(detection))
    assert bounds.settle() == bounds.take_over(1) + bounds.failure() + bounds.heal
    assert bounds.settle(1) > bounds.settle()


@pytest.mark.parametrize(
    ("detection", "members", "counted"),
    [
        (ALL_TO_ALL, 5, (20, 20)),
        (MASTER_AND_LIKELY, 5, (6, 6)),
        (MASTER_AND_LIKELY, 2, (2, 2)),
        (RING, 5, (5, 5)),
        (RING, 2, (2, 2)),
        (INFERRED, 5, (0, 5)),
        (SWIM, 5, (5, 5)),
        (LIFEGUARD, 2, (2, 2)),
        (ALL_TO_ALL, 1, (0, 0)),
        (RING, 1, (0, 0)),
    ],
)
def test_heartbeats_of_a_period(detection: str, members: int, counted: tuple[int, int]) -> None:
    assert GroupBounds(settings(detection)).heartbeats(members) == counted


def test_the_bounds_of_a_run_are_those_of_its_family_and_each_has_the_allowance_once() -> None:
    ring = FAST.with_values({"family": GMS, "gms_detection": RING})
    run, group, bare = Bounds(ring, allowance=2 * SECOND), GroupBounds(ring, 2 * SECOND), GroupBounds(ring)
    assert (run.group, run.settle(1), run.forming) == (group, group.settle(1), group.forming)
    assert Bounds(FAST).settle() != Bounds(ring).settle()
    once = 2 * SECOND
    assert group.suspicion - bare.suspicion == once
    assert group.report - bare.report == once
    assert group.failure(2) - bare.failure(2) == once
    assert group.take_over(2) - bare.take_over(2) == once
    assert group.heal - bare.heal == once
    assert group.shutdown - bare.shutdown == once
    assert group.take_over_and_failures(1, 2) - bare.take_over_and_failures(1, 2) == once
    assert group.settle(1) - bare.settle(1) == once
    assert group.forming - bare.forming == once
