"""All keys of the table of actions, by group, and the legend of the symbols."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Static

from shaketable.tui.actions import GROUPS, Action
from shaketable.tui.dialogs.dialog import Dialog
from shaketable.tui.model.session import Session
from shaketable.tui.panels.help import Entry, help_lines
from shaketable.tui.text import Line
from shaketable.tui.widgets.panel import Panel

EVERYWHERE: Final[Sequence[tuple[str, str, str]]] = (
    ("↑ ↓, k j", "From row to row", "up down"),
    ("⇧←→, h l", "From cell to cell of a table; elsewhere h and l are ← and →", "left right"),
    ("PgUp PgDn", "A page of rows", "page_up page_down"),
    ("Enter", "What there is to do with the row; two clicks are the same", ""),
    ("Tab", "To the next panel", ""),
)
"""and the names of these moves in a file of settings"""


class Help(Dialog[None]):
    DEFAULT_CSS: ClassVar[str] = """
    Help > .box { width: 118; height: 100%; max-height: 52; }
    Help #keys_and_symbols { height: 1fr; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("question_mark,q", "leave", "leave", show=False),
        Binding("t", "tour", "tour", show=False),
    ]

    def __init__(self, session: Session, actions: Sequence[Action]) -> None:
        super().__init__()
        self._session = session
        self._actions = actions

    def compose(self) -> ComposeResult:
        box = Vertical(classes="box")
        box.border_title = "Keys and symbols"
        with box:
            yield Panel(self._lines, id="keys_and_symbols")
            yield Static(Text("↑↓ scroll · t: the tour of the first screen · Esc leaves"), classes="hints")

    def on_mount(self) -> None:
        panel = self.query_one(Panel)
        panel.show(self._session)
        panel.focus()

    async def action_tour(self) -> None:
        self.dismiss(None)
        await self.run_action("app.tour")

    def _lines(self, session: Session, width: int, height: int) -> Sequence[Line]:
        groups = [(group, _keys_of(self._actions, group)) for group in GROUPS]
        return help_lines([("Everywhere", [each[:2] for each in EVERYWHERE]), *groups], width)


def _keys_of(actions: Sequence[Action], group: str) -> list[Entry]:
    entries: list[Entry] = []
    for action in actions:
        if action.group == group and not action.action.startswith("screen("):
            entries.append((action.key, action.help))
    numbers = [action.key for action in actions if action.group == group and action.action.startswith("screen(")]
    return [(f"{numbers[0]}-{numbers[-1]}", "The screens"), *entries] if numbers else entries
