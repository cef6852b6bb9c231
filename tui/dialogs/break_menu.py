"""The menu of everything that can be done by hand: the deeds at the left, what the chosen one needs at the right.

↑ ↓ go from deed to deed; Enter goes to what it needs, or does it where it needs nothing; Enter there does it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from rich.text import Text
from textual.actions import SkipAction
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.events import Key
from textual.widgets import Static

from shaketable.tui.dialogs.dialog import Dialog
from shaketable.tui.dialogs.form import Form
from shaketable.tui.model.hands.calls import Call, Deed
from shaketable.tui.model.session import Session
from shaketable.tui.model.standing.possible import deeds_for, why_not
from shaketable.tui.panels.deeds import deeds, in_order
from shaketable.tui.text import Line
from shaketable.tui.widgets.panel import Panel

HINTS: Final = "↑↓ or a letter: deed · Enter: what it needs, then do it · Esc leaves"
LOOKED_AGAIN: Final = 0.5
"""seconds: meanwhile the run goes on, and what can be done may change"""


class BreakMenu(Dialog[Sequence[Call]]):
    DEFAULT_CSS: ClassVar[str] = """
    BreakMenu > .box { width: 100; height: 30; }
    BreakMenu #halves { height: 1fr; }
    BreakMenu #deeds { width: 2fr; max-width: 46; min-width: 28; border-right: solid $panel; }
    BreakMenu #deeds:focus { border-right: solid $primary; }
    BreakMenu #form { width: 3fr; overflow-y: auto; scrollbar-size-vertical: 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right", "to_the_form", "its fields", show=False),
        # With priority it is done before the next key is looked at, which is for the field already.
        Binding("enter", "enter", "its fields", show=False, priority=True),
    ]

    def __init__(self, session: Session, verb: str = "", marked: Sequence[tuple[str, str]] = ()) -> None:
        """`marked`: the links for which it was opened."""
        super().__init__()
        self._marked = marked
        self._session = session
        self._verb = verb or self._deeds()[0].verb
        self._by_letter = ""
        """the deed to which a letter has gone"""

    def compose(self) -> ComposeResult:
        box = Vertical(classes="box")
        box.border_title = "Break something"
        with box:
            with Horizontal(id="halves"):
                yield Panel(self._lines, id="deeds", current=lambda _: f"deed:{self._verb}")
                yield Form(self._session, self._marked)
            yield Static(Text(HINTS), classes="hints")

    def _deeds(self) -> list[Deed]:
        """Of which family a script's nodes are is known when it begins."""
        return deeds_for(self._session.facts)

    def _lines(self, session: Session, width: int, height: int) -> Sequence[Line]:
        return deeds([(deed, why_not(deed, session)) for deed in self._deeds()], self._verb, width)

    def on_mount(self) -> None:
        self._list().show(self._session)
        self._list().focus()
        self._form().ask(self._verb)
        self.set_interval(LOOKED_AGAIN, self._look_again)
        self.app.theme_changed_signal.subscribe(self, lambda _: self._form().ask(self._verb))

    def _look_again(self) -> None:
        self._list().show(self._session)
        self._form().tell()

    def action_choose(self, target: str) -> None:
        verb = target.partition(":")[2]
        if verb != self._verb:
            self._verb = verb
            self._form().ask(verb)
            self._list().show(self._session)

    def on_key(self, event: Key) -> None:
        """A letter goes to the first deed that begins so, wherever the menu stands; the same once more, to the next."""
        if not self._list().has_focus or event.character is None or not event.character.isalpha():
            return
        letter = event.character.lower()
        event.stop()
        found = [verb for verb in in_order(self._deeds()) if verb.startswith(letter)]
        if found:
            again = self._by_letter == self._verb and self._verb in found
            verb = self._by_letter = found[(found.index(self._verb) + 1) % len(found) if again else 0]
            self.action_choose(f"deed:{verb}")
            self._list().reveal(f"deed:{verb}")

    def on_panel_chosen(self, message: Panel.Chosen) -> None:
        message.stop()
        self.action_choose(message.target)
        if message.again:
            self.action_to_the_form()

    def action_to_the_form(self) -> None:
        field = self._form().first_field()
        if field is not None:
            self.set_focus(field)
        else:
            self._form().submit()

    def action_enter(self) -> None:
        if not self._list().has_focus:
            raise SkipAction
        self.action_to_the_form()

    def on_form_do(self, message: Form.Do) -> None:
        self.dismiss(message.calls)

    def action_leave(self) -> None:
        """From the fields back to the deeds, and from there out."""
        if self._list().has_focus:
            self.dismiss(None)
        else:
            self._list().focus()

    def _list(self) -> Panel:
        return self.query_one("#deeds", Panel)

    def _form(self) -> Form:
        return self.query_one(Form)
