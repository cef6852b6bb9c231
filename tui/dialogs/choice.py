"""One of a few words in a row, or several: by arrows, by its number, or by a click. Where there is no room for all of
them, a click on ‹ or › shows others. Where several may be meant, space marks a word beside others, and * all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.cells import cell_len, set_cell_size
from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widget import Widget

from shaketable.harness.visible import in_one_line
from shaketable.tui.theme import look

NUMBERED = 9
MARK = "✓"
MORE = 2
"""columns at each end, to turn to other words"""


class Choice(Widget, can_focus=True):
    DEFAULT_CSS: ClassVar[str] = """
    Choice { height: 1; width: 1fr; }
    Choice:focus { background: $primary 25%; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "by(-1)", "before", show=False),
        Binding("right", "by(1)", "next", show=False),
        Binding("space", "mark", "this one too", show=False),
        Binding("asterisk", "mark_all", "all", show=False),
        *(Binding(str(number), f"number({number})", show=False) for number in range(1, NUMBERED + 1)),
    ]

    class Changed(Message):
        def __init__(self, choice: Choice) -> None:
            super().__init__()
            self.choice = choice

    class Submitted(Message):
        """By Enter."""

    def __init__(self, *, id: str, by_mouse_alone: bool = False) -> None:  # noqa: A002
        """`by_mouse_alone`: beside a field in which the same is typed."""
        super().__init__(id=id)
        self.can_focus = not by_mouse_alone
        self._words: list[str] = []
        self._at = 0
        self._several = False
        self._marked: dict[str, bool] = {}
        self._first = 0
        """of those that are shown"""
        self._sought = False
        """the chosen one is to be among them with the next drawing: before that it is not known for how many there is
        room"""

    @property
    def value(self) -> str:
        return self._words[self._at] if self._words and self._at >= 0 else ""

    @property
    def values(self) -> tuple[str, ...]:
        """All that are marked, in their order; else the one where the user stands."""
        marked = tuple(word for word in self._words if self._several and word in self._marked)
        return marked or ((self.value,) if self.value else ())

    @property
    def at(self) -> int:
        return self._at

    def offer(self, words: Sequence[str], value: str = "", *, loosely: bool = False, several: bool = False) -> None:
        """`loosely`: perhaps none of them is chosen."""
        at = words.index(value) if value in words else -1 if loosely else 0
        if (self._words, self._at, self._several) == (list(words), at, several):
            return  # whoever looks at others of them is to go on with that
        self._several = several
        self._marked = {word: True for word in self._marked if word in words}
        if self._words != list(words):
            self._words, self._first = list(words), 0
        self._at = at
        self._seek()

    def action_by(self, by: int) -> None:
        self._go(self._at + by if 0 <= self._at + by < len(self._words) else 0 if by > 0 else len(self._words) - 1)

    def action_mark(self) -> None:
        if not self._several:
            self.action_by(1)
        elif self.value:
            if self._marked.pop(self.value, None) is None:
                self._marked[self.value] = True
            self._go(self._at)

    def action_mark_all(self) -> None:
        """Or none, where all are marked."""
        if self._several:
            self._marked = {} if len(self._marked) == len(self._words) else dict.fromkeys(self._words, True)
            self._go(self._at)

    def action_number(self, number: int) -> None:
        self._go(number - 1)

    def key_enter(self, event: events.Key) -> None:
        """It goes no further: the screen below would take it, if the dialog is gone by then."""
        event.stop()
        self.post_message(self.Submitted())

    def on_click(self, event: events.Click) -> None:
        for place, (left, right) in self._places().items():
            if left <= event.x < right:
                marks = self._several and (self._marked or place == self._at)
                self._go(place)
                if marks:
                    self.action_mark()
                return
        if self._all_fit():
            return
        if event.x < MORE:
            self._turn_back()
        elif event.x >= self.size.width - MORE:
            self._first = min(max(self._places(), default=0) + 1, self._last_page())
        self.refresh()

    def on_resize(self) -> None:
        self._seek()

    def _go(self, place: int) -> None:
        if 0 <= place < len(self._words):
            if place != self._at:
                self._at = place
                self._seek()
            self.refresh()
            self.post_message(self.Changed(self))

    # What is shown

    def _seek(self) -> None:
        self._sought = True
        self.refresh()

    def _turn_back(self) -> None:
        """By as many as have room."""
        before = self._first
        while self._first and max(self._fitting(self._first - 1), default=0) >= before - 1:
            self._first -= 1

    def _last_page(self) -> int:
        first = len(self._words) - 1
        while first and len(self._words) - 1 in self._fitting(first - 1):
            first -= 1
        return max(0, first)

    def _all_fit(self) -> bool:
        return sum(map(_wide, self._words)) + len(self._words) - 1 <= self.size.width

    def _places(self) -> dict[int, tuple[int, int]]:
        """The columns in which each word stands."""
        if self._all_fit():
            self._first = 0
        elif self._sought and self._at >= 0:
            self._first = min(self._first, self._at)
            while self._first < self._at not in self._fitting(self._first):
                self._first += 1
        self._sought = False
        return self._fitting(self._first)

    def _fitting(self, first: int) -> dict[int, tuple[int, int]]:
        margin = 0 if self._all_fit() else MORE
        column, places = margin, dict[int, tuple[int, int]]()
        for place in range(first, len(self._words)):
            wide = _wide(self._words[place])
            if places and column + wide > self.size.width - margin:
                break
            places[place] = (column, min(column + wide, self.size.width - margin))
            column += wide + 1
        return places

    def render(self) -> Text:
        text = Text(no_wrap=True, overflow="crop")
        theme = self.app.theme
        places = self._places()
        if not self._all_fit():
            text.append("‹ " if self._first else "  ", look(theme, "key"))
        for place, (left, right) in places.items():
            word = in_one_line(self._words[place])
            before, after = ("[", "]") if place == self._at else (" ", " ")
            shown = f"{MARK if self._several and self._words[place] in self._marked else before}{word}{after}"
            text.append(set_cell_size(shown, right - left), look(theme, "title" if place == self._at else "dim"))
            text.append(" ")
        if not self._all_fit() and max(places, default=0) < len(self._words) - 1:
            text.append(" " * (self.size.width - 1 - text.cell_len))
            text.append("›", look(theme, "key"))
        if not self._words:
            text.append("none", look(theme, "dim"))
        return text


def _wide(word: str) -> int:
    return cell_len(word) + 2
