"""The partition map and the migration queue."""

from __future__ import annotations

from textual.containers import Container
from textual.widget import Widget

from shaketable.tui.panels.partition_map import partition_map
from shaketable.tui.panels.queue import queue
from shaketable.tui.widgets.panel import Panel


def panels() -> list[Widget]:
    return [
        Container(
            Panel(partition_map, "Partitions", id="map"), Panel(queue, "Migrations", id="queue"), id="of_partitions"
        ),
    ]
