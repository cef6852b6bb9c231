"""Delta debugging over fault plans: the shortest story that still fails in the same way.

It tries one idea after the other, each until it finds no more, and all again until none finds more. It asks about a
plan only once. The result depends only on the plan and its seed, not on a clock or on chance."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Final

from shaketable.harness.nemesis import simpler
from shaketable.harness.nemesis.failing import Played
from shaketable.harness.nemesis.plan import Plan, to_json
from shaketable.harness.nemesis.weight import weight_of
from shaketable.node.config import GMS, Settings
from shaketable.node.core.env import Micros

MOST_RUNS: Final = 2_000
"""then it is small enough"""
Ask = Callable[[Plan], Played]
Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Shrunk:
    plan: Plan
    runs: int
    given_up: bool
    """there was no end to it within so many runs"""


class _Enough(Exception):
    pass


def shrink(plan: Plan, ask: Ask, settings: Settings, say: Say = lambda line: None, most: int = MOST_RUNS) -> Shrunk:
    """`ask` plays a plan; the given one has to fail."""
    units = units_of(settings)
    shrinking = _Shrinking(plan, ask, most, units)
    ideas: tuple[tuple[str, Callable[[Plan], Iterator[Plan]]], ...] = (
        ("fewer deeds", simpler.fewer_deeds),
        ("nobody comes late", simpler.no_late_comers),
        ("fewer nodes", simpler.fewer_nodes),
        ("simpler deeds", simpler.simpler_deeds),
        ("shorter times", partial(simpler.shorter_times, units=units)),
        ("rounder times", partial(simpler.rounder_times, units=units)),
    )
    given_up = False
    try:
        shrinking.leave_out_what_was_left_out()
        before = None
        while before != shrinking.best:
            before = shrinking.best
            for name, idea in ideas:
                was = shrinking.best
                try:
                    shrinking.follow(idea)
                finally:
                    if shrinking.best != was:
                        say(f"{name}: {size_of(shrinking.best)} (after {shrinking.runs} runs)")
    except _Enough:
        given_up = True
    return Shrunk(shrinking.best, shrinking.runs, given_up)


def units_of(settings: Settings) -> tuple[Micros, ...]:
    """The protocol's own times, the largest first."""
    if settings.family == GMS:
        return (settings.detection_window, settings.gms_heartbeat_period)
    return (settings.heartbeat_timeout, settings.heartbeat_interval)


def size_of(plan: Plan) -> str:
    deeds, nodes = len(plan.deeds), len(plan.nodes)
    return f"{deeds} deed{'s' * (deeds != 1)}, {nodes} nodes, {plan.storm / 1_000_000:g} s"


class _Shrinking:
    def __init__(self, plan: Plan, ask: Ask, most: int, units: tuple[Micros, ...]) -> None:
        self.best = plan
        self.runs = 0
        self._ask = ask
        self._most = most
        self._units = units
        self._asked: dict[str, bool] = {to_json(plan): True}
        self._left_out: tuple[int, ...] = ()

    def follow(self, idea: Callable[[Plan], Iterator[Plan]]) -> None:
        """A change that still fails is taken, and the idea goes on from there, where it was."""
        skip = 0
        while True:
            for number, candidate in enumerate(idea(self.best)):
                if number < skip or not self._still_fails(candidate):
                    continue
                self.best = candidate
                self.leave_out_what_was_left_out()
                skip = number
                break
            else:
                if not skip:
                    return
                skip = 0

    def leave_out_what_was_left_out(self) -> None:
        """Parts that did nothing in a run are mostly not needed for its failure."""
        out = self._left_out
        if out:
            kept = [deed for number, deed in enumerate(self.best.deeds) if number not in out]
            without = simpler.with_deeds(self.best, kept)
            if self._still_fails(without):
                self.best = without

    def _still_fails(self, plan: Plan) -> bool:
        if weight_of(plan, self._units) >= weight_of(self.best, self._units):
            return False
        text = to_json(plan)
        if text not in self._asked:
            if self.runs >= self._most:
                raise _Enough
            self.runs += 1
            played = self._ask(plan)
            self._asked[text] = played.failed
            if played.failed:
                self._left_out = played.left_out
            return played.failed
        return False
