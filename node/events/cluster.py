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
    """This node is a member now: it founded a cluster (alone, or after a start-up vote), or got finalize join."""

    founded: bool
    reason: str
    why: Why


class JoinRefusedBy(Event, frozen=True):
    """A joiner learns that it looks for another cluster, and asks there no more."""

    peer: Member
    reason: str
    why: Why


class JoinBatched(Event, frozen=True):
    """The master lets this joiner wait, to admit it together with others."""

    peer: Member


class JoinRequestIgnored(Event, frozen=True):
    """A join request was dropped without an answer. Its sender may repeat it."""

    peer: Member
    reason: str
    why: Why


class Leaving(Event, frozen=True):
    """A graceful shutdown was asked for."""


class Stopped(Event, frozen=True):
    """The last event of a member that ended by itself: it left, or was a joiner `refused` for good."""

    reason: str
    why: Why
    refused: bool = False


class Failed(Event, frozen=True):
    """A step raised: the node is dead and the run has failed. `reason`: the error's words, no paths."""

    reason: str


# The member list


class MasterFollowed(Event, frozen=True):
    """This member follows another master: by finalize join, its own claim, or one that it accepted."""

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
    inferred: tuple[str, ...] = ()
    """as in `Suspected`"""


# Failure detection and suspicion


class Suspected(Event, frozen=True):
    """`silence` is how long nothing was heard, where that was the reason. `inferred` names what a member of another
    system has not said, and what follows from the rest of what it says."""

    peer: Member
    reason: str
    why: Why
    silence: int | None = None
    inferred: tuple[str, ...] = ()


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
    """This member tells its master that an unknown member, `peer`, sent a heartbeat."""

    peer: Member


class ComplaintReceived(Event, frozen=True):
    """The master gets the complaint of `peer` about `complained_of`; the reason says what it decided."""

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
    """A master confirmation came too late, or to a member that is not master."""

    peer: Member
    reason: str
    why: Why


class StaleHeartbeat(Event, frozen=True):
    """The first of several heartbeats that are ignored because they are too old."""

    peer: Member
    age: int


class RoundLate(Event, frozen=True):
    """A heartbeat round ran `lateness` after its time: a pause, a busy machine, or a clock that jumped."""

    lateness: int
    afresh: bool


class LinkDown(Event, frozen=True):
    """My own outgoing link to this address is gone."""

    address: Address


class LinkUp(Event, frozen=True):
    address: Address


class LinkClosed(Event, frozen=True):
    """This node closes its link to an address without a member of its list. Sending there opens it again."""

    address: Address


# Partial member disconnection


class SuspicionsReported(Event, frozen=True):
    """The master learns whom `peer` suspects now. This is told at each change."""

    peer: Member
    suspected: tuple[Member, ...]


class DisconnectionResolved(Event, frozen=True):
    """The master removes `leave` from its list of this version, so that all who stay are fully connected.

    `reports`: each follower, and whom it suspects. `unsettled`: pairs broken for less than the wait, which do not count
    yet. `replicas`: how many each of `members` holds, if partitions are used."""

    version: int
    members: tuple[Member, ...]
    reports: tuple[tuple[Member, tuple[Member, ...]], ...]
    unsettled: tuple[tuple[Member, Member], ...]
    leave: tuple[Member, ...]
    work: int
    replicas: tuple[int, ...] = ()


class DisconnectionUnresolved(Event, frozen=True):
    """The master had to decide who stays, and removes nobody: it `timed_out`, or the question changed."""

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
    """The answer of an asked member: "accepted", "not yet", "refused", or "silent" (none in time)."""

    peer: Member
    answer: str
    version: int | None
    members: tuple[Member, ...] | None
    reason: str
    why: Why | None


class ClaimConsented(Event, frozen=True):
    """This member accepts the claim of `peer`. The rest is its own list and suspicions then."""

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
    """The final list of a claim, and which members of the newest list it leaves out, each with the reason."""

    version: int
    members: tuple[Member, ...]
    left_out: tuple[tuple[Member, str], ...]
