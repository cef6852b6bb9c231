"""What every part of the app may use of the whole."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Final

from textual.app import App

from shaketable.harness.visible import visible
from shaketable.tui.actions import Action
from shaketable.tui.kept import Keeper
from shaketable.tui.model.session import Session
from shaketable.tui.model.standing.possible import no_hand, no_speed
from shaketable.tui.source import Hands, Source

if TYPE_CHECKING:
    from shaketable.tui.dialogs.prompt import Prompt


LINKS: Final = "links"
"""the screen on which they are marked"""


class Doing(App[int]):
    source: Source
    session: Session
    keeper: Keeper
    actions: Sequence[Action]
    """with the user's own keys"""
    keys: Mapping[str, str]
    """the user's own, by the actions' names"""
    last_said: str = ""
    wall: Callable[[], float] = staticmethod(perf_counter)
    """seconds of the clock by which a recording is played"""

    def take(self, source: Source) -> None:
        """Its run is shown from now on."""
        self.source, self.session = source, source.session
        self.session.keys = self.keys

    def draw(self) -> None:
        """The next frame shows the session's new state."""
        raise NotImplementedError

    def go_to_screen(self, name: str) -> None:
        raise NotImplementedError

    def choose(self, target: str) -> None:
        """What a span's target names: see `text.Span`."""
        raise NotImplementedError

    @property
    def present_screen(self) -> str:
        raise NotImplementedError

    @property
    def prompt(self) -> Prompt:
        raise NotImplementedError

    def say(self, sentence: str, trouble: bool = False) -> None:
        """Above the keys, and over nothing: what came of a deed is not to cover the events that it made. A trouble is
        said for a while, anything else until there is more to say."""
        if trouble:
            self.notify(visible(sentence), severity="warning", markup=False)
        else:
            self.last_said = sentence
            self.draw()

    def can_be_broken(self) -> bool:
        return not no_hand(self.session, self.source.hands is not None)

    def hand(self) -> Hands | None:
        """Of a run that something can be done to; if there is none, it is said why."""
        why_not = no_hand(self.session, self.source.hands is not None)
        if why_not:
            self.say(why_not, True)
        return self.source.hands if not why_not else None

    def speed_hand(self) -> Hands | None:
        """Of a simulated run that lives; if there is none, it is said why."""
        why_not = no_speed(self.session, self.source.hands is not None)
        if why_not:
            self.say(why_not, True)
        return self.source.hands if not why_not else None
