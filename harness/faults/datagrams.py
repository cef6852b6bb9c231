"""What becomes of each datagram of a link: the one draw for both worlds (docs/architecture.md, "Links"). Pure.

Every fault has its own generator on every link. While the fault is on, it draws for each datagram that leaves there,
whatever the other faults do to that datagram. So the nth datagram has the same fate in both worlds, and to remove one
fault does not change what the others do."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import NamedTuple

from shaketable.harness.faults.links import LinkState
from shaketable.harness.faults.table import DatagramFault, Link
from shaketable.harness.faults.verb import DatagramAct
from shaketable.node.core.env import Micros


class Fate(NamedTuple):
    arrivals: tuple[Micros, ...]
    """how much later than usual each copy of it arrives; none: it is lost"""
    caught_first: tuple[int, ...] = ()
    """the faults for which it is the first that they do something to, on whichever link"""


class Draw(NamedTuple):
    """What one fault does to one datagram."""

    does: bool
    later: Micros


@dataclass(slots=True)
class Tally:
    """Of one fault, on all its links."""

    fault: DatagramFault
    passed: int = 0
    caught: int = 0

    def words(self) -> str:
        return f"{self.caught} of {self.passed} datagrams were {self.fault.does}"


class Draws:
    """Of one fault on one link, one datagram after the other."""

    def __init__(self, seed: int, link: Link, number: int, fault: DatagramFault) -> None:
        self._random = random.Random(f"{seed}/datagrams {link[0]}->{link[1]}/fault {number}").random
        self._share = fault.percent / 100
        self._most = fault.most

    def next(self) -> Draw:
        does, later = self._random() < self._share, int(self._random() * (self._most + 1))
        return Draw(does, later)


class Datagrams:
    """The faults that are on, of all links."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._on: dict[Link, dict[int, Draws]] = {}
        self._tallies: dict[int, Tally] = {}
        self._jitter: dict[Link, random.Random] = {}

    def begin(self, number: int, fault: DatagramFault) -> None:
        self._tallies[number] = Tally(fault)
        for link in fault.links:
            self._on.setdefault(link, {})[number] = Draws(self._seed, link, number, fault)

    def end(self, number: int) -> Tally:
        tally = self._tallies.pop(number)
        for link in tally.fault.links:
            del self._on[link][number]
        return tally

    def fate(self, link: Link, state: LinkState) -> Fate:
        """Of the next one that leaves there. Faults of the link as such come on top: nothing passes one that is cut or
        a black hole, and all that passes a slow one is late."""
        drawn = [(number, draws.next()) for number, draws in self._on.get(link, {}).items()]
        if state.silent:
            return Fate(())
        late = self._latency(link, state)
        if not drawn:
            return Fate((late,))
        first = tuple(number for number, draw in drawn if self._count(number, draw.does))
        done = [(self._tallies[number].fault.does, draw.later) for number, draw in drawn if draw.does]
        if any(act is DatagramAct.LOSE for act, _ in done):
            return Fate((), first)
        late += max((later for act, later in done if act is DatagramAct.DELAY), default=0)
        return Fate((late, *(late + later for act, later in done if act is DatagramAct.REPEAT)), first)

    def _count(self, number: int, does: bool) -> bool:
        """Whether it is the first that this fault does something to."""
        tally = self._tallies[number]
        tally.passed += 1
        tally.caught += does
        return does and tally.caught == 1

    def _latency(self, link: Link, state: LinkState) -> Micros:
        if not state.jitter:
            return state.latency
        if link not in self._jitter:
            self._jitter[link] = random.Random(f"{self._seed}/datagrams {link[0]}->{link[1]}/jitter")
        return state.latency + int((2 * self._jitter[link].random() - 1) * state.jitter)
