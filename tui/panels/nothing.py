"""What is said where nothing is there yet: what would be, and the key that brings it."""

from __future__ import annotations

from typing import Final, NamedTuple

from shaketable.tui.model.session import Session
from shaketable.tui.panels.prose import clipped
from shaketable.tui.text import Line, Span, wrapped


class Brings(NamedTuple):
    action: str
    """of tui/actions.py, by its name; "": it comes by itself"""
    key: str
    """if the user has not given it another one"""
    does: str


A_NODE: Final = Brings("one_more", "a", "one more node")
A_FAULT: Final = Brings("break", "b", "break something")
A_CLIENT: Final = Brings("break", "b", "work, or put: a client uses the data")
TIME: Final = Brings("", "", "the checks judge it while it goes on")
GOES_ON: Final = Brings("halt", "space", "the world stands, and goes on")
THE_SCRIPT: Final = Brings("screen_7", "7", "what the script does now")
LATER: Final = Brings("end", "end", "to the end of the run")
A_SCRIPT: Final = Brings("run_script", "o", "run a script")
A_RUN: Final = Brings("open", "O", "open a recording")


def nothing(session: Session, what: str, brings: Brings, width: int) -> list[Line]:
    """`brings`: in a run that is driven by hand."""
    spans = [Span(f" {what}", "dim")]
    for action, usual, does in _that_bring(session, brings):
        key, target = session.keys.get(action, usual), f"key:{action}" if action else ""
        spans.append(Span(f" · {f'{key}: ' if action else ''}{does}", "key" if action else "dim", target))
    return clipped(wrapped(spans, width, indent=1), width)


def _that_bring(session: Session, brings: Brings) -> tuple[Brings, ...]:
    if brings.action and session.cursor < len(session.store):
        return (LATER,)
    if not session.live:
        return A_SCRIPT, A_RUN
    if session.speed == 0:
        return (GOES_ON,)
    return (THE_SCRIPT,) if session.facts.script and brings.action else (brings,)
