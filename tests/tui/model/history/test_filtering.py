"""What a filter leaves, counted and gone through in slices that find the same as all at once would."""

from __future__ import annotations

from itertools import count

import pytest
from tests.notation.notation import Writer

from shaketable.tui.model.history import filtering
from shaketable.tui.model.history.filtering import Matches, Search, fits_in
from shaketable.tui.model.history.store import Store

FOR_EVER = float("inf")
CLOCK = count()
"""each look at it is a second later"""
LAST = "kind:SuspicionEnded"


def one_slice() -> float:
    return next(CLOCK) + 2.0


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setattr(filtering, "BATCH", 2)
    monkeypatch.setattr(filtering, "perf_counter", lambda: next(CLOCK))
    writer = Writer()
    writer.write("n1 installs v2 [n1 n2]")
    writer.write("n2 installs v2 by n1 [n1 n2]")
    for _ in range(5):
        writer.write("n1 suspects n2")
        writer.write("n1 trusts n2")
    return Store(writer.records)


def all_of(store: Store, filter_: str) -> list[int]:
    fits = fits_in(store, filter_)
    return [place for place in range(len(store)) if fits(place)]


def found(matches: Matches, cursor: int, forward: bool) -> int | None:
    search = Search(matches, cursor, forward)
    for _ in range(100):
        place = search.work(one_slice())
        if place is not None or search.over:
            return place
    raise AssertionError("it looks on for ever")


def test_matches_are_counted_slice_by_slice(store: Store) -> None:
    matches = Matches(store, LAST)
    assert matches.told() == "0 matches in the first 0 %"
    while not matches.complete:
        assert matches.work(one_slice())
    assert list(matches.places) == all_of(store, LAST)
    assert matches.told() == "5 matches"
    assert not matches.work(FOR_EVER)


@pytest.mark.parametrize("looked", [False, True], ids=["nothing known", "all known"])
def test_the_next_match_and_the_one_before_are_found_from_everywhere(store: Store, looked: bool) -> None:
    matches = Matches(store, LAST)
    if looked:
        matches.work(FOR_EVER)
    places = all_of(store, LAST)
    for cursor in range(len(store) + 1):
        after = next((place for place in places if place >= cursor), None)
        before = next((place for place in reversed(places) if place < cursor - 1), None)
        assert found(matches, cursor, forward=True) == after
        assert found(matches, cursor, forward=False) == before


def test_a_match_that_comes_later_is_counted_too(store: Store) -> None:
    matches = Matches(store, LAST)
    matches.work(FOR_EVER)
    store.extend([store[all_of(store, LAST)[0]]])
    assert not matches.complete
    matches.work(FOR_EVER)
    assert matches.told() == "6 matches"
