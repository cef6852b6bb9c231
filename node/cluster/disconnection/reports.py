"""What the master has been told of its followers' suspicions, and when there was last news of it.

From text 2.4. A report is a follower's whole present set. A pair is broken if either side says so. If the other side
says so too, that is no news, because it was to be expected. If one side takes it back, that is news, because the other
side may follow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from shaketable.node.core.env import Micros
from shaketable.node.messages import Uuid

Pair = tuple[Uuid, Uuid]
"""without direction: the smaller uuid first"""

STABLE: Final = 3
"""so many times the wait is what a pair has to be broken to be decided, whatever else is news"""


class Reports:
    def __init__(self) -> None:
        self._suspected: dict[Uuid, dict[Uuid, bool]] = {}
        self.broken: dict[Pair, Micros] = {}
        """each broken pair, and since when it has been so without a break; the longest first"""
        self._news: Micros = 0
        self._heard: dict[Uuid, tuple[Micros, Micros]] = {}
        """when each reporter said so the last two times; the first time is both"""

    def update(self, reporter: Uuid, suspected: Iterable[Uuid], now: Micros) -> bool:
        """Whether it is another set than before."""
        before = self._suspected.get(reporter, {})
        after = dict.fromkeys(suspected, True)
        if after:
            self._heard[reporter] = (self._heard[reporter][1] if reporter in self._heard else now), now
        if after.keys() == before.keys():
            return False
        if after:
            self._suspected[reporter] = after
        else:
            del self._suspected[reporter], self._heard[reporter]
        for other in after:
            pair = _pair(reporter, other)
            if other not in before and pair not in self.broken:
                self.broken[pair] = self._news = now
        for other in before:
            if other not in after:
                self._news = now
                self._mend(reporter, other)
        return True

    def forget(self, member: Uuid) -> None:
        """It is no member any more: nothing that it said or that was said of it counts."""
        self._heard.pop(member, None)
        for other in self._suspected.pop(member, ()):
            self._mend(member, other)
        for reporter in [r for r, suspected in self._suspected.items() if member in suspected]:
            del self._suspected[reporter][member]
            self._mend(reporter, member)
            if not self._suspected[reporter]:
                del self._suspected[reporter], self._heard[reporter]

    def due(self, now: Micros, wait: Micros) -> bool:
        """Nothing was news for so long; or somebody flutters, and a stable break has waited long enough for that."""
        if not self.broken:
            return False
        longest = next(iter(self.broken.values()))
        return now - self._news >= wait or now - longest >= STABLE * wait

    def believable(self, patience: Micros) -> bool:
        """No reporter has come back from a longer silence just now: who slept first says what it knew before it slept,
        so it has to be heard twice."""
        return all(last - before <= patience for before, last in self._heard.values())

    def settled(self, now: Micros, wait: Micros) -> list[Pair]:
        """The pairs to decide about: broken for the whole wait, as all are if nothing was news for so long."""
        return [pair for pair, since in self.broken.items() if now - since >= wait]

    def wait_afresh(self, now: Micros) -> None:
        self._news = now
        for pair in self.broken:
            self.broken[pair] = now

    def suspected(self) -> Mapping[Uuid, Iterable[Uuid]]:
        """The members that each reporter suspects."""
        return self._suspected

    def _mend(self, reporter: Uuid, other: Uuid) -> None:
        """The one says no longer that it cannot hear the other."""
        if reporter not in self._suspected.get(other, ()):
            self.broken.pop(_pair(reporter, other), None)


def _pair(one: Uuid, other: Uuid) -> Pair:
    return (one, other) if one < other else (other, one)
