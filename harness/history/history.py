"""A recorded run: its events in order, its hash, and the one reading of it that all checks share.

The order is (time, node, incarnation, sequence). Only a node's own order is exact, and nothing here needs more. The
reading stops at the end of the script: the world's cleaning up afterwards does not belong to the story."""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import itemgetter
from typing import Any, Final, NamedTuple, TypeVar

from shaketable.harness.faults.kinds import kinds_told
from shaketable.harness.faults.node_kinds import HOLD
from shaketable.harness.faults.verb import FaultKind
from shaketable.harness.history.codec import hashed_lines
from shaketable.harness.history.names import Names
from shaketable.harness.records import (
    OURS,
    FabricRestored,
    FabricTrouble,
    FaultAsked,
    FaultEndAsked,
    FaultEnded,
    FaultTook,
    FaultWithoutEffect,
    NodeConfigured,
    NodeEnded,
    NodeNamed,
    NodeSpawned,
    Record,
    RunBegan,
    ScriptEnded,
    UnderTest,
)
from shaketable.harness.seen.claims import CLAIM_FOLDS, ClaimsSeen
from shaketable.harness.seen.run import NodeSeen, Observed
from shaketable.node.config import Settings
from shaketable.node.core.env import Micros
from shaketable.node.events import (
    ClaimFinished,
    ClaimStarted,
    Event,
    Failed,
    Held,
    Joined,
    MasterFollowed,
    Merging,
    Released,
    Started,
    Stopped,
    ViewInstalled,
    ViewPublished,
)
from shaketable.node.messages import Address, Member, Uuid

Key = tuple[int, Uuid]
"""Of a view: its version, and the uuid of its author. Two sides of a split may reach one version: that makes two."""


class Install(NamedTuple):
    record: Record
    view: ViewInstalled
    key: Key
    following: Member
    """whom the installer followed until then, by what it had told before"""


class Publish(NamedTuple):
    record: Record
    view: ViewPublished
    key: Key
    following: Member | None


@dataclass(slots=True, eq=False)
class Process:
    """One incarnation of a node: a restart or a merge makes a new one."""

    node: str
    uuid: Uuid
    member: Member | None = None
    joined: bool = False
    following: Member | None = None
    follows: list[tuple[Micros, Member]] = field(default_factory=list)
    claims: ClaimsSeen = field(default_factory=ClaimsSeen)
    held: bool = False
    ended: Record | None = None
    gone: Record | None = None
    """of one that has ended to merge: the end of its node before it was somebody else"""
    installs: list[Install] = field(default_factory=list)
    publishes: list[Publish] = field(default_factory=list)

    @property
    def alive(self) -> bool:
        return self.ended is None

    def followed_at(self, time: Micros) -> Uuid | None:
        """Its master then."""
        place = bisect_right(self.follows, time, key=lambda follow: follow[0])
        return self.follows[place - 1][1].uuid if place else None


@dataclass(slots=True, eq=False)
class FaultFacts:
    """What the history says about one fault, in the order of its life."""

    asked: Record[FaultAsked]
    kind: FaultKind
    act: FaultKind
    """the kind of what lies on its links or its node"""
    nodes: tuple[str, ...]
    took: Record[FaultTook] | None = None
    held: Record[Held] | None = None
    """when the node first came to the event at which it is to hold"""
    is_quiet: bool = False
    """until then nothing is different, and the system tells when that is"""
    end_asked: Record[FaultEndAsked] | None = None
    ended: Record[FaultEnded] | None = None
    without_effect: Record[FaultWithoutEffect] | None = None


E = TypeVar("E", bound=Event)

_ORDER: Final = itemgetter(0, 1, 2, 3)


