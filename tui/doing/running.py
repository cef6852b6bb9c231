"""Another run in the place of the present one: a script is picked, the present run is ended, the new one is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shaketable.tui.doing.base import Doing
from shaketable.tui.source import Source

if TYPE_CHECKING:
    from shaketable.tui.engine.protocol import Begin


class Running(Doing):
    def action_pick_script(self, typed: str = "") -> None:
        from shaketable.tui.dialogs.pick_script import PickScript
        from shaketable.tui.engine.protocol import Begin

        begin = getattr(self.source, "begin", None)
        if not isinstance(begin, Begin):
            facts = self.session.facts
            begin = Begin(world="sim" if facts.world not in ("sim", "real") else facts.world, seed=facts.seed)
        self.push_screen(PickScript(self.session, begin, typed), self._picked)

    def _picked(self, begin: Begin | None) -> None:
        if begin is None:
            return
        from shaketable.tui.engine.client import Engine

        self.run_worker(self.show_instead(Engine(begin)), exclusive=True, group="source")

    async def show_instead(self, source: Source) -> None:
        """The present source is the app's until it is closed, and the new one from then on: whenever the user quits,
        the app closes the one that there is."""
        if self.session.live:
            self.say("the run that went on is ended first")
        await self.source.close()
        self.source, self.session = source, source.session
        self.last_said = ""  # it was of the run that is gone
        self.go_to_screen("script")
        self.draw()
        await source.open(self.say)
