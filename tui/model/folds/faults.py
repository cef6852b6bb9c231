"""What the harness's fold of a fault leaves out: the details, the receipts, and when each was asked for and ended."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from shaketable.harness.records import FaultAsked, FaultEndAsked, FaultEnded, FaultTook
from shaketable.node.core.env import Micros
from shaketable.node.events import Event


class FaultTold(NamedTuple):
    asked: Micros
    detail: str = ""
    """what the verb alone does not say: "200 ms", "to n2", "10000 bytes/s" """
    to: tuple[str, ...] = ()
    """of what is done to messages: to whom they go, if not to all"""
    values: tuple[tuple[str, int], ...] = ()
    """what is done to links: "latency", "rate" """
    part_of: int | None = None
    """the fault that is made of this one and others"""
    how: str = ""
    """the receipt of its taking effect"""
    end_asked: Micros | None = None
    ended_how: str = ""


Faults = dict[int, FaultTold]


def _asked(faults: Faults, time: Micros, event: FaultAsked) -> None:
    faults[event.fault] = FaultTold(time, event.detail, event.to, event.values, event.part_of)


def _took(faults: Faults, time: Micros, event: FaultTook) -> None:
    faults[event.fault] = _of(faults, time, event.fault)._replace(how=event.how)


def _end_asked(faults: Faults, time: Micros, event: FaultEndAsked) -> None:
    faults[event.fault] = _of(faults, time, event.fault)._replace(end_asked=time)


def _ended(faults: Faults, time: Micros, event: FaultEnded) -> None:
    faults[event.fault] = _of(faults, time, event.fault)._replace(ended_how=event.how)


def _of(faults: Faults, time: Micros, number: int) -> FaultTold:
    """A history may lack its beginning."""
    return faults.get(number) or FaultTold(time)


FAULT_FOLDS: Final[Mapping[type[Event], Callable[[Faults, Micros, Any], None]]] = {
    FaultAsked: _asked,
    FaultTook: _took,
    FaultEndAsked: _end_asked,
    FaultEnded: _ended,
}
