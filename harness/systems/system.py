"""A system under test: what it is called, what its members tell and promise, what can be done to them, and how they
are started and talked to.

Ours is one of them (ours.py). Another package registers its own by an entry point (registry.py)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

from shaketable.harness.errors import SystemRefused
from shaketable.harness.faults.actions import Action, Begin
from shaketable.harness.faults.table import LinkFault
from shaketable.harness.records import Record, UnderTest
from shaketable.harness.systems.dialogue import Dialogue
from shaketable.node.config import Settings
from shaketable.node.core.env import SECOND, Micros
from shaketable.node.messages import Address

if TYPE_CHECKING:
    from shaketable.node.process.main import Birth


Say = Callable[[str], None]
NEEDS_LINUX: Final = (
    "it needs Linux, where each link has a loopback address of its own and the kernel counts what goes through it"
)
BOTH_WAYS: Final = "its connections carry both directions, so no link can be cut one way"


class Place(NamedTuple):
    """Where a node of a run lives."""

    node: str
    number: int
    """of the nodes of the run, from 1"""
    port: int
    """of 127.0.0.1, free for it to listen at; the first one, if its system takes several"""
    folder: Path
    """for files of this run"""
    hosts: Path
    """a file of host names, one a line as in /etc/hosts: the name of each other node stands for its link. It is kept
    up to date while the run lasts, if connections carry both directions"""


class Process(NamedTuple):
    """A function of a module that is imported in a new process and called with these bytes; it does not return."""

    begin: Callable[[bytes], None]
    with_: bytes


class Members(Protocol):
    """How the members of a system are made: one such object serves one run."""

    def address(self, place: Place) -> Address:
        """By which its peers name it, and reach it through its links."""

    def process(self, place: Place, birth: Birth) -> Process: ...

    def dialogue(self, place: Place) -> Dialogue:
        """With a process of it that has just begun."""


def _fit(settings: Settings) -> str:
    return ""


def _able(action: Action) -> str:
    return ""


def _same() -> Callable[[Record], Record | None]:
    return lambda record: record


@dataclass(frozen=True, slots=True)
class System:
    under_test: UnderTest
    """with the version that is used if none is asked for"""
    members: Callable[[UnderTest], Members]
    """UserError: it cannot be had here"""
    versions: tuple[str, ...] = ("",)
    unfit: Callable[[Settings], str] = _fit
    """why a run with these settings is not for it; "" where it is"""
    cannot: Callable[[Action], str] = _able
    """why its members cannot do this, or cannot bear it; "" where they can"""
    both_ways: bool = False
    """each of its connections carries both directions"""
    ports: int = 1
    """at so many in a row each member listens; more than one only where connections carry both directions"""
    udp: bool = False
    """its members send datagrams as well, to the same ports"""
    simulated: bool = False
    preset: str = ""
    """that is usual for it; "": the world's own"""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """by their outside names, over the preset's"""
    allowance: Micros = 2 * SECOND
    """what its members add to each bound. Ours: less than the timeout of `fast` lies above its connection grace, else a
    black hole would pass for a cut"""
    patience: Micros = 10 * SECOND
    """for an answer of a process that runs"""
    last_words: float = 0.0
    """seconds in which what its members told before the end of a run arrives, if some of it is held back until it can
    be understood"""
    retold: Callable[[], Callable[[Record], Record | None]] = _same
    """when a script is tried on our own members: what its own would tell in the place of this. For each trial anew"""
    install: Callable[[UnderTest, Say], None] = lambda under_test, say: None
    """fetches and builds what it needs, if that is not there. UserError: it cannot be had here"""
    missing: Callable[[UnderTest], str] = lambda under_test: ""
    """on this machine, and what mends it; "": nothing is"""
    ready: Callable[[UnderTest], bool] = lambda under_test: True
    """there is nothing left to install"""

    @property
    def name(self) -> str:
        return self.under_test.name

    def check_world(self, world: str) -> None:
        if world == "sim" and not self.simulated:
            raise SystemRefused(self.name, "it has no simulated world; leave out --world sim")

    def why_not(self, action: Action) -> str:
        """Why this cannot be done where no other fault is on; "" where it can."""
        if why := self.cannot(action):
            return why
        if self.both_ways and isinstance(action, Begin) and isinstance(action.fault, LinkFault):
            links = action.fault.links if action.fault.state.cut else ()
            return BOTH_WAYS if any(link[::-1] not in links for link in links) else ""
        return ""
