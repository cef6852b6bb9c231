"""What a row of a table of verbs says. Those of faults are in kinds.py; random plans have a few of their own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Flag, StrEnum, auto
from functools import cached_property
from typing import Final, NamedTuple

from shaketable.harness.faults.parameters import ONE_WAY, Parameter
from shaketable.node.config import CLUSTER, GMS
from shaketable.node.shaking.filters import FilterAct

LINK: Final = "a link"
NODE: Final = "a node"
PARTS: Final = "two parts"
ALL: Final = "all"
SENDER: Final = "what a node sends"
LINKS: Final = "links between two parts"
CLIENTS: Final = "clients of a node"

HEAL: Final = "heal"
STARTED_AGAIN: Final = "restart"
STOP_WORK: Final = "stop_work"
BY_ITSELF: Final = ""
"""at once: as soon as it has taken effect it is undone, if it is one that is begun"""

EVENT: Final = "event"
MESSAGE: Final = "message"
DATAGRAM: Final = "datagram"

ANY: Final = "any"
ALIVE: Final = "alive"
RUNNING: Final = "running"
AWAKE: Final = "awake"
ENDED: Final = "ended"

BOTH: Final = (CLUSTER, GMS)


class Effect(Flag):
    """What of a run is not as usual while it is on. The checks go by this: they judge by times and by links."""

    NEITHER = 0
    SILENCES = auto()
    """nothing passes its links"""
    SHIFTS = auto()
    """from its beginning on messages may be late or a clock off, and nothing is silent"""
    STOPS = auto()
    """its nodes execute nothing, at times or all the time"""
    SETS_CLOCK = auto()
    """what its node says of times is wrong, and stays so when it is over"""


class DatagramAct(StrEnum):
    """What becomes of a datagram that was drawn."""

    LOSE = "lost"
    DELAY = "delayed"
    REPEAT = "repeated"


class Sign(NamedTuple):
    """How the screens show it."""

    rank: int
    """of what is done to a link the worst is shown, by this; 0: it leaves the links as they are"""
    words: str
    symbol: str


FILTER: Final = Sign(8, "filter", "≈")
"""of what is done to messages, and of all that has no other one"""


@dataclass(frozen=True, eq=False, kw_only=True)
class Verb:
    """Something that can be done to a run. The consequences of a row are worked out once: checks ask for it per
    event."""

    verb: str
    """as it is called"""
    of: str
    """what it is done to"""
    effect: Effect
    sentence: str
    parameters: tuple[Parameter, ...] = ()
    drawn: tuple[str, ...] = ()
    """the order in which a random plan draws them, where that is another one: a seed's plan stays what it was"""
    any_of: tuple[str, ...] = ()
    """one of these has to be given, and not as 0"""
    ends: str = HEAL
    """by which verb"""
    families: tuple[str, ...] = BOTH
    comes_upon: str = ""
    """it does nothing until it comes upon something of this kind, and need not come upon anything; "": it is on at
    once"""
    inside: bool = False
    """it is set in the node itself, which has to be awake for that, and to end it"""
    awake: bool = False
    """so has its node for this one, although it is not set inside"""
    hardness: int = 1
    """for a reader who has to understand it; 0: it needs no explanation"""
    plainer: Verb | None = None
    """what may do as well, and is easier to understand"""
    by: tuple[Verb, ...] = ()
    """of what is made of other faults of links: one of these, the first where nothing is said"""

    @property
    def needs_awake(self) -> bool:
        return self.inside or self.awake

    @property
    def one_way(self) -> bool:
        return any(parameter.name == ONE_WAY for parameter in self.parameters)

    @cached_property
    def sleeps(self) -> bool:
        """Its node executes nothing from some moment on."""
        return Effect.STOPS in self.effect and self.of == NODE

    @cached_property
    def sleeps_at_once(self) -> bool:
        return self.sleeps and not self.comes_upon

    def by_name(self) -> dict[str, Parameter]:
        return {parameter.name: parameter for parameter in self.parameters}


@dataclass(frozen=True, eq=False, kw_only=True)
class FaultKind(Verb):
    """A verb of chaos."""

    sign: Sign
    marks: Mapping[str, str]
    """what its marks of coverage mean: of one that is made of others one for each of these"""
    real: str
    """what it is on real processes"""
    simulated: str
    few: str = ""
    """in a word, of what becomes of a link or a datagram"""
    whose: str = ANY
    """to which nodes it can be done"""
    undone: tuple[str, str] | None = None
    """a verb that ends all of this kind on a node, and its sentence"""
    noticed: bool = False
    """of one that silences: the sender knows it at once"""
    in_time: bool = False
    """what is promised is promised while it is on, too"""
    filters: FilterAct | None = None
    """of one that is done to messages: what becomes of them"""
    datagrams: DatagramAct | None = None
    """of one that is done to datagrams"""
    make: Callable[..., Fault] | None = None
    """of one that has no method of its own: from its links, its node, or who sends and to whom, and what it takes by
    name"""

    @cached_property
    def spoken(self) -> str:
        """As a history tells it."""
        return self.verb.replace("_", " ")

    @cached_property
    def lasts(self) -> bool:
        return self.ends == HEAL

    @cached_property
    def everywhere(self) -> bool:
        return self.of == ALL

    @cached_property
    def silences(self) -> bool:
        return Effect.SILENCES in self.effect

    @cached_property
    def shifts(self) -> bool:
        return Effect.SHIFTS in self.effect

    @cached_property
    def sets_clock(self) -> bool:
        return Effect.SETS_CLOCK in self.effect

    @cached_property
    def spoils_own_times(self) -> bool:
        """The deeds of its nodes, measured by their own times, prove nothing."""
        return bool(self.effect & (Effect.STOPS | Effect.SETS_CLOCK))

    @cached_property
    def bounded(self) -> bool:
        """The others still come to rest within their bounds: who is stopped is as good as gone."""
        return self.in_time or (self.spoils_own_times and not self.everywhere)


class Fault:
    """What is done, of some kind: table.py has the classes."""

    __slots__ = ()
    kind: FaultKind

    @property
    def verb(self) -> str:
        """As a history tells it."""
        return self.kind.spoken
