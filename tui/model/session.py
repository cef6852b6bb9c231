"""What a screen stands on: a history, and a cursor in it. Live, the cursor follows the end; else it stands anywhere.

So a live run, a simulated one and a recorded one are the same to every panel."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Final

from shaketable.harness.checks.result import CheckResult
from shaketable.harness.records import Record
from shaketable.node.core.env import Micros
from shaketable.tui.model.folds.beliefs import Beliefs
from shaketable.tui.model.folds.lanes import Lanes
from shaketable.tui.model.folds.picture import Picture
from shaketable.tui.model.history.memo import Memo
from shaketable.tui.model.history.proofs import violations_of
from shaketable.tui.model.history.store import FAULT, VIEW, Store
from shaketable.tui.model.playback import Playback
from shaketable.tui.model.run_facts import Ended, RunFacts, Vitals

if TYPE_CHECKING:
    from shaketable.harness.history.crash_points import CrashPoint

VIOLATION: Final = "violation"
OWNERS: Final = "owners"
KEEPING_UP: Final = 0.02
"""seconds that may be spent at once on what came while the screen stands elsewhere"""


@dataclass(slots=True)
class Chosen:
    """What the user has chosen, by keyboard or mouse."""

    node: str = ""
    other: str = ""
    """a second node: the other end of a link, or whom the first is compared with"""
    partition: int | None = None
    view: str = OWNERS
    """of the partition map: see `tables`"""
    check: str = ""
    event: int | None = None
    opened: int | None = None
    """an event: while the cursor is among those that are alike and in a row with it, each has a row of its own"""
    filter: str = ""
    links: dict[tuple[str, str], bool] = field(default_factory=dict)
    """those that are marked for the next deed"""
    span: Micros | None = None
    """how much of the time the timeline shows; None: as is usual"""


@dataclass(slots=True)
class Session:
    facts: RunFacts
    store: Store
    live: bool
    """the run goes on, and can be acted upon"""
    cursor: int = 0
    """how many records have happened where the screen stands"""
    following: bool = True
    chosen: Chosen = field(default_factory=Chosen)
    vitals: Mapping[str, Vitals] = field(default_factory=dict)
    checks: Sequence[CheckResult] = ()
    checked: int = 0
    """how many records the checks have seen"""
    lost: int = 0
    """of a recorded run: how many they have seen beside, which are not here any more"""
    ended: Ended | None = None
    crash_points: Sequence[CrashPoint] = ()
    """of a recorded run: who was killed at which phase of a migration"""
    now: Micros = 0
    """of a live run: its world's time, which passes where nothing happens as well"""
    speed: float | None = None
    """of a simulated run that is live: virtual seconds a second; 0: it stands; None: as fast as it can"""
    playback: Playback = field(default_factory=Playback)
    """of a run that is over"""
    no_verdict: str = ""
    """of a run that is over: why it has none"""
    keys: Mapping[str, str] = field(default_factory=dict)
    """the user's own, by the actions' names"""
    notes: list[str] = field(default_factory=list)
    """what is to be told the user about the history: where it broke off, what could not be read"""
    reading: float = 1.0
    """of a recorded run: how much of it is read; below 1 it is going on"""
    target: int | None = None
    """where the cursor is to go as soon as the history is read so far; None: it stands where it is to stand"""
    beliefs: Beliefs = field(init=False)
    lanes: Lanes = field(init=False)
    _violations: tuple[object, int, list[int]] = field(default=((), -1, []), init=False, repr=False)

    def __post_init__(self) -> None:
        self.beliefs = Beliefs(self.store)
        self.lanes = Lanes(self.store)

    @property
    def memo(self) -> Memo:
        """What a panel that has been drawn leaves for the next frame."""
        return self.store.memo

    # What is seen

    def picture(self) -> Picture:
        return self.beliefs.at(self.cursor)

    @property
    def time(self) -> Micros:
        """At the cursor."""
        return self.store.time_at(self.cursor)

    @property
    def clock(self) -> Micros:
        """At the cursor, and between two events too where time passes: of a live run, and of one that is played."""
        if self.playback.plays:
            return max(self.time, self.playback.time)
        return max(self.time, self.now) if self.live and self.following else self.time

    @property
    def in_the_past(self) -> bool:
        """The run goes on elsewhere than where the screen stands: what is done is not done here."""
        return self.live and not self.following

    @property
    def present_time(self) -> Micros:
        """Of a live run: where its world is."""
        return max(self.store.end, self.now)

    @property
    def judged(self) -> bool:
        """A check that has looked at no event says of none that it saw nothing."""
        return bool(self.checks) and (self.checked > 0 or not self.live)

    # What comes

    def take(self, records: Iterable[Record]) -> None:
        """A cursor that follows the end goes on with them; any other stays where it is."""
        self.store.extend(records)
        self.lanes.work(perf_counter() + KEEPING_UP)
        if self.following:
            self.cursor = len(self.store)
        else:
            self.work(perf_counter() + KEEPING_UP)

    def work(self, until: float) -> bool:
        """What a screen does beside drawing, until this time of `perf_counter`: it gets to know the history on and on,
        and goes where the user wants to be. Whether something has come of it that is to be drawn."""
        drawn = False if self.beliefs.work(until) else self.lanes.work(until)
        if self.target is None or not self.beliefs.near(self.target):
            return drawn
        self.cursor, self.target = self.target, None
        return True

    # Where the cursor goes

    def follow(self) -> None:
        self.following, self.cursor, self.target = True, len(self.store), None

    def halt(self) -> None:
        self.following = False

    def move(self, place: int) -> None:
        """Anywhere in the history; a cursor that was moved does not follow the end any more, nor is anything played."""
        self.following = False
        self.playback.halt()
        self._go(place)

    def _go(self, place: int) -> None:
        """A place far beyond all that was ever seen is reached a little later."""
        place = max(0, min(place, len(self.store)))
        if self.beliefs.near(place):
            self.cursor, self.target = place, None
        else:
            self.target = place

    def play(self, now: float) -> None:
        """A run that is over goes by from here on; where the cursor stands at its end, from the beginning."""
        self.following = False
        if self.heading_for >= len(self.store):
            self._go(0)
        self.playback.begin(now, self.store.time_at(self.heading_for))

    def play_on(self, now: float) -> bool:
        """To what has happened by now, of the wall clock; whether something is to be drawn."""
        playback = self.playback
        if not playback.plays:
            return False
        if self.target is not None:  # so far it is not known yet: its time waits
            playback.begin(now, self.store.time_at(self.target))
            return False
        self._go(max(self.cursor, self.store.place_of(playback.pass_to(now))))
        if self.cursor >= len(self.store):
            playback.halt()
        return True

    @property
    def heading_for(self) -> int:
        """Where the cursor stands, or where it is to go: the next step counts from there."""
        return self.cursor if self.target is None else self.target

    def step(self, by: int) -> None:
        self.move(self.heading_for + by)

    def go_to(self, time: Micros) -> None:
        self.move(self.store.place_of(time))

    def jump(self, forward: bool, kinds: Iterable[str] = (FAULT, VIEW, VIOLATION)) -> bool:
        """To just after the next mark, or the one before; whether there is one."""
        kinds, here = tuple(kinds), self.heading_for
        marks = tuple(kind for kind in kinds if kind != VIOLATION)
        places = self.violations() if VIOLATION in kinds else []
        if forward:
            found = [p for p in (self.store.next_mark(here, marks),) if p is not None]
            found += [p for p in places if p > here][:1]
            goal = min(found, default=None)
        else:
            found = [p for p in (self.store.mark_before(here, marks),) if p is not None]
            found += [p for p in places if p < here][-1:]
            goal = max(found, default=None)
        if goal is None:
            return False
        self.move(goal)
        return True

    def violations(self) -> list[int]:
        """The places just after the last record of each proof, in order."""
        checks, size = self._violations[:2]
        if checks is not self.checks or size < len(self.store):
            found = {each.seen_from for check in self.checks for each in violations_of(self.store, check)}
            self._violations = self.checks, len(self.store), sorted(place for place in found if place is not None)
        return self._violations[2]
