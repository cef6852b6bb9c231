"""The partition map and the migration queue."""

from __future__ import annotations

from textual.containers import Container
from textual.widget import Widget

from shaketable.tui.panels.partition_map import HEAD, map_title, partition_here, partition_map
from shaketable.tui.panels.queue import queue, queue_title
from shaketable.tui.widgets.grid import Grid
from shaketable.tui.widgets.panel import Panel


def panels() -> list[Widget]:
    return [
        Container(
            Grid(partition_map, map_title, id="map", kind="partition:", fixed=HEAD, current=partition_here),
            Panel(queue, queue_title, id="queue", current=partition_here),
            id="of_partitions",
        ),
    ]
