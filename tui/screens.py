"""The screens: each a few panels side by side, chosen by its number."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from textual.containers import Container
from textual.widget import Widget

from shaketable.tui.model.session import Session
from shaketable.tui.model.standing.family import is_group
from shaketable.tui.model.standing.standing import shown_node
from shaketable.tui.panels.bands import head_height
from shaketable.tui.panels.cluster import cluster, cluster_title
from shaketable.tui.panels.cluster import head_height as head_of_nodes
from shaketable.tui.panels.difference import difference, difference_title
from shaketable.tui.panels.doubts import doubts, doubts_title
from shaketable.tui.panels.events import (
    events,
    events_of_note,
    events_of_note_title,
    events_title,
    present_row,
    row_of_note,
)
from shaketable.tui.panels.flows import flows, flows_title
from shaketable.tui.panels.guarantees import HEAD as HEAD_OF_CHECKS
from shaketable.tui.panels.guarantees import current_check, guarantees
from shaketable.tui.panels.lanes import lanes, lanes_title
from shaketable.tui.panels.matrix import HEAD as HEAD_OF_LINKS
from shaketable.tui.panels.matrix import link_here, matrix, matrix_title
from shaketable.tui.panels.node_pane import node_pane, node_title
from shaketable.tui.panels.notifications import head_height as head_of_notifications
from shaketable.tui.panels.notifications import newest_event, notifications, notifications_title
from shaketable.tui.panels.partition_map import HEAD as HEAD_OF_MAP
from shaketable.tui.panels.partition_map import map_title, partition_here, partition_map
from shaketable.tui.panels.proof import at_cursor, proof, proof_title
from shaketable.tui.panels.queue import queue, queue_title
from shaketable.tui.panels.receipts import receipts
from shaketable.tui.panels.ring import member_here, ring, ring_title
from shaketable.tui.panels.steps import present_step, steps, steps_title
from shaketable.tui.widgets.grid import Grid
from shaketable.tui.widgets.panel import Panel


@dataclass(frozen=True, slots=True)
class Tab:
    id: str
    title: str
    panels: Callable[[], list[Widget]]
    of_a_group: bool | None = None
    """whether its runs are those of groups, or of clusters; None: of both"""


def _cluster() -> list[Widget]:
    """The cluster, the chosen node, and what happened last; or how two nodes differ."""
    return [
        Panel(cluster, cluster_title, id="nodes", fixed=head_of_nodes, current=_node_here),
        Container(
            Panel(node_pane, node_title, id="node", rows=False, enter=_last_of_node),
            Panel(events_of_note, events_of_note_title, id="last", current=row_of_note, wheel=True),
            Panel(difference, difference_title, id="difference", rows=False),
            id="below",
        ),
    ]


def _links() -> list[Widget]:
    """The link matrix, and what is known of the chosen link."""
    return [
        Container(
            Grid(matrix, matrix_title, id="matrix", kind="link:", fixed=HEAD_OF_LINKS, current=link_here),
            Panel(flows, flows_title, id="flows"),
            id="of_links",
        ),
    ]


def _partitions() -> list[Widget]:
    """The partition map and the migration queue."""
    return [
        Container(
            Grid(partition_map, map_title, id="map", kind="partition:", fixed=HEAD_OF_MAP, current=partition_here),
            Panel(queue, queue_title, id="queue", current=partition_here),
            id="of_partitions",
        ),
    ]


def _group() -> list[Widget]:
    """The heartbeats of a group, its doubts and its notifications, one below the other: each has long lines."""
    return [
        Grid(ring, ring_title, id="ring", kind="node:", fixed=0, current=member_here),
        Panel(doubts, doubts_title, id="doubts", fixed=1, current=member_here),
        Panel(
            *(notifications, notifications_title),
            id="notifications",
            fixed=head_of_notifications,
            rows=False,
            enter=newest_event,
        ),
    ]


def _timeline() -> list[Widget]:
    """A lane a node, over time; and where there is room, the events around the cursor."""
    return [
        Container(
            Panel(lanes, lanes_title, id="lanes", fixed=head_height, current=_node_here, enter=lambda _: "now:"),
            Panel(events_of_note, events_of_note_title, id="moments", current=row_of_note, wheel=True),
            id="of_time",
        ),
    ]


def _checks() -> list[Widget]:
    """The guarantees, and the proof of what broke one."""
    return [
        Container(
            Panel(guarantees, "Guarantees", id="guarantees", fixed=HEAD_OF_CHECKS, current=current_check),
            Panel(proof, proof_title, id="proof", current=at_cursor),
            id="of_checks",
        ),
    ]


def _events() -> list[Widget]:
    """All events, filtered."""
    return [
        Container(Panel(events, events_title, id="all_events", current=present_row, wheel=True), id="of_events"),
    ]


def _script() -> list[Widget]:
    """A script's steps as they go by, its verdict, and the receipts of its faults."""
    return [
        Container(
            Panel(steps, steps_title, id="steps", current=present_step),
            Panel(receipts, "Verdict and receipts", id="receipts"),
            id="of_script",
        ),
    ]


def _node_here(session: Session) -> str:
    return f"node:{shown_node(session)}"


def _last_of_node(session: Session) -> str:
    return f"last:{shown_node(session)}"


TABS: Final = (
    (1, Tab("cluster", "Cluster", _cluster)),
    (2, Tab("links", "Links", _links)),
    (3, Tab("partitions", "Partitions", _partitions, of_a_group=False)),
    (3, Tab("group", "Group", _group, of_a_group=True)),
    (4, Tab("timeline", "Timeline", _timeline)),
    (5, Tab("checks", "Checks", _checks)),
    (6, Tab("events", "Events", _events)),
    (7, Tab("script", "Script", _script)),
)
"""each with its number"""


def tabs_of(session: Session) -> Mapping[int, Tab]:
    """By its number. The members of a group hold no data: in the place of the partitions is what they tell each
    other."""
    group = is_group(session.facts)
    return {number: tab for number, tab in TABS if tab.of_a_group in (None, group)}
