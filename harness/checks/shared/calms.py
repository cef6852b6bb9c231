"""Times in which nothing was begun or ended: from them on it is asked what members make of a state of things."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from shaketable.harness.history.history import History
from shaketable.harness.records import (
    FabricRestored,
    FabricTrouble,
    FaultAsked,
    FaultEndAsked,
    FaultEnded,
    FaultTook,
    NodeEnded,
    NodeSpawned,
    Record,
)
from shaketable.node.core.env import Micros
from shaketable.node.events import Event, Failed, Held, Released, Stopped

DISTURB: Final[tuple[type[Event], ...]] = (
    *(FaultAsked, FaultTook, FaultEndAsked, FaultEnded, NodeSpawned, NodeEnded, FabricTrouble, FabricRestored),
    *(Failed, Stopped, Held, Released),
)


class Calm(NamedTuple):
    """Nothing was begun or ended between these."""

    begin: Micros
    end: Micros


def calms(history: History, *also: type[Event]) -> Iterator[Calm]:
    """Also between two disturbances of one run: a break that is held for long and healed at last was there. `also`:
    what disturbs besides."""
    records: list[Record] = []
    for kind in (*DISTURB, *also):
        records += history.of(kind)
    begin: Micros = 0
    for time in sorted(record.time for record in records if record.time <= history.end):
        if time > begin:
            yield Calm(begin, time)
        begin = time
    yield Calm(begin, history.end)
