"""What was made for one frame and is good for the next, too: one memo for each session, which is forgotten with it.

So that a panel is a pure function of its session and its size, and still draws what has not changed at no cost."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, Final, Generic, TypeVar

T = TypeVar("T")
MOST: Final = 2_000
"""that are remembered of one kind"""


class Slot(Generic[T]):
    """Names one thing in every memo; in each it begins as what this makes."""

    def __init__(self, make: Callable[[], T]) -> None:
        self.make: Final = make


class Memo:
    def __init__(self) -> None:
        self._kept: dict[Slot[Any], Any] = {}

    def __getitem__(self, slot: Slot[T]) -> T:
        kept: T | None = self._kept.get(slot)
        if kept is None:
            kept = self._kept[slot] = slot.make()
        return kept


class Itself:
    """Equal to what holds the very same object, however that has changed."""

    def __init__(self, of: object) -> None:
        self._of = of

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Itself) and self._of is other._of

    __hash__ = None  # type: ignore[assignment]


class Remembered(Generic[T]):
    """By key, with what it was made of: compared by `==`, where the same object is equal at once."""

    def __init__(self) -> None:
        self._of: dict[Hashable, tuple[object, T]] = {}

    def get(self, key: Hashable, made_of: object, make: Callable[[], T]) -> T:
        found = self._of.get(key)
        if found is not None and found[0] == made_of:
            return found[1]
        if len(self._of) > MOST:
            self._of.clear()
        made = make()
        self._of[key] = made_of, made
        return made


class MadeOf(Generic[T]):
    """By key, of one object alone: when another one takes its place all is forgotten."""

    def __init__(self) -> None:
        self._object: object = None
        self._made: dict[Hashable, T] = {}

    def get(self, of: object, key: Hashable, make: Callable[[], T]) -> T:
        if self._object is not of:
            self._object, self._made = of, {}
        if key not in self._made:
            self._made[key] = make()
        return self._made[key]
