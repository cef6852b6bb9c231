"""A script's steps, faults and verdict."""

from __future__ import annotations

from textual.containers import Container
from textual.widget import Widget

from shaketable.tui.panels.steps import steps
from shaketable.tui.widgets.panel import Panel


def panels() -> list[Widget]:
    return [
        Container(Panel(steps, "Script", id="steps"), id="of_script"),
    ]
