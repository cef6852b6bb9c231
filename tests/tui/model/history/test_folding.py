"""Many events that are alike and in a row are one row; found bit by bit as the history grows, or anew after a jump."""

from __future__ import annotations

import pytest
from tests.tui.panels.stories import session_of

from shaketable.harness.records import HARNESS
from shaketable.node import events as e
from shaketable.tui.model.history import folding
from shaketable.tui.model.history.folding import Fold, Row, after, before
from shaketable.tui.model.history.routine import is_routine
from shaketable.tui.model.history.store import Store
from shaketable.tui.model.session import Session


@pytest.fixture
def session() -> Session:
    return session_of("tests/tui/panels/links_and_data.py", "many-partitions", 1)


def places(rows: list[Row]) -> list[int]:
    return [place for row in rows for place in (row.places if isinstance(row, Fold) else (row,))]


def test_no_event_is_lost_and_none_is_there_twice(session: Session) -> None:
    store = session.store
    note = [place for place in range(len(store)) if not is_routine(store, place)]
    for cursor in (0, 1, 700, 1500, 1501, len(store)):
        earlier = [*before(store, cursor, None)][::-1]
        assert places(earlier) == [place for place in note if place < cursor]
        assert places([*after(store, cursor, None)])[:50] == [place for place in note if place >= cursor][:50]


def test_a_thousand_events_of_migrations_are_a_few_rows_and_no_failure_is_hidden(session: Session) -> None:
    store = session.store
    rows = [*before(store, len(store), None)]
    assert len(rows) < len(places(rows)) / 5
    for row in rows:
        if isinstance(row, Fold):
            assert len(row.places) >= folding.FEWEST
            events = [store[place].event for place in row.places]
            assert HARNESS not in {store.node(place) for place in row.places}
            assert row.of_migrations or len({type(event) for event in events}) == 1
            assert all(event.successful for event in events if isinstance(event, e.MigrationFinished))


def test_a_history_that_grows_has_the_rows_of_one_that_is_there(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folding, "REACH", 400)
    monkeypatch.setattr(folding, "MOST", 900)
    whole, grown = session.store, Store()
    for start in range(0, len(whole), 37):
        grown.extend(whole.between(start, start + 37))
        rows = [*before(grown, len(grown), None)]
        shown = places(rows[::-1])
        assert shown == [place for place in range(shown[0], len(grown)) if not is_routine(grown, place)]
        assert len(shown) < 1400
    last = len(whole)
    assert places([*before(grown, 100, None)]) == places([*before(whole, 100, None)])  # after a jump back
    assert places([*before(grown, last, None)])[:50] == places([*before(whole, last, None)])[:50]


def test_they_are_open_while_the_cursor_is_among_them(session: Session) -> None:
    store = session.store
    fold = next(row for row in before(store, len(store), None) if isinstance(row, Fold))
    first, last = fold.places[0], fold.last
    inside = [*before(store, last + 1, last)][: len(fold.places)]
    assert inside == [*reversed(fold.places)]
    assert fold in [*before(store, len(store), last)]
    assert fold not in [*before(store, first + 1, first)]
