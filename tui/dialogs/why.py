"""One event in full, and why it happened: ↑ and ↓ go along its chain, Enter goes to the moment of an event in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Static

from shaketable.tui.dialogs.dialog import Dialog
from shaketable.tui.model.session import Session
from shaketable.tui.panels.why import why_lines, why_of
from shaketable.tui.text import Line
from shaketable.tui.widgets.panel import Panel


class WhyDialog(Dialog[int]):
    """It ends with the place that was chosen."""

    DEFAULT_CSS: ClassVar[str] = """
    WhyDialog > .box { width: 118; height: 100%; max-height: 52; }
    WhyDialog #chain { height: 1fr; }
    """

    def __init__(self, session: Session, place: int) -> None:
        super().__init__()
        self._session = session
        self._why = why_of(session, place)
        self._chosen = f"event:{place}"

    def compose(self) -> ComposeResult:
        box = Vertical(classes="box")
        box.border_title = "Why"
        with box:
            yield Panel(self._lines, id="chain", current=lambda _: self._chosen)
            yield Static(Text("↑↓ along the chain · Enter goes there · Esc leaves"), classes="hints")

    def _lines(self, session: Session, width: int, height: int) -> Sequence[Line]:
        return why_lines(session, self._why, width)

    def on_mount(self) -> None:
        panel = self.query_one(Panel)
        panel.show(self._session)
        panel.focus()

    def action_choose(self, target: str) -> None:
        self._chosen = target
        self.query_one(Panel).show(self._session)

    def on_panel_chosen(self, message: Panel.Chosen) -> None:
        message.stop()
        self.action_choose(message.target)
        if message.again:
            self.dismiss(int(message.target.partition(":")[2]))
