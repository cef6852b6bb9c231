"""A lane a node, over time; and where there is room, the events around the cursor."""

from __future__ import annotations

from textual.containers import Container
from textual.widget import Widget

from shaketable.tui.panels.bands import head_height
from shaketable.tui.panels.events import events_of_note, events_of_note_title, present_row
from shaketable.tui.panels.lanes import lanes, lanes_title
from shaketable.tui.screens.cluster import here
from shaketable.tui.widgets.panel import Panel


def panels() -> list[Widget]:
    return [
        Container(
            Panel(lanes, lanes_title, id="lanes", fixed=head_height, current=here),
            Panel(events_of_note, events_of_note_title, id="moments", current=present_row, wheel=True),
            id="of_time",
        ),
    ]
