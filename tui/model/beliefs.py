"""The picture at any place of a history: forward it grows record by record, backward it starts from a checkpoint."""

from __future__ import annotations

from bisect import bisect_right
from typing import Final

from shaketable.tui.model.picture import Picture
from shaketable.tui.model.store import Store

EVERY: Final = 5_000
"""records between two checkpoints"""


class Beliefs:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._now = Picture()
        self._checkpoints: list[Picture] = [Picture()]
        self._places: list[int] = [0]

    def at(self, place: int) -> Picture:
        """What was known when so many records had happened. Do not keep it: the next call may change it."""
        if place < self._now.count:
            nearest = bisect_right(self._places, place) - 1
            self._now = self._checkpoints[nearest].copy()
        picture, store = self._now, self._store
        while picture.count < place:
            picture.apply(store[picture.count])
            if picture.count - self._places[-1] >= EVERY:
                self._checkpoints.append(picture.copy())
                self._places.append(picture.count)
        return picture
