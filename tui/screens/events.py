"""All events, filtered."""

from __future__ import annotations

from textual.containers import Container
from textual.widget import Widget

from shaketable.tui.model.session import Session
from shaketable.tui.panels.events import events
from shaketable.tui.widgets.panel import Panel


def at_cursor(session: Session) -> str:
    return f"event:{session.cursor - 1}" if session.cursor else ""


def panels() -> list[Widget]:
    return [
        Container(Panel(events, "Events", id="all_events", current=at_cursor), id="of_events"),
    ]
