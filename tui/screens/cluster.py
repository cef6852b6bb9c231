"""The cluster, the chosen node, and what happened last; or how two nodes differ."""

from __future__ import annotations

from textual.containers import Container
from textual.widget import Widget

from shaketable.tui.model.session import Session
from shaketable.tui.model.standing import shown_node
from shaketable.tui.panels.cluster import HEAD, cluster
from shaketable.tui.panels.difference import difference, difference_title
from shaketable.tui.panels.events import events_of_note, events_of_note_title, present_row
from shaketable.tui.panels.node_pane import node_pane, node_title
from shaketable.tui.widgets.panel import Panel


def here(session: Session) -> str:
    return f"node:{shown_node(session)}"


def panels() -> list[Widget]:
    return [
        Panel(cluster, "Cluster", id="nodes", fixed=HEAD, current=here),
        Container(
            Panel(node_pane, node_title, id="node", rows=False),
            Panel(events_of_note, events_of_note_title, id="last", current=present_row, wheel=True),
            Panel(difference, difference_title, id="difference", rows=False),
            id="below",
        ),
    ]
