"""The nodes that a node suspects, since when, and why. A part of the fold of a history (run.py)."""

from __future__ import annotations

from typing import NamedTuple

from shaketable.harness.records import Record
from shaketable.node.core.env import Micros
from shaketable.node.events import Suspected, SuspicionEnded, ViewInstalled
from shaketable.node.messages import Member, Uuid


class Suspicion(NamedTuple):
    peer: Member
    since: Micros
    reason: str
    silence: Micros | None
    """how long nothing had been heard, where that was the reason"""


Suspicions = dict[Uuid, Suspicion]


def suspected(held: Suspicions, record: Record[Suspected]) -> None:
    """A second reason does not make it newer."""
    event = record.event
    if event.peer.uuid not in held:
        held[event.peer.uuid] = Suspicion(event.peer, record.time, event.reason, event.silence)


def ended(held: Suspicions, record: Record[SuspicionEnded]) -> None:
    held.pop(record.event.peer.uuid, None)


def installed(held: Suspicions, given_up: Suspicions, record: Record[ViewInstalled]) -> None:
    """A member that is off the list is not suspected any more. It is given up, until it is back."""
    if held or given_up:
        listed = {member.uuid: True for member in record.event.members}
        for uuid in [uuid for uuid in given_up if uuid in listed]:
            del given_up[uuid]
        for uuid in [uuid for uuid in held if uuid not in listed]:
            given_up[uuid] = held.pop(uuid)
