"""What is looked at, and how: screens, the chosen node, theme, help, a picture of the screen, the command again."""

from __future__ import annotations

from shaketable.tui.doing.base import Doing
from shaketable.tui.theme import DARK, LIGHT
from shaketable.tui.widgets.panel import Panel


class Looking(Doing):
    def on_panel_chosen(self, message: Panel.Chosen) -> None:
        self.choose(message.target)

    def choose(self, target: str) -> None:
        """What a span's target names: see `text.Span`."""
        kind, _, what = target.partition(":")
        chosen = self.session.chosen
        match kind:
            case "screen":
                self.go_to_screen(what)
            case "node":
                chosen.node = what
            case "link":
                chosen.node, _, chosen.other = what.partition("->")
            case "partition":
                chosen.partition = int(what)
            case "check":
                chosen.check = what
            case "event":
                chosen.event = int(what)
                self.session.move(int(what) + 1)
        self.draw()

    def action_screen(self, number: int) -> None:
        raise NotImplementedError

    def action_switch_theme(self) -> None:
        self.theme = LIGHT if self.theme == DARK else DARK
