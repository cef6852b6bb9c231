"""What a member of a group has told of itself, of the others and of its application; and so what it believes of each.

A part of a node's picture: a small fold beside the harness's own, which has whom a member doubts (`suspected`)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple

from shaketable.harness.seen.run import NodeSeen
from shaketable.node import events as e
from shaketable.node.core.env import Micros
from shaketable.node.events import Event
from shaketable.node.messages import Address, Member, Uuid

ALIVE: Final = "alive"
"""in its view, and its application has not been told that it is ready: it may have been so before this one came"""
READY: Final = "ready"
IN_DOUBT: Final = "in doubt"
FAILED: Final = "failed"
LEFT: Final = "left"
UNKNOWN: Final = ""
"""not in its view, and nothing was told of it"""
OVER: Final = (FAILED, LEFT)
_STATES: Final[Mapping[str, str]] = {
    "JOIN": ALIVE,
    "JOINED_AND_READY": READY,
    "FAILURE": FAILED,
    "PLANNED_SHUTDOWN": LEFT,
}
STOPPING: Final = "stopping"

NOTICES: Final = 100
"""that are kept of each member"""


class Notice(NamedTuple):
    """What it has told its application."""

    time: Micros
    place: int
    """of its event in the history"""
    event: e.Signalled


class Stay(NamedTuple):
    """How another member is, as far as the application was told."""

    member: Member
    state: str
    since: Micros


class Silence(NamedTuple):
    """Of a member that it watches, and that has not answered its probe either."""

    member: Member
    since: Micros
    """when the probe had failed last"""
    reason: str
    silent_for: Micros | None
    reported_to: Member | None = None
    """who is to decide"""


@dataclass(slots=True)
class Membership:
    notices: deque[Notice] = field(default_factory=lambda: deque(maxlen=NOTICES))
    """the last of them, in their order"""
    told: int = 0
    """how many there were in all"""
    stays: dict[Uuid, Stay] = field(default_factory=dict)
    """of each that was told to have come, or to be ready, and has not gone since"""
    over: dict[Uuid, Stay] = field(default_factory=dict)
    """of each that was told to have failed or left, and not come back since"""
    silences: dict[Uuid, Silence] = field(default_factory=dict)
    taken: tuple[int, Uuid] | None = None
    """the last notification that it took: its sequence id and its author"""
    lacks: tuple[int, int] | None = None
    """it has asked for those after the one, up to the other"""
    leads_from: tuple[int, str] | None = None
    """as a master: the sequence id with which its reign began, and why"""
    asks_again: tuple[Member | None, str] | None = None
    """it has no view any more, and asks this one to be added again, for this reason"""
    expected: tuple[Address, ...] | None = None
    """as a master: a whole group starts, and these are to come; None: none does"""
    stopping: bool = False
    """it has said so"""
    counted: e.HeartbeatsCounted | None = None
    """of its last detection window"""

    def copy(self) -> Membership:
        """It and this one no longer change each other."""
        return replace(
            self,
            notices=self.notices.copy(),
            stays=dict(self.stays),
            over=dict(self.over),
            silences=dict(self.silences),
        )


View = Mapping[Uuid, Member]


def view_of(node: NodeSeen, of: Membership) -> View:
    """In its order."""
    there = node.joined and of.asks_again is None
    return {member.uuid: member for member in node.members} if there else {}


def believed(node: NodeSeen, of: Membership, view: View, uuid: Uuid) -> str:
    """How this node takes another member to be. `view`: its own."""
    if uuid not in view:
        return of.over[uuid].state if uuid in of.over else UNKNOWN
    if uuid in node.suspected:
        return IN_DOUBT
    # A member that came back with another master's view has been told of as failed, and no JOIN says the contrary.
    return of.stays[uuid].state if uuid in of.stays else ALIVE


def gone(of: Membership, view: View) -> list[Stay]:
    """The members that have failed or left by what the node was told, the last one first."""
    return sorted((stay for uuid, stay in of.over.items() if uuid not in view), key=lambda stay: -stay.since)


def silent(of: Membership, at: Micros, renewed: Micros) -> list[Silence]:
    """Those whom it watches and does not hear. Nobody says when a silence ends before anybody was in doubt: one that
    goes on is probed in each period, so it is over when that has not failed again for so long."""
    return [each for each in of.silences.values() if at - each.since <= renewed]


# What each kind of event changes


def signalled(of: Membership, time: Micros, place: int, event: e.Signalled) -> None:
    of.notices.append(Notice(time, place, event))
    of.told += 1
    state = _STATES.get(event.signal)
    if state is not None:
        into, out_of = (of.over, of.stays) if state in OVER else (of.stays, of.over)
        into[event.peer.uuid] = Stay(event.peer, state, time)
        out_of.pop(event.peer.uuid, None)
    if event.signal in ("NO_LONGER_SUSPECTED", "FAILURE", "PLANNED_SHUTDOWN"):
        of.silences.pop(event.peer.uuid, None)


def _taken(of: Membership, time: Micros, event: e.NotificationTaken) -> None:
    of.taken, of.asks_again = (event.version, event.author), None
    if of.lacks is not None and event.version >= of.lacks[1]:
        of.lacks = None


def _asked(of: Membership, time: Micros, event: e.NotificationsAsked) -> None:
    of.lacks = (event.version, event.last)


def _lost(of: Membership, time: Micros, event: e.NotificationsLost) -> None:
    of.lacks = None  # they will not come


def _leads(of: Membership, time: Micros, event: e.LeadershipTaken) -> None:
    of.leads_from = (event.version, event.reason)


def _yielded(of: Membership, time: Micros, event: e.LeadershipYielded) -> None:
    of.leads_from = None


def _asks_again(of: Membership, time: Micros, event: e.ReadmissionAsked) -> None:
    of.asks_again, of.leads_from, of.lacks = (event.master, event.reason), None, None
    of.silences = {}


def _start_began(of: Membership, time: Micros, event: e.GroupStartBegan) -> None:
    of.expected = event.expected


def _start_ended(of: Membership, time: Micros, event: e.GroupStartEnded) -> None:
    of.expected = None


def announced(of: Membership, uuid: Uuid, event: e.HealthAnnouncedToAll) -> None:
    """A member's words on others are not its belief, but follow from it; of itself it says how it is."""
    if event.peer.uuid == uuid:
        of.stopping = event.state.endswith(STOPPING)


