"""Which events a member does not tell itself: between two of its own they may stand anywhere."""

from __future__ import annotations

from typing import Final

from shaketable.node.events import (
    Event,
    FilterMatched,
    FramesDropped,
    FramesLate,
    Held,
    LinkHeard,
    LinkSilent,
    MessagesLost,
    Released,
    StoodStill,
)

NOT_OF_THE_MEMBER: Final[frozenset[type[Event]]] = frozenset(
    (FramesDropped, FramesLate, MessagesLost, StoodStill, LinkSilent, LinkHeard, Held, Released, FilterMatched)
)
"""Told by the driver of a member, in between and whenever it likes."""
