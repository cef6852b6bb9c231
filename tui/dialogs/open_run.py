"""A recorded run to open: found among those of the present folder, or named by its path; and what was saved."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widgets import Input, Static

from shaketable.harness.errors import UserError, reason_of
from shaketable.harness.runs.directory import RUN as DESCRIPTION
from shaketable.harness.runs.directory import read_around, run_in
from shaketable.harness.runs.recent import recent_runs
from shaketable.tui.dialogs.finder import Finder
from shaketable.tui.model.session import Session
from shaketable.tui.model.standing.run_choice import RUN, Found, RunChoice, newest_first
from shaketable.tui.panels.run_list import run_list, told
from shaketable.tui.source import Recorded
from shaketable.tui.widgets.panel import Panel


class OpenRun(Finder[Recorded | Found]):
    """Answers the recording, read as far as it is to be before it is shown; or what else was saved."""

    def __init__(self, session: Session, saved: Callable[[], Sequence[str]], *, beside: str = "") -> None:
        """`beside`: the folder of a run. Then another one is sought, to be compared with it, and answered unread."""
        super().__init__(session)
        self._saved = saved
        self._beside = beside
        self.choice = RunChoice()

    def compose(self) -> ComposeResult:
        with Vertical() as box:
            box.border_title = "Compare with another recording" if self._beside else "Open a recording"
            with Horizontal():
                yield Static("find")
                yield Input(placeholder="words of a row, or a path", id="typed", compact=True)
            yield Panel(lambda _, w, h: run_list(self.choice, w, h), id="found", current=lambda _: self.here())
            yield Panel(lambda _, w, h: told(self.choice, w, h), id="told_of_found")

    def on_mount(self) -> None:
        self.run_worker(self._load(), exit_on_error=False)

    async def _load(self) -> None:
        """Of the chosen folder; in a folder with many it takes a moment."""
        choice = self.choice
        folder, saved = Path(choice.folder), () if choice.folder or self._beside else self._saved()
        found = newest_first(await asyncio.to_thread(recent_runs, folder), saved)
        choice.all = [each for each in found if not self._beside or not same_folder(each.path, self._beside)]
        choice.loaded = True
        self.draw()

    def targets(self) -> Sequence[str]:
        return [each.target for each in self.choice.found()]

    def here(self) -> str:
        present = self.choice.present()
        return present.target if present is not None else ""

    def go_to(self, target: str) -> None:
        self.choice.chosen, self.choice.trouble = target, ""

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self.choice.typed, self.choice.trouble = event.value, ""
        self.found().scroll_home(animate=False)
        self.draw()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self._open()

    def on_panel_chosen(self, message: Panel.Chosen) -> None:
        message.stop()
        self.go_to(message.target)
        self.draw()
        if message.again:
            self._open()

    def _open(self) -> None:
        try:
            chosen = self._chosen()
        except UserError as error:
            self.choice.trouble = str(error)
            self.draw()
        else:
            if chosen is not None:
                self.dismiss(chosen)

    def _chosen(self) -> Recorded | Found | None:
        """None: it is a folder with several, which are listed now."""
        choice = self.choice
        if not choice.is_path:
            present = choice.present()
            if present is None:
                raise UserError("choose a recording" if choice.loaded else "the recordings are still being looked for")
            return self._taken(present.path) if present.kind == RUN else present
        try:
            path = Path(choice.typed.strip()).expanduser()
            if path.is_dir() and not (path / DESCRIPTION).exists() and len(recent_runs(path)) > 1:
                self._list(path)
                return None
        except RuntimeError:
            raise UserError(f"{choice.typed}: there is no user of that name") from None
        except OSError as error:
            raise UserError(f"it cannot be read: {reason_of(error)}") from None
        return self._taken(run_in(path))

    def _taken(self, path: Path) -> Recorded | Found:
        if not self._beside:
            return Recorded(path)
        read_around(path)  # says what is wrong with it
        return Found(RUN, path, 0.0)

    def _list(self, path: Path) -> None:
        self.choice.folder, self.choice.loaded, self.choice.chosen = str(path), False, ""
        self.query_one("#typed", Input).value = ""
        self.run_worker(self._load(), exit_on_error=False)


def same_folder(one: Path, other: str) -> bool:
    return one.absolute() == Path(other).absolute()
