"""The messages of the cluster service: joining, the member list, failure detection, the mastership claim."""

from __future__ import annotations

from shaketable.node.messages.base import (
    Address,
    ConfigCheck,
    Identity,
    Member,
    MemberList,
    Message,
    Number,
    Time,
    Uuid,
)
from shaketable.node.why import Because

# Joining


class WhoIsMaster(Message, frozen=True):
    config: ConfigCheck


class MasterResponse(Message, frozen=True):
    master: Address


class JoinRequest(Message, frozen=True):
    config: ConfigCheck


class ClusterMismatch(Message, frozen=True):
    """To one incarnation of a joiner: you look for another cluster, ask here no more."""

    target: Uuid
    reason: Because


class ConfigMismatch(Message, frozen=True):
    """To one incarnation of a joiner: it is your cluster, but you can never be a member."""

    target: Uuid
    reason: Because


class FinalizeJoin(Message, frozen=True):
    target: Uuid
    view: MemberList
    cluster_time: Time


class StartupVote(Message, frozen=True):
    """Asks for consent to found the cluster, when several nodes start at once."""

    request: Number


class StartupVoteAnswer(Message, frozen=True):
    request: Number
    granted: bool


# The member list


class MembersUpdate(Message, frozen=True):
    target: Uuid
    view: MemberList


class LeaveRequest(Message, frozen=True):
    """A member asks its master to take it off the list."""

    request: Number


class LeaveAnswer(Message, frozen=True):
    """To one incarnation: a late answer must not stop one that was restarted on this address."""

    target: Uuid
    request: Number


# Failure detection and suspicion


class Heartbeat(Message, frozen=True, omit_defaults=True, gc=False):
    target: Uuid
    master: Address | None
    version: Number
    cluster_time: Time
    suspected: tuple[Member, ...] = ()
    """to its master a follower tells all whom it suspects now; nobody: all clear"""


class MasterConfirmation(Message, frozen=True, gc=False):
    """A follower tells its master that it still follows it."""

    target: Uuid
    version: Number
    cluster_time: Time


class HeartbeatComplaint(Message, frozen=True):
    """A follower to its master: I got a heartbeat from a member that I do not know. Both are described."""

    complainer: Identity
    complained_of: Identity


class TriggerExplicitSuspicion(Message, frozen=True):
    """A master to a follower whose list has this version: send explicit suspicion to this third party."""

    version: Number
    third_party: Identity


class ExplicitSuspicion(Message, frozen=True):
    """ "Assume that I am dead and go your own way." Only the `target` that it names obeys."""

    target: Identity


# Mastership claim


class MastershipClaim(Message, frozen=True):
    request: Number
    target: Uuid


class ClaimAccepted(Message, frozen=True):
    request: Number
    view: MemberList
    has_table: bool = False
    """I have a partition table, so the new master has to look for the most recent one"""


class ClaimRefused(Message, frozen=True):
    request: Number
    final: bool
    reason: Because
