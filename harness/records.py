"""A record: one event, who reported it, and when. The harness's own events are defined here, beside the nodes'.

Faults are facts of the history like all others, so that a replay can rebuild them."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Final, Generic, NamedTuple, TypeGuard

import msgspec

from shaketable.node.core.env import Micros
from shaketable.node.events import Event
from shaketable.node.events.base import Cause

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    E_co = TypeVar("E_co", bound=Event, covariant=True, default=Event)
else:
    from typing import TypeVar  # which has a default from Python 3.13 on

    E_co = TypeVar("E_co")

HARNESS = ""
"""The node column of what the harness itself reports."""


class Record(NamedTuple, Generic[E_co]):
    """Sorting records sorts a history: (time, node, incarnation, sequence). Only a node's own order is exact.

    `Record[Suspected]` is one whose event is known to be of that kind."""

    time: Micros
    """true time since the run began, whatever the node's own clock says"""
    node: str
    incarnation: str
    sequence: int
    event: E_co
    cause: Cause | None = None
    """what began the step that told it, where that was a message or a timer"""


def tells(record: Record, kind: type[E_co]) -> TypeGuard[Record[E_co]]:
    """Whether its event is of this kind."""
    return isinstance(record.event, kind)


class UnderTest(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True, gc=False):
    """The system whose members are shaken, and what can be asked of its history."""

    name: str
    """as `--system` takes it (option_for)"""
    version: str = ""
    title: str = ""
    """as sentences call it; without one by its name"""
    tells: tuple[str, ...] | None = None
    """the kinds of event that its members tell whenever they occur, those that never occur there included; None: all"""
    infers: tuple[str, ...] = ()
    """those of them that no member tells itself: they are concluded from what it tells"""
    promises: tuple[str, ...] | None = None
    """the checks that may judge it, by their names; None: all"""
    one_by_one: bool = False
    """several members that have to leave by one decision leave in a list each; ours leave in one"""
    any_best: bool = False
    """of several best lists any may stay; of ours the one whose members are the oldest"""
    keeps_links: bool = False
    """a link to a member that was removed may stay, or come back; ours hang up"""
    untimed_losses: bool = False
    """nothing is promised of how soon a lost connection is suspected, and how soon not"""
    uneven_owners: bool = False
    """members may own unequally many partitions, though each partition has all its replicas"""
    by_silence: bool = False
    """a member that was removed is not told, and learns it by the silence of the others; ours tell it"""
    comes_back: bool = False
    """one that was removed comes back as soon as it is heard; ours only where parts merge"""
    asks_others: bool = False
    """a member that one of the others hears stays; of ours it goes once the master does not hear it"""
    own_detector: bool = False
    """failures are found in a way of its own, whatever detector is set"""

    @property
    def is_ours(self) -> bool:
        return self.name == OURS.name

    def told(self, kind: type[Event]) -> bool:
        """Its members tell events of this kind whenever they occur."""
        return self.tells is None or kind.__name__ in self.tells

    @property
    def asked(self) -> str:
        """As `--system` takes it, so that it is the same version again."""
        return f"{self.name}:{self.version}" if self.version else self.name

    @property
    def called(self) -> str:
        """In a sentence: "Hazelcast"."""
        return self.title or self.name

    @property
    def full_name(self) -> str:
        """ "Hazelcast 5.7.0" """
        return f"{self.called} {self.version}".rstrip()

    @property
    def if_other(self) -> str:
        """Its full name, where it is not ours; "": ours"""
        return "" if self.is_ours else self.full_name


OURS: Final = UnderTest(name="shaketable", title="Shaketable")
NODE: Final = "node:"
"""begins the name of a system that is known by the command of a node alone"""


def option_for(asked: str) -> tuple[str, str]:
    """How a command line asks for the system of this name."""
    return ("--node", asked.removeprefix(NODE)) if asked.startswith(NODE) else ("--system", asked)


class RunBegan(Event, frozen=True):
    script: str
    world: str
    fabric: str
    """through what the links pass: "toxiproxy 2.12.0", "built-in relay", "simulated" """
    seed: int
    preset: str
    settings: dict[str, str | int | float | bool]
    system: UnderTest = OURS

    def __post_init__(self) -> None:
        if self.system == OURS:  # a line leaves out what is the default itself, not what is only equal to it
            msgspec.structs.force_setattr(self, "system", OURS)


class NodeNamed(Event, frozen=True):
    """This name stands for this address in the run."""

    peer: str
    address: str


class NodeConfigured(Event, frozen=True):
    """The settings of this node, by their outside names, as far as they differ from the run's; told only if some do."""

    peer: str
    settings: dict[str, str | int | float | bool]


class AddressesConfigured(Event, frozen=True):
    """The addresses in this node's join configuration. It is told only if the script sets them. If not, the
    configuration has all nodes that were named before this one was spawned."""

    peer: str
    knows: tuple[str, ...]


class StepKind(StrEnum):
    DOES = "does"
    WAITS = "waits"
    BY_HAND = "by hand"
    """from here on it is driven by hand"""


class StepBegan(Event, frozen=True):
    """The script asks for this: "kill n1", "until n2 suspects n3"."""

    step: str
    left_out: tuple[int, ...] = ()
    """the deed of a random plan that made no sense here, and was not done"""
    rest_left_out: tuple[int, ...] = ()
    """likewise one that was begun, and whose next part was not done"""
    means: StepKind = StepKind.DOES


class AskedByHand(Event, frozen=True):
    """Somebody at a screen asks for this, beside the script: "cluster.cut('n1', 'n2')". A fault is healed by its
    number, a client's work stopped by its node."""

    number: int
    """of the calls by hand of this run"""
    call: str


