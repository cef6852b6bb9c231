"""What a member can be asked to do from outside: a world passes these to `command`."""

from __future__ import annotations

import msgspec

from shaketable.node.core.env import Micros
from shaketable.node.messages import Address, Does


class Asked(msgspec.Struct, frozen=True, tag=True):
    """Each kind travels to a node's process under its own name."""


class LeaveCommand(Asked, frozen=True):
    """Shut down gracefully."""


class OperateCommand(Asked, frozen=True):
    """One operation on a map, by a client at this member that does nothing else."""

    client: str
    does: Does
    map: str
    key: str
    value: str = ""


class WorkCommand(Asked, frozen=True):
    """Clients at this member write and read on and on, each its own keys alone, each one operation at a time.

    Client 2 of the name "n1" is "n1.2", and its keys are "n1.2/0", "n1.2/1" and so on. A value is a tag that no other
    write has, a blank, and as much filling as makes it `size` bytes."""

    client: str
    map: str
    clients: int = 1
    keys: int = 10
    """each; taken in turn"""
    size: int = 0
    writes_percent: int = 50
    """the first round of a client's keys is always written; later on so many of a hundred operations write, seeded"""
    operations: int | None = None
    """each; None: until they are stopped"""
    pause: Micros = 0
    """between the end of one and the begin of the next"""


class StopWorkCommand(Asked, frozen=True):
    """No client of this name begins another operation."""

    client: str


class ReadCommand(Asked, frozen=True):
    """A client at this member reads these keys, one after the other."""

    client: str
    map: str
    keys: tuple[str, ...]


class TakeStockCommand(Asked, frozen=True):
    """Report all that this member holds."""


class GroupStartCommand(Asked, frozen=True):
    """A whole group starts: these are expected."""

    expected: tuple[Address, ...]


class GroupShutdownCommand(Asked, frozen=True):
    """The whole group shuts down."""


class HintCommand(Asked, frozen=True):
    """This watchdog tells that a member has failed."""

    failed: Address


class TalkCommand(Asked, frozen=True):
    """The application sends something to every other member this often; 0: no more."""

    every: Micros


DataCommand = OperateCommand | WorkCommand | StopWorkCommand | ReadCommand | TakeStockCommand
GroupCommand = GroupStartCommand | GroupShutdownCommand | HintCommand | TalkCommand
Command = LeaveCommand | DataCommand | GroupCommand
