"""Instead of a broken screen: how large the terminal has to be. It goes by itself when that is so."""

from __future__ import annotations

from typing import ClassVar, Final

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Static

from shaketable.tui.dialogs.dialog import Modal

LEAST_WIDTH: Final = 60
LEAST_HEIGHT: Final = 15


class TooSmall(Modal[None]):
    DEFAULT_CSS: ClassVar[str] = """
    TooSmall { background: $background; align: center middle; }
    TooSmall > Static { width: 1fr; height: auto; text-align: center; color: $warning; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("q", "app.quit", "quit", show=False)]

    def compose(self) -> ComposeResult:
        yield Static()

    def on_resize(self, event: events.Resize) -> None:
        width, height = event.size
        self.query_one(Static).update(
            Text(f"This terminal is too small: {width}x{height}.\nIt takes {LEAST_WIDTH}x{LEAST_HEIGHT}, better 80x24.")
        )
