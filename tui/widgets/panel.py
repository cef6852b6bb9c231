"""The one widget that draws panels: lines of spans, of which only those are drawn again that have changed.

One widget for a whole table and none for a cell: Textual's own table costs half a core where this costs a fortieth."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.segment import Segment
from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from shaketable.tui.model.session import Session
from shaketable.tui.text import Line
from shaketable.tui.theme import look

Draw = Callable[[Session, int, int], Sequence[Line]]
"""A panel: the lines for a session, in so many columns and rows. More lines than rows can be scrolled."""


class Panel(ScrollView, can_focus=True):
    DEFAULT_CSS: ClassVar[str] = """
    Panel { background: $background; scrollbar-size-vertical: 1; scrollbar-size-horizontal: 1; border: round $panel;
            border-title-color: $primary; }
    Panel:focus { border: round $primary; }
    """

    class Chosen(Message):
        """The user has clicked on a span that has a target."""

        def __init__(self, target: str, panel: Panel, *, again: bool = False) -> None:
            super().__init__()
            self.target = target
            self.panel = panel
            self.again = again
            """by a double click"""

    def __init__(self, draw: Draw, title: str = "", *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._draw = draw
        self._lines: Sequence[Line] = ()
        self._strips: dict[int, Strip] = {}
        self.border_title = title

    def show(self, session: Session) -> None:
        """Draws anew what differs from what is shown."""
        if not self.is_mounted or not self.size.width or not self.display:
            return
        width, height = self.scrollable_content_region.width, self.scrollable_content_region.height
        lines = self._draw(session, width, height)
        before, self._lines = self._lines, lines
        if len(before) != len(lines):
            self._strips.clear()
            self.virtual_size = Size(width, len(lines))
            self.refresh()
            return
        top = int(self.scroll_offset.y)
        for y, (old, new) in enumerate(zip(before, lines, strict=True)):
            if old is not new and old != new:
                self._strips.pop(y, None)
                if top <= y < top + height:
                    self.refresh(Region(0, y - top, width, 1))

    def restyle(self) -> None:
        """The theme has changed."""
        self._strips.clear()
        self.refresh()

    def render_line(self, y: int) -> Strip:
        x, top = self.scroll_offset
        number, width = y + int(top), self.scrollable_content_region.width
        if number >= len(self._lines):
            return Strip.blank(width, self.rich_style)
        strip = self._strips.get(number)
        if strip is None:
            theme, base = self.app.theme, self.rich_style
            strip = Strip([Segment(span.text, base + look(theme, span.role)) for span in self._lines[number]])
            self._strips[number] = strip
        return strip.crop_extend(int(x), int(x) + width, self.rich_style)

    def target_at(self, x: int, y: int) -> str:
        """What a click there chooses."""
        number, column = y + int(self.scroll_offset.y), x + int(self.scroll_offset.x)
        if not 0 <= number < len(self._lines):
            return ""
        for span in self._lines[number]:
            column -= len(span.text) if span.text.isascii() else Segment(span.text).cell_length
            if column < 0:
                return span.target
        return ""

    def on_click(self, event: events.Click) -> None:
        at = event.get_content_offset(self)
        target = self.target_at(at.x, at.y) if at is not None else ""
        if target:
            self.post_message(self.Chosen(target, self, again=event.chain > 1))
