"""A mastership claim as its candidate tells it: the members that it has asked, their answers, and how it ended.

It also has what a node itself has answered to candidates. A part of the fold of a history (run.py)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple

from shaketable.harness.records import Record
from shaketable.node.core.env import Micros
from shaketable.node.events import (
    ClaimAnswered,
    ClaimAsked,
    ClaimConsented,
    ClaimDeclined,
    ClaimFinished,
    ClaimStarted,
    Event,
    MasterFollowed,
    Suspected,
)
from shaketable.node.messages import Member, Uuid

WAITING: Final = "waiting"
ACCEPTED: Final = "accepted"
NOT_YET: Final = "not yet"
"""refused for now: it is asked again"""
REFUSED: Final = "refused"
SILENT: Final = "silent"
"""no answer within the claim timeout"""
SUSPECTED: Final = "suspected"
"""meanwhile, by the candidate: its answer is not waited for"""


class Asked(NamedTuple):
    peer: Member
    asked: Micros
    answer: str = WAITING
    answered: Micros | None = None
    reason: str = ""
    version: int | None = None
    """of the list that came with the answer"""

    @property
    def final(self) -> bool:
        return self.answer not in (WAITING, NOT_YET)


@dataclass(slots=True)
class ClaimSeen:
    began: Record[ClaimStarted]
    asked: dict[Uuid, Asked] = field(default_factory=dict)
    """in the order in which they were asked"""
    finished: Record[ClaimFinished] | None = None
    given_up: bool = False

    @property
    def runs(self) -> bool:
        return self.finished is None and not self.given_up

    def copy(self) -> ClaimSeen:
        return replace(self, asked=dict(self.asked))

    def answers(self, answer: str) -> list[Asked]:
        return [each for each in self.asked.values() if each.answer == answer]


class Said(NamedTuple):
    """What a member that was asked has answered to a candidate."""

    candidate: Member
    time: Micros
    answer: str
    reason: str = ""


@dataclass(slots=True)
class ClaimsSeen:
    """The mastership claims at one node."""

    last: ClaimSeen | None = None
    """its own last claim; `runs` says whether it still runs"""
    said: dict[Uuid, Said] = field(default_factory=dict)
    """by candidate, its last answer to a claim"""

    @property
    def open(self) -> ClaimSeen | None:
        """Its own claim, if it still runs."""
        return self.last if self.last is not None and self.last.runs else None

    def copy(self) -> ClaimsSeen:
        return ClaimsSeen(self.last.copy() if self.last is not None else None, dict(self.said))


def _started(seen: ClaimsSeen, record: Record[ClaimStarted]) -> None:
    seen.last = ClaimSeen(record)


def _asked(seen: ClaimsSeen, record: Record[ClaimAsked]) -> None:
    if seen.last is not None:
        seen.last.asked[record.event.peer.uuid] = Asked(record.event.peer, record.time)


def _answered(seen: ClaimsSeen, record: Record[ClaimAnswered]) -> None:
    time, event = record.time, record.event
    if seen.last is not None:
        before = seen.last.asked.get(event.peer.uuid) or Asked(event.peer, time)
        seen.last.asked[event.peer.uuid] = before._replace(
            answer=event.answer, answered=time, reason=event.reason, version=event.version
        )


def _suspected(seen: ClaimsSeen, record: Record[Suspected]) -> None:
    time, event = record.time, record.event
    waiting = seen.open.asked.get(event.peer.uuid) if seen.open is not None else None
    if seen.last is not None and waiting is not None and not waiting.final:
        seen.last.asked[event.peer.uuid] = waiting._replace(answer=SUSPECTED, answered=time, reason=event.reason)


def _followed(seen: ClaimsSeen, record: Record[MasterFollowed]) -> None:
    if seen.open is not None and record.event.master.uuid != record.incarnation:
        seen.open.given_up = True


def _finished(seen: ClaimsSeen, record: Record[ClaimFinished]) -> None:
    if seen.last is not None:
        seen.last.finished = record


def _consented(seen: ClaimsSeen, record: Record[ClaimConsented]) -> None:
    seen.said[record.event.peer.uuid] = Said(record.event.peer, record.time, ACCEPTED)


def _declined(seen: ClaimsSeen, record: Record[ClaimDeclined]) -> None:
    event = record.event
    answer = REFUSED if event.final else NOT_YET
    seen.said[event.peer.uuid] = Said(event.peer, record.time, answer, event.reason)


CLAIM_FOLDS: Final[Mapping[type[Event], Callable[[ClaimsSeen, Record[Any]], None]]] = {
    ClaimStarted: _started,
    ClaimAsked: _asked,
    ClaimAnswered: _answered,
    Suspected: _suspected,
    MasterFollowed: _followed,
    ClaimFinished: _finished,
    ClaimConsented: _consented,
    ClaimDeclined: _declined,
}
