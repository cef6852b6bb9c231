"""A long story in fewer moments: moments that matter stay, and the routine between them is counted.

A moment itself knows whether it matters (story.py). If even those are too many, decisions and outcomes come first, then
removals, claims and ends of nodes, then steps, then faults. No kind takes more than two thirds of the room that is
left, so each kind is shown. Of a row of equal moments the first and the last are shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, Protocol, TypeVar


class _Told(Protocol):
    @property
    def kind(self) -> str: ...

    @property
    def matters(self) -> bool: ...

    @property
    def left_out(self) -> int:
        """so many before it are left out already"""


_Moment = TypeVar("_Moment", bound=_Told)

_ORDER: Final = {"decision": 0, "outcome": 0, "trouble": 0, "step": 2, "fault": 3}
_OTHERS: Final = 1
_VIEW: Final = 4
_ROUTINE: Final = 5


def abridged(moments: Sequence[_Moment], most: int) -> list[_Moment | int]:
    """So many, and each that would be alone between two of them; a number stands for those that are left out there."""
    kept = set(range(len(moments))) if len(moments) <= most else _chosen(moments, most)
    return list(_with_gaps(moments, kept))


def _chosen(moments: Sequence[_Told], most: int) -> set[int]:
    levels: dict[int, list[int]] = {}
    for place, moment in enumerate(moments):
        levels.setdefault(_level(moment), []).append(place)
    kept: set[int] = set()
    below = len(moments)
    for _, places in sorted(levels.items()):
        below -= len(places)
        room = most - len(kept)
        kept.update(_ends_first(places, kept, len(moments))[: room - min(below, room // 3)])
    return kept


def _level(moment: _Told) -> int:
    if moment.matters:
        return _ORDER.get(moment.kind, _OTHERS)
    return _VIEW if moment.kind == "view" else _ROUTINE


def _ends_first(places: Sequence[int], kept: set[int], end: int) -> list[int]:
    """Of each row of these that nothing interrupts which is kept already: its first and its last, and so on inwards."""
    row_of: dict[int, list[int]] = {}
    rows = 0
    belongs = iter(places)
    following = next(belongs, end)
    for place in range(end):
        if place in kept:
            rows += 1
        elif place == following:
            row_of.setdefault(rows, []).append(place)
            following = next(belongs, end)
    depth = [(min(at, len(row) - 1 - at), place) for row in row_of.values() for at, place in enumerate(row)]
    return [place for _, place in sorted(depth)]


def _with_gaps(moments: Sequence[_Moment], kept: set[int]) -> Iterator[_Moment | int]:
    gap = 0
    for place, moment in enumerate(moments):
        gap += moment.left_out
        alone = place - 1 in kept and place + 1 in kept  # to say that one is left out would be as long
        if place not in kept and not alone:
            gap += 1
            continue
        if gap:
            yield gap
            gap = 0
        yield moment
    if gap:
        yield gap
