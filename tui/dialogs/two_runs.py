"""The open recording and another one side by side, at the first moment where they differ. Enter goes to that moment."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import ClassVar, Final

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Static

from shaketable.harness.errors import UserError
from shaketable.harness.runs.side_by_side import SideBySide
from shaketable.tui.dialogs.dialog import Dialog
from shaketable.tui.model.session import Session
from shaketable.tui.panels.prose import clipped, wrapped
from shaketable.tui.panels.two_runs import two_runs
from shaketable.tui.text import Line, Span, line
from shaketable.tui.widgets.panel import Panel

HINTS: Final = "↑↓ scroll · Enter goes there in the open recording, A · Esc leaves"
GO_THERE: Final = "moment:"


class TwoRuns(Dialog[int]):
    """It ends with the place of that moment in the open recording."""

    DEFAULT_CSS: ClassVar[str] = """
    TwoRuns > .box { width: 140; height: 100%; max-height: 52; }
    TwoRuns #runs { height: 1fr; }
    """

    def __init__(self, session: Session, compare: Callable[[], SideBySide]) -> None:
        """`compare` takes a moment, and is called in a thread."""
        super().__init__()
        self._session = session
        self._compare = compare
        self._both: SideBySide | None = None
        self._trouble = ""

    def compose(self) -> ComposeResult:
        box = Vertical(classes="box")
        box.border_title = "Two runs"
        with box:
            yield Panel(self._lines, id="runs", rows=False, enter=lambda _: GO_THERE)
            yield Static(Text(HINTS), classes="hints")

    def _lines(self, session: Session, width: int, height: int) -> Sequence[Line]:
        if self._both is not None:
            return two_runs(self._both, width)
        if self._trouble:
            return clipped(wrapped(f"✗ {self._trouble}", width, "bad", indent=1), width)
        return clipped([line(Span(" ↻ both are read and compared", "moving"))], width)

    def on_mount(self) -> None:
        self._show()
        self.query_one(Panel).focus()
        self.run_worker(self._load(), exit_on_error=False)

    async def _load(self) -> None:
        try:
            self._both = await asyncio.to_thread(self._compare)
        except UserError as error:
            self._trouble = str(error)
        self._show()

    def _show(self) -> None:
        self.query_one(Panel).show(self._session)

    def on_panel_chosen(self, message: Panel.Chosen) -> None:
        message.stop()
        found, store = self._both.found if self._both is not None else None, self._session.store
        if found is not None:
            place = store.find(*found.record[:4]) if found.in_first else None
            self.dismiss(place if place is not None else max(0, store.place_of(found.record.time) - 1))
