"""The link matrix, and what is known of the chosen link."""

from __future__ import annotations

from textual.containers import Container
from textual.widget import Widget

from shaketable.tui.panels.flows import flows, flows_title
from shaketable.tui.panels.matrix import HEAD, link_here, matrix
from shaketable.tui.widgets.grid import Grid
from shaketable.tui.widgets.panel import Panel


def panels() -> list[Widget]:
    return [
        Container(
            Grid(matrix, "Links", id="matrix", kind="link:", fixed=HEAD, current=link_here),
            Panel(flows, flows_title, id="flows"),
            id="of_links",
        ),
    ]
