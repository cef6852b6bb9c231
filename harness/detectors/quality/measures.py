"""The four measures of Chen, Toueg and Aguilera ("On the quality of service of failure detectors", 2002). Pure.

- Detection time: from a crash until an observer suspects the crashed process and never trusts it again. 0, if it
  suspected it before.
- Mistake rate: mistakes in the time watched. The recurrence time goes from the begin of one to that of the next.
- Mistake duration: from the begin of a mistake to its end.
- Query accuracy: the share of the time in which the observer trusts a process that runs. So often a question that
  comes at any time is answered rightly."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from shaketable.harness.detectors.quality.beliefs import Beliefs
from shaketable.harness.detectors.quality.watches import Watch
from shaketable.node.core.env import SECOND, Micros
from shaketable.node.messages import Uuid

HOUR: Final[Micros] = 3600 * SECOND


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Of all pairs that were watched."""

    watched: Micros
    mistaken: Micros
    mistakes: int
    """that began meanwhile"""
    durations: Sequence[Micros]
    """of those that began and ended meanwhile"""
    recurrences: Sequence[Micros]
    """from one begin to the next, of the same pair in one watch"""

    @property
    def rate(self) -> float | None:
        """Mistakes in an hour, of one observer about one member. None: nothing was watched."""
        return self.mistakes * HOUR / self.watched if self.watched else None

    @property
    def query_accuracy(self) -> float | None:
        return 1 - self.mistaken / self.watched if self.watched else None


def accuracy(watches: Iterable[Watch]) -> Accuracy:
    """A mistake that was there before the watch, or outlasts it, counts as long as it was seen, but its duration is not
    known."""
    watched, mistaken, mistakes = 0, 0, 0
    durations, recurrences = list[Micros](), list[Micros]()
    for watch in watches:
        watched += watch.end - watch.begin
        begun = [mistake for mistake in watch.mistakes if mistake.begun]
        mistaken += sum(mistake.end - mistake.begin for mistake in watch.mistakes)
        mistakes += len(begun)
        durations += [mistake.end - mistake.begin for mistake in begun if mistake.ended]
        recurrences += [later.begin - sooner.begin for sooner, later in pairwise(begun)]
    return Accuracy(watched, mistaken, mistakes, durations, recurrences)


@dataclass(frozen=True, slots=True)
class Detection:
    """Of one crash, by all observers that trusted the process and outlived it for so long."""

    first: Micros | None
    last: Micros | None
    """None: somebody trusted it to the end"""
    unseen: int


def detection(known: Beliefs, crashed: Uuid, until: Micros) -> Detection | None:
    """`until`: so long after the crash it was looked at. None: nobody was there to tell it."""
    at = known.lives[crashed].end
    times, unseen = list[Micros](), 0
    for observer, life in known.lives.items():
        spans = known.trusts.get((observer, crashed))
        if not spans or life.end < until:
            continue
        last = spans[-1].end
        if last is None or last > until:
            unseen += 1
        else:
            times.append(max(0, last - at))
    if not times and not unseen:
        return None
    return Detection(min(times, default=None), None if unseen else max(times), unseen)
