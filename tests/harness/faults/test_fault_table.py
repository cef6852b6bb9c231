"""Faults overlap: the worst on a link or node wins, and ending one ends that one alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaketable.harness.faults.link_kinds import SLOW
from shaketable.harness.faults.links import SOUND, LinkState, Slices
from shaketable.harness.faults.node_kinds import DROP
from shaketable.harness.faults.table import (
    ClockFault,
    FaultTable,
    Hold,
    LinkFault,
    Load,
    MessageFault,
    Pause,
    worst,
)
from shaketable.harness.faults.verb import Fault

AB, BA, AC = ("a", "b"), ("b", "a"), ("a", "c")
CUT, HOLE = LinkState(cut=True), LinkState(blackhole=True)


def on(state: LinkState, *links: tuple[str, str]) -> LinkFault:
    return LinkFault(SLOW, links, state)


WORST = [
    ([], SOUND),
    ([CUT, HOLE], LinkState(cut=True, blackhole=True)),
    ([LinkState(latency=5, jitter=4), LinkState(latency=9, jitter=1)], LinkState(latency=9, jitter=4)),
    ([LinkState(rate=2000), LinkState(rate=1000), SOUND], LinkState(rate=1000)),
    ([LinkState(slices=Slices()), CUT], LinkState(cut=True, slices=Slices())),
]


@pytest.mark.parametrize(("states", "expected"), WORST)
def test_a_link_is_as_bad_as_the_worst_of_each_kind(states: list[LinkState], expected: LinkState) -> None:
    assert worst(states) == expected


def test_beginning_and_ending_tell_only_the_links_that_changed() -> None:
    table = FaultTable()
    assert table.begin(1, on(CUT, AB, BA)) == {AB: CUT, BA: CUT}
    assert table.begin(2, on(CUT, AB, AC)) == {AC: CUT}
    assert table.end(1) == {BA: SOUND}
    assert table.link(AB) == CUT
    assert table.end(2) == {AB: SOUND, AC: SOUND}


def test_ending_what_is_not_there_changes_nothing() -> None:
    assert FaultTable().end(7) == {}


def test_two_pauses_of_a_node_are_two_faults() -> None:
    table = FaultTable()
    table.begin(1, Pause("a"))
    table.begin(2, Pause("a"))
    table.end(1)
    assert table.paused("a")
    assert not table.paused("b")
    table.end(2)
    assert not table.paused("a")


def test_the_clock_furthest_from_true_time_wins() -> None:
    table = FaultTable()
    table.begin(1, ClockFault("a", rate_ppm=100))
    table.begin(2, ClockFault("a", rate_ppm=-300))
    assert table.rate_ppm("a") == -300
    table.end(2)
    assert (table.rate_ppm("a"), table.rate_ppm("b")) == (100, 0)


def test_a_process_that_ends_takes_its_own_faults_along_and_leaves_those_of_its_links() -> None:
    table = FaultTable()
    faults: list[Fault] = [
        on(CUT, AB), Pause("a"), ClockFault("a", 5), MessageFault("a", DROP), Hold("a", "Joined"), Pause("b"), Load(4)
    ]  # fmt: skip
    for number, fault in enumerate(faults):
        table.begin(number, fault)
    assert table.end_all_of("a") == [1, 2, 3, 4]
    assert list(table.active) == [0, 5, 6]
    assert table.link(AB) == CUT


def test_the_faults_of_a_link_and_of_a_node_are_found_by_it() -> None:
    table = FaultTable()
    table.begin(1, on(CUT, AB))
    table.begin(2, Pause("a"))
    table.begin(3, on(HOLE, AB, BA))
    table.begin(4, Load(4))
    assert table.numbers(link=AB) == [1, 3]
    assert table.numbers(link=BA) == [3]
    assert table.numbers(node="a") == [2]


STATES = st.builds(
    LinkState, cut=st.booleans(), blackhole=st.booleans(), latency=st.integers(0, 9), rate=st.none() | st.integers(1, 9)
)
FAULTS = st.builds(
    lambda state, links: on(state, *links), STATES, st.lists(st.sampled_from([AB, BA, AC]), unique=True, min_size=1)
)


@given(st.lists(FAULTS | st.integers(0, 9), max_size=20))
def test_at_any_moment_the_table_says_what_the_active_faults_add_up_to(story: list[LinkFault | int]) -> None:
    table, active = FaultTable(), dict[int, LinkFault]()
    for number, what in enumerate(story):
        if isinstance(what, LinkFault):
            table.begin(number, what)
            active[number] = what
        else:
            table.end(what)
            active.pop(what, None)
        for link in (AB, BA, AC):
            assert table.link(link) == worst(f.state for f in active.values() if link in f.links)
