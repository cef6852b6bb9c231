"""What is said where nothing is there yet: what would be, and the key that brings it."""

from __future__ import annotations

from typing import Final, NamedTuple

from shaketable.tui.model.session import Session
from shaketable.tui.panels.prose import clipped
from shaketable.tui.text import Line, Span, wrapped


class Brings(NamedTuple):
    key: str
    """of tui/actions.py, by the name that Textual has for it; "": it comes by itself"""
    does: str


A_NODE: Final = Brings("a", "one more node")
A_FAULT: Final = Brings("b", "break something")
A_CLIENT: Final = Brings("b", "work, or put: a client uses the data")
TIME: Final = Brings("", "the checks judge it while it goes on")
GOES_ON: Final = Brings("space", "the world stands, and goes on")
THE_SCRIPT: Final = Brings("7", "what the script does now")
LATER: Final = Brings("end", "to the end of the run")
A_SCRIPT: Final = Brings("o", "run a script")
A_RUN: Final = Brings("O", "open a recording")


def nothing(session: Session, what: str, brings: Brings, width: int) -> list[Line]:
    """`brings`: in a run that is driven by hand."""
    spans = [Span(f" {what}", "dim")]
    for key, does in _that_bring(session, brings):
        target = f"key:{key}" if key else ""
        spans.append(Span(f" · {f'{key}: ' if key else ''}{does}", "key" if key else "dim", target))
    return clipped(wrapped(spans, width, indent=1), width)


def _that_bring(session: Session, brings: Brings) -> tuple[Brings, ...]:
    if brings.key and session.cursor < len(session.store):
        return (LATER,)
    if not session.live:
        return A_SCRIPT, A_RUN
    if session.speed == 0:
        return (GOES_ON,)
    return (THE_SCRIPT,) if session.facts.script and brings.key else (brings,)
