"""The vector clock of each event: how many events of each process had happened before it.

It knows of those that its own process told, and of those that the sender of a message had told when it sent it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from shaketable.harness.causes.steps import Life, Steps
from shaketable.harness.history.history import History
from shaketable.harness.records import Record

Clock = Mapping[Life, int]


class Clocked(NamedTuple):
    record: Record
    life: Life
    clock: Clock


class _Line:
    """The events of one process, and how far they have been told."""

    def __init__(self, life: Life, told: Mapping[int, Record]) -> None:
        self.life = life
        self.numbers = sorted(told)
        self.place = 0
        """of the next one"""
        self.clocks: dict[int, Clock] = {0: {}}
        self.last: Clock = self.clocks[0]

    def next_up_to(self, number: int) -> int | None:
        """The number of the next one, if it is not larger than this."""
        if self.place < len(self.numbers) and self.numbers[self.place] <= number:
            return self.numbers[self.place]
        return None

    def clock_at(self, number: int) -> Clock:
        """After that many events. A recording may have lost some."""
        while number not in self.clocks:
            number -= 1
        return self.clocks[number]


def clocks(history: History, steps: Steps) -> Iterator[Clocked]:
    """Each event of a node, and none before what happened before it.

    The times of two nodes may be a little off each other. Then an event stands in the history before the one that it
    follows from, and that one is told first here."""
    lines = {life: _Line(life, told) for life, told in steps.lives.items()}
    for each in history.records:
        if not each.node:
            continue
        wanted = [(lines[steps.life_of(each)], each.sequence)]
        while wanted:
            line, up_to = wanted[-1]
            number = line.next_up_to(up_to)
            if number is None:
                wanted.pop()
                continue
            record = steps.lives[line.life][number]
            sent = steps.sent(record)
            other = lines.get(sent.life) if sent is not None and sent.life != line.life else None
            clock = dict(line.last)
            if sent is not None and other is not None:
                if other.next_up_to(sent.after) is not None and all(waits is not other for waits, _ in wanted):
                    wanted.append((other, sent.after))
                    continue
                for life, count in other.clock_at(sent.after).items():
                    clock[life] = max(count, clock.get(life, 0))
            clock[line.life] = number
            line.clocks[number] = line.last = clock
            line.place += 1
            yield Clocked(record, line.life, clock)
