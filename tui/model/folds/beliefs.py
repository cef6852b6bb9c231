"""The picture at any place of a history: forward it grows record by record, backward it starts from a checkpoint.

One picture, the front, goes through the history once and leaves a checkpoint wherever much work would have to be done
again; another stands where the screen stands. On the way back stepping stones are left before the place that was
asked for, so that the next steps back are short."""

from __future__ import annotations

from bisect import bisect_right, insort
from operator import attrgetter
from time import perf_counter
from typing import Final

from shaketable.tui.model.folds.operations import fold
from shaketable.tui.model.folds.picture import Picture
from shaketable.tui.model.history.store import Store

BETWEEN: Final = 0.04
"""seconds of work between two checkpoints"""
COPIES: Final = 10
"""and as much as so many copies take"""
REACH: Final = 0.15
"""seconds that a place may be away from what is known, for the screen to go there at once"""
BATCH: Final = 2000
"""records between two looks at the clock"""
STONES: Final = (64, 512, 4096)
"""records before a place"""
MOST_STONES: Final = 12

_count: Final = attrgetter("count")


class Beliefs:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._front = Picture()
        """of all pictures the one that is furthest on"""
        self._now: Picture | None = None
        """where the screen stands, if that is not the front"""
        self._checkpoints: list[Picture] = [Picture()]
        self._stones: list[Picture] = []
        self._work = 0.0
        """since the last checkpoint"""
        self._copying = 0.0
        """what a copy takes"""
        self._each = 3e-6
        """seconds a record, as measured lately"""

    @property
    def known(self) -> int:
        """How many records the front has seen."""
        return self._front.count

    def at(self, place: int) -> Picture:
        """What was known when so many records had happened. Do not keep it: the next call may change it."""
        place = min(place, len(self._store))
        if place >= self._front.count:
            self._forward(place)
            self._now = None
            return self._front
        if self._now is None or self._now.count > place or self._nearest(place).count > self._now.count:
            self._now = self._back(place)
        elif self._now.count < place:
            self._fold(self._now, place)
        return self._now

    def near(self, place: int) -> bool:
        """Whether a screen may go there without keeping its user waiting."""
        if place > self._front.count:
            return (place - self._front.count) * self._each <= REACH
        return True

    def work(self, until: float) -> bool:
        """The front goes on until this time of `perf_counter`, by one batch at the least; whether it has any way
        to go."""
        store, front = self._store, self._front
        while front.count < len(store):
            self._forward(min(front.count + BATCH, len(store)))
            if perf_counter() >= until:
                break
        return front.count < len(store)

    def _forward(self, place: int) -> None:
        front = self._front
        while front.count < place:
            stop = min(front.count + BATCH, place)
            records = stop - front.count
            took = self._fold(front, stop)
            self._work += took
            self._each += (took / records - self._each) * min(1.0, records / 10_000)
            if self._work >= max(BETWEEN, COPIES * self._copying):
                began = perf_counter()
                self._checkpoints.append(front.copy())
                self._copying, self._work = perf_counter() - began, 0.0

    def _fold(self, picture: Picture, place: int) -> float:
        began = perf_counter()
        fold(picture, self._store, place)
        return perf_counter() - began

    def _nearest(self, place: int) -> Picture:
        best = _last_before(self._checkpoints, place)
        stone = _last_before(self._stones, place)
        assert best is not None, "the first checkpoint is the beginning"
        return stone if stone is not None and stone.count > best.count else best

    def _back(self, place: int) -> Picture:
        picture = self._nearest(place).copy()
        for stone in sorted(place - distance for distance in STONES):
            if stone > picture.count:
                self._fold(picture, stone)
                insort(self._stones, picture.copy(), key=_count)
                if len(self._stones) > MOST_STONES:
                    away = [abs(each.count - place) for each in self._stones]
                    del self._stones[away.index(max(away))]
        self._fold(picture, place)
        return picture


def _last_before(pictures: list[Picture], place: int) -> Picture | None:
    nearest = bisect_right(pictures, place, key=_count) - 1
    return pictures[nearest] if nearest >= 0 else None
