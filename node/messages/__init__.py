"""Every message on the wire: one tagged union, decoded strictly.

The sender's identity is in the message, stamped by the core; the transport's own header (generation, sequence number,
time sent) is not seen here. A frame that is no valid message raises `MalformedMessage` and nothing else."""

from __future__ import annotations

from typing import Final

import msgspec

from shaketable.node.messages.base import *  # noqa: F403
from shaketable.node.messages.base import Message
from shaketable.node.messages.cluster import *  # noqa: F403
from shaketable.node.messages.cluster import (
    ClaimAccepted,
    ClaimRefused,
    ClusterMismatch,
    ConfigMismatch,
    ExplicitSuspicion,
    FinalizeJoin,
    Heartbeat,
    HeartbeatComplaint,
    JoinRequest,
    LeaveAnswer,
    LeaveRequest,
    MasterConfirmation,
    MasterResponse,
    MastershipClaim,
    MembersUpdate,
    StartupVote,
    StartupVoteAnswer,
    TriggerExplicitSuspicion,
    WhoIsMaster,
)
from shaketable.node.messages.gms import *  # noqa: F403
from shaketable.node.messages.gms import (
    Application,
    FailureHint,
    FollowMaster,
    GroupMessage,
    GroupShutdown,
    GroupStart,
    HealthAnnounced,
    HealthHandedOver,
    HealthMessage,
    HealthTaken,
    LastNotifications,
    MasterAnswer,
    MasterCollision,
    MasterQuery,
    NotificationsGone,
    NotificationsWanted,
    Notified,
    Ping,
    Pong,
    Ready,
    ReignTold,
    ShutdownWanted,
    StillHeard,
    StillHeardAnswer,
    SuspectReport,
    SuspectReportTaken,
)
from shaketable.node.messages.merging import *  # noqa: F403
from shaketable.node.messages.merging import MergeEntries, MergeEntriesAnswer
from shaketable.node.messages.partition import *  # noqa: F403
from shaketable.node.messages.partition import (
    AssignPartitions,
    Backup,
    BackupAnswer,
    Chunk,
    ChunkReceived,
    FetchedTable,
    FetchTable,
    MemberListWanted,
    MigrationAnswer,
    MigrationCommit,
    MigrationCommitAnswer,
    MigrationRequest,
    MoreHeld,
    MoreWanted,
    Operation,
    OperationAnswer,
    PublishTable,
    ReplicaComes,
    ReplicaVersions,
    ReplicaVersionsAnswer,
    ReplicaWanted,
    StartCopy,
    StartCopyAnswer,
    StartSync,
    TableAcknowledged,
)
from shaketable.node.messages.splitbrain import *  # noqa: F403
from shaketable.node.messages.splitbrain import (
    ChangeAddresses,
    ChangeAddressesAnswer,
    MergeClusters,
    MergeClustersAnswer,
    MergeValidation,
    MergeValidationAnswer,
    PrepareMerge,
    PrepareMergeAnswer,
    TakeAddresses,
    TakeAddressesAnswer,
)

LARGEST_MESSAGE: Final = 1 << 20
"""A larger frame is refused unread: a list of 7,000 members still fits."""

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
    | AssignPartitions
    | PublishTable
    | TableAcknowledged
    | MemberListWanted
    | FetchTable
    | FetchedTable
    | MigrationRequest
    | MigrationAnswer
    | StartCopy
    | StartCopyAnswer
    | Chunk
    | ChunkReceived
    | MigrationCommit
    | MigrationCommitAnswer
    | Operation
    | OperationAnswer
    | Backup
    | BackupAnswer
    | MergeEntries
    | MergeEntriesAnswer
    | ReplicaVersions
    | ReplicaVersionsAnswer
    | StartSync
    | MoreWanted
    | MoreHeld
    | ReplicaWanted
    | ReplicaComes
    | MergeValidation
    | MergeValidationAnswer
    | PrepareMerge
    | PrepareMergeAnswer
    | MergeClusters
    | MergeClustersAnswer
    | ChangeAddresses
    | ChangeAddressesAnswer
    | TakeAddresses
    | TakeAddressesAnswer
    | HealthMessage
    | HealthAnnounced
    | HealthHandedOver
    | HealthTaken
    | ReignTold
    | Ping
    | Pong
    | SuspectReport
    | SuspectReportTaken
    | StillHeard
    | StillHeardAnswer
    | FailureHint
    | MasterQuery
    | MasterAnswer
    | MasterCollision
    | FollowMaster
    | Notified
    | NotificationsWanted
    | NotificationsGone
    | LastNotifications
    | Ready
    | ShutdownWanted
    | GroupShutdown
    | GroupStart
    | Application
)

GROUP_MESSAGES: Final = tuple(kind for kind in AnyMessage.__args__ if issubclass(kind, GroupMessage))


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
