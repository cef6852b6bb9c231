"""The lines of Hazelcast's log that are read, word by word. This is the only place that knows their text.

The strings were taken out of the class files of 5.3.8, 5.4.0, 5.5.0, 5.6.0 and 5.7.0 and compared. The differences:

| since | what |
|---|---|
| 5.4 | a member can be demoted; `ClusterJoinManagerSyncJoinStrategy` lets joiners wait, with the same lines |
| 5.5 | `MigrationManager` logs as `MigrationManagerImpl`, with the same lines |
| 5.6 | an explicit suspicion is ignored for one more reason: no master is known. Its words differ again in 5.7 |

In a text {name:kind} is a part that is read. A line looks like a text if it has the first three words of the text's
first piece that has several. If it then is not wholly as the text says, it is unknown: another version may say it
otherwise."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from shaketable.harness.systems.hazelcast.words import ADDRESS, LIST, MEMBER, MEMBERS, METADATA, PRINTED, TIME, UUID

HEARTBEATS_STAY_OUT: Final = (
    "Suspecting {peer:member} because it has not sent any heartbeats since {since:time}. Now: {now:time}, "
    "heartbeat timeout: {timeout:number} ms, suspicion level: {level:level}"
)

RETURNS: Final = (
    "New join request has been received from an existing endpoint {peer:member}. Removing old member and processing "
    "join request with UUID {uuid:uuid}"
)
"""Both are lines of their own, and reasons in a line of another logger."""

_TEXTS: Final[Mapping[str, Mapping[str, str]]] = {
    "MembershipManager": {
        "set members": "Setting members {members:members}, version: {version:number}",
        "sends list": "Sending member list to the non-master nodes: {list:printed}",
        "raises version": "Updating local member list version: {before:number} to {version:number} because of split "
        "brain merge caller: {caller:rest}",
        "removes": "Removing {peer:member}",
        "suspected": "{peer:member} is suspected to be dead for reason: {reason:rest}",
        "suspicion ended": "Removed suspicion of {peer:member}. Reason: {reason:rest}",
        "explicit suspicion ignored": "Ignoring explicit suspicion of {peer:who}. Expected: {view:rest}",
        "explicit suspicion without master": "Ignoring explicit suspicion from {peer:who} - no master {view:rest}",
        "explicit suspicion unneeded": "No need for explicit suspicion, {peer:who} is not a member.",
        "claim begins": "Starting mastership claim process...",
        "claim asks": "Local {list:list} with suspected members: {suspected:members} and initial addresses to ask: "
        "{asked:members}",
        "claim asks another": "Asking MembersView of {address:address}",
        "claim learns": "A more recent {list:list} is received from {peer:who}",
        "claim leaves out": "{peer:who} is excluded because suspected",
        "claim is not accepted": "{peer:who} is excluded because I couldn't get its acceptance",
        "claim is not answered": "{peer:who} is excluded because I don't know its response",
        "claim ends": "Mastership is claimed with: {list:list}",
        "claim given up": "Ignoring decided members view after mastership claim: {reason:rest}",
        "claim failed": "Exception thrown while running DecideNewMembersViewTask",
        "suspicions reported": "Received suspected members: {suspected:members} from {peer:member}",
        "removal decided": "Removing {peer:member} because it has disconnected from some of the members!",
        "resolution dropped": "Won't remove partially disconnected members: {reason:rest}",
        "resolution timed out": "Partial disconnection resolution algorithm timed out!",
        "resolution failed": "Partial disconnection resolution algorithm failed!",
    },
    "ClusterService": {
        "sets master": "Setting master address to {address:address}",
        "unsets master": "Setting master address to null",
        "claim accepted": "Mastership of {address:address} is accepted. Response: {list:list}",
        "claim declined": "Cannot accept mastership claim of {address:address} at the moment. There are more suitable "
        "master candidates in the member list.",
        "new uuid": "Resetting local member UUID. Previous: {previous:uuid}, new: {new:uuid}",
    },
    "ClusterJoinManager": {
        "founds": "This node is being set as the master",
        "restarted joiner": RETURNS,
        "compares": "Checking if we should merge to: {message:rest}",
        "would merge": "We should merge to {address:address}{reason:rest}",
        "stays": "{address:address} should merge to us{reason:rest}",
        "lists overlap": "{me:address} CANNOT merge to {address:address}, because it thinks {reason:rest}",
    },
    "TcpIpJoiner": {
        "nobody accepted": "This node will assume master role since none of the possible members accepted join "
        "request.",
        "voted": "Setting myself as master after consensus! Voting endpoints: {voters:rest}",
        "merges": "{me:address} is merging [tcp/ip] to {address:address}",
        "cannot freeze": "While changing cluster state to FROZEN! {reason:rest}",
        "merge put off for its list": "Could not change cluster state to FROZEN because local member list version: "
        "{now:number} is different than expected member list version: {before:number}",
        "merge put off": "Could not change cluster state to FROZEN in time. Postponing merge process until next "
        "attempt.",
        "asks a part": "Sending SplitBrainJoinMessage to {address:address}",
        "cannot ask a part": "Could not send SplitBrainJoinMessage to the {why:rest}",
        "part is silent": "Timeout during join check!",
        "part has failed": "Error during join check!",
    },
    "ClusterHeartbeatManager": {
        "heartbeats stay out": HEARTBEATS_STAY_OUT,
        "round is late": "Resetting heartbeat timestamps because of huge system clock jump! "
        "Clock-Jump: {jump:number} ms, Heartbeat-Timeout: {timeout:number} ms",
    },
    "TcpServerConnection": {
        "closed": "Connection[id={id:number}, {sockets:rest}, endpoint={address:address}, remoteUuid={uuid:rest}, "
        "alive=false, connectionType=MEMBER, planeIndex={plane:rest}] closed. Reason: {reason:rest}"
    },
    "ExplicitSuspicionOp": {"explicit suspicion": "Received suspicion request from: {address:address}"},
    "CommitClusterStateOp": {
        "changes state": "Changing cluster state from {before:rest} to {change:rest}, initiator: {initiator:address}, "
        "transient: {transient:rest}"
    },
    "MergeClustersOp": {
        "told to merge": "{me:address} is merging to {address:address}, because: instructed by master {master:address}"
    },
    "SplitBrainMergeValidationOp": {
        "thinks it is split": "Removing {peer:who}, since it thinks it's already split from this cluster and looking "
        "to merge."
    },
    "MigrationManager": {
        "partition lost": "partitionId={partition:number} is completely lost!",
        "commits": "Sending migration commit operation to {peer:replica} for {migration:rest}",
        "all migrated": "All migration tasks have been completed. ({statistics:rest})",
        "sends completed": "Publishing completed migrations [{many:number}]: {migrations:rest}",
    },
    "InternalPartitionService": {"sends table": "Publishing partition state, stamp: {stamp:stamp}"},
}
_SAME_AS: Final = {"MigrationManagerImpl": "MigrationManager"}

UNNEEDED: Final[Mapping[str, tuple[str, ...]]] = {
    "MembershipManager": (
        "Removing suspected address ",
        " from members removed in not joinable state.",
        " is removed. Publishing new member list.",
        "Sending member list to member: ",
        "Ignoring explicit suspicion trigger for ",
        " from itself.",
        " contains this member!",
        "This not is not master but received suspected members: ",
        "Ignoring received suspected members: ",
    ),
    "ClusterService": (" is already master.",),
    "SplitBrainMergeValidationOp": ("Ignoring join check from ",),
    "TcpServerConnection": ("connectionType=NONE", "endpoint=null"),
}
"""Words of lines that nearly are like one of ours, and say nothing that is told."""

LEVELS: Final[Mapping[str, str]] = {
    "com.hazelcast.internal.cluster": "FINEST",
    "com.hazelcast.internal.partition": "FINE",
    "com.hazelcast.internal.partition.impl.MigrationManager": "FINEST",
    "com.hazelcast.internal.server.tcp": "OFF",
    "com.hazelcast.internal.server.tcp.TcpServerConnection": "FINEST",
    "com.hazelcast.internal.server.tcp.TcpServerConnectionErrorHandler": "OFF",
    "com.hazelcast.internal.server.tcp.TcpServerConnectionManager": "OFF",
    "com.hazelcast.core": "INFO",
    "com.hazelcast.instance": "INFO",
    "com.hazelcast.system": "INFO",
    "com.hazelcast.system.logo": "OFF",
}
"""What the agent listens to; of all other loggers it tells warnings."""

UNHEARD: Final = (
    "] Received heartbeat from ",
    "connectionType=NONE, ",
    "] Setting cluster time diff to ",
    "] Ignoring join request, member already exists: ",
    "] Planned migration -> ",
    "] Planning migrations for ",
    "] Already applied ",
    "] Scheduled finalization of ",
    "] Checking partition state, ",
    " is local? ",
    "ending master question to ",
    "You configured your member address as host name.",
)
"""Words of lines that the agent need not tell: there are many of them."""

_KINDS: Final[Mapping[str, str]] = {
    "address": ADDRESS,
    "replica": rf"{ADDRESS} - {UUID}",
    "member": MEMBER,
    "members": MEMBERS,
    "who": rf"(?:{MEMBER}|{METADATA}|MemberInfo\{{[^{{}}]*\}}|{ADDRESS})",
    "list": LIST,
    "printed": PRINTED,
    "uuid": UUID,
    "number": r"\d+",
    "stamp": r"-?\d+",
    "time": TIME,
    "level": r"[\d.,]+",
    "rest": ".*",
}
_PART: Final = re.compile(r"\{(\w+):(\w+)\}")
_THREE_WORDS: Final = re.compile(r"\W*\w\S*(?:\s+\w\S*){0,2}\s?")


class Line(NamedTuple):
    name: str
    """of its text"""
    said: Mapping[str, str]
    """its parts"""


class UnknownLine(ValueError):
    """It looks like one of ours."""


class Text(NamedTuple):
    name: str
    mark: str
    """its first words"""
    begins: bool
    """with them"""
    whole: re.Pattern[str]

    def is_like(self, line: str) -> bool:
        return line.startswith(self.mark) if self.begins else self.mark in line


def text_of(name: str, text: str) -> Text:
    pieces = _PART.sub("\0", text).split("\0")
    whole = ""
    for place, word in enumerate(_PART.split(text)):
        if place % 3 == 0:
            whole += re.escape(word)
        elif place % 3 == 1:
            whole += f"(?P<{word}>"
        else:
            whole += f"{_KINDS[word]})"
    piece = next((piece for piece in pieces if len(piece.split()) > 1), pieces[0])
    mark = _THREE_WORDS.match(piece)
    assert mark is not None, f"a text without words: {text}"
    return Text(name, mark[0], piece is pieces[0], re.compile(whole, re.DOTALL))


_READ: Final[Mapping[str, tuple[Text, ...]]] = {
    logger: tuple(text_of(name, text) for name, text in texts.items()) for logger, texts in _TEXTS.items()
}
NAMES: Final = tuple(name for texts in _TEXTS.values() for name in texts)


def read(source: str, text: str) -> Line | None:
    """The line of this logger, without its prefix; None: it is none of ours."""
    logger = _SAME_AS.get(source, source)
    alike = False
    for each in _READ.get(logger, ()):
        if each.is_like(text):
            found = each.whole.fullmatch(text)
            if found is not None:
                return Line(each.name, found.groupdict())
            alike = True
    if alike and not any(words in text for words in UNNEEDED.get(logger, ())):
        raise UnknownLine(f"{source}: {text}")
    return None
