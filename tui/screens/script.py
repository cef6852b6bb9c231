"""A script's steps as they go by, its verdict, and the receipts of its faults."""

from __future__ import annotations

from textual.containers import Container
from textual.widget import Widget

from shaketable.tui.panels.receipts import receipts
from shaketable.tui.panels.steps import present_step, steps, steps_title
from shaketable.tui.widgets.panel import Panel


def panels() -> list[Widget]:
    return [
        Container(
            Panel(steps, steps_title, id="steps", current=present_step),
            Panel(receipts, "Verdict and receipts", id="receipts"),
            id="of_script",
        ),
    ]
