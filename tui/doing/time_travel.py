"""Where the cursor goes: pause and follow, step, jump to marks, to a time, to the next match of a filter; how much of
the time the timeline shows; and how fast a simulated world goes on."""

from __future__ import annotations

from time import perf_counter
from typing import Final

from shaketable.harness.errors import UserError
from shaketable.harness.history.times import time_said
from shaketable.harness.history.words.cluster import rounded
from shaketable.tui.doing.base import Doing
from shaketable.tui.model.history.filtering import Matches, Search
from shaketable.tui.model.playback import faster
from shaketable.tui.model.standing.possible import no_speed
from shaketable.tui.panels.timescale import span_of, zoomed

AT_ONCE: Final = 0.05
"""seconds in which a match is looked for before a user is told that it takes longer"""
STRIDE: Final = 10
"""one part in so many of what the timeline shows"""
EVENTFUL: Final = ("cluster", "events")
"""the screens with events on them"""


class TimeTravel(Doing):
    _speed_before: float | None = 1.0
    """to which a halted world returns"""
    _found: Matches | None = None
    _search: tuple[Search, bool, int] | None = None
    """for the next match: forward or not, and from where"""

    def action_halt_or_follow(self) -> None:
        """A simulated world stands still itself; real time cannot, so there the screen alone does. A run that is over
        is played."""
        session = self.session
        if not session.live:
            session.playback.halt() if session.playback.plays else session.play(self.wall())
            self.draw()
            return
        simulated = not no_speed(session, self.source.hands is not None)
        if simulated and session.speed == 0:
            self._set_speed(self._speed_before)
            session.follow()
        elif not session.following:
            session.follow()
        elif simulated:
            self._speed_before = session.speed
            self._set_speed(0)
        else:
            session.halt()
        self.draw()

    def action_step(self, by: int) -> None:
        self.session.step(by)
        self.draw()

    def action_jump(self, forward: bool) -> None:
        if not self.session.jump(forward):
            self.say("there is no mark any more in that direction")
        self.draw()

    def action_end(self, last: bool) -> None:
        if last and self.session.live:
            self.session.follow()
        else:
            self.session.move(len(self.session.store) if last else 0)
        self.draw()

    # How fast a simulated world goes

    def action_speed(self, by: int) -> None:
        if not self.session.live:
            playback = self.session.playback
            playback.set_speed(self.wall(), faster(playback.speed, by) or playback.speed)
            self.draw()
            return
        if self.speed_hand() is None:
            return
        speed = faster(self.session.speed if self.session.speed != 0 else self._speed_before, by)
        if self.session.speed == 0:
            self._speed_before = speed
            told = "as fast as it can" if speed is None else f"×{speed:g}"
            self.say(f"when the world goes on, it goes {told}")
        else:
            self._set_speed(speed)
        self.draw()

    def action_step_on(self) -> None:
        if not self.session.live:
            self.action_step(1)
            return
        hands = self.speed_hand()
        if hands is None:
            return
        if self.session.speed != 0:
            self._speed_before = self.session.speed
        self.session.follow()
        hands.step_on(1)
        self.draw()

    def _set_speed(self, speed: float | None) -> None:
        if self.source.hands is not None:
            self.source.hands.set_speed(speed)

    # A time, and a filter

    def action_zoom(self, closer: bool) -> None:
        span = zoomed(self.session, closer)
        if span is None:
            self.say("the timeline shows all there is" if not closer else "the timeline shows as little as it can")
        else:
            self.session.chosen.span = span
            self.draw()

    def action_stride(self, by: int) -> None:
        session = self.session
        session.go_to(max(0, session.time + by * max(1, span_of(session) // STRIDE)))
        self.draw()

    def action_ask_time(self) -> None:
        end = rounded(self.session.store.end)

        def done(text: str) -> str:
            if text.strip():
                try:
                    self.session.go_to(time_said(text, self.session.time, self.session.store.end))
                except UserError as error:
                    return str(error)
                self.draw()
            return ""

        def changed(text: str) -> str:
            return "" if text else f"12.5 · 1:30 · 500ms · +2 · -0.1 · 80% · end; the history ends at {end}"

        self.prompt.ask("go to", "", changed, done, lambda: None)

    def action_ask_filter(self) -> None:
        chosen, before = self.session.chosen, self.session.chosen.filter
        if self.present_screen not in EVENTFUL:
            self.go_to_screen("events")

        def changed(text: str) -> str:
            chosen.filter = text.strip()
            self.draw()
            return "" if text else "words that occur · -not · node:n2 · kind:Suspected · empty: all events"

        def left() -> None:
            chosen.filter = before
            self.draw()

        self.prompt.ask("/", before, changed, lambda _: "", left)

    def action_match(self, forward: bool) -> None:
        if not self.session.chosen.filter:
            self.say("there is no filter whose matches could be gone to: give one with /")
            return
        self._search = Search(self._matches(), self.session.heading_for, forward), forward, self.session.heading_for
        self.search_on(perf_counter() + AT_ONCE)
        if self._search is not None:
            self.say("looking for it; any other move ends that")

    def search_on(self, until: float) -> None:
        """The events that a filter leaves are looked for in slices: how many while it is typed, and the next one for a
        key."""
        if self.prompt.asks and self.session.chosen.filter:
            self._matches().work(until)
            self.prompt.tell(self._matches().told())
        if self._search is None:
            return
        search, forward, here = self._search
        if self.session.heading_for != here:
            self._search = None
            return
        place = search.work(until)
        if place is not None:
            self._search = None
            self.session.move(place + 1)
            self.draw()
        elif search.over:
            self._search = None
            self.say(f"nothing {'after' if forward else 'before'} this matches “{self.session.chosen.filter}”")

    def _matches(self) -> Matches:
        if self._found is None or (self._found.store, self._found.filter) != (
            self.session.store,
            self.session.chosen.filter,
        ):
            self._found = Matches(self.session.store, self.session.chosen.filter)
        return self._found
