"""A link as both its ends see it: the sender has a connection or none, the receiver hears something or nothing."""

from __future__ import annotations

from typing import Final, NamedTuple

from shaketable.node.core.env import Micros
from shaketable.node.events import FramesDropped, LinkClosed, LinkDown, LinkHeard, LinkSilent, LinkUp
from shaketable.node.messages import Address

UP: Final = "up"
DOWN: Final = "down"
CLOSED: Final = "closed"
"""hung up by the sender: nobody there is a member of it any more"""
SILENT: Final = "silent"
HEARD: Final = "heard"


class End(NamedTuple):
    state: str
    since: Micros


Ends = dict[Address, End]
"""by the address at the other end"""
Dropped = dict[str, int]
"""by reason, how many frames"""

_STATES: Final = {LinkUp: UP, LinkDown: DOWN, LinkClosed: CLOSED, LinkSilent: SILENT, LinkHeard: HEARD}


def told(ends: Ends, time: Micros, event: LinkUp | LinkDown | LinkClosed | LinkSilent | LinkHeard) -> None:
    """The same told again is not newer."""
    state = _STATES[type(event)]
    before = ends.get(event.address)
    if before is None or before.state != state:
        ends[event.address] = End(state, time)


def dropped(frames: Dropped, time: Micros, event: FramesDropped) -> None:
    """Of which sender they were is not known: only that they came."""
    frames[event.reason] = frames.get(event.reason, 0) + event.count
