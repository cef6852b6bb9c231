"""The events of the cluster service: a node's life, the member list, suspicion, the mastership claim."""

from __future__ import annotations

from shaketable.node.events.base import Event
from shaketable.node.messages import Address, Member, Uuid
from shaketable.node.why import Why

# Life of a node


class Started(Event, frozen=True):
    """The member's code begins to run; `member` is its address and new identity."""

    member: Member


class Joined(Event, frozen=True):
    """It is a member of a cluster now: by `founding` one (alone, or after a start-up vote) or by finalize join."""

    founded: bool
    reason: str
    why: Why


class JoinRefusedBy(Event, frozen=True):
    """A joiner is told that it looks for another cluster; it asks there no more."""

    peer: Member
    reason: str
    why: Why


class JoinBatched(Event, frozen=True):
    """The master lets this joiner wait, to admit it together with those who come meanwhile."""

    peer: Member


class JoinRequestIgnored(Event, frozen=True):
    """A join request was dropped without an answer. If it was meant, its sender repeats it."""

    peer: Member
    reason: str
    why: Why


class Leaving(Event, frozen=True):
    """A graceful shutdown was asked for."""


class Stopped(Event, frozen=True):
    """The last event of a member that ended by itself: it left, or it was a joiner that was `refused` for good."""

    reason: str
    why: Why
    refused: bool = False


class Failed(Event, frozen=True):
    """A step raised: the node is dead and the run has failed. Only the error's own words, no paths."""

    reason: str


# The member list


class MasterFollowed(Event, frozen=True):
    """The master that this member follows has changed: by finalize join, its own claim, or a claim that it accepted."""

    master: Member
    reason: str
    why: Why


class ViewPublished(Event, frozen=True):
    """The master sends this list to `to` members. `change` is false for the periodic publish."""

    version: int
    author: Uuid
    members: tuple[Member, ...]
    to: int
    change: bool


class ViewInstalled(Event, frozen=True):
    version: int
    author: Uuid
    master: Member
    members: tuple[Member, ...]
    reason: str
    why: Why


class ViewIgnored(Event, frozen=True):
    """A received list was not applied: not newer, without me, or not from my master."""

    version: int
    author: Uuid
    peer: Member
    reason: str
    why: Why


class MemberRemoved(Event, frozen=True):
    """The master took this member off the list."""

    peer: Member
    version: int
    reason: str
    why: Why


# Failure detection and suspicion


class Suspected(Event, frozen=True):
    """`silence` is how long nothing was heard, where that was the reason."""

    peer: Member
    reason: str
    why: Why
    silence: int | None = None


class SuspicionEnded(Event, frozen=True):
    peer: Member
    reason: str
    why: Why


class ExplicitSuspicionSent(Event, frozen=True):
    peer: Member
    reason: str
    why: Why


class ExplicitSuspicionReceived(Event, frozen=True):
    peer: Member
    obeyed: bool
    reason: str
    why: Why


class ComplaintSent(Event, frozen=True):
    """To my master, of `peer`, from whom a heartbeat came although I do not know it."""

    peer: Member


class ComplaintReceived(Event, frozen=True):
    """By the master, from `peer`, of `complained_of`; the reason says what it decided."""

    peer: Member
    complained_of: Member
    reason: str
    why: Why


class TriggerSent(Event, frozen=True):
    """The master has `peer` send explicit suspicion to `third_party`."""

    peer: Member
    third_party: Member


class TriggerReceived(Event, frozen=True):
    peer: Member
    third_party: Member
    obeyed: bool
    reason: str
    why: Why


class ConfirmationIgnored(Event, frozen=True):
    """A master confirmation that came too late, or to who is not master."""

    peer: Member
    reason: str
    why: Why


class StaleHeartbeat(Event, frozen=True):
    """The first of a row of heartbeats that were ignored because they were too old."""

    peer: Member
    age: int


class RoundLate(Event, frozen=True):
    """A heartbeat round ran `lateness` after its time: the process was paused, starved, or its clock jumped."""

    lateness: int
    afresh: bool


class LinkDown(Event, frozen=True):
    """My own outgoing link to this address is gone."""

    address: Address


class LinkUp(Event, frozen=True):
    address: Address


class LinkClosed(Event, frozen=True):
    """I hung up my own link to this address: nobody there is a member of mine any more. What is sent there opens it."""

    address: Address


# Partial member disconnection


class SuspicionsReported(Event, frozen=True):
    """The master learns from `peer` whom it suspects now; told as often as that changes."""

    peer: Member
    suspected: tuple[Member, ...]


class DisconnectionResolved(Event, frozen=True):
    """The master's decision about its list of this version: by these `reports`, each of a follower and whom it
    suspects, those in `leave` go, so that all who stay are fully connected.

    But for pairs that are `unsettled`: broken for less than the wait, while others have waited too long already.
    `replicas`: of partitions, held by each of `members`; none at all where nobody uses partitions."""

    version: int
    members: tuple[Member, ...]
    reports: tuple[tuple[Member, tuple[Member, ...]], ...]
    unsettled: tuple[tuple[Member, Member], ...]
    leave: tuple[Member, ...]
    work: int
    replicas: tuple[int, ...] = ()


class DisconnectionUnresolved(Event, frozen=True):
    """The master had to decide who stays, and removes nobody: `timed_out`, or what it asked has changed meanwhile."""

    version: int
    timed_out: bool
    work: int
    reason: str
    why: Why


# Mastership claim


class ClaimStarted(Event, frozen=True):
    version: int
    members: tuple[Member, ...]


class ClaimAsked(Event, frozen=True):
    peer: Member


class ClaimAnswered(Event, frozen=True):
    """What an asked member said: "accepted", "not yet", "refused", or nothing in time: "silent"."""

    peer: Member
    answer: str
    version: int | None
    members: tuple[Member, ...] | None
    reason: str
    why: Why | None


class ClaimConsented(Event, frozen=True):
    """This member accepted the claim of `peer`; its own list and suspicions at that moment."""

    peer: Member
    version: int
    author: Uuid
    members: tuple[Member, ...]
    suspected: tuple[Member, ...]


class ClaimDeclined(Event, frozen=True):
    peer: Member
    final: bool
    reason: str
    why: Why


class ClaimFinished(Event, frozen=True):
    """The final list of a claim, and whom of the newest list it leaves out, each with the reason."""

    version: int
    members: tuple[Member, ...]
    left_out: tuple[tuple[Member, str], ...]
