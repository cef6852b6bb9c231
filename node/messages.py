"""Every message on the wire: one tagged union, decoded strictly.

The sender's identity is in the message, stamped by the core; the transport's own header (generation, sequence number,
time sent) is not seen here. A frame that is no valid message raises `MalformedMessage` and nothing else."""

from __future__ import annotations

from typing import Annotated, Final

import msgspec

Address = str
"""Logical, the same in both worlds: "127.0.0.1:5701". Never a socket's port of the day."""

Uuid = str
"""The identity of one incarnation of a member; a restart or a merge renews it."""

LARGEST_MESSAGE: Final = 1 << 20
"""A larger frame is refused unread: a list of 7,000 members still fits."""

_MOST: Final = 1 << 60
"""So that what is computed from a number off the wire still fits the 64 bits of a history's columns."""

Number = Annotated[int, msgspec.Meta(ge=0, le=_MOST)]
Time = Annotated[int, msgspec.Meta(ge=-_MOST, le=_MOST)]
"""Of the cluster's clock, which is another node's and may stand before the beginning of mine."""


class Member(msgspec.Struct, frozen=True, eq=False, array_like=True, forbid_unknown_fields=True, gc=False):
    """A member is an address and a uuid: both must match for two mentions to mean the same member."""

    address: Address
    uuid: Uuid
    lite: bool = False
    """it holds no data; not part of who it is, and not every mention of a member says it"""

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, Member) and self.uuid == other.uuid and self.address == other.address
        )

    def __ne__(self, other: object) -> bool:  # a struct would else compare by its own rules
        return not self == other

    def __hash__(self) -> int:
        return hash((self.address, self.uuid))


class MemberList(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """One version of the member list, oldest member first, and the uuid of the member that made it.

    No address and no uuid is in it twice. Version 0 is the empty list of who has not joined; it is never sent."""

    version: Number
    author: Uuid
    members: tuple[Member, ...]

    def __post_init__(self) -> None:
        count = len(self.members)
        if len({m.address for m in self.members}) != count or len({m.uuid for m in self.members}) != count:
            raise ValueError("a member list names an address or a uuid twice")
        if (self.version == 0) != (count == 0):
            raise ValueError("only version 0 of a member list is empty")


class Identity(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False):
    """A member as it was known when a message about it was sent: a stale message no longer matches it."""

    member: Member
    master: Address | None
    version: Number


class ConfigCheck(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False):
    """What all members of a cluster must have in common: who joins says what it has."""

    cluster: str
    partition_count: Number


class Message(msgspec.Struct, frozen=True, tag_field="type", tag=str.lower, forbid_unknown_fields=True):
    sender: Member


# Joining


class WhoIsMaster(Message, frozen=True):
    config: ConfigCheck


class MasterResponse(Message, frozen=True):
    master: Address


class JoinRequest(Message, frozen=True):
    config: ConfigCheck


class ClusterMismatch(Message, frozen=True):
    """To a joiner, that incarnation alone: you look for another cluster, ask here no more."""

    target: Uuid
    reason: str


class ConfigMismatch(Message, frozen=True):
    """To a joiner, that incarnation alone: it is your cluster, but you can never be a member of it."""

    target: Uuid
    reason: str


class FinalizeJoin(Message, frozen=True):
    target: Uuid
    view: MemberList
    cluster_time: Time


class StartupVote(Message, frozen=True):
    """Asks for consent to found the cluster when several nodes start at once."""

    request: Number


class StartupVoteAnswer(Message, frozen=True):
    request: Number
    granted: bool


# The member list


class MembersUpdate(Message, frozen=True):
    target: Uuid
    view: MemberList


class LeaveRequest(Message, frozen=True):
    """A member asks its master to take it off the list: a history can so tell a leave from a crash."""

    request: Number


class LeaveAnswer(Message, frozen=True):
    """To that incarnation alone: a stale answer stops nobody who was restarted on the same address."""

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
    """A follower to its master: I, as I am, got a heartbeat of somebody whom I do not know, as he described himself."""

    complainer: Identity
    complained_of: Identity


class TriggerExplicitSuspicion(Message, frozen=True):
    """A master to its follower, whose list has this version: send explicit suspicion to this third party."""

    version: Number
    third_party: Identity


class ExplicitSuspicion(Message, frozen=True):
    """ "Assume that I am dead and go your own way." Obeyed only by who is still the `target` it names."""

    target: Identity


# Mastership claim


class MastershipClaim(Message, frozen=True):
    request: Number
    target: Uuid


class ClaimAccepted(Message, frozen=True):
    request: Number
    view: MemberList


class ClaimRefused(Message, frozen=True):
    request: Number
    final: bool
    reason: str


AnyMessage = (
    WhoIsMaster
    | MasterResponse
    | JoinRequest
    | ClusterMismatch
    | ConfigMismatch
    | FinalizeJoin
    | StartupVote
    | StartupVoteAnswer
    | MembersUpdate
    | LeaveRequest
    | LeaveAnswer
    | Heartbeat
    | MasterConfirmation
    | HeartbeatComplaint
    | TriggerExplicitSuspicion
    | ExplicitSuspicion
    | MastershipClaim
    | ClaimAccepted
    | ClaimRefused
)


class MalformedMessage(ValueError):
    """The bytes are no message of this version."""


_encoder = msgspec.msgpack.Encoder()
_decoder: msgspec.msgpack.Decoder[AnyMessage] = msgspec.msgpack.Decoder(AnyMessage)


def encode(message: Message) -> bytes:
    return _encoder.encode(message)


def decode(data: bytes) -> Message:
    if len(data) > LARGEST_MESSAGE:
        raise MalformedMessage(f"{len(data)} bytes are more than a message may have ({LARGEST_MESSAGE})")
    try:
        return _decoder.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise MalformedMessage(str(error)) from error


def kind_of(message: Message) -> str:
    """The name by which a chaos script speaks of this kind of message: "membersupdate"."""
    return str(message.__struct_config__.tag)
