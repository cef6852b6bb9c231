"""What a timeline shows of each node, as it changes over time: its life, its lists, whom it suspects, what it moves.

Unlike a picture this is of the whole history that is known, whatever the cursor's place. It grows with the history, and
only what it is made of is decoded. A question about a span of time costs no more than what is found in it."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, Final, Generic, TypeVar

from shaketable.harness import records as h
from shaketable.harness.faults.kinds import kinds_told
from shaketable.harness.faults.node_kinds import DROP
from shaketable.harness.history.signs import (
    CRASHED,
    ENDS,
    GONE,
    HELD,
    LEFT,
    MASTER,
    MEMBER,
    MERGING,
    PAUSED,
    REFUSED,
    STARTING,
)
from shaketable.harness.records import Record
from shaketable.harness.seen import suspicions
from shaketable.harness.seen.suspicions import Suspicions
from shaketable.node import events as e
from shaketable.node.core.env import Micros
from shaketable.node.messages import Address, Member, Uuid
from shaketable.tui.model.folds.course import COURSE, Course
from shaketable.tui.model.history.kinds import CODE_OF
from shaketable.tui.model.history.store import Store

SUSPECTS: Final = "suspects"
CLAIMS: Final = "claims"
MIGRATES: Final = "migrates"
LOST: Final = "lost"

BATCH: Final = 4_000
"""records between two looks at the clock"""
V = TypeVar("V")


class Track(Generic[V]):
    """Something that changes: from each time on its value, and the place of the event that changed it."""

    def __init__(self) -> None:
        self.times: array[int] = array("q")
        self.places: array[int] = array("q")
        self.values: list[V] = []

    def __len__(self) -> int:
        return len(self.times)

    def add(self, time: Micros, place: int, value: V) -> None:
        if not self.values or self.values[-1] != value:
            self.times.append(time)
            self.places.append(place)
            self.values.append(value)

    def before(self, time: Micros) -> int:
        """The last change before this time; -1: there is none."""
        return bisect_left(self.times, time) - 1

    def at(self, time: Micros) -> V | None:
        found = bisect_right(self.times, time) - 1
        return self.values[found] if found >= 0 else None

    def within(self, begin: Micros, end: Micros) -> range:
        """The changes from the one time until before the other."""
        return range(bisect_left(self.times, begin), bisect_left(self.times, end))


@dataclass(frozen=True, slots=True)
class Installed:
    version: int
    own: bool
    """the node itself has made this list"""


@dataclass(slots=True)
class Lane:
    """Of one node, through all its incarnations."""

    name: str
    life: Track[str] = field(default_factory=Track)
    views: Track[Installed] = field(default_factory=Track)
    doubts: Track[tuple[str, ...]] = field(default_factory=Track)
    """whom it suspects, by name"""
    claims: Track[int] = field(default_factory=Track)
    """the version that it claims the mastership of; 0: it does not"""
    moves: Track[int] = field(default_factory=Track)
    """how many migrations it takes part in"""
    lost: Track[int] = field(default_factory=Track)
    """moments at which it found that messages to it were lost, each by its place"""

    # How it stands at the end of what is known

    incarnation: Uuid = ""
    former: dict[Uuid, bool] = field(default_factory=dict)
    state: str = ""
    held: bool = False
    merging: bool = False
    """it is on its way to another part, and will be so as its next identity"""
    pauses: int = 0
    suspected: Suspicions = field(default_factory=dict)
    moving: dict[str, bool] = field(default_factory=dict)


class Lanes:
    def __init__(self, store: Store) -> None:
        self._store = store
        self.known = 0
        """how many records it is made of"""
        self.of: dict[str, Lane] = {}
        self.course = Course()
        self.seen: dict[str, bool] = {}
        """the states of a life that occur, and what else does"""
        self.names: dict[Address, str] = {}
        self.dropping: dict[int, bool] = {}
        """faults by which a sender drops messages"""
        self._paused: dict[int, tuple[str, ...]] = {}
        """by fault, whom it is to pause"""

    @property
    def behind(self) -> int:
        """How many records are not in it yet."""
        return len(self._store) - self.known

    def work(self, until: float) -> bool:
        """Goes on until this time of `perf_counter`; whether anything has come of it that is to be drawn."""
        store, before = self._store, self.known
        while self.known < len(store) and perf_counter() < until:
            stop = min(self.known + BATCH, len(store))
            for place in store.where(_WANTED, self.known, stop):
                self._apply(place, store[place])
            self.known = stop
        return self.known > before

    def _apply(self, place: int, record: Record) -> None:
        time, event = self._store.time_at(place + 1), record.event
        if record.node:
            lane = self._lane(record.node)
            if record.incarnation not in lane.former:
                apply = _OF_NODES.get(type(event))
                if lane.state in GONE and type(event) in _LASTING:
                    return  # its last words came after its end was known, and nothing will end what they begin
                if apply is not None:  # one that cannot be read says nothing
                    apply(self, lane, time, place, record)
            return
        self.course.apply(place, time, event)
        match event:
            case h.NodeNamed(peer=name, address=address):
                self.names[address] = name
                self._lane(name)
            case h.NodeSpawned(peer=name):
                self._lane(name).merging = False
                self._begin(self._lane(name), time, place, "")
            case h.NodeEnded(peer=name, why=end):
                self._end(self._lane(name), time, place, ENDS[end])
            case h.FaultAsked(fault=number, nodes=nodes, kinds=kinds):
                kind, _ = kinds_told(kinds)
                if kind.sleeps_at_once:
                    self._paused[number] = nodes
                elif kind is DROP:
                    self.dropping[number] = True
            case h.FaultTook(fault=number):
                self._pause(number, 1, time, place)
            case h.FaultEnded(fault=number):
                self._pause(number, -1, time, place)

    def _lane(self, name: str) -> Lane:
        lane = self.of.get(name)
        if lane is None:
            lane = self.of[name] = Lane(name)
        return lane

    def _pause(self, fault: int, by: int, time: Micros, place: int) -> None:
        for name in self._paused.get(fault, ()):
            lane = self._lane(name)
            lane.pauses += by
            self._live(lane, time, place)

    # A node's life

    def _begin(self, lane: Lane, time: Micros, place: int, incarnation: Uuid) -> None:
        if lane.incarnation and lane.incarnation != incarnation:
            lane.former[lane.incarnation] = True
        lane.incarnation, lane.held = incarnation, False
        self._forget(lane, time, place)
        lane.state = MERGING if lane.merging else STARTING
        self._live(lane, time, place)

    def _end(self, lane: Lane, time: Micros, place: int, how: str) -> None:
        if lane.state not in GONE:  # what was known first says how it ended
            lane.state, lane.held, lane.merging = how, False, False
            self._forget(lane, time, place)
            lane.life.add(time, place, how)
            self.seen[how] = True

    def _forget(self, lane: Lane, time: Micros, place: int) -> None:
        lane.suspected, lane.moving = {}, {}
        for track in (lane.doubts, lane.claims, lane.moves):
            if len(track):
                track.add(time, place, () if track is lane.doubts else 0)  # type: ignore[arg-type]

    def _live(self, lane: Lane, time: Micros, place: int) -> None:
        if lane.state and lane.state not in GONE:
            shown = HELD if lane.held else PAUSED if lane.pauses > 0 else lane.state
            lane.life.add(time, place, shown)
            self.seen[shown] = True

    def _started(self, lane: Lane, time: Micros, place: int, record: Record) -> None:
        self._begin(lane, time, place, record.incarnation)

    def _joined(self, lane: Lane, time: Micros, place: int, record: Record) -> None:
        if lane.state in ("", STARTING, MERGING):
            lane.state, lane.merging = MEMBER, False
            self._live(lane, time, place)

    def _stopped(self, lane: Lane, time: Micros, place: int, record: Record) -> None:
        refused = isinstance(record.event, e.Stopped) and record.event.refused
        self._end(lane, time, place, REFUSED if refused else LEFT)

    def _failed(self, lane: Lane, time: Micros, place: int, record: Record) -> None:
        self._end(lane, time, place, CRASHED)

    def _held(self, lane: Lane, time: Micros, place: int, record: Record) -> None:
        lane.held = isinstance(record.event, e.Held)
        self._live(lane, time, place)

    def _merges(self, lane: Lane, time: Micros, place: int, record: Record) -> None:
        lane.merging = not isinstance(record.event, e.MergeFailed)
        lane.state = MERGING if lane.merging else STARTING
        if isinstance(record.event, e.Merging):
            self._forget(lane, time, place)
        self._live(lane, time, place)

    # Its list and its master

    def _follows(self, lane: Lane, time: Micros, place: int, master: Member) -> None:
        if lane.state not in GONE:
            lane.state = MASTER if master.uuid == lane.incarnation else MEMBER
            self._live(lane, time, place)

    def _followed(self, lane: Lane, time: Micros, place: int, record: Record) -> None:
        event: Any = record.event
        if lane.state in (STARTING, MERGING) and event.master.uuid != record.incarnation:
            return  # it is a member when it has joined
        self._follows(lane, time, place, event.master)
        if lane.state != MASTER and len(lane.claims):
            lane.claims.add(time, place, 0)

    def _installed(self, lane: Lane, time: Micros, place: int, record: Record[e.ViewInstalled]) -> None:
        event = record.event
        lane.incarnation = lane.incarnation or record.incarnation
        self._follows(lane, time, place, event.master)
        lane.views.add(time, place, Installed(event.version, event.author == record.incarnation))
        if lane.suspected:
            suspicions.installed(lane.suspected, {}, record)
            self._doubts(lane, time, place)

    # Suspicions, claims and moves

    def _suspected(self, lane: Lane, time: Micros, place: int, record: Record[e.Suspected]) -> None:
        self.seen[SUSPECTS] = True
        suspicions.suspected(lane.suspected, record)
        self._doubts(lane, time, place)

    def _suspicion_ended(self, lane: Lane, time: Micros, place: int, record: Record[e.SuspicionEnded]) -> None:
        if record.event.peer.uuid in lane.suspected:
            suspicions.ended(lane.suspected, record)
            self._doubts(lane, time, place)

    def _doubts(self, lane: Lane, time: Micros, place: int) -> None:
        addresses = [each.peer.address for each in lane.suspected.values()]
        lane.doubts.add(time, place, tuple(self.names.get(address, address) for address in addresses))

    def _lacks(self, lane: Lane, time: Micros, place: int, record: Record) -> None:
        self.seen[LOST] = True
        lane.lost.add(time, place, place)

    def _claims(self, lane: Lane, time: Micros, place: int, record: Record) -> None:
        event: Any = record.event
        self.seen[CLAIMS] = True
        lane.claims.add(time, place, event.version if isinstance(event, e.ClaimStarted) else 0)

    def _moves(self, lane: Lane, time: Micros, place: int, record: Record) -> None:
        event: Any = record.event
        if isinstance(event, e.MigrationBegan):
            self.seen[MIGRATES] = lane.moving[event.migration] = True
        elif lane.moving.pop(event.migration, None) is None:
            return
        lane.moves.add(time, place, len(lane.moving))


_OF_NODES: Final[Mapping[type, Callable[[Lanes, Lane, Micros, int, Record[Any]], None]]] = {
    e.Started: Lanes._started,
    e.Joined: Lanes._joined,
    e.Stopped: Lanes._stopped,
    e.Failed: Lanes._failed,
    e.Held: Lanes._held,
    e.Released: Lanes._held,
    **dict.fromkeys((e.MergeBegan, e.Merging, e.MergeFailed), Lanes._merges),
    e.MasterFollowed: Lanes._followed,
    e.ViewInstalled: Lanes._installed,
    e.Suspected: Lanes._suspected,
    e.SuspicionEnded: Lanes._suspicion_ended,
    e.ClaimStarted: Lanes._claims,
    e.ClaimFinished: Lanes._claims,
    e.MigrationBegan: Lanes._moves,
    e.MigrationFinished: Lanes._moves,
    e.MessagesLost: Lanes._lacks,
}
_LASTING: Final = (e.Suspected, e.ClaimStarted, e.MigrationBegan)
"""what goes on until another event, or the node's end"""
_WANTED: Final = re.compile(
    b"["
    + re.escape(bytes(CODE_OF[kind] for kind in (*_OF_NODES, *COURSE, h.NodeNamed, h.NodeSpawned, h.NodeEnded)))
    + b"]",
    re.DOTALL,
)
