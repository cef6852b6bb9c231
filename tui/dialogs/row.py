"""A row of a form: a label, something to fill in, and what is to be said of it."""

from __future__ import annotations

from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widget import Widget
from textual.widgets import Input, Static

from shaketable.harness.visible import in_one_line
from shaketable.tui.theme import look


class Row(Horizontal):
    DEFAULT_CSS: ClassVar[str] = """
    Row { height: auto; max-height: 3; }
    Row > .label { width: 13; }
    Row > Input { width: 16; }
    Row > .note { width: 1fr; padding: 0 1; height: auto; }
    Row.-long > Input { width: 1fr; }
    Row.-long > .note { display: none; }
    """

    def __init__(self, field: Widget, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self.field = field
        self._label = ""

    def compose(self) -> ComposeResult:
        yield Static(classes="label")
        yield self.field
        if isinstance(self.field, Input):
            yield Static(classes="note")

    def label(self, text: str) -> None:
        self._label = text
        here = self.field.has_focus
        said = Text("▸ " if here else "  ", look(self.app.theme, "key"))
        self.query_one(".label", Static).update(said.append(text, look(self.app.theme, "dim")))

    def on_descendant_focus(self) -> None:
        self.label(self._label)

    def on_descendant_blur(self) -> None:
        self.label(self._label)

    def note(self, text: str, role: str) -> None:
        self.query_one(".note", Static).update(Text(in_one_line(text), look(self.app.theme, role)))
