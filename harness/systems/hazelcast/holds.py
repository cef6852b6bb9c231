"""Crash points inside a Hazelcast member: at which of its log lines, or steps of a migration, an event can be held.

The thread that logs the line waits there. It often holds the lock of the cluster service, so that nothing else of the
service goes on; other threads do. The messages that belong to the line have not left yet."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from shaketable.node.process import control

Value = str | int | bool | None


class Point(NamedTuple):
    line: str
    """a pattern of the logger's name and its line; {field} stands for a value of the event"""
    fields: Mapping[str, str | Mapping[Value, str]] = {}
    """those that a hold may name: the pattern of any value, or of each one"""
    within: str = ""
    """a pattern of Class.method: the line counts only where one of these is being called by the thread that logs it,
    since it is not logged for this event alone. They are the same from 5.3 to 5.7"""


_PEER: Final = {"peer": r"Member \[[^\]]+\]:\d+"}
_VERSION: Final = {"version": r"\d+"}
_PARTITION: Final = {"partition": r"\d+"}
_ENDS: Final[Mapping[Value, str]] = {True: "commit", False: "rollback"}
_BEGINNERS: Final[Mapping[Value, str]] = {"owner": "source", "destination": "destination"}
_ENDERS: Final[Mapping[Value, str]] = {"master": "master", "destination": "destination"}

HOLDS: Final[Mapping[str, Point]] = {
    "Joined": Point(
        r"^(MembershipManager: .*Setting members |ClusterJoinManager: .*This node is being set as the master)",
        within=r"^(ClusterServiceImpl\.finalizeJoin|ClusterJoinManager\.setThisMemberAsMaster)$",
    ),
    "ViewInstalled": Point(r"^MembershipManager: .*Setting members .*, version: {version}$", _VERSION),
    "ViewPublished": Point(r"^MembershipManager: .*Sending member list to the non-master .* ver:{version}\W", _VERSION),
    "Suspected": Point(r"^MembershipManager: .*({peer} - \S+ is suspected to be dead|Removing {peer} - \S+$)", _PEER),
    "SuspicionEnded": Point(r"^MembershipManager: .*Removed suspicion of {peer} ", _PEER),
    "MemberRemoved": Point(r"^MembershipManager: .*{peer} - \S+ is removed\. Publishing new member list", _PEER),
    "ExplicitSuspicionReceived": Point(r"^ExplicitSuspicionOp: .*Received suspicion request from: "),
    "SuspicionsReported": Point(r"^MembershipManager: .*Received suspected members: .* from {peer} ", _PEER),
    "DisconnectionResolved": Point(r"^MembershipManager: .* because it has disconnected from some"),
    "ClaimStarted": Point(r"^MembershipManager: .* and initial addresses to ask: "),
    "ClaimFinished": Point(
        r"^MembershipManager: .*Sending member list to the non-master ",
        within=r"^MembershipManager\$DecideNewMembersViewTask\.innerRun$",
    ),
    "ClaimConsented": Point(r"^ClusterService: .*Mastership of \[[^\]]+\]:\d+ is accepted"),
    "MergeJudged": Point(r"^ClusterJoinManager: .*(We should merge to| should merge to us)"),
    "MergeBegan": Point(r"^TcpIpJoiner: .* is merging \[tcp/ip\] to "),
    "Merging": Point(r"^ClusterService: .*Resetting local member UUID"),
    "MigrationRequested": Point(r"^migration: start master {partition}$", _PARTITION),
    "MigrationBegan": Point(r"^migration: start {role} {partition}$", {"role": _BEGINNERS, **_PARTITION}),
    "MigrationCopied": Point(r"^migration: complete master {partition}$", _PARTITION),
    "CommitSent": Point(
        r"^MigrationManager\w*: .*Sending migration commit operation to .*partitionId={partition}\b", _PARTITION
    ),
    "MigrationFinished": Point(
        r"^migration: {successful} {role} {partition}$", {"role": _ENDERS, "successful": _ENDS, **_PARTITION}
    ),
    "ReplicaPromoted": Point(r"^migration: promotion-complete destination {partition}$", _PARTITION),
}


def point_of(hold: control.ArmHold) -> tuple[str, str]:
    """The pattern for the agent, and "", or why it cannot be held there."""
    point = HOLDS.get(hold.event)
    if point is None:
        return "", f"a Hazelcast member cannot hold at {hold.event}: no line of its log stands for it alone"
    if hold.after:
        return "", "a Hazelcast member cannot hold after a number of messages"
    values = {name: _any(known) for name, known in point.fields.items()}
    for name, value in hold.where:
        pattern = _one(name, value, point.fields[name]) if name in point.fields else None
        if pattern is None:
            return "", f"a Hazelcast member cannot hold at {hold.event} where its {name} is {value}"
        values[name] = pattern
    return point.line.format(**values) if values else point.line, ""


def _any(known: str | Mapping[Value, str]) -> str:
    return known if isinstance(known, str) else f"({'|'.join(known.values())})"


def _one(name: str, value: Value, known: str | Mapping[Value, str]) -> str | None:
    if not isinstance(known, str):
        return known.get(value)
    if name == "peer" and isinstance(value, str):
        host, _, port = value.rpartition(":")
        return rf"Member \[{re.escape(host)}\]:{port}"
    return re.escape(str(value))
