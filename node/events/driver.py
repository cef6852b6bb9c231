"""What the node's own driver and transport report (node/process, and the simulator in its place)."""

from __future__ import annotations

from shaketable.node.events.base import Event
from shaketable.node.messages import Address


class FramesDropped(Event, frozen=True):
    """Frames that were no use: malformed, too large, of a stranger, of another version, of an older link generation,
    of an unknown sender.

    Reported for the first and then at most once each heartbeat interval, with how many there were since."""

    reason: str
    count: int


class LinkSilent(Event, frozen=True):
    """Nothing has come from this address for three heartbeat intervals, no probe either, although there was something
    before."""

    address: Address


class LinkHeard(Event, frozen=True):
    """Messages or probes come from this address (again)."""

    address: Address


class Held(Event, frozen=True):
    """The node holds at a named event: `handed_over` of the step's messages have left; `fault` asked for it."""

    fault: int
    event: str
    handed_over: int


class Released(Event, frozen=True):
    fault: int
    event: str


class FilterMatched(Event, frozen=True):
    """A filter by kind of message did its work for the first time; `fault` is the fault's number."""

    fault: int
    message: str
    address: Address
