"""The search: on each ladder it goes up, from the quickest candidate to the first one that keeps what was asked. Pure.

Bad candidates are dropped after one run, mostly. A candidate that nothing speaks against is watched in more and more
runs, until it is sure enough, or until it cannot become so in the time that there is. All ladders are climbed at once,
in waves: what a wave plays hangs on the results of those before, and not on how many processes play it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import Final

from shaketable.harness.detectors.choosing.bound import at_least, at_most, hours_needed, wants_silences
from shaketable.harness.detectors.choosing.candidates import Candidate, Ladder
from shaketable.harness.detectors.choosing.playing import Crashes, Done, Task
from shaketable.harness.detectors.choosing.question import HOUR, Question
from shaketable.harness.detectors.choosing.vigil import Seen
from shaketable.node.core.env import Micros

KEEPS, BREAKS, UNSURE, NOT_WHOLE, TOO_SLOW = "keeps", "breaks", "unsure", "not whole", "too slow"
OUTCOMES: Final = (KEEPS, BREAKS, UNSURE, NOT_WHOLE, TOO_SLOW)
AT_ONCE: Final = 320
"""portions of one candidate in a wave, at most"""
OF_A_RUN: Final = 5
"""portions: more than one only where one has not been enough to drop a candidate"""
WITH_CRASHES: Final = 6
"""runs: of a candidate that keeps what was asked"""
FOR_THE_PICTURE: Final = 2
"""runs: of the last one on its ladder that does not"""


@dataclass(slots=True)
class Tried:
    candidate: Candidate
    seen: Seen = field(default_factory=Seen)
    outcome: str = ""
    """one of `OUTCOMES`; "": nobody knows yet"""
    most: float = 0.0
    """false removals in the time that was asked about, at most"""
    hours_more: float = 0.0
    """of one that is unsure: so many more would show that it keeps what was asked; inf: no time would"""
    crashes: list[Crashes] = field(default_factory=list)

    @property
    def told(self) -> list[Micros]:
        return [time for each in self.crashes for time in each.told]

    def average(self, name: str) -> float:
        return float(sum(getattr(each, name) for each in self.crashes) / len(self.crashes))


class Climb:
    """Of one ladder."""

    def __init__(self, ladder: Ladder, question: Question, preset: str) -> None:
        self.ladder = ladder
        self.tried: list[Tried] = []
        self._question = question
        self._preset = preset
        self._left = iter(ladder.steps)
        self._now: Tried | None = None
        self._hopeless: dict[int, bool] = {}
        """so many lost heartbeats are borne that nothing can be shown in time, although nothing went wrong"""
        self._measured: list[Tried] = []
        """those that are next to be played with crashes"""
        self._step()

    @property
    def kept(self) -> Tried | None:
        return next((each for each in self.tried if each.outcome == KEEPS), None)

    @property
    def missed(self) -> Tried | None:
        """The last one below it, or of all, that does not keep what was asked."""
        return next((each for each in reversed(self.tried) if each.outcome in (BREAKS, UNSURE)), None)

    @property
    def is_over(self) -> bool:
        return self._now is None and not self._measured

    def wave(self) -> list[Task]:
        if self._now is not None:
            sizes = self._next_runs(self._now)
            return [self._task(self._now, place, crashes=False, portions=size) for place, size in enumerate(sizes)]
        return [
            self._task(each, place, crashes=True) for each in self._measured for place in range(self._crash_runs(each))
        ]

    def take(self, done: Sequence[Done]) -> None:
        """The results of the last wave."""
        if self._now is not None:
            self._judge(self._now, done)
            return
        left, measured = iter(done), self._measured
        self._measured = []
        for each in measured:
            results = [next(left).crashes for _ in range(self._crash_runs(each))]
            each.crashes = [result for result in results if result is not None]
            if len(each.crashes) < len(results) and each.outcome == KEEPS:
                each.outcome = NOT_WHOLE
                self._step()

    def _judge(self, tried: Tried, done: Sequence[Done]) -> None:
        question, candidate, seen = self._question, tried.candidate, tried.seen
        whole = True
        for each in done:
            whole = whole and each.seen is not None
            if each.seen is not None:
                seen.add(each.seen)
        if not whole:
            tried.outcome = NOT_WHOLE
        elif at_least(question, seen) > question.at_most.many:
            tried.outcome = BREAKS
        else:
            tried.most = at_most(candidate.policy, candidate.variant, question, seen)
            needed = self._hours_needed(tried)
            if tried.most <= question.at_most.many:
                tried.outcome = KEEPS
            elif needed > question.hours:
                tried.outcome, tried.hours_more = UNSURE, needed - seen.took / HOUR
                if not seen.removals + seen.removals_of_silenced:
                    self._hopeless[candidate.bears] = True
        if tried.outcome == KEEPS:
            self._measure()
        elif tried.outcome:
            self._step()

    def _step(self) -> None:
        within, self._now = self._question.within, None
        for candidate in self._left:
            if candidate.bears in self._hopeless:
                continue  # whatever its other settings are, no less could go wrong
            tried = Tried(candidate)
            self.tried.append(tried)
            if within is None or candidate.promised.least <= within:
                self._now = tried
                return
            tried.outcome = TOO_SLOW
        self._measure()

    def _measure(self) -> None:
        self._now = None
        self._measured = [each for each in (self.kept, self.missed) if each is not None and not each.crashes]

    def _crash_runs(self, tried: Tried) -> int:
        return WITH_CRASHES if tried.outcome == KEEPS else FOR_THE_PICTURE

    def _next_runs(self, tried: Tried) -> list[int]:
        """The portions of each. Twice as many as before, and no more than it needs if no more goes wrong."""
        before = tried.seen.portions
        if not before:
            return [1]
        missing = self._hours_needed(tried) - tried.seen.took / HOUR
        next_ones = max(1, min(AT_ONCE, 2 * before, ceil(missing * HOUR * before / tried.seen.took)))
        whole, rest = divmod(next_ones, OF_A_RUN)
        return [OF_A_RUN] * whole + [rest] * (rest > 0)

    def _hours_needed(self, tried: Tried) -> float:
        return hours_needed(tried.candidate.policy, tried.candidate.variant, self._question, tried.seen)

    def _task(self, tried: Tried, place: int, *, crashes: bool, portions: int = 1) -> Task:
        question, candidate, seen = self._question, tried.candidate, tried.seen
        first = question.first_seed + (0 if crashes else seen.runs)
        return Task(
            candidate.policy, self._preset, candidate.settings, question.members, question.faults.name,
            question.faults.every, first + place, crashes,
            silences=not crashes and wants_silences(candidate.policy, candidate.variant, question, seen),
            portions=portions,
        )  # fmt: skip


class Search:
    def __init__(self, question: Question, preset: str, ladders: Sequence[Ladder]) -> None:
        self.climbs = [Climb(each, question, preset) for each in ladders]
        self._wave: list[tuple[Climb, int]] = []

    def wave(self) -> list[Task]:
        """[]: it is over."""
        tasks = [(climb, climb.wave()) for climb in self.climbs if not climb.is_over]
        self._wave = [(climb, len(of_it)) for climb, of_it in tasks]
        return [task for _, of_it in tasks for task in of_it]

    def take(self, done: Sequence[Done]) -> None:
        left = iter(done)
        for climb, many in self._wave:
            climb.take([next(left) for _ in range(many)])

    @property
    def over(self) -> int:
        """Ladders that are climbed."""
        return sum(climb.is_over for climb in self.climbs)

    def all_tried(self) -> Iterator[Tried]:
        for climb in self.climbs:
            yield from climb.tried
