"""The guarantees, and the proof of what broke one."""

from __future__ import annotations

from textual.containers import Container
from textual.widget import Widget

from shaketable.tui.panels.guarantees import HEAD, current_check, guarantees
from shaketable.tui.panels.proof import at_cursor, proof, proof_title
from shaketable.tui.widgets.panel import Panel


def panels() -> list[Widget]:
    return [
        Container(
            Panel(guarantees, "Guarantees", id="guarantees", fixed=HEAD, current=current_check),
            Panel(proof, proof_title, id="proof", current=at_cursor),
            id="of_checks",
        ),
    ]
