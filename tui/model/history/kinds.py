"""A small number for each kind of event, so that a history can be looked through without decoding it."""

from __future__ import annotations

from typing import Final

from shaketable.harness import records as h
from shaketable.harness.history.codec import EVENT_TYPES
from shaketable.node import events as e
from shaketable.node.events import Event

KINDS: Final = tuple(event.__name__ for event in EVENT_TYPES)
UNKNOWN: Final = 255
"""of a kind that is not known here"""
CODES: Final = {name: code for code, name in enumerate(KINDS)}
CODE_OF: Final[dict[type[Event], int]] = {event: code for code, event in enumerate(EVENT_TYPES)}

FAULT: Final = "fault"
VIEW: Final = "view"
STEP: Final = "step"
MARKS: Final[dict[int, str]] = {
    CODE_OF[h.FaultAsked]: FAULT,
    CODE_OF[h.FaultTook]: FAULT,
    CODE_OF[h.FaultEnded]: FAULT,
    CODE_OF[h.FaultWithoutEffect]: FAULT,
    CODE_OF[h.NodeEnded]: FAULT,
    CODE_OF[h.StepBegan]: STEP,
}
INSTALLED: Final = CODE_OF[e.ViewInstalled]
STARTED: Final = CODE_OF[e.Started]
NAMED: Final = CODE_OF[h.NodeNamed]
BEGAN: Final = CODE_OF[h.RunBegan]

assert len(KINDS) < UNKNOWN
