"""The faults that are active, and how bad a link or node is because of them.

There is one pure table for both worlds. Faults may overlap, and the worst one on a link or node wins. To end one fault
ends only that one. A fault has one name and one meaning in both worlds (docs/architecture.md, "Links")."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from shaketable.harness.faults.links import SOUND, LinkState
from shaketable.harness.faults.node_kinds import CLOCK, HOLD, LOAD, PAUSE
from shaketable.harness.faults.verb import DatagramAct, Fault, FaultKind
from shaketable.node.core.env import Micros
from shaketable.node.shaking.filters import FilterAct
from shaketable.node.shaking.holds import Where

Link = tuple[str, str]
"""A directed link, by the names of its two nodes: what the first sends to the second."""


def arrow(link: Link) -> str:
    return f"{link[0]}->{link[1]}"


class NodeFault(Fault):
    """What is done to one node's process, and ends with it."""

    __slots__ = ()
    node: str


class OnLinks(Fault):
    """What is done to some directed links at once."""

    __slots__ = ()
    links: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class LinkFault(OnLinks):
    """A bad state of them: a cut, a black hole, slow, thin, slice."""

    kind: FaultKind
    links: tuple[Link, ...]
    state: LinkState
    by: FaultKind | None = None
    """of a kind that is made of others: which one lies on each link"""

    @property
    def verb(self) -> str:
        return f"{self.kind.spoken} by {self.by.spoken}" if self.by is not None else self.kind.spoken


@dataclass(frozen=True, slots=True)
class DatagramFault(OnLinks):
    """Of the datagrams that leave on these links a share, drawn by the run's seed, is lost, delayed or repeated."""

    kind: FaultKind
    links: tuple[Link, ...]
    percent: int
    most: Micros = 0
    """so much later at most comes a delayed one, or the second copy of a repeated one"""

    @property
    def does(self) -> DatagramAct:
        assert self.kind.datagrams is not None
        return self.kind.datagrams


@dataclass(frozen=True, slots=True)
class Pause(NodeFault):
    """A long GC pause: the node executes nothing, its clock runs on."""

    node: str
    kind: FaultKind = PAUSE


@dataclass(frozen=True, slots=True)
class ClockFault(NodeFault):
    """The node's `now()` jumps by `jump` at once, and from then on runs `rate_ppm` millionths fast or slow.

    The end of it sets the rate back; a jump stays, for a monotonic clock does not go back."""

    node: str
    jump: Micros = 0
    rate_ppm: int = 0
    kind: FaultKind = CLOCK


@dataclass(frozen=True, slots=True)
class MessageFault(NodeFault):
    """Some messages that `node` sends are dropped, held back (till the end of the fault) or delayed.

    `kinds` are the message types in small letters, none: every kind; `to`: the receivers, none: all;
    `count`: only the first so many, None: all."""

    node: str
    kind: FaultKind
    """drop, hold back or delay"""
    kinds: tuple[str, ...] = ()
    to: tuple[str, ...] = ()
    count: int | None = None
    delay: Micros = 0

    @property
    def verb(self) -> str:
        return f"{self.kind.spoken} {' '.join(self.kinds) or 'messages'}"

    @property
    def does(self) -> FilterAct:
        assert self.kind.filters is not None
        return self.kind.filters


@dataclass(frozen=True, slots=True)
class Hold(NodeFault):
    """A crash point: the node holds at the `nth` event of this kind, before the step's messages or after some of them.

    The end of it releases the node; a kill ends it too."""

    node: str
    event: str
    after: int | None = None
    """None: `before`, none of the step's messages is handed over; k: the first k are"""
    nth: int = 1
    where: Where = ()
    """only events with these values count"""
    kind: FaultKind = HOLD


@dataclass(frozen=True, slots=True)
class Load(Fault):
    """CPU load: a node that has something to do waits for its turn, and so gets one part in `busy` + 1 of the time.

    It lies on all nodes, on those that start while it lasts as well."""

    busy: int
    """in the real world so many processes for each core of the machine do nothing but burn CPU"""
    kind: FaultKind = LOAD


def worst(states: Iterable[LinkState]) -> LinkState:
    """The state of a link that suffers all of these at once."""
    result = SOUND
    for state in states:
        if result is SOUND:
            result = state  # mostly there is no other
            continue
        rates = [rate for rate in (result.rate, state.rate) if rate is not None]
        result = LinkState(
            cut=result.cut or state.cut,
            blackhole=result.blackhole or state.blackhole,
            latency=max(result.latency, state.latency),
            jitter=max(result.jitter, state.jitter),
            rate=min(rates) if rates else None,
            slices=state.slices or result.slices,
        )
    return result


class FaultTable:
    """The active faults by their number, in the order in which they began."""

    def __init__(self) -> None:
        self.active: dict[int, Fault] = {}
        self._on: dict[Link, dict[int, LinkState]] = {}

    def begin(self, number: int, fault: Fault) -> dict[Link, LinkState]:
        """The new state of each link that this changes."""
        self.active[number] = fault
        if not isinstance(fault, LinkFault):
            return {}
        before = self._states_of(fault)
        for link in fault.links:
            self._on.setdefault(link, {})[number] = fault.state
        return _changed(before, self._states_of(fault))

    def end(self, number: int) -> dict[Link, LinkState]:
        fault = self.active.pop(number, None)
        if not isinstance(fault, LinkFault):
            return {}
        before = self._states_of(fault)
        for link in fault.links:
            del self._on[link][number]
        return _changed(before, self._states_of(fault))

    def link(self, link: Link) -> LinkState:
        return worst(on.values()) if (on := self._on.get(link)) else SOUND

    def paused(self, node: str) -> bool:
        return any(isinstance(f, Pause) and f.node == node for f in self.active.values())

    def rate_ppm(self, node: str) -> int:
        """How fast the node's clock runs: the fault furthest from true time wins."""
        rates = [f.rate_ppm for f in self.active.values() if isinstance(f, ClockFault) and f.node == node]
        return max(rates, key=abs, default=0)

    def end_all_of(self, node: str) -> list[int]:
        """A killed process takes the faults inside it along (pause, clock, filters, holds); returns their numbers."""
        ended = [n for n, f in self.active.items() if isinstance(f, NodeFault) and f.node == node]
        for number in ended:
            del self.active[number]
        return ended

    def numbers(self, *, link: Link | None = None, node: str | None = None) -> list[int]:
        """The active faults that touch this directed link, or act on this node."""
        found = []
        for number, fault in self.active.items():
            if isinstance(fault, OnLinks):
                if link is not None and link in fault.links:
                    found.append(number)
            elif isinstance(fault, NodeFault) and fault.node == node:
                found.append(number)
        return found

    def _states_of(self, fault: LinkFault) -> dict[Link, LinkState]:
        return {link: self.link(link) for link in fault.links}


def _changed(before: dict[Link, LinkState], after: dict[Link, LinkState]) -> dict[Link, LinkState]:
    return {link: state for link, state in after.items() if state != before[link]}
