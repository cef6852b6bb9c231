"""A mastership claim as its candidate tells it: whom it has asked, what they have said, and how it ended.

And what a node has said itself to the candidates that asked it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, NamedTuple

from shaketable.node.env import Micros
from shaketable.node.events import (
    ClaimAnswered,
    ClaimAsked,
    ClaimConsented,
    ClaimDeclined,
    ClaimFinished,
    ClaimStarted,
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
class Claim:
    since: Micros
    version: int
    """of the list that it began with"""
    members: tuple[Member, ...]
    asked: dict[Uuid, Asked] = field(default_factory=dict)
    """in the order in which they were asked"""
    finished: Micros | None = None
    final_version: int | None = None
    final_members: tuple[Member, ...] = ()
    left_out: tuple[tuple[Member, str], ...] = ()
    """of the newest list, each with the reason"""

    @property
    def runs(self) -> bool:
        return self.finished is None

    def copy(self) -> Claim:
        return Claim(
            self.since,
            self.version,
            self.members,
            dict(self.asked),
            self.finished,
            self.final_version,
            self.final_members,
            self.left_out,
        )

    def answers(self, answer: str) -> list[Asked]:
        return [each for each in self.asked.values() if each.answer == answer]


class Said(NamedTuple):
    """To a candidate, by who was asked."""

    candidate: Member
    time: Micros
    answer: str
    reason: str = ""


def started(time: Micros, event: ClaimStarted) -> Claim:
    return Claim(time, event.version, event.members)


def asked(claim: Claim, time: Micros, event: ClaimAsked) -> None:
    claim.asked[event.peer.uuid] = Asked(event.peer, time)


def answered(claim: Claim, time: Micros, event: ClaimAnswered) -> None:
    before = claim.asked.get(event.peer.uuid) or Asked(event.peer, time)
    claim.asked[event.peer.uuid] = before._replace(
        answer=event.answer, answered=time, reason=event.reason, version=event.version
    )


def suspected(claim: Claim, time: Micros, event: Suspected) -> None:
    waiting = claim.asked.get(event.peer.uuid)
    if claim.runs and waiting is not None and not waiting.final:
        claim.asked[event.peer.uuid] = waiting._replace(answer=SUSPECTED, answered=time, reason=event.reason)


def finished(claim: Claim, time: Micros, event: ClaimFinished) -> None:
    claim.finished, claim.final_version = time, event.version
    claim.final_members, claim.left_out = event.members, event.left_out


def consented(said: dict[Uuid, Said], time: Micros, event: ClaimConsented) -> None:
    said[event.peer.uuid] = Said(event.peer, time, ACCEPTED)


def declined(said: dict[Uuid, Said], time: Micros, event: ClaimDeclined) -> None:
    said[event.peer.uuid] = Said(event.peer, time, REFUSED if event.final else NOT_YET, event.reason)
