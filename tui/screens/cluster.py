"""The cluster, the chosen node, and what happened last."""

from __future__ import annotations

from textual.containers import Container
from textual.widget import Widget

from shaketable.tui.panels.cluster import cluster
from shaketable.tui.panels.events import events
from shaketable.tui.panels.node_pane import node_pane
from shaketable.tui.widgets.panel import Panel


def panels() -> list[Widget]:
    return [
        Panel(cluster, "Cluster", id="nodes"),
        Container(Panel(node_pane, "Node", id="node"), Panel(events, "Events", id="last"), id="below"),
    ]
