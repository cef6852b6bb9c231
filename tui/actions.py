"""Every key, in one table: bindings, footer, help, the command palette and the manual are made of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from textual.binding import Binding

from shaketable.harness.faults import node_kinds as kinds
from shaketable.harness.faults.verb import FaultKind
from shaketable.tui.panels.bars import Key

TIME: Final = "Time"
LOOK: Final = "Looking"
BREAK: Final = "Breaking"
LEAVE: Final = "The rest"
GROUPS: Final = (TIME, LOOK, BREAK, LEAVE)

HAND: Final = "hand"
"""what is done to a run: it must live, and be driven by hand"""
SPEED: Final = "speed"
"""of a simulated run that lives, or of one that is over"""
NODE: Final = "node"
"""of a hand, to the chosen node: what the key would do now, and whether it makes sense, is known for each"""


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
    footer: int = 0
    """what it is worth to stand in the footer; 0: it does not"""
    needs: str = ""
    """what must be so that it makes sense: HAND, SPEED or NODE"""
    right: bool = False
    """at the right end of the footer"""
    priority: bool = False
    """whatever has the focus"""
    called: str = ""
    """in a file of settings, where the title will not do"""

    @property
    def name(self) -> str:
        return self.called or self.title.replace(" ", "_")

    def binding(self) -> Binding:
        return Binding(
            self.keys, self.action, self.title, key_display=self.key, show=self.footer > 0, priority=self.priority,
            id=self.name,
        )  # fmt: skip

    @property
    def key(self) -> str:
        """As it is written for people."""
        return self.shown or self.keys.partition(",")[0]


def _to_node(kind: FaultKind) -> str:
    return f"node_key('{kind.verb}')"


# The mouse finds by `find` all that has no room in the footer: that one is always there.
# fmt: off
ACTIONS: Final = (
    # Deeds to the chosen node come first in the footer.
    Action("K", _to_node(kinds.KILL), "kill", "Kill the chosen node: a crash", BREAK, footer=70, needs=NODE),
    Action("p", _to_node(kinds.PAUSE), "pause", "Pause the chosen node, or resume it", BREAK, footer=69, needs=NODE),
    Action(
        "r", _to_node(kinds.RESTART), "restart", "Start the chosen node again when it has ended", BREAK,
        footer=68, needs=NODE,
    ),
    Action("L", _to_node(kinds.LEAVE), "leave", "The chosen node leaves and shuts down", BREAK, footer=60, needs=NODE),
    Action("b", "break_menu", "break", "Everything that can be done to links and nodes", BREAK, footer=90, needs=HAND),
    Action("u", "undo", "undo", "Heal the last fault that is on", BREAK, footer=80, needs=HAND),
    Action("U", "faults", "faults", "The faults that are on, to heal any one of them", BREAK, footer=39, needs=HAND),
    Action(
        "H", "heal_all", "heal all", "Heal every fault; it asks first when there are several", BREAK,
        footer=79, needs=HAND,
    ),
    Action("a", "one_more", "one more", "One more node starts", BREAK, footer=40, needs=HAND),
    Action("s", "save_script", "save", "Save what was done by hand as a chaos script", BREAK, footer=15),
    Action(
        "space", "halt_or_follow", "pause", "Pause, or go on at the end; a simulated world stands, a recording plays",
        TIME, footer=67, called="halt",
    ),
    Action("left,h", "step(-1)", "back", "One event back", TIME, "←", footer=55),
    Action("right,l", "step(1)", "on", "One event on", TIME, "→", footer=54),
    Action(
        "left_square_bracket", "jump(False)", "mark before", "To the fault, view change or violation before", TIME, "[",
    ),
    Action(
        "right_square_bracket", "jump(True)", "next mark", "To the next fault, view change or violation", TIME, "]",
        footer=53,
    ),
    Action("home", "end(False)", "beginning", "To the beginning", TIME),
    Action("end", "end(True)", "end", "To the end; a live run is followed", TIME),
    Action("g", "ask_time", "go to", "Go to a time: 12.5, 1:30, +2, -500ms", TIME, footer=30),
    Action(
        "full_stop", "step_on", "step", "A simulated world, or a recording, goes on by one event and stands", TIME, ".",
        footer=35, needs=SPEED,
    ),
    Action(
        "plus,equals_sign", "speed(1)", "faster", "A simulated world, or a recording, goes faster", TIME, "+",
        footer=34, needs=SPEED,
    ),
    Action("minus", "speed(-1)", "slower", "And slower", TIME, "-", footer=33, needs=SPEED),
    Action("slash", "search", "filter", "Only events that say this; elsewhere, rows that do", LOOK, "/", footer=32),
    Action("w", "why", "why", "The event at the cursor in full, and what it goes back to", LOOK, footer=38),
    Action("n", "match(True)", "next match", "To the next event that the filter leaves, or row that says it", LOOK),
    Action("N", "match(False)", "match before", "To the one before", LOOK),
    *(Action(str(number), f"screen({number})", f"screen {number}", f"Screen {number}", LOOK) for number in range(1, 8)),
    Action("z,ctrl+up", "zoom(True)", "closer", "The timeline shows less time, in more detail", LOOK),
    Action("Z,ctrl+down", "zoom(False)", "wider", "The timeline shows more time, up to the whole run", LOOK),
    Action("shift+left", "stride(-1)", "stride back", "Back by a tenth of the timeline", TIME, "⇧←"),
    Action("shift+right", "stride(1)", "stride on", "On by a tenth of the timeline", TIME, "⇧→"),
    Action("o", "pick_script", "run script", "Pick a script, and run it in the place of this run", LEAVE, footer=45),
    Action("O", "open_run", "open", "Open a recording, or what was saved, in the place of this run", LEAVE, footer=36),
    Action("m", "mark_other", "mark", "Mark the chosen node, to compare it with another; or a link, for a deed", LOOK),
    Action("d", "difference", "difference", "How the chosen node and the marked one differ", LOOK),
    Action("D", "two_runs", "two runs", "This recording beside another one, where they first differ", LOOK),
    Action("v", "view", "view", "The partition map by owners, missing replicas, or the places of a node", LOOK),
    Action("comma", "settings", "settings", "The settings of this run, and what each means", LOOK, ","),
    Action("t", "switch_theme", "theme", "Dark or light", LOOK),
    Action("y", "copy_command", "copy", "Copy the command that shows this again", LEAVE, footer=10),
    Action("c", "copy_row", "copy row", "Copy the chosen row as text", LEAVE),
    Action("C", "copy_panel", "copy panel", "Copy the whole panel as text", LEAVE),
    Action("S", "take_picture", "picture", "Save the screen as an SVG picture", LEAVE),
    Action("question_mark", "help", "help", "All keys, and what the symbols mean", LEAVE, "?", footer=95, right=True),
    Action(
        "ctrl+p", "command_palette", "find", "Find anything: actions, nodes, scripts, faults", LEAVE, "^p",
        footer=92, right=True,
    ),
    Action("ctrl+z", "suspend_process", "suspend", "Suspend: fg comes back, a live run goes on", LEAVE, "^z"),
    Action("q", "quit", "quit", "Quit; no process is left behind", LEAVE, footer=100, right=True),
    Action(
        "ctrl+c,ctrl+q", "quit", "quit", "Quit, whatever is open", LEAVE, "^c", priority=True, called="quit_at_once",
    ),
)
# fmt: on


def rebound(keys: Mapping[str, str]) -> tuple[Action, ...]:
    """With the user's own keys, by the actions' names."""
    return tuple(
        replace(action, keys=keys[action.name], shown="") if action.name in keys else action for action in ACTIONS
    )


def keys_now(actions: Sequence[Action], titles: Mapping[str, str], hand: bool, speed: bool) -> Iterable[Key]:
    """For the footer: those that make sense. `titles`: by action, what it is called now; of a node's keys those that
    are missing make no sense."""
    for action in actions:
        if not action.footer or (action.needs == HAND and not hand) or (action.needs == SPEED and not speed):
            continue
        title = titles.get(action.action, "" if action.needs == NODE else action.title)
        if title:
            yield Key(action.key, title, f"key:{action.name}", action.footer, action.right)
