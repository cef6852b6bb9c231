"""A member does in one step all that follows from what it tells (text 1.5 to 1.9).

A step is what one message or one timer begins. Events of a member with another beginning belong to another step. A
history without causes, and a step that a command began, have a second for it. The last step of a process that ended may
be cut short, and is not judged. The rules of a claim itself are those of "claims"."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.checks.result import CheckResult, Findings, IfSeen, Watch, counted
from shaketable.harness.checks.shared.not_its_own import NOT_OF_THE_MEMBER
from shaketable.harness.history.history import History
from shaketable.harness.records import Record
from shaketable.harness.seen.run import NodeSeen, Observed
from shaketable.node.core.env import SECOND, Micros
from shaketable.node.events import (
    BackupHadMore,
    BackupNotHeard,
    BackupSynced,
    ChunkArrived,
    ChunkRefused,
    ClaimAsked,
    ClaimFinished,
    ClaimStarted,
    ComplaintReceived,
    Event,
    ExplicitSuspicionReceived,
    ExplicitSuspicionSent,
    Joined,
    MemberRemoved,
    MergeBegan,
    MergeJudged,
    MigrationBegan,
    MigrationFinished,
    PartitionLost,
    Started,
    Suspected,
    TableChanged,
    TablePublished,
    TableSearchEnded,
    TriggerReceived,
    TriggerSent,
    ViewIgnored,
    ViewInstalled,
    ViewPublished,
)
from shaketable.node.messages import Member, MergeValidation, Uuid
from shaketable.node.why import Why

NAME: Final = "consequences"
RULE: Final = (
    "A member does in the same step what follows from what it tells. A master that suspects a member removes it, a "
    "removal and a finished claim install a list, and a new list or table goes to all others. A migration's end, a "
    "search's end and a lost partition change the master's table. A candidate asks every younger member that it does "
    "not suspect. A member that obeys explicit suspicion suspects its sender. Explicit suspicion is sent for a list of "
    "a member that is not the master, for an obeyed trigger, and for a judged complaint; for a confirmation of a "
    "stranger all others are told to send it as well. A master that is asked to merge by "
    "a member of its own list suspects it. Data of a backup that have come whole are taken or refused."
)


STEP: Final[Micros] = SECOND
"""for a step whose beginning is not told"""
_WHAT_CAME: Final = (BackupSynced, BackupHadMore, BackupNotHeard, ChunkRefused)
"""what a member says of data that have come whole, if they are of no migration"""

Follow = tuple[str, Callable[[Event], bool]]
"""what the member has to do, and how it is known"""
Follows = Iterator[Follow]


class Due(NamedTuple):
    """One event that has to follow."""

    of: Record
    what: str
    """ "remove n3": what the member has to do"""
    fits: Callable[[Event], bool]


def check(history: History, bounds: Bounds) -> Watch:
    return _Judge(history, bounds)


class _Judge:
    def __init__(self, history: History, bounds: Bounds) -> None:
        self.findings = Findings(history)
        self.count = 0
        self._history = history
        self._names = history.names
        self._patience = STEP + bounds.allowance
        self._due: dict[tuple[str, Uuid], list[Due]] = {}
        self._migrations: dict[str, bool] = {}
        """all that have begun somewhere: a migration's data wait for its end"""
        self._begun_by = ""
        """the kind of message that began the step"""

    def see(self, record: Record, node: NodeSeen | None, seen: Observed) -> None:
        event = record.event
        if node is None or type(event) in NOT_OF_THE_MEMBER:
            return
        key = record.node, record.incarnation
        due = self._due.get(key)
        if due:
            self._due[key] = due = [each for each in due if not self._is_over(each, record) and not each.fits(event)]
        follows = _FOLLOWS.get(type(event)) or _IF_TOLD.get(type(event))
        if follows is not None:
            self._begun_by = "" if record.cause is None else record.cause.kind
            new = [Due(record, what, fits) for what, fits in follows(self, event, node)]
            self.count += len(new)
            self._due[key] = [*(due or ()), *new]

    def _is_over(self, due: Due, record: Record) -> bool:
        """Another step has begun."""
        of = due.of
        same = record.cause == of.cause if of.cause is not None else record.time <= of.time + self._patience
        if not same:
            self._accuse(due, record)
        return not same

    def _accuse(self, due: Due, after: Record | None = None) -> None:
        who = self._names.process(due.of.node, due.of.incarnation)
        proof = [due.of] if after is None else [due.of, after]
        self.findings.add(f"{who} {due.what}, and does not.", proof)

    def result(self) -> CheckResult:
        history = self._history
        for key, due in self._due.items():
            process = history.processes.get(key)
            for each in due:
                over = each.of.time + self._patience < history.end
                if over and process is not None and process.ended is None and history.executing(process):
                    self._accuse(each)
        looked_at = f"{counted(self.count, 'thing')} that had to follow"
        return self.findings.result(NAME, RULE, looked_at, self.count)

    # What follows from each kind of event: what is to be done, and how it is known.

    def _removed(self, event: MemberRemoved, node: NodeSeen) -> Follows:
        def fits(next_: Event) -> bool:
            return isinstance(next_, ViewInstalled) and event.peer not in next_.members

        yield f"has to install a list without {self._names.member(event.peer)}, which it removes", fits

    def _installed(self, event: ViewInstalled, node: NodeSeen) -> Follows:
        """Nobody is to be told who has just come: that one has got the list with its admission."""
        if event.author != node.incarnation or not node.joined or event.version == node.version:
            return
        before = {member.uuid for member in node.members}
        others = [m for m in event.members if m.uuid in before and m.uuid != node.incarnation]
        if others:
            yield (
                f"has to publish v{event.version} {self._names.members(event.members)}",
                lambda next_: isinstance(next_, ViewPublished) and next_.version == event.version and next_.change,
            )

    def _changed(self, event: TableChanged, node: NodeSeen) -> Follows:
        """Several changes of one step go out together."""
        leads = node.master is not None and node.master.uuid == node.incarnation
        if leads and not node.claiming and node.merging.into is None and len(node.members) > 1:
            yield (
                f"has to publish its table v{event.version}",
                lambda next_: isinstance(next_, TablePublished) and next_.version >= event.version and next_.change,
            )

    def _migrated(self, event: MigrationFinished, node: NodeSeen) -> Follows:
        if event.role == "master":
            yield (
                f"has to change its table to v{event.version}, by the end of {event.migration}",
                _changes(event.version),
            )

    def _found(self, event: TableSearchEnded, node: NodeSeen) -> Follows:
        yield (
            f"has to go on from v{event.version} of the table, the newest that it has found",
            lambda next_: isinstance(next_, TableChanged) and next_.version > event.version,
        )

    def _lost(self, event: PartitionLost, node: NodeSeen) -> Follows:
        yield f"has to give partition {event.partition} another owner in v{event.version}", _changes(event.version)

    def _finished(self, event: ClaimFinished, node: NodeSeen) -> Follows:
        yield (
            f"has to install v{event.version}, with which its claim ends",
            lambda next_: isinstance(next_, ViewInstalled) and next_.version == event.version,
        )

    def _started(self, event: ClaimStarted, node: NodeSeen) -> Follows:
        younger = False
        for member in event.members:
            if younger and member.uuid not in node.suspected:
                yield f"has to ask {self._names.member(member)}, which it does not suspect", _asks(member)
            younger = younger or member.uuid == node.incarnation

    def _obeyed(self, event: ExplicitSuspicionReceived, node: NodeSeen) -> Follows:
        for member in node.members if event.obeyed else ():
            if member.address == event.peer.address and member.uuid not in node.suspected:
                yield f"has to suspect {self._names.member(member)}, which it obeys", _suspects(member)

    def _triggered(self, event: TriggerReceived, node: NodeSeen) -> Follows:
        if event.obeyed:
            yield from self._tell(event.third_party, node)

    def _suspected(self, event: Suspected, node: NodeSeen) -> Follows:
        """A candidate, or a master on its way to another cluster, leads nobody."""
        leads = node.master is not None and node.master.uuid == node.incarnation
        if leads and not node.claiming and node.merging.into is None and event.peer in node.members:
            whom = self._names.member(event.peer)
            yield f"has to remove {whom}, which it suspects as the master", _removes(event.peer)

    def _migrates(self, event: MigrationBegan, node: NodeSeen) -> Follows:
        self._migrations[event.migration] = True
        yield from ()

    def _came(self, event: ChunkArrived, node: NodeSeen) -> Follows:
        if event.last and event.stream not in self._migrations:
            whose = self._names.member(event.peer)
            said = f"has to take or refuse stream {event.stream} of {whose}, which has come whole"
            yield said, lambda next_: isinstance(next_, _WHAT_CAME) and next_.peer == event.peer

    def _ignored(self, event: ViewIgnored, node: NodeSeen) -> Follows:
        if event.why is Why.NOT_FROM_MY_MASTER and not node.claiming:
            yield from self._tell(event.peer, node)

    def _told(self, event: ExplicitSuspicionSent, node: NodeSeen) -> Follows:
        """A member that follows me without being in my list may be heard by others, and not by me."""
        if event.why is not Why.STRANGE_CONFIRMATION:
            return
        for member in node.members:
            if member.uuid != node.incarnation and member.address != event.peer.address:
                yield self._let_tell(member, event.peer)

    def _judged(self, event: ComplaintReceived, node: NodeSeen) -> Follows:
        match event.why:
            case Why.BOTH_FOLLOW:
                yield (
                    "has to publish its list once more, for both follow it",
                    lambda next_: isinstance(next_, ViewPublished),
                )
            case Why.COMPLAINED_OF_FOLLOWS_NOT:
                yield from self._tell(event.complained_of, node)
                yield self._let_tell(event.peer, event.complained_of)
            case Why.COMPLAINER_FOLLOWS_NOT:
                yield from self._tell(event.peer, node)
                yield self._let_tell(event.complained_of, event.peer)
            case Why.NEITHER_FOLLOWS:
                yield from self._tell(event.peer, node)
                yield from self._tell(event.complained_of, node)

    def _asked_to_merge(self, event: MergeJudged, node: NodeSeen) -> Follows:
        """Lists that overlap have not come apart yet (issue 8137)."""
        if self._begun_by == MergeValidation.__name__ and event.why is Why.LISTS_OVERLAP and event.peer in node.members:
            whom = self._names.member(event.peer)
            yield f"has to suspect {whom}, of its list, which leads a list of its own", _suspects(event.peer)

    def _tell(self, stranger: Member, node: NodeSeen) -> Follows:
        if stranger.address == node.address:  # an earlier life of its own
            return
        whom = self._names.member(stranger)
        yield (
            f"has to send explicit suspicion to {whom}",
            lambda next_: isinstance(next_, ExplicitSuspicionSent) and next_.peer == stranger,
        )

    def _let_tell(self, member: Member, stranger: Member) -> Follow:
        names = self._names
        what = f"has to have {names.member(member)} send explicit suspicion to {names.member(stranger)}"
        return what, lambda next_: isinstance(next_, TriggerSent) and (next_.peer, next_.third_party) == (
            member, stranger,
        )  # fmt: skip


