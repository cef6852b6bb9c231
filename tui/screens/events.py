"""All events, filtered."""

from __future__ import annotations

from textual.containers import Container
from textual.widget import Widget

from shaketable.tui.model.session import Session
from shaketable.tui.panels.events import events
from shaketable.tui.widgets.panel import Panel


def at_cursor(session: Session) -> str:
    """Or where it is to stand as soon as the history is known so far."""
    return f"event:{session.heading_for - 1}" if session.heading_for else ""


def panels() -> list[Widget]:
    return [
        Container(Panel(events, "Events", id="all_events", current=at_cursor), id="of_events"),
    ]
