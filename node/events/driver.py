"""What the node's own driver and transport report (node/process, and the simulator in its place)."""

from __future__ import annotations

from shaketable.node.events.base import Event
from shaketable.node.messages import Address


class FramesDropped(Event, frozen=True):
    """Useless frames were dropped: malformed, too large, repeated, or of a stranger, another version, an older link
    generation, an unknown sender.

    The first is told at once, later ones at most once each heartbeat interval, with their `count`."""

    reason: str
    count: int


class LinkSilent(Event, frozen=True):
    """Nothing more, not even a probe, has come from this address for three heartbeat intervals."""

    address: Address


class LinkHeard(Event, frozen=True):
    """Messages or probes come from this address (again)."""

    address: Address


class MessagesLost(Event, frozen=True):
    """So many messages of this sender never came: the next one that came tells it by its number. The last one before
    them had come `before` ago. Datagrams have no such numbers."""

    address: Address
    count: int
    before: int


class StoodStill(Event, frozen=True):
    """The whole process did not run for so long, and had something to do: it was stopped, or the machine was busy.

    Its own computing does not count. The simulator never tells it, nor `FramesLate`."""

    lasted: int


class FramesLate(Event, frozen=True):
    """Frames from this address are under way for so long. It is told from half a second on, or a heartbeat interval
    if that is less, and again after five seconds, or when it has doubled."""

    address: Address
    lateness: int


class Held(Event, frozen=True):
    """The node holds at a named event, as `fault` asked. `handed_over` of the step's messages have left."""

    fault: int
    event: str
    handed_over: int


class Released(Event, frozen=True):
    fault: int
    event: str


class FilterMatched(Event, frozen=True):
    """A filter by kind of message has caught its first message; `fault` is the fault's number."""

    fault: int
    message: str
    address: Address
