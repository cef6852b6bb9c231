"""What is looked at, and how: screens, the chosen node, theme, help, a picture of the screen, the command again."""

from __future__ import annotations

from shaketable.tui.doing.base import Doing
from shaketable.tui.model.standing import shown_node
from shaketable.tui.theme import DARK, LIGHT
from shaketable.tui.widgets.panel import Panel


class Looking(Doing):
    def on_panel_chosen(self, message: Panel.Chosen) -> None:
        self.choose(message.target)

    def action_choose(self, target: str) -> None:
        """The row to which a key has gone."""
        self.choose(target)

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
            case "time":
                self.session.go_to(time_of(what))
            case "event":
                chosen.event = int(what)
                self.session.move(int(what) + 1)
        self.draw()

    def action_screen(self, number: int) -> None:
        raise NotImplementedError

    def action_mark_other(self) -> None:
        """The node that is shown is marked, to be compared with the one that is chosen next."""
        chosen, shown = self.session.chosen, shown_node(self.session)
        chosen.other = "" if chosen.other == shown else shown
        self.draw()

    def action_difference(self) -> None:
        """On the cluster's screen, in the place of what happened last."""
        differing = self.query_one("#below").toggle_class("-difference").has_class("-difference")
        if differing:
            self.go_to_screen("cluster")
        self.draw()

    def action_switch_theme(self) -> None:
        self.theme = LIGHT if self.theme == DARK else DARK


def time_of(cell: str) -> int:
    """ "1000+250*3@2" is the end of the second cell after the third, of 250 µs each from 1000 µs on."""
    begin, _, rest = cell.partition("+")
    per, _, numbers = rest.partition("*")
    if not per:
        return int(begin)
    return int(begin) + int(per) * (sum(map(int, numbers.split("@"))) + 1) - 1
