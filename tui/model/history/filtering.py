"""Which events a filter (see `filter`) leaves.

A history may be long: how many they are, and where the next one is, is found out in slices."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable
from time import perf_counter
from typing import Final

from shaketable.tui.model.history.filter import read_filter
from shaketable.tui.model.history.kinds import KINDS
from shaketable.tui.model.history.memo import Slot
from shaketable.tui.model.history.store import Store

Fits = Callable[[int], bool]
BATCH: Final = 50
"""places between two looks at the clock"""
MOST_KNOWN: Final = 200_000


class _Last:
    """The last filter, and which places it leaves: the next frame asks about nearly the same ones."""

    def __init__(self, text: str = "") -> None:
        self.text = text
        self.filter = read_filter(text)
        takes = self.filter.takes_kind
        self.kinds = bytes(code >= len(KINDS) or takes(KINDS[code]) for code in range(256))
        """of each kind, by its code, whether it is taken; those that are not known here are"""
        self.known: dict[int, bool] = {}


_LAST: Final = Slot(list[_Last])


def fits_in(store: Store, filter_: str) -> Fits:
    kept, names = store.memo[_LAST], store.names
    if not kept or kept[0].text != filter_ or len(kept[0].known) > MOST_KNOWN:
        kept[:] = [_Last(filter_)]
    wanted, kinds, known = kept[0].filter, kept[0].kinds, kept[0].known

    def fits(place: int) -> bool:
        found = known.get(place)
        if found is None:
            # Kind and node are known without decoding the event.
            found = bool(kinds[store.kind(place)]) and wanted.takes_node(store.node(place))
            if found and wanted.reads:
                found = wanted.takes_words(store[place], names)
            known[place] = found
        return found

    return fits


class Matches:
    """All events that a filter leaves, as far as it has been looked for them."""

    def __init__(self, store: Store, filter_: str) -> None:
        self.filter = filter_
        self.store = store
        self.places: array[int] = array("q")
        self.looked = 0
        """at so many events, from the first on"""

    @property
    def complete(self) -> bool:
        return self.looked >= len(self.store)

    def work(self, until: float) -> bool:
        """Until this time of `perf_counter`; whether it looked at any."""
        began = self.looked
        while not self.complete and perf_counter() < until:
            fits = fits_in(self.store, self.filter)
            for place in range(self.looked, min(self.looked + BATCH, len(self.store))):
                if fits(place):
                    self.places.append(place)
                self.looked = place + 1
        return self.looked > began

    def told(self) -> str:
        """For a user who types."""
        counted = f"{len(self.places)} match{'es' if len(self.places) != 1 else ''}"
        if self.complete:
            return counted
        return f"{counted} in the first {100 * self.looked // max(1, len(self.store))} %"


class Search:
    """For the next event that a filter leaves, or the one before: from a place on, itself left out."""

    def __init__(self, matches: Matches, place: int, forward: bool) -> None:
        """`place` is a cursor's: the event at which it stands lies just before it."""
        self._matches = matches
        self._next = place if forward else place - 2
        self._step = 1 if forward else -1
        self.over = False

    def work(self, until: float) -> int | None:
        """The place of the event, once it is found; `over` tells that there is none."""
        store = self._matches.store
        fits = fits_in(store, self._matches.filter)
        while perf_counter() < until:
            for _ in range(BATCH):
                if not 0 <= self._next < len(store):
                    self.over = True
                    return None
                if (known := self._known()) is not None:
                    self.over = known < 0
                    return known if known >= 0 else None
                if fits(self._next):
                    return self._next
                self._next += self._step
        return None

    def _known(self) -> int | None:
        """Where all has been looked at that way already; -1: there is none."""
        places = self._matches.places
        if self._step < 0 and self._next < self._matches.looked:
            at = bisect_left(places, self._next + 1) - 1
            return places[at] if at >= 0 else -1
        if self._step > 0 and self._next < self._matches.looked:
            at = bisect_left(places, self._next)
            if at < len(places):
                return places[at]
            if self._matches.complete:
                return -1
            self._next = self._matches.looked
        return None
