"""Which event a step goes back to: the events of one process by number, and from the cause of each event the event that
its message or timer came after.

A node may restart, and a merge gives it another identity. Numbers count all of one process, so an event is found by the
process, not by the identity."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Container, Iterator, Mapping
from typing import Final, NamedTuple

from shaketable.harness.history.history import History
from shaketable.harness.records import NodeSpawned, Record
from shaketable.node.events import Event
from shaketable.node.events.base import TIMER
from shaketable.node.messages import Uuid

Life = tuple[str, int]
"""A process: its node, and the how manieth of that node it is."""


class Sent(NamedTuple):
    """Where the message or timer came from that began a step."""

    life: Life
    after: int
    """the number of the last event that had been told there by then; 0: none"""
    told: bool
    """in the very step that sent it"""


class Steps:
    def __init__(self, history: History) -> None:
        self._spawned: dict[str, list[int]] = {}
        for spawned in history.of(NodeSpawned):
            self._spawned.setdefault(spawned.event.peer, []).append(spawned.time)
        self._told: dict[Life, dict[int, Record]] = {}
        self._lives: dict[Uuid, Life] = {}
        for record in history.records:
            if record.node:
                life = self.life_of(record)
                self._told.setdefault(life, {})[record.sequence] = record
                self._lives.setdefault(record.incarnation, life)

    def life_of(self, record: Record) -> Life:
        return record.node, bisect_right(self._spawned.get(record.node, ()), record.time)

    @property
    def lives(self) -> Mapping[Life, Mapping[int, Record]]:
        """The events of each process, by number."""
        return self._told

    def sent(self, record: Record) -> Sent | None:
        """None: no message and no timer began this step, or nothing is known of the sender."""
        cause = record.cause
        if cause is None:
            return None
        life = self.life_of(record) if cause.kind == TIMER else self._lives.get(cause.sender)
        return None if life is None else Sent(life, cause.after, cause.told)

    def earlier_in_step(self, record: Record) -> Iterator[Record]:
        """What the same step told before this, the last first."""
        told = self._told[self.life_of(record)]
        number = record.sequence - 1
        while (before := told.get(number)) is not None and same_step(before, record):
            yield before
            number -= 1

    def sending_step(self, sent: Sent) -> Iterator[Record]:
        """What the step that sent it had told by then, the last first; nothing, if it had told nothing."""
        last = self._told.get(sent.life, {}).get(sent.after) if sent.told else None
        if last is not None:
            yield last
            yield from self.earlier_in_step(last)

    def back(self, life: Life, number: int) -> Iterator[Record]:
        """What a process had told by then, the last first."""
        told = self._told.get(life, _NOTHING)
        for each in range(number, 0, -1):
            if each in told:
                yield told[each]

    def before(self, record: Record) -> Iterator[Record]:
        return self.back(self.life_of(record), record.sequence - 1)

    def last(self, life: Life, number: int, kinds: Container[type[Event]]) -> Record | None:
        return next((each for each in self.back(life, number) if type(each.event) in kinds), None)


def same_step(one: Record, other: Record) -> bool:
    """Of two events of one process that stand next to each other."""
    return one.time == other.time and one.cause == other.cause


_NOTHING: Final[Mapping[int, Record]] = {}
