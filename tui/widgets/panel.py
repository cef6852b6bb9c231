"""The one widget that draws panels: lines of spans, of which only those are drawn again that have changed.

One widget for a whole table and none for a cell: Textual's own table costs half a core where this costs a fortieth.
A line whose spans have a target is a row: up and down go from row to row, and choose."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.segment import Segment
from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget

from shaketable.harness.visible import in_one_line
from shaketable.tui.model.session import Session
from shaketable.tui.text import Line, plain, target_of
from shaketable.tui.theme import look

Draw = Callable[[Session, int, int], Sequence[Line]]
"""A panel: the lines for a session, in so many columns and rows. More lines than rows can be scrolled."""
Told = Callable[[Session], str]
WHEEL = 3
"""rows"""
Count = Callable[[Session, int, int], int]
BY_THE_CELL = "@"
"""A target that ends so is told which cell of its span was clicked."""


# Other keys that a scrolling container binds (left and right above all) belong to the app.
class Panel(ScrollView, can_focus=True, inherit_bindings=False):
    DEFAULT_CSS: ClassVar[str] = """
    Panel { background: $background; scrollbar-size-vertical: 1; scrollbar-size-horizontal: 0; border: round $panel;
            border-title-color: $primary; overflow-x: hidden; overflow-y: scroll;
            scrollbar-background: $background; scrollbar-background-hover: $background;
            scrollbar-background-active: $background; scrollbar-color: $foreground 30%;
            scrollbar-color-hover: $primary; scrollbar-color-active: $primary; }
    Panel:focus { border: round $primary; border-title-style: bold reverse; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "row(-1)", "row up", show=False, id="up"),
        Binding("down,j", "row(1)", "row down", show=False, id="down"),
        Binding("pageup", "page(-1)", "page up", show=False, id="page_up"),
        Binding("pagedown", "page(1)", "page down", show=False, id="page_down"),
        Binding("enter", "choose", "choose", show=False),
    ]

    class Chosen(Message):
        """The user has clicked on a span that has a target, or wants more of the present row (enter)."""

        def __init__(self, target: str, panel: Panel, *, again: bool = False) -> None:
            super().__init__()
            self.target = target
            self.panel = panel
            self.again = again
            """by a double click, or by enter"""

    def __init__(
        self,
        draw: Draw,
        title: str | Told = "",
        *,
        id: str | None = None,  # noqa: A002
        fixed: int | Count = 0,
        current: Told | None = None,
        wheel: bool = False,
        rows: bool = True,
        enter: Told | None = None,
    ) -> None:
        """`fixed`: so many first lines do not scroll; it may depend on the size. `current`: the target of the row where
        the user stands, if that is not simply the last one chosen here. `wheel`: the mouse's goes from row to row.
        `rows`: keys go there; else they scroll, and only a click chooses. `enter`: what Enter opens, if not the row."""
        super().__init__(id=id)
        self._draw = draw
        self._title = title
        self._fixed = fixed if isinstance(fixed, int) else 0
        self._fixed_in = fixed if not isinstance(fixed, int) else None
        self._current = current
        self._wheel = wheel
        self._has_rows = rows
        self._enter = enter
        self._titled = ""
        self._picked = ""
        self._session: Session | None = None
        self._lines: Sequence[Line] = ()
        self._strips: dict[int, Strip] = {}
        self._banded = ""
        """the target of the row that is drawn as the present one"""
        if isinstance(title, str):
            self.border_title = title

    # Drawing

    def show(self, session: Session) -> None:
        """Draws anew what differs from what is shown."""
        self._session = session
        if not self.is_mounted or not self.size.width or not self.display:
            return
        if not isinstance(self._title, str) and self._titled != (title := in_one_line(self._title(session))):
            self._titled = title
            self.border_title = Text(title)  # a user's words may be in it, and are no markup
        width, height = self.scrollable_content_region.width, self._room()
        lines = self._draw(session, width, height)
        if self._fixed_in is not None and self._fixed != (fixed := self._fixed_in(session, width, height)):
            self._fixed = fixed
            self.refresh()
        before, self._lines = self._lines, lines
        moved = self._current is not None and self._banded != (here := self.here())
        if moved:
            self._banded = here
        if moved or len(before) != len(lines) or self.virtual_size.width != width:
            self._strips.clear()
            self.virtual_size = Size(width, len(lines))
            if self.scroll_offset.y > self.max_scroll_y:  # Textual forgets that where they just fill the room
                self.scroll_to(y=self.max_scroll_y, animate=False, force=True)
            self.refresh()
            return
        top = int(self.scroll_offset.y)
        bottom = top + self.scrollable_content_region.height
        for number, (old, new) in enumerate(zip(before, lines, strict=True)):
            if old is not new and old != new:
                self._strips.pop(number, None)
                if number < self._fixed:
                    self.refresh(Region(0, number, width, 1))
                elif top + self._fixed <= number < bottom:
                    self.refresh(Region(0, number - top, width, 1))

    def _room(self) -> int:
        """The rows that it has, or may have where it is as high as its lines."""
        height, most, around = self.styles.height, self.styles.max_height, self.parent
        if height is not None and height.is_auto and most is not None and isinstance(around, Widget):
            return int(most.resolve(around.content_size, self.app.size)) - self.gutter.height
        return self.scrollable_content_region.height

    def on_resize(self) -> None:
        if self._session is not None:
            self.show(self._session)

    def restyle(self) -> None:
        """The theme has changed."""
        self._strips.clear()
        self.refresh()

    def render_line(self, y: int) -> Strip:
        number, width = self._number_at(y), self.scrollable_content_region.width
        if number >= len(self._lines):
            return Strip.blank(width, self.rich_style)
        strip = self._strips.get(number)
        if strip is None:
            theme, base = self.app.theme, self.rich_style
            if self._banded and number >= self._fixed and target_of(self._lines[number]) == self._banded:
                base += look(theme, "band")
            strip = Strip(
                [Segment(in_one_line(span.text), base + look(theme, span.role)) for span in self._lines[number]]
            )
            strip = self._strips[number] = strip.crop_extend(0, width, base)
        return strip

    def _number_at(self, y: int) -> int:
        return y if y < self._fixed else y + int(self.scroll_offset.y)

    # Choosing

    def target_at(self, x: int, y: int) -> str:
        """What a click there chooses."""
        number, column = self._number_at(y), x
        if y < 0 or not 0 <= number < len(self._lines):
            return ""
        for span in self._lines[number]:
            wide = len(span.text) if span.text.isascii() else Segment(span.text).cell_length
            if column < wide:
                return f"{span.target}{column}" if span.target.endswith(BY_THE_CELL) else span.target
            column -= wide
        return ""

    def on_click(self, event: events.Click) -> None:
        at = event.get_content_offset(self)
        target = self.target_at(at.x, at.y) if at is not None else ""
        if target:
            self._choose(target, again=event.chain > 1)

    async def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        if self._wheel:
            await self.action_row(-WHEEL)

    async def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        if self._wheel:
            await self.action_row(WHEEL)

    async def action_row(self, by: int) -> None:
        """To another row; a panel without rows is scrolled. The app, or the dialog in which it stands, has chosen it
        before the next key is looked at."""
        rows = self._rows()
        if not rows:
            self.scroll_relative(y=by, animate=False)
            return
        here = self.here()
        numbers = [number for number, _ in rows]
        at = next((place for place, (_, target) in enumerate(rows) if target == here), None)
        edge = 0 if by > 0 else len(rows) - 1
        at = edge if at is None else max(0, min(at + by, len(rows) - 1))
        self._reveal(numbers[at])
        if rows[at][1] != here:
            self._picked = rows[at][1]
            whose = "screen" if self.screen.is_modal else "app"
            await self.run_action(f"{whose}.choose({self._picked!r})")

    async def action_page(self, by: int) -> None:
        await self.action_row(by * max(1, self.scrollable_content_region.height - self._fixed - 1))

    async def action_choose(self) -> None:
        here = self.here()
        if self._enter is not None and self._session is not None:
            self.post_message(self.Chosen(self._enter(self._session), self, again=True))
        elif here and any(target == here for _, target in self._rows()):
            self._choose(here, again=True)

    def _choose(self, target: str, *, again: bool = False) -> None:
        self._picked = target
        self.post_message(self.Chosen(target, self, again=again))

    def here(self) -> str:
        """The target of the present row."""
        return self._current(self._session) if self._current is not None and self._session is not None else self._picked

    def _rows(self) -> list[tuple[int, str]]:
        """The lines that can be chosen, one for each target."""
        rows: dict[str, int] = {}
        for number in range(self._fixed, len(self._lines) if self._has_rows else 0):
            if (target := target_of(self._lines[number])) and not target.endswith(BY_THE_CELL):
                rows.setdefault(target, number)
        return [(number, target) for target, number in rows.items()]

    # Searching and copying

    def texts(self) -> dict[str, str]:
        """What stands in each row that can be chosen, by its target."""
        found: dict[str, str] = {}
        for _, target in self._rows():
            found[target] = ""
        for each in self._lines[self._fixed :]:
            if (target := target_of(each)) in found:
                found[target] += f"{plain([each])}\n"
        return found

    def targets(self) -> list[str]:
        return list(self.texts())

    def rows_with(self, words: str) -> list[str]:
        """The targets of those in which each word occurs; where it stands there by itself ("n1", and not "n10"), only
        these."""
        sought = words.casefold().split()
        found = [(target, text.casefold()) for target, text in self.texts().items()]
        found = [(target, text) for target, text in found if all(word in text for word in sought)]
        whole = [target for target, text in found if all(word in text.split() for word in sought)]
        return whole or [target for target, _ in found]

    def pick(self, target: str) -> None:
        """It is the present row, and seen; the app is to choose it."""
        self._picked = target
        self.reveal(target)

    def row_text(self) -> str:
        return self.texts().get(self.here(), "").rstrip("\n")

    def text(self) -> str:
        return plain(self._lines).rstrip("\n")

    def reveal(self, target: str) -> None:
        """Scrolls to where this row is seen."""
        for number, row in self._rows():
            if row == target:
                self._reveal(number)

    def _reveal(self, number: int) -> None:
        top, room = int(self.scroll_offset.y), self.scrollable_content_region.height
        if number < top + self._fixed:
            self.scroll_to(y=number - self._fixed, animate=False)
        elif number >= top + room:
            self.scroll_to(y=number - room + 1, animate=False)
