"""How much of the time the timeline shows, and where the screen goes by a part of it."""

from __future__ import annotations

from typing import Final

from shaketable.tui.doing.base import Doing
from shaketable.tui.panels.timescale import span_of, zoomed

PART: Final = 10
"""a stride is one part in so many of what the timeline shows"""


class Zooming(Doing):
    def action_zoom(self, closer: bool) -> None:
        span = zoomed(self.session, closer)
        if span is None:
            self.say("the timeline shows all there is" if not closer else "the timeline shows as little as it can")
        else:
            self.session.chosen.span = span
            self.draw()

    def action_stride(self, by: int) -> None:
        session = self.session
        session.go_to(max(0, session.time + by * max(1, span_of(session) // PART)))
        self.draw()
