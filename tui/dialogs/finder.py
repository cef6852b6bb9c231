"""What the dialogs share that find one among many: typed words leave fewer rows, ↑ ↓ choose among them wherever the
focus is, and Enter takes the chosen one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, TypeVar

from textual.binding import Binding, BindingType

from shaketable.tui.dialogs.dialog import Modal
from shaketable.tui.model.session import Session
from shaketable.tui.widgets.panel import Panel

T = TypeVar("T")


class Finder(Modal[T]):
    DEFAULT_CSS: ClassVar[str] = """
    Finder { align: center middle; background: $background 60%; }
    Finder > Vertical { width: 90%; max-width: 140; height: 90%; max-height: 44; background: $background;
                        border: round $primary; border-title-color: $primary; }
    Finder Input { background: $surface; }
    Finder #typed { width: 1fr; }
    Finder Horizontal { height: 1; }
    Finder Static { width: auto; padding: 0 1; color: $primary; text-style: bold; }
    Finder #found { height: 1fr; border: none; border-top: solid $panel; }
    Finder #found:focus { border-top: solid $primary; }
    Finder #told_of_found { height: 3; border: none; overflow-y: hidden; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "close", show=False),
        Binding("up", "row(-1)", "row up", show=False, priority=True),
        Binding("down", "row(1)", "row down", show=False, priority=True),
        Binding("pageup", "page(-1)", "page up", show=False, priority=True),
        Binding("pagedown", "page(1)", "page down", show=False, priority=True),
    ]

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session

    def targets(self) -> Sequence[str]:
        """Of the rows that are left, in order."""
        raise NotImplementedError

    def here(self) -> str:
        """The target of the chosen row."""
        raise NotImplementedError

    def go_to(self, target: str) -> None:
        raise NotImplementedError

    def on_mount(self) -> None:
        for name in ("#found", "#told_of_found"):
            self.query_one(name).can_focus = False
        self.query_one("#typed").focus()
        self.call_after_refresh(self.draw)

    def on_resize(self) -> None:
        self.call_after_refresh(self.draw)

    def draw(self) -> None:
        for panel in self.query(Panel):
            panel.show(self._session)

    def found(self) -> Panel:
        return self.query_one("#found", Panel)

    def action_row(self, by: int) -> None:
        targets, here = self.targets(), self.here()
        if here in targets:
            target = targets[max(0, min(targets.index(here) + by, len(targets) - 1))]
            self.go_to(target)
            self.draw()
            self.found().reveal(target)

    def action_page(self, by: int) -> None:
        self.action_row(by * max(1, self.found().scrollable_content_region.height - 2))

    def action_leave(self) -> None:
        self.dismiss(None)
