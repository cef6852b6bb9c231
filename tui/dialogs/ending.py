"""What is being ended, while it is: the screens go when nothing is left of it."""

from __future__ import annotations

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Static

from shaketable.harness.visible import visible
from shaketable.tui.dialogs.dialog import Dialog


class Ending(Dialog[None]):
    def __init__(self, sentence: str) -> None:
        super().__init__()
        self._sentence = sentence

    def compose(self) -> ComposeResult:
        with Vertical(classes="box"):
            yield Static(Text(visible(self._sentence)), id="sentence")

    def action_leave(self) -> None:
        """There is no way back."""

    def on_click(self, event: events.Click) -> None:
        """Nor beside it."""
