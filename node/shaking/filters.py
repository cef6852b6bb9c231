"""Faults by kind of message: what a node sends is dropped, held back or delayed before it leaves.

Pure and the same in both worlds, which do with each message what `route` says. Filters may overlap, and each that
matches counts the message. A drop wins over a hold, a hold over a delay, and the longest delay over the others."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, NamedTuple

from shaketable.node.core.env import Micros
from shaketable.node.events import FilterMatched
from shaketable.node.events.base import Mark
from shaketable.node.messages import Address, Message, kind_of


class FilterAct(StrEnum):
    """What a filter does to a message."""

    DROP = "drop"
    HOLD_BACK = "hold back"
    DELAY = "delay"


class Route(NamedTuple):
    """What to do with one message: hand it over, now or `delay` later, or do nothing more with it."""

    hand_over: bool
    delay: Micros = 0
    first: tuple[FilterMatched, ...] = ()
    """the filters for which this was the first message; the node reports them"""


_AT_ONCE: Final = Route(hand_over=True)


@dataclass(slots=True)
class _Filter:
    does: FilterAct
    kinds: frozenset[str]
    to: frozenset[Address]
    left: int | None
    delay: Micros
    seen: bool = False

    def matches(self, to: Address, kind: str) -> bool:
        return self.left != 0 and (not self.kinds or kind in self.kinds) and (not self.to or to in self.to)


@dataclass(slots=True)
class _HeldBack:
    to: Address
    message: Message
    mark: Mark
    by: list[int] = field(default_factory=list)


class MessageFilters:
    """The armed filters of one node, by the number of their fault."""

    __slots__ = ("_armed", "_held")

    def __init__(self) -> None:
        self._armed: dict[int, _Filter] = {}
        self._held: list[_HeldBack] = []

    def arm(
        self,
        number: int,
        does: FilterAct,
        kinds: Iterable[str] = (),
        to_addresses: Iterable[Address] = (),
        count: int | None = None,
        delay: Micros = 0,
    ) -> None:
        """No kinds: every kind; no addresses: every receiver; no count: every message from now on."""
        self._armed[number] = _Filter(does, frozenset(kinds), frozenset(to_addresses), count, delay)

    @property
    def armed(self) -> bool:
        return bool(self._armed)

    def disarm(self, number: int) -> list[tuple[Address, Message, Mark]]:
        """What this filter held back, oldest first, less what another one holds as well: to be handed over now."""
        self._armed.pop(number, None)
        free, held = [], []
        for entry in self._held:
            if number in entry.by:
                entry.by.remove(number)
            if entry.by:
                held.append(entry)
            else:
                free.append((entry.to, entry.message, entry.mark))
        self._held = held
        return free

    def route(self, to: Address, message: Message, mark: Mark = 0) -> Route:
        if not self._armed:
            return _AT_ONCE
        kind = kind_of(message)
        matching = [(number, f) for number, f in self._armed.items() if f.matches(to, kind)]
        if not matching:
            return _AT_ONCE
        first = tuple(FilterMatched(number, kind, to) for number, f in matching if not f.seen)
        for _, f in matching:
            f.seen = True
            if f.left is not None:
                f.left -= 1
        does = [f.does for _, f in matching]
        if FilterAct.DROP in does:
            return Route(False, first=first)
        if FilterAct.HOLD_BACK in does:
            by = [number for number, f in matching if f.does is FilterAct.HOLD_BACK]
            self._held.append(_HeldBack(to, message, mark, by))
            return Route(False, first=first)
        return Route(True, max(f.delay for _, f in matching), first)
