"""What was made for one frame and is good for the next, too, as long as what it was made of is the same."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Final, Generic, TypeVar
from weakref import WeakKeyDictionary

from shaketable.tui.model.store import Store

T = TypeVar("T")
MOST: Final = 2_000
"""that are remembered of one history"""


class Itself:
    """Equal to what holds the very same object, however that has changed."""

    def __init__(self, of: object) -> None:
        self._of = of

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Itself) and self._of is other._of

    __hash__ = None  # type: ignore[assignment]


class Remembered(Generic[T]):
    """By history and by key, with what it was made of: compared by `==`, where the same object is equal at once."""

    def __init__(self) -> None:
        self._of: WeakKeyDictionary[Store, dict[Hashable, tuple[object, T]]] = WeakKeyDictionary()

    def get(self, store: Store, key: Hashable, made_of: object, make: Callable[[], T]) -> T:
        known = self._of.get(store)
        if known is None or len(known) > MOST:
            known = self._of[store] = {}
        found = known.get(key)
        if found is not None and found[0] == made_of:
            return found[1]
        made = make()
        known[key] = made_of, made
        return made