class AnsweredByHand(Event, frozen=True):
    """What came of it: the number of the fault, if it is one that lasts, or the trouble."""

    number: int
    fault: int | None
    trouble: str
    without_effect: bool = False
    """that is the trouble"""
    said: str = ""
    """what was answered, where something was asked"""


class PlanPlayed(Event, frozen=True):
    """The script plays this plan of faults from here on (nemesis/plan.py)."""

    deeds: int
    plan: str
    """as JSON"""


class NodeSpawned(Event, frozen=True):
    peer: str


class Ending(StrEnum):
    """Of a process, seen from outside."""

    KILLED = "killed"
    LEFT = "left"
    REFUSED = "refused"
    FAILED = "failed"
    DIED = "died"
    NOT_UNDERSTOOD = "not understood"
    """the harness has killed it, since it said what no node says"""
    NEVER_RAN = "never ran"
    """it ended by itself, and without a word, before it said that it ran"""

    @property
    def by_itself(self) -> bool:
        """Nobody meant it to end, and it had run: it failed, or somebody who is not the harness has killed it."""
        return self in (Ending.FAILED, Ending.DIED)

    @property
    def unasked(self) -> bool:
        """No script wanted it."""
        return self.by_itself or self in (Ending.NOT_UNDERSTOOD, Ending.NEVER_RAN)


class NodeEnded(Event, frozen=True):
    """The process of this node is gone; seen by the harness."""

    peer: str
    reason: str
    why: Ending
    more: str = ""
    """of one that died: how, and the end of its log"""


class FaultAsked(Event, frozen=True):
    """`links` as "n1->n2"; `lasts` is false for what has no end of its own (kill, reset)."""

    fault: int
    verb: str
    nodes: tuple[str, ...]
    links: tuple[str, ...]
    detail: str
    lasts: bool
    silences: bool
    """while it lasts nothing passes over `links`: the true graph of links lacks them"""
    kinds: tuple[str, ...]
    """its verb as a script calls it; after it, of one that is made of others, that of what lies on its links"""
    to: tuple[str, ...] = ()
    """of what is done to messages: to whom they go, if not to all"""
    values: tuple[tuple[str, int], ...] = ()
    """of a bad state of links, by the names of its verb's parameters: "latency", "jitter", "rate" """
    part_of: int | None = None
    """the fault that is made of this one and others"""


class FaultMayMiss(Event, frozen=True):
    """Nothing need come upon this one: a random plan does not know what messages there will be."""

    fault: int


class FaultTook(Event, frozen=True):
    fault: int
    how: str
    made: Micros | None = None
    """since when it is there, where seeing that may take long on an idle machine too"""


class DatagramCaught(Event, frozen=True):
    """The first datagram that this fault does something to has left on this link."""

    fault: int
    link: str


class FaultEndAsked(Event, frozen=True):
    fault: int


class FaultEnded(Event, frozen=True):
    fault: int
    how: str
    made: Micros | None = None
    """as in `FaultTook`: since when it is not there"""


class Missed(StrEnum):
    """How a fault took no effect."""

    REFUSED = "refused"
    """its node was in no state for it"""
    UNSEEN = "unseen"
    """nothing showed that it did"""
    END_UNSEEN = "end unseen"
    PART = "part"
    """the first of those that it is made of did not"""
    STOPPED = "stopped"
    CAME_UPON_NOTHING = "came upon nothing"


class FaultWithoutEffect(Event, frozen=True):
    """No receipt: the verdict is unknown."""

    fault: int
    reason: str
    why: Missed


class FabricTrouble(Event, frozen=True):
    """The link fabric stopped answering, or somebody else has changed it: the verdict is unknown."""

    reason: str
    by_others: bool = False
    """the links were not what the harness made of them, so nothing that a node did proves anything against it"""
    since: Micros | None = None
    """when the links were last seen in order"""


class FabricRestored(Event, frozen=True):
    reason: str


class NotUnderstood(Event, frozen=True):
    """This node tells something that may be what a check needs, and nobody here knows: the verdict is unknown."""

    peer: str
    reason: str


class HarnessLate(Event, frozen=True):
    """The harness came to a moment of its own so much too late: the machine was busy, or the script computed."""

    lateness: Micros


class Expected(Event, frozen=True):
    """What the script expects at its end, and whether it held within the bound; `reason` says why it did not."""

    what: str
    within: Micros
    held: bool
    reason: str


class InvariantBroken(Event, frozen=True):
    """Something that must hold always did not, at this moment."""

    what: str
    reason: str


class ScriptOutcome(StrEnum):
    DONE = "done"
    FAILED = "failed"
    """something did not come true"""
    UNKNOWN = "unknown"
    """it could not be run to its end"""


class ScriptEnded(Event, frozen=True):
    outcome: ScriptOutcome
    reason: str


HARNESS_EVENTS: tuple[type[Event], ...] = (
    RunBegan,
    NodeNamed,
    NodeConfigured,
    AddressesConfigured,
    StepBegan,
    AskedByHand,
    AnsweredByHand,
    PlanPlayed,
    NodeSpawned,
    NodeEnded,
    FaultAsked,
    FaultMayMiss,
    FaultTook,
    DatagramCaught,
    FaultEndAsked,
    FaultEnded,
    FaultWithoutEffect,
    FabricTrouble,
    FabricRestored,
    NotUnderstood,
    HarnessLate,
    Expected,
    InvariantBroken,
    ScriptEnded,
)
