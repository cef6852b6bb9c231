"""A script to run: found among all that there are, or named by its path; in which world, and by which seed."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Button, Input, Static

from shaketable.harness.errors import UserError
from shaketable.harness.scripting.targets import scripts_of_ours, target_of
from shaketable.tui.dialogs.finder import Finder
from shaketable.tui.engine.facts import Known, look_at
from shaketable.tui.engine.protocol import Begin
from shaketable.tui.model.session import Session
from shaketable.tui.model.standing.script_choice import ScriptChoice
from shaketable.tui.panels.script_list import WORLDS, script_list, told, worlds
from shaketable.tui.widgets.panel import Panel


class PickScript(Finder[tuple[Begin, Known]]):
    """Answers what is to be run, all of it seen to be right; None: nothing."""

    DEFAULT_CSS: ClassVar[str] = """
    PickScript #worlds { width: 34; height: 1; border: none; overflow-y: hidden; }
    PickScript #worlds:focus { background: $panel; border: none; }
    PickScript #seed { width: 12; }
    PickScript Button { min-width: 8; margin: 0 0 0 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,right,space", "other_world", "other world", show=False),
    ]

    def __init__(self, session: Session, begin: Begin, typed: str = "") -> None:
        """`begin`: how the present run was begun, or as it would be by default."""
        super().__init__(session)
        self._begin = begin
        self.choice = ScriptChoice(begin.world, str(begin.seed), typed=typed)

    def compose(self) -> ComposeResult:
        with Vertical() as box:
            box.border_title = "Run a script"
            with Horizontal():
                yield Static("find")
                yield Input(self.choice.typed, placeholder="words of its name, or a path", id="typed", compact=True)
            yield Panel(lambda _, w, h: script_list(self.choice, w, h), id="found", current=lambda _: self.here())
            with Horizontal():
                yield Static("world")
                yield Panel(lambda _, w, h: worlds(self.choice, w, h), id="worlds")
                yield Static("seed")
                yield Input(self.choice.seed, id="seed", compact=True)
                yield Button("Run it", id="run", variant="primary", compact=True)
            yield Panel(lambda _, w, h: told(self.choice, w, h), id="told_of_found")

    def on_mount(self) -> None:
        self.run_worker(self._load(), exit_on_error=False)

    async def _load(self) -> None:
        """That takes a second: all files are imported."""
        try:
            self.choice.scripts = await asyncio.to_thread(scripts_of_ours)
        except UserError as error:
            self.choice.trouble = str(error)
        self.choice.loaded = True
        self.draw()

    def targets(self) -> Sequence[str]:
        return [f"script:{script.name}" for script in self.choice.found()]

    def here(self) -> str:
        present = self.choice.present()
        return f"script:{present.name}" if present is not None else ""

    def go_to(self, target: str) -> None:
        self.choice.chosen, self.choice.trouble = target.partition(":")[2], ""

    # What is typed and chosen

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self.choice.trouble = ""
        if event.input.id == "typed":
            self.choice.typed = event.value
            self.found().scroll_home(animate=False)
        else:
            self.choice.seed = event.value
        self.draw()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self._run()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        event.stop()
        self._run()

    def on_panel_chosen(self, message: Panel.Chosen) -> None:
        message.stop()
        kind, _, what = message.target.partition(":")
        if kind == "world":
            self.choice.world, self.choice.trouble = what, ""
        elif kind == "script":
            self.go_to(message.target)
            if message.again:
                self._run()
        self.draw()

    def action_other_world(self) -> None:
        self.choice.world = next(world for world in WORLDS if world != self.choice.world)
        self.choice.trouble = ""
        self.draw()

    def _run(self) -> None:
        try:
            begin = self._chosen()
            known = look_at(begin)
        except UserError as error:
            self.choice.trouble = str(error)
            self.draw()
        else:
            self.dismiss((begin, known))

    def _chosen(self) -> Begin:
        if not self.choice.seed.strip().isdecimal():
            raise UserError(f"a seed is a whole number, not {self.choice.seed!r}")
        present = self.choice.present()
        if present is None and not self.choice.is_path:
            raise UserError("choose a script" if self.choice.loaded else "the scripts are still being loaded")
        name = self.choice.typed.strip() if present is None else target_of(present)
        return Begin(
            world=self.choice.world,
            seed=int(self.choice.seed),
            preset=self._begin.preset or self._session.facts.preset or None,
            script=name,
            toxiproxy=self._begin.toxiproxy,
            system=self._begin.system,
        )
