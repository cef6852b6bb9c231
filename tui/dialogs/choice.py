"""One of a few words in a row: by arrows, by its number, by its first letters, or by a click."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.cells import cell_len
from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widget import Widget

from shaketable.tui.theme import look

NUMBERED = 9


class Choice(Widget, can_focus=True):
    DEFAULT_CSS: ClassVar[str] = """
    Choice { height: 1; width: 1fr; }
    Choice:focus { background: $primary 25%; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "by(-1)", "before", show=False),
        Binding("right,space", "by(1)", "next", show=False),
        *(Binding(str(number), f"number({number})", show=False) for number in range(1, NUMBERED + 1)),
    ]

    class Changed(Message):
        def __init__(self, choice: Choice) -> None:
            super().__init__()
            self.choice = choice

    class Submitted(Message):
        """By Enter."""

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._words: list[str] = []
        self._at = 0

    @property
    def value(self) -> str:
        return self._words[self._at] if self._words else ""

    @property
    def at(self) -> int:
        return self._at

    def offer(self, words: Sequence[str], value: str = "") -> None:
        self._words = list(words)
        self._at = self._words.index(value) if value in self._words else 0
        self.refresh()

    def action_by(self, by: int) -> None:
        self._go(self._at + by if 0 <= self._at + by < len(self._words) else 0 if by > 0 else len(self._words) - 1)

    def action_number(self, number: int) -> None:
        self._go(number - 1)

    def key_enter(self) -> None:
        self.post_message(self.Submitted())

    def on_click(self, event: events.Click) -> None:
        for place, (left, right) in self._places().items():
            if left <= event.x < right:
                self._go(place)

    def _go(self, place: int) -> None:
        if 0 <= place < len(self._words):
            if place != self._at:
                self._at = place
                self.refresh()
            self.post_message(self.Changed(self))

    def _places(self) -> dict[int, tuple[int, int]]:
        """The columns in which each word stands; the chosen one is always among them."""
        first = 0
        while True:
            column, places = 0, dict[int, tuple[int, int]]()
            for place in range(first, len(self._words)):
                wide = cell_len(self._words[place]) + 2
                if column + wide > self.size.width:
                    break
                places[place] = (column, column + wide)
                column += wide + 1
            if self._at in places or first >= self._at:
                return places
            first += 1

    def render(self) -> Text:
        text = Text(no_wrap=True, overflow="ellipsis")
        theme = self.app.theme
        for place in self._places() or range(min(1, len(self._words))):
            now = place == self._at
            text.append(
                f"[{self._words[place]}]" if now else f" {self._words[place]} ", look(theme, "title" if now else "dim")
            )
            text.append(" ")
        if not self._words:
            text.append("none", look(theme, "dim"))
        return text
