"""The marks of what was done to the nodes: faults by their verbs, messages by their kinds, crash points."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, get_args

from shaketable.harness import datagrams
from shaketable.harness.coverage.mark import BOTH, Mark
from shaketable.harness.crash_points import FETCH_ANSWERED, MASTER, PARTS, PHASES, visited
from shaketable.harness.recording.history import History
from shaketable.harness.records import FaultAsked, FaultTook
from shaketable.node import events as e
from shaketable.node.config import CLUSTER, GMS
from shaketable.node.filters import ACTS
from shaketable.node.messages import AnyMessage, GroupMessage, Message

_FAULTS: Final = {
    "kill": "a node was killed",
    "restart": "a node was started again at its address",
    "leave": "a node was asked to leave",
    "pause": "a node executed nothing for a while",
    "cut": "a link was cut: its sender knows it at once",
    "blackhole": "a link lost everything in silence",
    "isolate by cut": "all links of a node were cut",
    "isolate by blackhole": "all links of a node lost everything in silence",
    "split by cut": "the nodes were split by cuts",
    "split by blackhole": "the nodes were split in silence",
    "slow": "a link was slow",
    "thin": "a link carried few bytes a second",
    "slice": "data came in small pieces",
    "flap": "a link was cut and healed on a rhythm",
    "reset": "connections dropped once",
    "clock": "a node's clock jumped or ran at another rate",
    "load": "the machine was busy",
    "hold": "a node was held at a named event",
    "drop": "a kind of message was dropped",
    "hold back": "a kind of message was held back, and came late",
    "delay": "a kind of message was delayed",
    datagrams.LOSE: "datagrams were lost by draw",
    datagrams.DELAY: "datagrams were late by draw",
    datagrams.REPEAT: "datagrams came twice by draw",
}
_OF_GROUPS: Final = datagrams.VERBS


def _family_of(kind: type[Message]) -> str:
    return GMS if issubclass(kind, GroupMessage) else CLUSTER


MARKS: Final[Mapping[str, Mark]] = {
    **{f"fault: {verb}": Mark(GMS if verb in _OF_GROUPS else BOTH, means) for verb, means in _FAULTS.items()},
    **{
        f"message shaken: {kind.__name__}": Mark(
            _family_of(kind), f"a {kind.__name__} was dropped, held back or delayed by its kind"
        )
        for kind in get_args(AnyMessage)
    },
    **{
        f"crash point: {part} at {phase}": Mark(CLUSTER, f"the {part} of a migration was killed at: {phase}")
        for phase in PHASES
        for part in PARTS
        if (part, phase) != (MASTER, FETCH_ANSWERED)  # tables are fetched only when that master has crashed
    },
}
_BY_TAG: Final = {kind.__name__.lower(): f"message shaken: {kind.__name__}" for kind in get_args(AnyMessage)}


def read(history: History, reached: dict[str, int]) -> None:
    """A fault counts when it has taken effect."""
    took = {record.event.fault for record in history.of(FaultTook) if isinstance(record.event, FaultTook)}
    names = []
    for record in history.of(FaultAsked):
        asked = record.event
        if isinstance(asked, FaultAsked) and asked.fault in took:
            names.append(f"fault: {_plain(asked.verb)}")
    for record in history.of(e.FilterMatched):
        assert isinstance(record.event, e.FilterMatched)
        names.append(_BY_TAG.get(record.event.message, ""))
    for point in visited(history):
        names += [f"crash point: {part} at {point.phase}" for part in point.parts]
    for name in names:
        if name in MARKS:
            reached[name] = reached.get(name, 0) + 1


def _plain(verb: str) -> str:
    """Of a fault by kind of message without the kind."""
    if verb in datagrams.VERBS:
        return verb
    return next((act for act in ACTS if verb.startswith(f"{act} ")), verb)
