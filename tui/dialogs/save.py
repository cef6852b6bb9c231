"""The name of the file into which what was done by hand is saved as a chaos script. Nothing is ever overwritten."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Final

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Button, Input, Static

from shaketable.harness.errors import UserError, reason_of
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
            yield Button("Save it", id="save", variant="primary", compact=True)
            yield Static(Text("Enter saves it · Esc leaves"), classes="hints")

    def on_mount(self) -> None:
        self.query_one(Input).focus()
        self.tell("")

    def on_input_changed(self, event: Input.Changed) -> None:
        self.tell("")

    def tell(self, trouble: str) -> None:
        """It is looked at while it is typed; what is not there yet is no trouble before it is to be saved."""
        name = self.query_one(Input).value
        if not trouble and name.strip():
            try:
                path_of(name)
            except UserError as error:
                trouble = str(error)
        self.put("said", line(Span(f"✗ {trouble}", "bad") if trouble else Span(_where(), "dim")))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        self._save()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        self._save()

    def _save(self) -> None:
        try:
            path = path_of(self.query_one(Input).value)
        except UserError as error:
            self.tell(str(error))
            return

        def then(trouble: str) -> None:
            if trouble:
                self.tell(trouble)
            else:
                self.dismiss(path)

        self._keep(path, then)


def path_of(typed: str) -> Path:
    """The file that is meant; a name without an ending gets that of a script."""
    name = typed.strip()
    if not name:
        raise UserError("give it a name")
    if not name.isprintable():
        raise UserError("a name has letters, digits, blanks and signs, and nothing else")
    if name.rpartition("/")[2] in ("", ".", ".."):
        raise UserError(f"{name} is a folder: add the name of a file")
    try:
        path = Path(name).expanduser()
        if path.is_dir():
            raise UserError(f"{name} is a folder: add the name of a file")
        path = path if path.suffix else path.with_name(f"{path.name}.py")
        if path.exists():
            raise UserError(f"{path} is there already: give another name")
    except RuntimeError:
        raise UserError(f"{name}: there is no user of that name") from None
    except OSError as error:
        raise UserError(f"it cannot be written there: {reason_of(error)}") from None
    return path


def _where() -> str:
    try:
        return f"in {Path.cwd()}"
    except OSError:
        return "the present folder is gone: begin with / or ~/"


def _free(name: str) -> str:
    path = Path(name)
    names = (path if number == 1 else path.with_name(f"{path.stem}_{number}.py") for number in count(1))
    return str(next(each for each in names if not each.exists()))
