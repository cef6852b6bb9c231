"""The settings of the run: words that are typed leave those that have them; ↑ and ↓ go from one to the next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Input, Static

from shaketable.tui.dialogs.dialog import Dialog
from shaketable.tui.model.session import Session
from shaketable.tui.panels.settings import OTHER, settings
from shaketable.tui.text import Line
from shaketable.tui.widgets.panel import Panel

HINTS: Final = f"type words to find · ↑↓ from one to the next · {OTHER} is not the default · Esc leaves"


class SettingsDialog(Dialog[None]):
    DEFAULT_CSS: ClassVar[str] = """
    SettingsDialog > .box { width: 118; height: 100%; max-height: 52; }
    SettingsDialog #settings { height: 1fr; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "rows('row', -1)", "row up", show=False, priority=True),
        Binding("down", "rows('row', 1)", "row down", show=False, priority=True),
        Binding("pageup", "rows('page', -1)", "page up", show=False, priority=True),
        Binding("pagedown", "rows('page', 1)", "page down", show=False, priority=True),
    ]

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._chosen = ""
        self._words = ""

    def compose(self) -> ComposeResult:
        box = Vertical(classes="box")
        box.border_title = "The settings of this run"
        with box:
            yield Input(placeholder="words of a name, a value or a meaning", id="words", compact=True)
            yield Panel(self._lines, id="settings", current=lambda _: self._chosen)
            yield Static(Text(HINTS), classes="hints")

    def _lines(self, session: Session, width: int, height: int) -> Sequence[Line]:
        return settings(session, self._words, width)

    def on_mount(self) -> None:
        self._panel().can_focus = False
        self.query_one(Input).focus()
        self.call_after_refresh(self._show)

    def on_resize(self) -> None:
        self.call_after_refresh(self._show)

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._words = event.value
        self._panel().scroll_home(animate=False)
        self._show()

    async def action_rows(self, how: str, by: int) -> None:
        panel = self._panel()
        await (panel.action_row(by) if how == "row" else panel.action_page(by))

    def action_choose(self, target: str) -> None:
        self._chosen = target
        self._show()

    def on_panel_chosen(self, message: Panel.Chosen) -> None:
        message.stop()
        self.action_choose(message.target)

    def _show(self) -> None:
        self._panel().show(self._session)

    def _panel(self) -> Panel:
        return self.query_one("#settings", Panel)
