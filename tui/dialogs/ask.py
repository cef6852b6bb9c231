"""A question before what cannot be undone, or is done elsewhere than where the user looks: yes, or not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Button, Static

from shaketable.tui.dialogs.dialog import Dialog


class Ask(Dialog[bool]):
    DEFAULT_CSS: ClassVar[str] = """
    Ask > .box { width: 64; }
    Ask #why { height: auto; margin: 0 0 1 0; }
    Ask #answers { height: 1; }
    Ask Button { margin: 0 2 0 0; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "answer(True)", "yes", show=False),
        Binding("n", "answer(False)", "no", show=False),
    ]

    def __init__(self, question: str, said: Sequence[str]) -> None:
        super().__init__()
        self._question = question
        self._said = said

    def compose(self) -> ComposeResult:
        box = Vertical(classes="box")
        box.border_title = Text(self._question)
        with box:
            yield Static(Text("\n".join(self._said)), id="why")
            with Horizontal(id="answers"):
                yield Button("Yes (Enter, y)", id="yes", variant="primary", compact=True)
                yield Button("No (Esc, n)", id="no", compact=True)

    def on_mount(self) -> None:
        self.query_one("#yes", Button).focus()

    def action_answer(self, yes: bool) -> None:
        self.dismiss(yes)

    def on_button_pressed(self, event: Button.Pressed) -> None:
        event.stop()
        self.dismiss(event.button.id == "yes")
