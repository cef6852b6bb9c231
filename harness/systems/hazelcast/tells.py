"""The kinds of event that a Hazelcast member tells, and which of them are inferred.

An event is inferred if no line of the log and no call from Hazelcast says it as it happens. Of `Suspected` and
`MemberRemoved` only some are: these name it themselves (removing.py)."""

from __future__ import annotations

from typing import Final

from shaketable.node import events

TELLS: Final = frozenset(
    {
        events.Started,
        events.Joined,
        events.Leaving,
        events.Stopped,
        events.Failed,
        events.MasterFollowed,
        events.ViewPublished,
        events.ViewInstalled,
        events.MemberRemoved,
        events.RoundLate,  # only where it is late by half of the heartbeat timeout
        events.Suspected,
        events.SuspicionEnded,
        events.ExplicitSuspicionReceived,
        events.LinkUp,
        events.LinkDown,
        events.SuspicionsReported,
        events.DisconnectionResolved,
        events.DisconnectionUnresolved,
        events.ClaimStarted,
        events.ClaimAsked,
        events.ClaimAnswered,
        events.ClaimConsented,
        events.ClaimDeclined,
        events.ClaimFinished,
        events.SplitBrainSearchBegan,
        events.SplitBrainSearchEnded,
        events.MergeJudged,
        events.MergePutOff,
        events.MergeBegan,
        events.Merging,
        events.Merged,
        events.MergeFailed,
        events.OperationCalled,
        events.OperationReturned,
        events.SafetyChanged,
        events.PartitionLost,
        events.TableChanged,
        events.TablePublished,
        events.TableInstalled,
        events.StockTaken,
        events.MigrationRequested,
        events.MigrationBegan,
        events.MigrationCopied,
        events.CommitSent,
        events.MigrationFinished,
        events.PlanDone,
        events.ReplicaPromoted,
        events.Held,
        events.Released,
    }
)
NEVER: Final = frozenset(
    {
        events.BackupNotHeard,  # who is promoted asks nobody for what it lacks
        events.LinkClosed,  # a connection that its own member closes is told as one that is down
    }
)
"""kinds that do not occur in it, which is as good as told"""
INFERS: Final = frozenset(
    {
        events.ClaimAnswered,  # from the final list
        events.DisconnectionResolved,  # its reports are those that the master has logged until then
        events.ExplicitSuspicionReceived,  # whether it was obeyed, from what came next
        events.MigrationFinished,  # of an owner that only sends: from the table that follows
        events.SplitBrainSearchEnded,  # an answer that says no is not logged
        events.ViewPublished,  # to the others when somebody joins
        events.Merging,  # the line of one that is told to merge has no uuid
        events.OperationReturned,  # its holders are read from the table just after the answer
        events.SafetyChanged,  # looked at from time to time
        events.StockTaken,
        events.TableChanged,  # a table is seen to have changed; its version is the sum of its partitions' versions
        events.TableInstalled,
        events.TablePublished,  # which completed migrations go with it is not logged
    }
)
