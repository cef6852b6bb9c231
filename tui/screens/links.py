"""The link matrix, and what is known of the chosen link."""

from __future__ import annotations

from textual.containers import Container
from textual.widget import Widget

from shaketable.tui.panels.flows import flows
from shaketable.tui.panels.matrix import matrix
from shaketable.tui.widgets.panel import Panel


def panels() -> list[Widget]:
    return [
        Container(Panel(matrix, "Links", id="matrix"), Panel(flows, "Link", id="flows"), id="of_links"),
    ]
