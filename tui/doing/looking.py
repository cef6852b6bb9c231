"""What is looked at, and how: screens, the chosen node, theme, help, a picture of the screen, the command again."""

from __future__ import annotations

import re
from itertools import count
from pathlib import Path
from typing import Final

from shaketable.harness.errors import reason_of
from shaketable.tui.doing.base import LINKS, Doing
from shaketable.tui.model.standing.again import command_of
from shaketable.tui.model.standing.guarantees import guarantees
from shaketable.tui.model.standing.links import chosen_link
from shaketable.tui.model.standing.standing import shown_node
from shaketable.tui.model.standing.tables import VIEWS
from shaketable.tui.panels.events import last_about, last_of_note, last_told_by
from shaketable.tui.theme import DARK, LIGHT
from shaketable.tui.widgets.panel import Panel

CLUSTER: Final = "cluster"
"""a screen"""


class Looking(Doing):
    def on_panel_chosen(self, message: Panel.Chosen) -> None:
        kind, _, what = message.target.partition(":")
        if kind == "key":
            self.call_later(self.run_action, f"app.{next(a.action for a in self.actions if a.name == what)}")
            return
        self.choose(message.target)
        if message.again and kind == "fault":
            self.heal(int(what))
        elif message.again and kind == "link":
            self._open_link()
        elif message.again and kind == "node":
            self._open_node()
        elif message.again and kind == "check":
            self._go_to_proof(what)
        elif message.again and kind == "alike":
            self.session.chosen.opened = int(what)
        elif message.again and kind == "event":
            self._explain(int(what))
        elif message.again and kind == "last":
            self._explain_last_of(what)
        elif message.again and kind == "partition":
            self._explain_last_about(int(what))
        elif message.again and kind == "now":
            self.action_why()

    def _open_node(self) -> None:
        """The keys go to its pane, where all is that it believes."""
        if self.present_screen != CLUSTER:
            self.go_to_screen(CLUSTER)
        pane = self.query_one("#node", Panel)
        if not pane.display:  # how two nodes differ has its place, where there is little
            self.query_one("#below").remove_class("-difference")
        self.call_after_refresh(pane.focus)
        self.draw()

    def _open_link(self) -> None:
        """What can be done to it; of a run that is over, all that is known of it."""
        if self.can_be_broken():
            self.action_break_menu()
        else:
            self.query_one("#flows", Panel).focus()

    def _explain_last_of(self, node: str) -> None:
        place = last_told_by(self.session, node)
        if place is not None:
            self._explain(place)
        else:
            self.say(f"{node} has told nothing of note yet" if node else "there is no node yet")

    def _explain_last_about(self, partition: int) -> None:
        place = last_about(self.session, partition)
        if place is not None:
            self._explain(place)
        else:
            self.say(f"none of the last events is about partition {partition}")

    def action_why(self) -> None:
        """Of the event at the cursor; where the end is followed, of the last one of note."""
        place = last_of_note(self.session)
        if place is None:
            self.say("nothing has happened yet", True)
        else:
            self._explain(place)

    def _explain(self, place: int) -> None:
        from shaketable.tui.dialogs.why import WhyDialog

        def go(to: int | None) -> None:
            if to is not None:
                self.choose(f"event:{to}")

        self.push_screen(WhyDialog(self.session, place), go)

    def heal(self, number: int) -> None:
        raise NotImplementedError

    def action_break_menu(self, verb: str = "") -> None:
        raise NotImplementedError

    def _go_to_proof(self, check: str) -> None:
        """To where the first violation of this guarantee is proved; from there to the next."""
        found = next((each for each in guarantees(self.session) if each.name == check), None)
        places = sorted(v.seen_from for v in found.violations if v.seen_from is not None) if found is not None else []
        if places:
            here = self.session.heading_for
            self.session.move(next((place for place in places if place > here), places[0]))
            self.draw()
        else:
            self.say("nothing has broken it")

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
            case "event" | "alike":
                chosen.event = int(what)
                self.session.move(int(what) + 1)
        self.draw()

    def action_screen(self, number: int) -> None:
        raise NotImplementedError

    def action_mark_other(self) -> None:
        """The node that is shown is marked, to be compared with the one that is chosen next; on the links' screen, the
        chosen link for the next deed."""
        if self.present_screen == LINKS:
            self._mark_link()
            return
        chosen, shown = self.session.chosen, shown_node(self.session)
        chosen.other = "" if chosen.other == shown else shown
        self.draw()

    def _mark_link(self) -> None:
        link, marked = chosen_link(self.session), self.session.chosen.links
        if self.hand() is None:
            return
        if link is None:
            self.say("choose a link first, with ↑ ↓, and shift with ← →")
        elif marked.pop(link, None) is None:
            marked[link] = True
        self.draw()

    def action_difference(self) -> None:
        """On the cluster's screen, in the place of what happened last."""
        differing = self.query_one("#below").toggle_class("-difference").has_class("-difference")
        if differing:
            self.go_to_screen(CLUSTER)
        self.draw()

    def action_view(self) -> None:
        """What the partition map shows of each partition."""
        chosen = self.session.chosen
        chosen.view = VIEWS[(VIEWS.index(chosen.view) + 1) % len(VIEWS)]
        self.draw()

    def action_switch_theme(self) -> None:
        self.theme = LIGHT if self.current_theme.dark else DARK

    def action_help(self) -> None:
        from shaketable.tui.dialogs.help import Help

        self.push_screen(Help(self.session, self.actions))

    def action_settings(self) -> None:
        from shaketable.tui.dialogs.settings import SettingsDialog

        self.push_screen(SettingsDialog(self.session))

    def action_tour(self) -> None:
        from shaketable.tui.dialogs.tour import Tour

        self.go_to_screen(CLUSTER)
        self.push_screen(Tour(self.session, {action.name: action.key for action in self.actions}))

    # What can be taken away

    def action_copy_command(self) -> None:
        command = command_of(self.session)
        self.copy_to_clipboard(command)
        self.say(f"copied: {command}")

    def action_take_picture(self) -> None:
        session = self.session
        name = (
            f"{session.facts.script or 'by-hand'}-{session.facts.world}-{session.facts.seed}-{session.time // 1000}ms"
        )
        try:
            path = new_file(re.sub(r"[^\w.-]+", "_", name))
            path.write_text(self.export_screenshot(title=command_of(session)), encoding="utf-8")
        except OSError as error:
            self.say(f"the picture cannot be written: {reason_of(error)}", True)
            return
        self.keeper.keep_saved(path)
        self.say(f"the screen is in {path.resolve()}")


def new_file(stem: str) -> Path:
    """In the current folder; nothing is overwritten."""
    names = (f"{stem}.svg" if number == 1 else f"{stem}-{number}.svg" for number in count(1))
    path = next(path for path in map(Path, names) if not path.exists())
    path.touch(exist_ok=False)
    return path


def time_of(cell: str) -> int:
    """ "1000+250*3@2" is the end of the second cell after the third, of 250 µs each from 1000 µs on."""
    begin, _, rest = cell.partition("+")
    per, _, numbers = rest.partition("*")
    if not per:
        return int(begin)
    return int(begin) + int(per) * (sum(map(int, numbers.split("@"))) + 1) - 1
