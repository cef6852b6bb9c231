"""The faults that are on: one of them is healed, or all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Static

from shaketable.harness.checks.result import counted
from shaketable.harness.history.words.cluster import rounded
from shaketable.tui.dialogs.dialog import Dialog
from shaketable.tui.model.session import Session
from shaketable.tui.model.standing.possible import about, lasting, present
from shaketable.tui.text import Line, Span, cell, fitted, line
from shaketable.tui.widgets.panel import Panel

ALL: Final = "fault:all"
LOOKED_AGAIN: Final = 0.5


class Faults(Dialog[str]):
    DEFAULT_CSS: ClassVar[str] = """
    Faults #on { height: auto; max-height: 16; }
    """

    def __init__(self, session: Session, *, all_first: bool = False) -> None:
        super().__init__()
        self._session = session
        on = lasting(present(session))
        self._chosen = ALL if all_first or not on else f"fault:{on[-1].number}"

    def compose(self) -> ComposeResult:
        box = Vertical(classes="box")
        box.border_title = "Faults that are on"
        with box:
            yield Panel(self._lines, id="on", current=lambda _: self._chosen)
            yield Static(Text("↑↓ choose · Enter, or two clicks: heal it · Esc leaves"), classes="hints")

    def _lines(self, session: Session, width: int, height: int) -> Sequence[Line]:
        on, told = lasting(present(session)), session.beliefs.at(len(session.store)).faults
        wide = max((len(str(fault.number)) for fault in on), default=1) + 2
        lines = [
            line(self._mark(ALL), Span("all of them", "title", ALL), Span(f"  {counted(len(on), 'fault')}", "dim", ALL))
        ]
        for fault in on:
            target = f"fault:{fault.number}"
            of = told.get(fault.number)
            detail = f" {of.detail}" if of is not None and of.detail else ""
            whom = about(fault)
            since = f"since {rounded(fault.took_at)}" if fault.took_at is not None else "has not taken effect yet"
            lines.append(
                line(
                    self._mark(target),
                    cell(f"#{fault.number}", wide, "dim", target),
                    Span(f"{fault.verb}{detail}", "fault", target),
                    Span(f"  {whom}" if whom else "", "name", target),
                    Span(f"  {since}", "dim", target),
                )
            )
        return [fitted(each, width) for each in lines]

    def _mark(self, target: str) -> Span:
        return Span("▸ " if target == self._chosen else "  ", "key", target)

    def on_mount(self) -> None:
        self._show()
        self.query_one("#on", Panel).focus()
        self.set_interval(LOOKED_AGAIN, self._show)

    def _show(self) -> None:
        self.query_one("#on", Panel).show(self._session)

    def action_choose(self, target: str) -> None:
        self._chosen = target
        self._show()

    def on_panel_chosen(self, message: Panel.Chosen) -> None:
        message.stop()
        self.action_choose(message.target)
        if message.again:
            self.dismiss(self._chosen)
