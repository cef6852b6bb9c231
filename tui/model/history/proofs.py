"""Where in a history the proof of a violation stands: a check names its records, and their places are looked for."""

from __future__ import annotations

from dataclasses import dataclass

from shaketable.harness.checks.result import CheckResult, Violation
from shaketable.node.core.env import Micros
from shaketable.tui.model.history.store import Store


@dataclass(frozen=True, slots=True)
class Broken:
    """One violation, with the places of its proof in the history."""

    violation: Violation
    places: tuple[int | None, ...]
    """of each record of the proof; None: it is not there"""

    time: Micros
    """when all its proof has happened"""
    seen_from: int | None
    """how many records have happened by then; None: it lies before all that there is of the history, or is to come"""


def violations_of(store: Store, check: CheckResult) -> tuple[Broken, ...]:
    """In the order of time."""
    return tuple(sorted((_broken(store, violation) for violation in check.violations), key=_when))


def _when(broken: Broken) -> tuple[bool, int, Micros]:
    """Violations that are to come are last."""
    return broken.seen_from is None, broken.seen_from or 0, broken.time


def _broken(store: Store, violation: Violation) -> Broken:
    places = tuple(store.find(p.time, p.node, p.incarnation, p.sequence) for p in violation.proof)
    known = [place for place in places if place is not None]
    last = max((p.time for p in violation.proof), default=0)
    if None not in places and known:
        return Broken(violation, places, store.time_at(max(known) + 1), max(known) + 1)
    # Of a run that is over events may have been lost: that does not make it any sooner. In a live one they are to come.
    return Broken(violation, places, last, (store.place_of(last) or None) if store.complete else None)
