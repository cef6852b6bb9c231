"""What the scripts about collecting suspicions and about slow links are about, beyond their ends."""

from __future__ import annotations

from itertools import pairwise

import pytest
from tests.chaos.shipped import ALL

from shaketable.harness.runs.run import Options, run_simulated
from shaketable.node.config import PRESETS
from shaketable.node.core.env import Micros
from shaketable.node.events import (
    DisconnectionResolved,
    DisconnectionUnresolved,
    Event,
    StaleHeartbeat,
    Suspected,
    SuspicionsReported,
)

SCRIPTS = {script.name: script for script in ALL}
ADDRESSES = {f"n{i}": f"127.0.0.1:{5700 + i}" for i in range(1, 6)}
presets = pytest.mark.parametrize("preset", PRESETS)


def told(name: str, preset: str, *kinds: type[Event]) -> list[tuple[Micros, str, Event]]:
    """By whom and when these were told, in the run's order."""
    records = run_simulated(SCRIPTS[name], Options(seed=1, preset=preset)).records
    return [(r.time, r.node, r.event) for r in records if isinstance(r.event, kinds)]


@presets
@pytest.mark.parametrize("beside", ["a-cut-one", "a-silent-one", "one-that-is-cut-one-way"])
def test_while_a_link_flaps_there_was_news_within_the_wait_when_the_master_decided(beside: str, preset: str) -> None:
    name = f"a-flapping-link-beside-{beside}"
    wait = Options(preset=preset).settings(SCRIPTS[name]).partial_disconnection_wait
    events = told(name, preset, SuspicionsReported, DisconnectionResolved)
    times = [time for time, _, _ in events]
    assert [type(event) for _, _, event in events].index(DisconnectionResolved) == len(events) - 1
    assert max(after - before for before, after in pairwise(times)) < wait
    assert times[-1] - times[0] >= 3 * wait


@presets
def test_the_other_link_that_flaps_is_lost_and_not_counted_when_the_master_decides(preset: str) -> None:
    ((_, who, event),) = told("a-flapping-link-of-others", preset, DisconnectionResolved, DisconnectionUnresolved)
    assert isinstance(event, DisconnectionResolved)
    unsettled = [{one.address, other.address} for one, other in event.unsettled]
    assert (who, unsettled) == ("n1", [{ADDRESSES["n4"], ADDRESSES["n5"]}])
    assert [member.address for member in event.leave] == [ADDRESSES["n3"]]


@presets
@pytest.mark.parametrize("how", ["cuts", "black-holes", "one-way-cuts", "one-way-black-holes"])
def test_three_breaks_are_in_the_one_decision(how: str, preset: str) -> None:
    name = f"more-{how}-while-the-master-collects"
    wait = Options(preset=preset).settings(SCRIPTS[name]).partial_disconnection_wait
    ((decided, who, event),) = told(name, preset, DisconnectionResolved, DisconnectionUnresolved)
    assert isinstance(event, DisconnectionResolved)
    pairs = {frozenset((by.address, of.address)) for by, suspected in event.reports for of in suspected}
    assert (who, len(pairs), len(event.leave)) == ("n1", 3, 2)
    first, *_ = told(name, preset, SuspicionsReported)
    assert decided - first[0] > 2 * wait, "it has waited longer than for one of them"


@presets
def test_the_search_had_a_limit_and_came_to_it(preset: str) -> None:
    (_, _, vain), (_, _, decision) = told("too-much-to-search", preset, DisconnectionResolved, DisconnectionUnresolved)
    assert isinstance(vain, DisconnectionUnresolved)
    assert vain.timed_out
    assert vain.work > 1000
    assert isinstance(decision, DisconnectionResolved)
    assert decision.work < 1000


@presets
@pytest.mark.parametrize(
    ("name", "who", "late"),
    [
        ("a-link-too-slow-between-followers", "n3", "n2"),
        ("a-link-too-slow-between-followers", "n2", "n3"),
        ("a-link-too-slow-one-way", "n3", "n2"),
        ("a-link-too-slow-to-the-master", "n1", "n3"),
    ],
)
def test_who_is_too_slow_is_heard_and_suspected_for_its_silence(name: str, who: str, late: str, preset: str) -> None:
    events = [
        event
        for _, node, event in told(name, preset, StaleHeartbeat, Suspected)
        if node == who and isinstance(event, StaleHeartbeat | Suspected) and event.peer.address == ADDRESSES[late]
    ]
    assert [type(event) for event in events] == [StaleHeartbeat, Suspected]
    assert isinstance(events[1], Suspected)
    assert events[1].reason == "no heartbeat"
