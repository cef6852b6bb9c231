"""A row is searched in the list that has the keys, and what stands there is copied."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from shaketable.tui.doing.time_travel import EVENTFUL, TimeTravel
from shaketable.tui.widgets.panel import Panel

MOMENTS: Final = "moments"
"""events beside the timeline: a filter is for them"""


class Searching(TimeTravel):
    _searched: tuple[Panel, str] | None = None
    """the list, and what was sought there"""

    def _panel(self) -> Panel | None:
        """The one that has the keys."""
        if isinstance(self.focused, Panel):
            return self.focused
        return next((panel for panel in self.screen.query(Panel) if panel.can_focus and panel.is_on_screen), None)

    def action_search(self) -> None:
        panel = self._panel()
        if panel is None or self.present_screen in EVENTFUL or panel.id == MOMENTS:
            self._searched = None
            self.action_ask_filter()
            return
        before, session = panel.here(), self.session
        followed, cursor = session.following, session.cursor

        def changed(text: str) -> str:
            if not text.strip():
                return "words that stand in a row"
            found = panel.rows_with(text)
            if not found:
                return "no row has them"
            self._go_to_row(panel, found, before, 0)
            return f"{len(found)} {'rows have' if len(found) > 1 else 'row has'} them; n and N go on to the others"

        def done(text: str) -> str:
            self._searched = (panel, text) if text.strip() else None
            return ""

        def left() -> None:
            if before:
                panel.pick(before)
                self.choose(before)
            session.follow() if followed else session.move(cursor)
            self.draw()

        self.prompt.ask("/", "", changed, done, left)

    def action_match(self, forward: bool) -> None:
        if self._searched is None or not self._searched[0].is_on_screen:
            super().action_match(forward)
            return
        panel, text = self._searched
        found = panel.rows_with(text)
        if found:
            self._go_to_row(panel, found, panel.here(), 1 if forward else -1)
        else:
            self.say(f"no row has “{text}” any more")

    def _go_to_row(self, panel: Panel, found: Sequence[str], here: str, by: int) -> None:
        """0: the first from here on, this one too; else the next one, or the one before. After the last comes the
        first again."""
        order = panel.targets()
        at = order.index(here) if here in order else 0
        places = [order.index(target) for target in found]
        if by >= 0:
            place = next((place for place in places if place >= at + by), places[0])
        else:
            place = next((place for place in reversed(places) if place < at), places[-1])
        panel.pick(order[place])
        self.choose(order[place])

    # What can be taken away

    def action_copy_row(self) -> None:
        panel = self._panel()
        self._copy(panel.row_text() if panel is not None else "", "the row")

    def action_copy_panel(self) -> None:
        panel = self._panel()
        self._copy(panel.text() if panel is not None else "", "the panel")

    def _copy(self, text: str, what: str) -> None:
        if text:
            self.copy_to_clipboard(text)
            many = text.count("\n") + 1
            self.say(f"copied: {what}, {many} {'lines' if many > 1 else 'line'}")
        else:
            self.say(f"{what} cannot be copied: nothing is chosen here")
