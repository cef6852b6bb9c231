"""The guarantees, and the proof of what broke one."""

from __future__ import annotations

from textual.containers import Container
from textual.widget import Widget

from shaketable.tui.panels.guarantees import guarantees
from shaketable.tui.panels.proof import proof
from shaketable.tui.widgets.panel import Panel


def panels() -> list[Widget]:
    return [
        Container(Panel(guarantees, "Guarantees", id="guarantees"), Panel(proof, "Proof", id="proof"), id="of_checks"),
    ]
