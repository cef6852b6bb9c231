"""The name of the file into which what was done by hand is saved as a chaos script. Nothing is ever overwritten."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Final

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Input, Static

from shaketable.tui.dialogs.dialog import Dialog
from shaketable.tui.text import Span, line

USUAL: Final = "chaos_by_hand.py"

Keep = Callable[[Path, Callable[[str], None]], None]


class SaveScript(Dialog[Path]):
    def __init__(self, keep: Keep) -> None:
        super().__init__()
        self._keep = keep

    def compose(self) -> ComposeResult:
        box = Vertical(classes="box")
        box.border_title = "Save what was done by hand as a chaos script"
        with box:
            yield Input(_free(USUAL), compact=True, id="name")
            yield Static(id="said")
            yield Static(Text("Enter saves it · Esc leaves"), classes="hints")

    def on_mount(self) -> None:
        self.query_one(Input).focus()
        self.tell("")

    def on_input_changed(self, event: Input.Changed) -> None:
        self.tell("")

    def tell(self, trouble: str) -> None:
        name = self.query_one(Input).value.strip()
        if not trouble and name and Path(name).expanduser().exists():
            trouble = f"{name} is there already: give another name"
        self.put("said", line(Span(f"✗ {trouble}", "bad") if trouble else Span(f"in {Path.cwd()}", "dim")))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        name = event.value.strip()
        if not name:
            self.tell("give it a name")
            return
        path = Path(name).expanduser()
        path = path.with_name(f"{path.name}.py") if not path.suffix else path

        def then(trouble: str) -> None:
            if trouble:
                self.tell(trouble)
            else:
                self.dismiss(path)

        self._keep(path, then)


def _free(name: str) -> str:
    path = Path(name)
    names = (path if number == 1 else path.with_name(f"{path.stem}_{number}.py") for number in count(1))
    return str(next(each for each in names if not each.exists()))
