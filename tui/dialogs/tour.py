"""A tour of the first screen, a few lines at a time: Enter goes on, Escape ends it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Final

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Static

from shaketable.tui.dialogs.dialog import Dialog
from shaketable.tui.model.session import Session
from shaketable.tui.model.standing.family import is_group

STEPS: Final[Sequence[tuple[str, str]]] = (
    (
        "What each node believes",
        ("Each row above is a node: its state, its member list as one letter a member (M is its master, s one that it "
        "suspects, - one that is absent), and how that list differs from the master's."),
    ),
    (
        "One node in full",
        ("↑ ↓, or a click, choose a node. Below the rows is all that it believes, and beside that the events of note. "
        "Tab goes from panel to panel, and Enter opens what is chosen."),
    ),
    (
        "Break something",
        ("{break} opens everything that can be done to links and nodes. {kill} kills the chosen node, and {restart} "
        "starts it again. {undo} heals the last fault, {heal_all} all of them."),
    ),
    (
        "Go back in time",
        ("{halt} pauses. {back} and {on} go from event to event, {mark_before} and {next_mark} from fault to fault, "
        "and {end} leads back to the present."),
    ),
    (
        "Ask why",
        ("{why} shows the chosen event in full, and what it goes back to, down to the fault. {screen_1} to {screen_7} "
        "are the screens: links, {third}, the timeline, the guarantees, all events, the script."),
    ),
    (
        "And then",
        ("{save} saves what you did as a chaos script. {find} finds anything. {help} has all keys, and this tour. "
        "{quit} quits, and no process is left behind."),
    ),
)  # fmt: skip


class Tour(Dialog[None]):
    DEFAULT_CSS: ClassVar[str] = """
    Tour { align: center bottom; background: $background 0%; }
    Tour > .box { margin: 0 0 1 0; }
    Tour #step { height: auto; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,right,space", "by(1)", "on", show=False),
        Binding("left", "by(-1)", "back", show=False),
    ]

    def __init__(self, session: Session, keys: Mapping[str, str]) -> None:
        """`keys`: by the names of actions, as they are written."""
        super().__init__()
        self._session = session
        self._keys = keys
        self._at = 0

    def compose(self) -> ComposeResult:
        with Vertical(classes="box"):
            yield Static(id="step")
            yield Static(Text("Enter goes on · Esc ends the tour"), classes="hints")

    def on_mount(self) -> None:
        self.action_by(0)

    def action_by(self, steps: int) -> None:
        self._at = max(0, self._at + steps)
        if self._at >= len(STEPS):
            self.dismiss(None)
            return
        title, said = STEPS[self._at]
        third = "the group" if is_group(self._session.facts) else "partitions"  # known a moment after the start
        self.query_one(".box").border_title = Text(f"{title}  {self._at + 1}/{len(STEPS)}")
        self.query_one("#step", Static).update(Text(said.format_map({**self._keys, "third": third})))
