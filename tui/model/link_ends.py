"""A link as both its ends see it: the sender has a connection or none, the receiver hears something or nothing."""

from __future__ import annotations

from typing import Final, NamedTuple

from shaketable.node.env import Micros
from shaketable.node.events import LinkClosed, LinkDown, LinkHeard, LinkSilent, LinkUp
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

_STATES: Final = {LinkUp: UP, LinkDown: DOWN, LinkClosed: CLOSED, LinkSilent: SILENT, LinkHeard: HEARD}


def told(ends: Ends, time: Micros, event: LinkUp | LinkDown | LinkClosed | LinkSilent | LinkHeard) -> None:
    """The same told again is not newer."""
    state = _STATES[type(event)]
    before = ends.get(event.address)
    if before is None or before.state != state:
        ends[event.address] = End(state, time)
