"""Another run in the place of the present one: a script is picked or a recording opened, the present run is ended."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from shaketable.harness.runs.directory import RUN as DESCRIPTION
from shaketable.tui.doing.base import Doing
from shaketable.tui.model.standing.run_choice import SCRIPT, Found
from shaketable.tui.source import Recorded, Source

if TYPE_CHECKING:
    from shaketable.tui.engine.facts import Known
    from shaketable.tui.engine.protocol import Begin


class Running(Doing):
    def action_pick_script(self, typed: str = "") -> None:
        from shaketable.tui.dialogs.pick_script import PickScript
        from shaketable.tui.engine.protocol import Begin

        begin = getattr(self.source, "begin", None)
        if not isinstance(begin, Begin):
            facts = self.session.facts
            begin = Begin(
                world="sim" if facts.world not in ("sim", "real") else facts.world,
                seed=facts.seed,
                system="" if facts.system.is_ours else facts.system.asked,
            )
        self.push_screen(PickScript(self.session, begin, typed), self._picked)

    def _picked(self, picked: tuple[Begin, Known] | None) -> None:
        if picked is None:
            return
        from shaketable.tui.engine.client import Engine

        self._show(Engine(*picked), "script")

    def action_open_run(self) -> None:
        from shaketable.tui.dialogs.open_run import OpenRun

        self.push_screen(OpenRun(self.session, self.keeper.saved), self._opened)

    def _opened(self, chosen: Recorded | Found | None) -> None:
        if isinstance(chosen, Recorded):
            self._show(chosen, "cluster")
        elif chosen is not None and chosen.kind == SCRIPT:
            self.action_pick_script(str(chosen.path))
        elif chosen is not None:
            self.copy_to_clipboard(str(chosen.path))
            self.say(f"a picture; its path is copied: {chosen.path}")

    def action_two_runs(self) -> None:
        """A recording beside another one."""
        own = self.session.facts.directory
        if self.session.live or not own or not (Path(own) / DESCRIPTION).exists():
            key = self.keys.get("open", "O")
            self.say(f"two recordings can be compared: open the first one with {key}, then choose the second", True)
            return
        from shaketable.tui.dialogs.open_run import OpenRun

        def chosen(other: Recorded | Found | None) -> None:
            if isinstance(other, Found):
                self._compare(Path(own), other.path)

        self.push_screen(OpenRun(self.session, self.keeper.saved, beside=own), chosen)

    def _compare(self, one: Path, other: Path) -> None:
        from shaketable.harness.runs.side_by_side import beside
        from shaketable.tui.dialogs.two_runs import TwoRuns

        def go(place: int | None) -> None:
            if place is not None:
                self.choose(f"event:{place}")

        self.push_screen(TwoRuns(self.session, partial(beside, one, other)), go)

    def _show(self, source: Source, screen: str) -> None:
        self.run_worker(self.show_instead(source, screen), exclusive=True, group="source")

    async def show_instead(self, source: Source, screen: str) -> None:
        """The present source is the app's until it is closed, and the new one from then on: whenever the user quits,
        the app closes the one that there is."""
        if self.session.live:
            self.say("the run that went on is ended first")
        await self.source.close()
        self.take(source)
        self.last_said = ""  # it was of the run that is gone
        self.go_to_screen(screen)
        self.draw()
        await source.open(self.say)
