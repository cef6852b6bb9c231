"""The marks of what was done to the nodes: faults by their verbs, messages by their kinds, crash points."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from shaketable.harness.coverage.mark import BOTH, Mark
from shaketable.harness.faults.kinds import KINDS as FAULTS
from shaketable.harness.faults.kinds import kinds_told
from shaketable.harness.faults.verb import FaultKind
from shaketable.harness.history.crash_points import FETCH_ANSWERED, MASTER, PARTS, PHASES, visited
from shaketable.harness.history.history import History
from shaketable.harness.records import FaultAsked, FaultTook
from shaketable.node import events as e
from shaketable.node.config import CLUSTER, GMS
from shaketable.node.messages import KINDS, GroupMessage, Message


def _name(kind: FaultKind, by: str) -> str:
    return f"fault: {kind.spoken}" + f" by {by}" * bool(by)


def _family_of(kind: type[Message]) -> str:
    return GMS if issubclass(kind, GroupMessage) else CLUSTER


OF_FAULTS: Final[Mapping[str, Mark]] = {
    _name(kind, by): Mark(BOTH if len(kind.families) > 1 else kind.families[0], means)
    for kind in FAULTS.values()
    for by, means in kind.marks.items()
}
OF_MESSAGES: Final[Mapping[str, Mark]] = {
    f"message shaken: {kind.__name__}": Mark(
        _family_of(kind), f"a {kind.__name__} was dropped, held back or delayed by its kind"
    )
    for kind in KINDS
}
OF_CRASH_POINTS: Final[Mapping[str, Mark]] = {
    f"crash point: {part} at {phase}": Mark(CLUSTER, f"the {part} of a migration was killed at: {phase}")
    for phase in PHASES
    for part in PARTS
    if (part, phase) != (MASTER, FETCH_ANSWERED)  # tables are fetched only when that master has crashed
}
MARKS: Final[Mapping[str, Mark]] = {**OF_FAULTS, **OF_MESSAGES, **OF_CRASH_POINTS}
_BY_TAG: Final = {kind.__name__.lower(): f"message shaken: {kind.__name__}" for kind in KINDS}


def read(history: History, reached: dict[str, int]) -> None:
    """A fault counts when it has taken effect."""
    took = {record.event.fault for record in history.of(FaultTook)}
    names = []
    for record in history.of(FaultAsked):
        if record.event.fault in took:
            kind, act = kinds_told(record.event.kinds)
            names.append(_name(kind, act.verb if act is not kind else ""))
    names += [_BY_TAG.get(record.event.message, "") for record in history.of(e.FilterMatched)]
    for point in visited(history):
        names += [f"crash point: {part} at {point.phase}" for part in point.parts]
    for name in names:
        if name in MARKS:
            reached[name] = reached.get(name, 0) + 1
