"""One line to type in, above the footer: a filter, a time. The screen goes on and shows what is typed at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widget import Widget
from textual.widgets import Input, Static

from shaketable.harness.visible import in_one_line
from shaketable.tui.theme import look

Told = Callable[[str], str]
"""What there is to say of what is typed; a trouble where it is to be done."""


class Prompt(Horizontal):
    DEFAULT_CSS: ClassVar[str] = """
    Prompt { height: 1; display: none; background: $surface; }
    Prompt.-asks { display: block; }
    Prompt > #asked { width: auto; padding: 0 1; }
    Prompt > Input { width: 1fr; max-width: 40; }
    Prompt > #told { width: 2fr; padding: 0 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", "leave", show=False)]

    def __init__(self) -> None:
        super().__init__(id="prompt")
        self._changed: Told = str
        self._done: Told = str
        self._left: Callable[[], None] = lambda: None
        self._focus_before: Widget | None = None

    def compose(self) -> ComposeResult:
        yield Static(id="asked")
        yield Input(compact=True)
        yield Static(id="told")

    @property
    def asks(self) -> bool:
        return self.has_class("-asks")

    def ask(self, label: str, value: str, changed: Told, done: Told, left: Callable[[], None]) -> None:
        """`changed` is told what is typed and says what there is to say of it; `done` says the trouble, or ""; `left`
        is called when the user has left it without doing it."""
        if not self.asks:
            self._focus_before = self.screen.focused
        self._changed, self._done, self._left = changed, done, left
        self.add_class("-asks")
        self.query_one("#asked", Static).update(Text(label, look(self.app.theme, "key")))
        input_ = self.query_one(Input)
        input_.value = value
        input_.cursor_position = len(value)
        input_.focus()
        self.tell(changed(value))

    def tell(self, sentence: str, role: str = "dim") -> None:
        self.query_one("#told", Static).update(Text(in_one_line(sentence), look(self.app.theme, role)))

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        if self.asks:
            self.tell(self._changed(event.value))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        trouble = self._done(event.value)
        if trouble:
            self.tell(f"✗ {trouble}", "bad")
        else:
            self._close()

    def action_leave(self) -> None:
        if self.asks:
            left = self._left
            self._close()
            left()

    def on_descendant_blur(self, event: events.DescendantBlur) -> None:
        """A click elsewhere leaves it."""
        if self.asks and self.screen.is_current and self.screen.focused is not self.query_one(Input):
            self.call_after_refresh(self._leave_if_blurred)

    def _leave_if_blurred(self) -> None:
        if self.asks and self.screen.is_current and not self.query_one(Input).has_focus and self.app.app_focus:
            self._focus_before = self.screen.focused
            self.action_leave()

    def _close(self) -> None:
        self.remove_class("-asks")
        if self._focus_before is not None and self._focus_before.is_attached:
            self._focus_before.focus()
