"""Crash points inside a Hazelcast member: at which of its log lines an event of ours can be held.

The thread that logs the line waits there. It often holds the lock of the cluster service, so that nothing else of the
service goes on; other threads do. The messages that belong to the line have not left yet."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from shaketable.node.process import control


class Point(NamedTuple):
    line: str
    """a pattern of the logger's name and its line; {field} stands for a value of the event"""
    fields: Mapping[str, str]
    """those that a hold may name, and the pattern of any value"""


_PEER: Final = {"peer": r"Member \[[^\]]+\]:\d+"}
_VERSION: Final = {"version": r"\d+"}

HOLDS: Final[Mapping[str, Point]] = {
    "Joined": Point(r"^MembershipManager: .*Setting members ", {}),
    "ViewInstalled": Point(r"^MembershipManager: .*Setting members .*, version: {version}$", _VERSION),
    "ViewPublished": Point(r"^MembershipManager: .*Sending member list to the non-master .* ver:{version}\W", _VERSION),
    "Suspected": Point(
        r"^MembershipManager: .*({peer} - \S+ is suspected to be dead|Removing {peer} - \S+$)", _PEER
    ),
    "SuspicionEnded": Point(r"^MembershipManager: .*Removed suspicion of {peer} ", _PEER),
    "MemberRemoved": Point(r"^MembershipManager: .*{peer} - \S+ is removed\. Publishing new member list", _PEER),
    "ExplicitSuspicionReceived": Point(r"^ExplicitSuspicionOp: .*Received suspicion request from: ", {}),
    "SuspicionsReported": Point(r"^MembershipManager: .*Received suspected members: .* from {peer} ", _PEER),
    "DisconnectionResolved": Point(r"^MembershipManager: .* because it has disconnected from some", {}),
    "ClaimStarted": Point(r"^MembershipManager: .* and initial addresses to ask: ", {}),
    "ClaimFinished": Point(r"^MembershipManager: .*Sending member list to the non-master ", {}),
    "ClaimConsented": Point(r"^ClusterService: .*Mastership of \[[^\]]+\]:\d+ is accepted", {}),
    "MergeJudged": Point(r"^ClusterJoinManager: .*(We should merge to| should merge to us)", {}),
    "MergeBegan": Point(r"^TcpIpJoiner: .* is merging \[tcp/ip\] to ", {}),
    "Merging": Point(r"^ClusterService: .*Resetting local member UUID", {}),
}  # fmt: skip


def point_of(hold: control.ArmHold) -> tuple[str, str]:
    """The pattern for the agent, and "", or why it cannot be held there."""
    point = HOLDS.get(hold.event)
    if point is None:
        return "", f"a Hazelcast member cannot hold at {hold.event}: no line of its log stands for it alone"
    if hold.after:
        return "", "a Hazelcast member cannot hold after a number of messages"
    named = dict(hold.where)
    strange = next((name for name in named if name not in point.fields), "")
    if strange:
        return "", f"a Hazelcast member cannot hold at {hold.event} by its {strange}"
    values = {name: _pattern_of(name, named[name]) if name in named else point.fields[name] for name in point.fields}
    return point.line.format(**values) if values else point.line, ""


def _pattern_of(name: str, value: str | int | bool | None) -> str:
    if name == "peer" and isinstance(value, str):
        host, _, port = value.rpartition(":")
        return rf"Member \[{re.escape(host)}\]:{port}"
    return re.escape(str(value))
