"""What all dialogs share: they end once; a frame in the middle of the screen, Escape and a click beside it leave it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, TypeVar

from rich.text import Text
from textual import events
from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.screen import ModalScreen, Screen
from textual.widgets import Static

from shaketable.harness.visible import in_one_line
from shaketable.tui.text import Line
from shaketable.tui.theme import look

T = TypeVar("T")


def too_late(screen: Screen[T], message: Message) -> bool:
    """A new size that the terminal has no more, while the app ends and nothing is drawn: a screen of Textual's asks for
    each size that it takes once again, and of two that wait then, each would follow the other for ever."""
    return isinstance(message, events.Resize) and message.size != screen.app.size and bool(screen.app._batch_count)


class Modal(ModalScreen[T]):
    """A screen above the others that ends once: a user who is quick has clicked, or pressed Enter, again before it is
    gone. Keys, clicks and new sizes that still wait for it then are dropped, with what its fields make of them."""

    def dismiss(self, result: T | None = None) -> AwaitComplete:
        ended = self not in self.app.screen_stack[-1:]
        return AwaitComplete() if ended else super().dismiss(result)

    async def _on_message(self, message: Message) -> None:
        asks = message.bubble or isinstance(message, events.Resize | events.Timer)
        if not too_late(self, message) and (not asks or self in self.app.screen_stack):
            await super()._on_message(message)

    def call_after_refresh(self, callback: Callable[..., object], *args: Any, **kwargs: Any) -> bool:
        """If it still stands then: the screen below calls what one that has gone has left."""

        def unless_gone() -> object:
            return callback(*args, **kwargs) if self in self.app.screen_stack else None

        return super().call_after_refresh(unless_gone)


class Dialog(Modal[T]):
    DEFAULT_CSS: ClassVar[str] = """
    Dialog { align: center middle; background: $background 60%; }
    Dialog > .box { background: $surface; border: round $primary; border-title-color: $primary; padding: 0 1;
                    width: 72; max-width: 100%; height: auto; max-height: 100%; }
    Dialog .hints { color: $text-muted; height: 1; }
    Dialog Panel, Dialog Panel:focus { border: none; background: $surface; scrollbar-background: $surface; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "leave", show=False),
        Binding("c", "app.copy_row", "copy row", show=False, id="copy_row"),
        Binding("C", "app.copy_panel", "copy panel", show=False, id="copy_panel"),
    ]

    def action_leave(self) -> None:
        self.dismiss(None)

    def on_click(self, event: events.Click) -> None:
        if self.get_widget_at(event.screen_x, event.screen_y)[0] is self:
            self.dismiss(None)

    def put(self, where: str, *lines: Line) -> None:
        """In a Static, by its id."""
        text = Text(no_wrap=False)
        for number, spans in enumerate(lines):
            if number:
                text.append("\n")
            for span in spans:
                text.append(in_one_line(span.text), look(self.app.theme, span.role))
        self.query_one(f"#{where}", Static).update(text)