def _asks(member: Member) -> Callable[[Event], bool]:
    return lambda event: isinstance(event, ClaimAsked) and event.peer == member


def _suspects(member: Member) -> Callable[[Event], bool]:
    return lambda event: isinstance(event, Suspected) and event.peer == member


def _removes(member: Member) -> Callable[[Event], bool]:
    return lambda event: isinstance(event, MemberRemoved) and event.peer == member


def _changes(version: int) -> Callable[[Event], bool]:
    return lambda event: isinstance(event, TableChanged) and event.version == version


_FOLLOWS: Final[Mapping[type[Event], Callable[[_Judge, Any, NodeSeen], Follows]]] = {
    MemberRemoved: _Judge._removed,
    ViewInstalled: _Judge._installed,
    ClaimFinished: _Judge._finished,
    ClaimStarted: _Judge._started,
    ExplicitSuspicionReceived: _Judge._obeyed,
    ExplicitSuspicionSent: _Judge._told,
    TriggerReceived: _Judge._triggered,
    Suspected: _Judge._suspected,
    ViewIgnored: _Judge._ignored,
    ComplaintReceived: _Judge._judged,
    TableChanged: _Judge._changed,
    MigrationFinished: _Judge._migrated,
    TableSearchEnded: _Judge._found,
    PartitionLost: _Judge._lost,
}
_IF_TOLD: Final[Mapping[type[Event], Callable[[_Judge, Any, NodeSeen], Follows]]] = {
    MigrationBegan: _Judge._migrates,
    ChunkArrived: _Judge._came,
    MergeJudged: _Judge._asked_to_merge,
}
NEEDS: Final = (
    *(*_FOLLOWS, ClaimAsked, Joined, MergeBegan, Started, TablePublished, TriggerSent, ViewPublished),
    *(IfSeen(kind, (ChunkArrived,)) for kind in (MigrationBegan, *_WHAT_CAME)),
)
