"""All events, filtered."""

from __future__ import annotations

from textual.containers import Container
from textual.widget import Widget

from shaketable.tui.model.session import Session
from shaketable.tui.panels.events import events, events_title, present_row
from shaketable.tui.widgets.panel import Panel


def at_cursor(session: Session) -> str:
    """The row where the user stands in a panel of events."""
    return present_row(session)


def panels() -> list[Widget]:
    return [
        Container(Panel(events, events_title, id="all_events", current=at_cursor, wheel=True), id="of_events"),
    ]