def _counted(of: Membership, time: Micros, event: e.HeartbeatsCounted) -> None:
    of.counted = event


def _probe_failed(of: Membership, time: Micros, event: e.ProbeFailed) -> None:
    before = of.silences.get(event.peer.uuid)
    told = before.reported_to if before is not None else None
    of.silences[event.peer.uuid] = Silence(event.peer, time, event.reason, event.silence, told)


def _reported(of: Membership, time: Micros, event: e.SuspectReported) -> None:
    silence = of.silences.get(event.suspect.uuid) or Silence(event.suspect, time, "", None)
    of.silences[event.suspect.uuid] = silence._replace(since=time, reported_to=event.peer)


MEMBERSHIP_FOLDS: Final[Mapping[type[Event], Callable[[Membership, Micros, Any], None]]] = {
    e.NotificationTaken: _taken,
    e.NotificationsAsked: _asked,
    e.NotificationsLost: _lost,
    e.LeadershipTaken: _leads,
    e.LeadershipYielded: _yielded,
    e.ReadmissionAsked: _asks_again,
    e.GroupStartBegan: _start_began,
    e.GroupStartEnded: _start_ended,
    e.HeartbeatsCounted: _counted,
    e.ProbeFailed: _probe_failed,
    e.SuspectReported: _reported,
}
