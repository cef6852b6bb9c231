"""What a world can be asked to do. A script's verbs become these actions. Both worlds do them and answer with a
receipt.

A world is asked for one action at a time or for several at once. It calls `done` with the receipt when it has seen that
the action took effect, or with the reason why it did not (`NoEffect`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from shaketable.harness.faults.table import Link
from shaketable.harness.faults.verb import Fault
from shaketable.node.core.commands import DataCommand, GroupCommand
from shaketable.node.core.env import Micros
from shaketable.node.rest import Request, Response


@dataclass(frozen=True, slots=True)
class Start:
    """Spawn these nodes; with `run` false they wait, spawned, until a later Start (so spawning can overlap)."""

    nodes: tuple[str, ...]
    addresses: tuple[str, ...]
    """the discovery list that each is configured with, as names of nodes"""
    settings: Mapping[str, object] = field(default_factory=dict)
    """by the outside names, where they differ from the run's"""
    run: bool = True


@dataclass(frozen=True, slots=True)
class Kill:
    """SIGKILL."""

    node: str


@dataclass(frozen=True, slots=True)
class Leave:
    """Graceful shutdown: done when the node has ended by itself."""

    node: str


@dataclass(frozen=True, slots=True)
class Restart:
    """Same address, new identity. The node must have ended."""

    node: str


@dataclass(frozen=True, slots=True)
class Command:
    """Something for the node's member to do, with the data or for its group: no fault. Done when it is handed over to
    the node; one that is paused or held takes it up when it goes on."""

    node: str
    command: DataCommand | GroupCommand


@dataclass(frozen=True, slots=True)
class Http:
    """An HTTP request to a node, no fault. Done when it has answered."""

    node: str
    request: Request
    patience: Micros


@dataclass(frozen=True, slots=True)
class WriteFile:
    """The file of a node's configuration has this text from now on, whether or not the node runs: no fault."""

    node: str
    text: str


@dataclass(frozen=True, slots=True)
class Begin:
    number: int
    fault: Fault


@dataclass(frozen=True, slots=True)
class End:
    number: int


@dataclass(frozen=True, slots=True)
class Reset:
    """Connections drop once and may come back at once."""

    number: int
    links: tuple[Link, ...]


Action = Start | Kill | Leave | Restart | Command | Http | WriteFile | Begin | End | Reset


@dataclass(frozen=True, slots=True)
class Receipt:
    """The action took effect; `how` says in a few words how we know."""

    at: Micros
    how: str
    response: Response | None = None
    """to an HTTP request"""
    made: Micros | None = None
    """since when it is so, where seeing that may take long on an idle machine too"""


class NoEffect(Exception):
    """The action took no effect, for this reason: the verdict of the run is then "unknown"."""


def no_file(name: str) -> NoEffect:
    return NoEffect(f"{name} has no file of its configuration: set rest_enabled")
