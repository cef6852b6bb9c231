"""A lane a node, over time."""

from __future__ import annotations

from textual.containers import Container
from textual.widget import Widget

from shaketable.tui.panels.lanes import lanes
from shaketable.tui.widgets.panel import Panel


def panels() -> list[Widget]:
    return [
        Container(Panel(lanes, "Timeline", id="lanes"), id="of_time"),
    ]