class History:
    def __init__(self, records: Iterable[Record]) -> None:
        self.records: Sequence[Record] = sorted(records, key=_ORDER)
        self._told: dict[type[Event], list[Any]] = {}
        """by kind, of the whole history"""
        for record in self.records:
            self._told.setdefault(type(record.event), []).append(record)
        ends = self.of(ScriptEnded)
        self.end: Micros = ends[0].time if ends else self.records[-1].time if self.records else 0
        self.calm: Micros = 0
        """the last time at which a fault began or ended, or a node came or went: from then on bounds are counted"""
        self.names = Names()
        self.names.infers = self.system.infers
        self.processes: dict[tuple[str, Uuid], Process] = {}
        self.faults: dict[int, FaultFacts] = {}
        self._newest: dict[str, Process] = {}
        self._ends: dict[str, Record] = {}
        """of each node's last process that the harness saw end"""
        self._configured: dict[str, Mapping[str, object]] = {}
        self._over = False
        self._read()

    def of(self, kind: type[E]) -> Sequence[Record[E]]:
        """All of this kind, in their order, those after the end of the script included."""
        return self._told.get(kind, [])

    def has(self, *kinds: type[Event]) -> bool:
        """Whether there is one of any of these kinds."""
        return any(kind in self._told for kind in kinds)

    @cached_property
    def hash(self) -> str:
        return hashlib.sha256(hashed_lines(self.records)).hexdigest()

    @property
    def system(self) -> UnderTest:
        """Whose members were shaken."""
        return next((record.event.system for record in self.of(RunBegan)), OURS)

    @cached_property
    def by_uuid(self) -> dict[Uuid, Process]:
        return {process.uuid: process for process in self.processes.values()}

    def name(self, process: Process) -> str:
        return self.names.process(process.node, process.uuid)

    def executing(self, process: Process) -> bool:
        """At the end of the run: a paused or held node is alive, but can do nothing about what it believes."""
        if process.held:
            return False
        paused = [f for f in self.faults.values() if f.kind.sleeps_at_once and process.node in f.nodes]
        return not any(fault.took is not None and fault.ended is None for fault in paused)

    def address_of(self, node: str) -> Address | None:
        return self.names.address_of(node)

    def settings_of(self, node: str, usual: Settings) -> Settings:
        """Its own, where a script gave it some."""
        if node not in self._configured:
            return usual
        return usual.with_values(self._configured[node])

    def replay(self) -> Iterator[tuple[Record, NodeSeen | None, Observed]]:
        """Each record up to the end of the script, with what was known just before it: all, and of the node whose
        event it is. That is None for the harness's own, and for the last words of a process that has a successor
        already."""
        seen = Observed()
        nodes, apply, end = seen.nodes, seen.apply, self.end
        for record in self.records:
            time, name, incarnation, _, _, _ = record
            if time > end:
                return
            node = nodes.get(name)
            if name and node is None:
                node = nodes[name] = NodeSeen(name, "")  # of a history without its beginning
            yield record, node if node is not None and node.incarnation == incarnation else None, seen
            apply(record)

    def _read(self) -> None:
        handlers = _HANDLERS
        for record in self.records:
            if record.time > self.end:
                break
            handler = handlers.get(type(record.event))
            if handler is not None:
                handler(self, record, record.event)

    def _process(self, record: Record) -> Process:
        process = self.processes.get((record.node, record.incarnation))
        if process is None:
            process = Process(record.node, record.incarnation)
            address = self.names.address_of(record.node)
            if address is not None:
                process.member = Member(address, record.incarnation)
                self.names.learn_life(process.member)
            self.processes[record.node, record.incarnation] = process
            before = self._newest.get(record.node)
            if before is not None and before.ended is None:
                before.ended = record  # its last words are lost
            self._newest[record.node] = process
        return process

    # Each of these reads one kind of event.

    def _named(self, record: Record, event: NodeNamed) -> None:
        self.names.learn(event.peer, event.address)

    def _node_configured(self, record: Record, event: NodeConfigured) -> None:
        self._configured[event.peer] = event.settings

    def _started(self, record: Record, event: Started) -> None:
        process = self._process(record)
        process.member = event.member
        self.names.learn_life(event.member)
        end = self._ends.get(record.node)
        if end is not None and end.time == record.time:
            process.ended = end  # it was killed as it started; no other starts in the microsecond of an end

    def _joined(self, record: Record, event: Joined) -> None:
        self._process(record).joined = True

    def _stopped(self, record: Record, event: Event) -> None:
        process = self._process(record)
        process.ended = process.ended or record

    def _followed(self, record: Record, event: MasterFollowed) -> None:
        process = self._process(record)
        process.following = event.master
        process.follows.append((record.time, event.master))
        CLAIM_FOLDS[MasterFollowed](process.claims, record)

    def _installed(self, record: Record, event: ViewInstalled) -> None:
        process = self._process(record)
        if process.following is None:
            process.following = event.master
        key = (event.version, event.author)
        process.installs.append(Install(record, event, key, process.following))

    def _published(self, record: Record, event: ViewPublished) -> None:
        process = self._process(record)
        process.publishes.append(Publish(record, event, (event.version, event.author), process.following))

    def _claimed(self, record: Record, event: ClaimStarted | ClaimFinished) -> None:
        CLAIM_FOLDS[type(event)](self._process(record).claims, record)

    def _held(self, record: Record[Held], event: Held) -> None:
        self._process(record).held = True
        facts = self.faults.get(event.fault)
        if facts is not None and facts.held is None:
            facts.held = record

    def _released(self, record: Record, event: Released) -> None:
        self._process(record).held = False

    def _node_ended(self, record: Record, event: NodeEnded) -> None:
        if self._over:
            return  # the world clears up
        self.calm = record.time
        self._ends[event.peer] = record
        process = self._newest.get(event.peer)
        if process is None:
            return
        if process.ended is None:
            process.ended = record
        elif isinstance(process.ended.event, Merging):
            process.gone = record

    def _disturbed(self, record: Record, event: Event) -> None:
        if not self._over:
            self.calm = record.time

    def _script_ended(self, record: Record, event: ScriptEnded) -> None:
        self._over = True

    def _fault_asked(self, record: Record[FaultAsked], event: FaultAsked) -> None:
        facts = self.faults.setdefault(event.fault, FaultFacts(record, *kinds_told(event.kinds), event.nodes))
        facts.is_quiet = facts.kind is HOLD and self.system.told(Held)

    def _fault_told(
        self, record: Record[Any], event: FaultTook | FaultEnded | FaultEndAsked | FaultWithoutEffect
    ) -> None:
        facts = self.faults.get(event.fault)
        match event:
            case FaultTook() | FaultEnded():
                self._disturbed(record, event)
        if facts is None:
            return
        match event:
            case FaultTook():
                facts.took = facts.took or record
            case FaultEndAsked():
                facts.end_asked = facts.end_asked or record
            case FaultEnded():
                facts.ended = facts.ended or record
            case FaultWithoutEffect():
                facts.without_effect = facts.without_effect or record


_HANDLERS: Final[dict[type[Event], Callable[[History, Record[Any], Any], None]]] = {
    NodeNamed: History._named,
    NodeConfigured: History._node_configured,
    Started: History._started,
    Joined: History._joined,
    Stopped: History._stopped,
    Failed: History._stopped,
    Merging: History._stopped,
    MasterFollowed: History._followed,
    ViewInstalled: History._installed,
    ViewPublished: History._published,
    ClaimStarted: History._claimed,
    ClaimFinished: History._claimed,
    Held: History._held,
    Released: History._released,
    NodeSpawned: History._disturbed,
    NodeEnded: History._node_ended,
    FaultAsked: History._fault_asked,
    FaultTook: History._fault_told,
    FaultEndAsked: History._fault_told,
    FaultEnded: History._fault_told,
    FaultWithoutEffect: History._fault_told,
    FabricTrouble: History._disturbed,
    FabricRestored: History._disturbed,
    ScriptEnded: History._script_ended,
}
