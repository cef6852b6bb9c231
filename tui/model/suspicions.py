"""Whom a node suspects, since when, and why. It holds exactly those that the harness's fold holds, too."""

from __future__ import annotations

from dataclasses import dataclass

from shaketable.node.env import Micros
from shaketable.node.events import Suspected, SuspicionEnded, ViewInstalled
from shaketable.node.messages import Member, Uuid


@dataclass(frozen=True, slots=True)
class Suspicion:
    since: Micros
    reason: str
    peer: Member
    silence: Micros | None = None
    """how long nothing had been heard, where that was the reason"""


Suspicions = dict[Uuid, Suspicion]


def suspected(held: Suspicions, time: Micros, event: Suspected) -> None:
    """A second reason does not make it newer."""
    if event.peer.uuid not in held:
        held[event.peer.uuid] = Suspicion(time, event.reason, event.peer, event.silence)


def ended(held: Suspicions, time: Micros, event: SuspicionEnded) -> None:
    held.pop(event.peer.uuid, None)


def installed(held: Suspicions, time: Micros, event: ViewInstalled) -> None:
    """Who is off the list is not suspected any more."""
    if held:
        listed = {member.uuid: True for member in event.members}
        for uuid in [uuid for uuid in held if uuid not in listed]:
            del held[uuid]
