"""The course of a run as its script sees it: steps, faults with their receipts, expectations, calls made by hand.

Of the whole history that is known, in order; `lanes.py` hands on to it what comes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from shaketable.harness import records as h
from shaketable.node.core.env import Micros
from shaketable.node.events import Event
from shaketable.tui.model.hands.telling import as_written

MOST_PAIRS: Final = 2
"""links that are named before the rest is counted"""


@dataclass(slots=True)
class Step:
    time: Micros
    place: int
    words: str
    waits: bool = False
    """until something holds"""
    by_hand: int | None = None
    """the number of the call, if it was one by hand"""
    answer: str | None = None
    """what came of that: "" where all went well"""


@dataclass(slots=True)
class Fault:
    number: int
    verb: str
    whom: str
    detail: str
    lasts: bool
    asked: Micros
    place: int
    took: Micros | None = None
    took_place: int | None = None
    how: str = ""
    ended: Micros | None = None
    ended_place: int | None = None
    ended_how: str = ""
    without_effect: str | None = None
    """why not, if it had none"""
    without_place: int | None = None

    @property
    def words(self) -> str:
        return f"{self.verb} {self.whom}" if self.whom else self.verb

    @property
    def began(self) -> Micros:
        return self.asked if self.took is None else self.took


@dataclass(slots=True)
class Expectation:
    time: Micros
    place: int
    what: str
    within: Micros
    held: bool
    reason: str
    always: bool = False
    """it was to hold all the time, and did not"""


@dataclass(slots=True)
class Trouble:
    time: Micros
    place: int
    words: str
    over: bool


@dataclass(slots=True)
class End:
    time: Micros
    place: int
    outcome: h.ScriptOutcome
    reason: str


@dataclass(slots=True)
class Course:
    steps: list[Step] = field(default_factory=list)
    faults: dict[int, Fault] = field(default_factory=dict)
    """by number, in the order in which they were asked for"""
    expectations: list[Expectation] = field(default_factory=list)
    troubles: list[Trouble] = field(default_factory=list)
    """with the links, and how they came back"""
    end: End | None = None
    _by_hand: dict[int, Step] = field(default_factory=dict)

    def apply(self, place: int, time: Micros, event: Event) -> None:
        does = COURSE.get(type(event))
        if does is not None:
            does(self, place, time, event)

    def _step(self, place: int, time: Micros, event: Any) -> None:
        self.steps.append(Step(time, place, event.step, event.means is h.StepKind.WAITS))

    def _asked_by_hand(self, place: int, time: Micros, event: Any) -> None:
        step = self._by_hand[event.number] = Step(time, place, as_written(event.call), by_hand=event.number)
        self.steps.append(step)

    def _answered(self, place: int, time: Micros, event: Any) -> None:
        step = self._by_hand.get(event.number)
        if step is not None:
            step.answer = event.trouble

    def _asked(self, place: int, time: Micros, event: Any) -> None:
        whom = whom_of(event.nodes, event.links)
        self.faults[event.fault] = Fault(event.fault, event.verb, whom, event.detail, event.lasts, time, place)

    def _fault(self, number: int, place: int, time: Micros) -> Fault:
        """A history may lack its beginning."""
        found = self.faults.get(number)
        if found is None:
            found = self.faults[number] = Fault(number, f"fault {number}", "", "", True, time, place)
        return found

    def _took(self, place: int, time: Micros, event: Any) -> None:
        fault = self._fault(event.fault, place, time)
        fault.took, fault.took_place, fault.how = time, place, event.how

    def _ended(self, place: int, time: Micros, event: Any) -> None:
        fault = self._fault(event.fault, place, time)
        fault.ended, fault.ended_place, fault.ended_how = time, place, event.how

    def _without_effect(self, place: int, time: Micros, event: Any) -> None:
        fault = self._fault(event.fault, place, time)
        fault.without_effect, fault.without_place = event.reason, place

    def _expected(self, place: int, time: Micros, event: Any) -> None:
        self.expectations.append(Expectation(time, place, event.what, event.within, event.held, event.reason))

    def _broken(self, place: int, time: Micros, event: Any) -> None:
        self.expectations.append(Expectation(time, place, event.what, 0, False, event.reason, always=True))

    def _trouble(self, place: int, time: Micros, event: Any) -> None:
        self.troubles.append(Trouble(time, place, event.reason, isinstance(event, h.FabricRestored)))

    def _script_ended(self, place: int, time: Micros, event: Any) -> None:
        self.end = End(time, place, event.outcome, event.reason)


COURSE: Final[Mapping[type[Event], Callable[[Course, int, Micros, Any], None]]] = {
    h.StepBegan: Course._step,
    h.AskedByHand: Course._asked_by_hand,
    h.AnsweredByHand: Course._answered,
    h.FaultAsked: Course._asked,
    h.FaultTook: Course._took,
    h.FaultEnded: Course._ended,
    h.FaultWithoutEffect: Course._without_effect,
    h.Expected: Course._expected,
    h.InvariantBroken: Course._broken,
    h.FabricTrouble: Course._trouble,
    h.FabricRestored: Course._trouble,
    h.ScriptEnded: Course._script_ended,
}


def whom_of(nodes: tuple[str, ...], links: tuple[str, ...]) -> str:
    """Nodes by name; links as "n1→n2", both ways at once as "n1⇄n2", and of many the first few."""
    if nodes:
        return " ".join(nodes)
    ends = [tuple(link.split("->", 1)) for link in links]
    there = dict.fromkeys(ends, True)
    shown: list[str] = []
    for end in ends:
        back = end[::-1]
        if back in there and end > back:
            continue
        shown.append(("⇄" if back in there and back != end else "→").join(end))
    more = f" +{len(shown) - MOST_PAIRS}" if len(shown) > MOST_PAIRS else ""
    return " ".join(shown[:MOST_PAIRS]) + more
