"""The screens: each a few panels side by side, chosen by its number."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from textual.widget import Widget

from shaketable.tui.screens import cluster, events, guarantees, links, partitions, script, timeline


@dataclass(frozen=True, slots=True)
class Tab:
    id: str
    title: str
    panels: Callable[[], list[Widget]]


TABS: Final = (
    Tab("cluster", "Cluster", cluster.panels),
    Tab("links", "Links", links.panels),
    Tab("partitions", "Partitions", partitions.panels),
    Tab("timeline", "Timeline", timeline.panels),
    Tab("checks", "Checks", guarantees.panels),
    Tab("events", "Events", events.panels),
    Tab("script", "Script", script.panels),
)
