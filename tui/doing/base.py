"""What every part of the app may use of the whole."""

from __future__ import annotations

from textual.app import App

from shaketable.tui.model.session import Session
from shaketable.tui.source import Source


class Doing(App[int]):
    source: Source
    session: Session

    def draw(self) -> None:
        """Whatever the session has become is shown with the next frame."""
        raise NotImplementedError

    def go_to_screen(self, name: str) -> None:
        raise NotImplementedError

    def say(self, sentence: str, trouble: bool = False) -> None:
        self.notify(sentence, severity="warning" if trouble else "information", markup=False)
