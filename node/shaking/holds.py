"""Crash points: a node can be told to hold at a named event.

Pure and the same in both worlds: they show each reported event to `see`, and ask `due` when the step has ended. A hold
fires once. It takes effect at the end of the step: when all its reports are out, and none or the first k messages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from shaketable.node.events import Event
from shaketable.node.messages import Member

Where = tuple[tuple[str, str | int | bool | None], ...]
"""Fields of an event and the values that they must have; of a member its address."""


class Due(NamedTuple):
    """The step that has just ended must hold here."""

    number: int
    event: str
    after: int
    """hold when so many of the step's messages are handed over, or all of them, if they are fewer; 0: before them"""


@dataclass(slots=True)
class _Hold:
    event: str
    after: int | None
    left: int
    where: Where

    def means(self, event: Event) -> bool:
        return all(_plain(getattr(event, name)) == value for name, value in self.where)


class Holds:
    """The armed holds of one node, by the number of their fault."""

    __slots__ = ("_armed", "_due")

    def __init__(self) -> None:
        self._armed: dict[int, _Hold] = {}
        self._due: list[Due] = []

    def arm(self, number: int, event: str, after: int | None = None, nth: int = 1, where: Where = ()) -> None:
        """At the `nth` event of this name with these values from now on; `after` None: before the step's messages."""
        self._armed[number] = _Hold(event, after, nth, where)

    def disarm(self, number: int) -> None:
        self._armed.pop(number, None)

    def see(self, event: Event) -> None:
        if not self._armed:
            return
        name = type(event).__name__
        for number, hold in list(self._armed.items()):
            if hold.event != name or not hold.means(event):
                continue
            hold.left -= 1
            if hold.left <= 0:
                del self._armed[number]
                self._due.append(Due(number, name, hold.after or 0))

    def due(self) -> list[Due]:
        """The holds of the step that has just ended, in the order in which they hold it; asked once."""
        if not self._due:
            return []
        due, self._due = self._due, []
        return sorted(due, key=lambda d: d.after)


def _plain(value: object) -> object:
    return value.address if isinstance(value, Member) else value
