"""What every event is made of, and what began the step that told it."""

from __future__ import annotations

from typing import Final, NamedTuple

import msgspec


class Event(msgspec.Struct, frozen=True, tag_field="kind", tag=True, forbid_unknown_fields=True, gc=False):
    pass


TIMER: Final = "timer"

Mark = int
"""What a message or a timer carries of the step that sent or set it: how many events its process had told by then,
times two, and one more if the last of these was told in that very step."""


class Cause(NamedTuple):
    """The message or the timer that began a step. A step that something else began has none."""

    kind: str
    """of the message, or `TIMER`"""
    after: int
    """the number of the last event that its sender had told when it left; of a timer, when it was set"""
    told: bool
    """that event was told in the very step that sent it"""
    sender: str = ""
    """the sender's uuid; "" for a timer, which is a node's own"""


def cause_of(kind: str, mark: Mark, sender: str = "") -> Cause:
    return _new(Cause, (kind, mark >> 1, mark & 1 == 1, sender))


_new: Final = (
    tuple.__new__
)  # of a named tuple the quick way: each step of a real node has a cause, and each simulated event
