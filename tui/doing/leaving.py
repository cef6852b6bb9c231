"""The end: what runs is ended first, and it is said what; the screens go when nothing is left of it."""

from __future__ import annotations

import asyncio

from shaketable.tui.doing.base import Doing
from shaketable.tui.model.standing.possible import present


class Leaving(Doing):
    _ending: asyncio.Task[None] | None = None

    async def action_quit(self) -> None:
        """The second time it does not wait; the engine then ends its world by itself."""
        if self._ending is not None or not self.session.live:
            self.exit()
            return
        from shaketable.tui.dialogs.ending import Ending

        await self.push_screen(Ending(self._what_ends()))
        self._ending = asyncio.create_task(self._end())

    async def on_unmount(self) -> None:
        """However the app ends, also by an error of its own."""
        if self._ending is None or self._ending.done():
            await self.source.close()

    async def _end(self) -> None:
        try:
            await self.source.close()
        finally:
            self.exit()

    def _what_ends(self) -> str:
        running = len(present(self.session).running())
        of = f"{running} node{'s' if running != 1 else ''}" if running else "the run"
        recorded = self.session.facts.directory
        return f"ending {of}…" + (f" it is recorded: shaketable replay {recorded}" if recorded else "")
