"""Many events of one kind in a row, of one node, are one row of a screen; so are those of migrations, of all nodes.

Failures are no part of that, nor is what the harness tells. The history grows, and a screen asks about nearly the same
places again and again: what was found is kept, and only what is new is looked at."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable, Iterator
from typing import Final, NamedTuple

from shaketable.harness.records import HARNESS
from shaketable.node import events as e
from shaketable.tui.model.history.kinds import CODE_OF
from shaketable.tui.model.history.memo import Slot
from shaketable.tui.model.history.routine import is_routine
from shaketable.tui.model.history.store import Store

FEWEST: Final = 6
"""that are one row"""
REACH: Final = 5_000
"""records before the cursor that are looked at, for those of note"""
AHEAD: Final = 500
"""and after it"""
MOST: Final = 4 * REACH
"""that are kept"""
MIGRATIONS: Final = "migrations"
ASKED: Final = CODE_OF[e.MigrationRequested]
_OF_MIGRATIONS: Final = frozenset(
    CODE_OF[kind]
    for kind in (
        *(e.MigrationRequested, e.MigrationBegan, e.ChunkSent, e.ChunkArrived, e.CommitSent, e.CompletedDropped),
        *(e.TableInstalled, e.TablePublished),
    )
)
_COPIED, _FINISHED, _CHANGED = CODE_OF[e.MigrationCopied], CODE_OF[e.MigrationFinished], CODE_OF[e.TableChanged]


class Fold(NamedTuple):
    """Events that are one row."""

    places: tuple[int, ...]
    of_migrations: bool

    @property
    def last(self) -> int:
        return self.places[-1]


Row = int | Fold
"""a place, or many"""


class _Run:
    """Events of note that follow each other and are alike."""

    __slots__ = ("key", "places")

    def __init__(self, key: Hashable, place: int) -> None:
        self.key = key
        self.places = [place]


class _Runs:
    def __init__(self) -> None:
        self.begin = self.end = 0
        self.runs: list[_Run] = []

    def cover(self, store: Store, cursor: int) -> None:
        begin, end = max(0, cursor - REACH), min(len(store), cursor + AHEAD)
        if not (self.begin <= max(0, cursor - REACH // 2) and begin <= self.end):
            self.begin, self.end, self.runs = begin, begin, []
        for place in range(self.end, end):
            if not is_routine(store, place):
                key = _key(store, place)
                if self.runs and self.runs[-1].key == key:
                    self.runs[-1].places.append(place)
                else:
                    self.runs.append(_Run(key, place))
        self.end = max(self.end, end)
        if self.end - self.begin > MOST and cursor > self.end - REACH:
            self.begin = self.end - REACH
            self.runs = [run for run in self.runs if run.places[-1] >= self.begin]


_RUNS: Final = Slot(_Runs)


def _key(store: Store, place: int) -> Hashable:
    kind, node = store.kind(place), store.node(place)
    if node == HARNESS:
        return place
    return MIGRATIONS if _of_migrations(store, place, kind) else (kind, node)


def _of_migrations(store: Store, place: int, kind: int) -> bool:
    if kind in _OF_MIGRATIONS:
        return True
    if kind not in (_COPIED, _FINISHED, _CHANGED):
        return False
    match store[place].event:
        case e.MigrationCopied(copied=well) | e.MigrationFinished(successful=well):
            return well
        case e.TableChanged(change=change):
            return change == "committed"
    return False


def before(store: Store, cursor: int, opened: int | None) -> Iterator[Row]:
    """The rows up to the cursor, the last one first. `opened`: of one of its events all are shown."""
    known = store.memo[_RUNS]
    known.cover(store, cursor)
    at = bisect_left(known.runs, cursor, key=lambda run: run.places[0])
    for number in range(at - 1, -1, -1):
        run = known.runs[number]
        places = run.places[: bisect_left(run.places, cursor)] if number == at - 1 else run.places
        yield from reversed(_rows(run, places, cursor, opened))


def after(store: Store, cursor: int, opened: int | None) -> Iterator[Row]:
    """And those that come next."""
    known = store.memo[_RUNS]
    known.cover(store, cursor)
    at = bisect_left(known.runs, cursor, key=lambda run: run.places[-1])
    for run in known.runs[at:]:
        yield from _rows(run, run.places[bisect_left(run.places, cursor) :], cursor, opened)


def _rows(run: _Run, places: list[int], cursor: int, opened: int | None) -> list[Row]:
    first, last = run.places[0], run.places[-1]
    open_ = opened is not None and first <= opened <= last and first < cursor <= last + 1
    if open_ or len(places) < FEWEST:
        return list(places)
    return [Fold(tuple(places), run.key == MIGRATIONS)]
