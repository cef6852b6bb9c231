"""All events, filtered."""

from __future__ import annotations

from textual.containers import Container
from textual.widget import Widget

from shaketable.tui.panels.events import events
from shaketable.tui.widgets.panel import Panel


def panels() -> list[Widget]:
    return [
        Container(Panel(events, "Events", id="all_events"), id="of_events"),
    ]
