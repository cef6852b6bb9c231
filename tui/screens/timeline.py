"""A lane a node, over time."""

from __future__ import annotations

from textual.containers import Container
from textual.widget import Widget

from shaketable.tui.panels.lanes import head_height, lanes, lanes_title
from shaketable.tui.screens.cluster import here
from shaketable.tui.widgets.panel import Panel


def panels() -> list[Widget]:
    return [
        Container(Panel(lanes, lanes_title, id="lanes", fixed=head_height, current=here), id="of_time"),
    ]
