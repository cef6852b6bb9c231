"""Every key, in one table: bindings, footer, help, the command palette and the manual are made of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from textual.binding import Binding

TIME: Final = "Time"
LOOK: Final = "Looking"
BREAK: Final = "Breaking"


@dataclass(frozen=True, slots=True)
class Action:
    keys: str
    """as Textual names them, with commas between"""
    action: str
    """of the app: "step(1)" """
    title: str
    """two or three words, for the footer and the palette"""
    help: str
    group: str
    shown: str = ""
    """how the key is written, where its name is none"""
    footer: bool = False

    def binding(self) -> Binding:
        return Binding(self.keys, self.action, self.title, key_display=self.shown or None, show=self.footer)


ACTIONS: Final = (
    Action("space", "halt_or_follow", "pause", "Pause, or follow the end again", TIME, footer=True),
    Action("left", "step(-1)", "back", "One event back", TIME, "←", footer=True),
    Action("right", "step(1)", "on", "One event on", TIME, "→", footer=True),
    Action(
        "left_square_bracket", "jump(False)", "mark before", "To the fault, view change or violation before", TIME, "["
    ),
    Action(
        "right_square_bracket",
        "jump(True)",
        "next mark",
        "To the next fault, view change or violation",
        TIME,
        "]",
        footer=True,
    ),
    *(Action(str(number), f"screen({number})", f"screen {number}", f"Screen {number}", LOOK) for number in range(1, 8)),
    Action("m", "mark_other", "mark", "Mark the chosen node, to compare another one with it", LOOK),
    Action("d", "difference", "difference", "How the chosen node and the marked one differ", LOOK),
    Action("t", "switch_theme", "theme", "Dark or light", LOOK),
    Action("q", "quit", "quit", "Quit; no process is left behind", LOOK, footer=True),
)
