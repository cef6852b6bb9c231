"""A mark: something of the protocols that a run can reach; and those of them that single events tell of.

A campaign counts in how many runs each was reached. A mark that was never reached was never tested, whatever passed."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from functools import lru_cache
from operator import attrgetter
from typing import Final, NamedTuple

from shaketable.harness.history.history import History
from shaketable.node.events import Event

BOTH: Final = "both"
"""reached by clusters and by groups"""


class Mark(NamedTuple):
    family: str
    """ "cluster", "gms" or "both" """
    means: str
    """in words, for a user who reads that it was never reached"""


class Told(NamedTuple):
    """Each event of this kind reaches it, if the fields that are named here have these values."""

    name: str
    means: str
    kind: type[Event]
    where: Mapping[str, object] = {}


def told(name: str, means: str, kind: type[Event], **where: object) -> Told:
    return Told(name, means, kind, where)


def any_of(*values: str) -> frozenset[str]:
    """Of a field that may have one of several."""
    return frozenset(values)


class Reader:
    """Counts the marks of single events: of most kinds only how many there were, of some their fields."""

    def __init__(self, marks: Iterable[Told]) -> None:
        by_kind: dict[type[Event], list[Told]] = {}
        for mark in marks:
            by_kind.setdefault(mark.kind, []).append(mark)
        self._counted = [(kind, own[0].name) for kind, own in by_kind.items() if len(own) == 1 and not own[0].where]
        self._sorted = [
            (kind, _sorter(own)) for kind, own in by_kind.items() if len(own) > 1 or any(mark.where for mark in own)
        ]

    def read(self, history: History, reached: dict[str, int]) -> None:
        for kind, name in self._counted:
            if number := len(history.of(kind)):
                reached[name] = number
        for kind, names_of in self._sorted:
            for record in history.of(kind):
                for name in names_of(record.event):
                    reached[name] = reached.get(name, 0) + 1


def _sorter(marks: Sequence[Told]) -> Callable[[Event], tuple[str, ...]]:
    """Which of these an event reaches. Most events of a run say one of a few things, hence the memory."""
    fields = sorted({field for mark in marks for field in mark.where})
    wanted = [
        (mark.name, [(fields.index(field), _several(value)) for field, value in mark.where.items()]) for mark in marks
    ]

    @lru_cache(2000)
    def reached_by(*values: object) -> tuple[str, ...]:
        return tuple(name for name, each in wanted if all(values[place] in may_be for place, may_be in each))

    get = attrgetter(*fields)
    if len(fields) == 1:
        return lambda event: reached_by(get(event))
    return lambda event: reached_by(*get(event))


def _several(value: object) -> Container[object]:
    return value if isinstance(value, frozenset) else (value,)
