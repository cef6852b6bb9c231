"""What the command palette finds: every action, screen and node, every deed of the menu, every script of ours."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

from textual.app import ComposeResult
from textual.command import CommandList, CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.events import Click

from shaketable.harness.errors import UserError
from shaketable.tui.actions import HAND, NODE, SPEED
from shaketable.tui.dialogs.dialog import Modal
from shaketable.tui.doing.whole import DoingAll
from shaketable.tui.model.standing.possible import deeds_for, no_speed
from shaketable.tui.natural import naturally
from shaketable.tui.screens import tabs_of

if TYPE_CHECKING:
    from shaketable.harness.scripting.scripts import Script


class Palette(CommandPalette, Modal[None]):
    """Textual's own ends the app with a traceback if Enter comes twice in one read, and does what was chosen twice."""

    def compose(self) -> ComposeResult:
        for widget in super().compose():
            yield Found() if type(widget) is CommandList else widget


class Found(CommandList):
    """Textual's own ends the app if a click comes upon an entry that is gone, the second of two, say; and if a page is
    turned before there is room for an entry."""

    async def _on_click(self, event: Click) -> None:
        if event.style.meta.get("option", 0) >= self.option_count:
            event.prevent_default()

    def _move_page(self, direction: Literal[-1, 1]) -> None:
        if self.scrollable_content_region:
            super()._move_page(direction)


class Entry(NamedTuple):
    name: str
    help: str
    do: Callable[[], Any]


class Everything(Provider):
    _scripts: tuple[Script, ...] = ()

    @property
    def _app(self) -> DoingAll:
        return cast("DoingAll", self.app)

    async def startup(self) -> None:
        """Only begins to load: a further key ends the search that waits, and with it whatever that awaits."""
        self._loading = asyncio.create_task(self._load())

    async def _load(self) -> None:
        """That takes a second: all files are imported."""
        from shaketable.harness.scripting.targets import scripts_of_ours

        try:
            Everything._scripts = Everything._scripts or tuple(await asyncio.to_thread(scripts_of_ours))
        except UserError as error:
            self._app.say(str(error), True)

    async def discover(self) -> Hits:
        """Before anything is typed: of the actions those alone that make sense now."""
        for entry in (*self._actions(sensible=True), *self._screens(), *self._nodes()):
            yield DiscoveryHit(entry.name, entry.do, help=entry.help)

    async def search(self, query: str) -> Hits:
        await asyncio.shield(self._loading)
        matcher, typed = self.matcher(query), query.casefold()
        for entry in self._all():
            # The letters of a word stand scattered in nearly any help: there only what was typed as it was counts.
            of_help = 0.5 * matcher.match(entry.help) if typed in entry.help.casefold() else 0
            score = max(matcher.match(entry.name), of_help)
            if score > 0:
                yield Hit(score, matcher.highlight(entry.name), entry.do, help=entry.help)

    def _all(self) -> Iterable[Entry]:
        yield from self._actions()
        yield from self._screens()
        yield from self._nodes()
        yield from self._deeds()
        yield from self._of_ours()

    def _actions(self, *, sensible: bool = False) -> Iterator[Entry]:
        told: dict[str, bool] = {}
        hand, speed = self._app.can_be_broken(), not no_speed(self._app.session, self._app.source.hands is not None)
        makes_sense = {HAND: hand, NODE: hand, SPEED: speed}
        for action in self._app.actions:
            if sensible and not makes_sense.get(action.needs, True):
                continue
            if action.action not in told and not action.action.startswith(("screen(", "command_palette")):
                told[action.action] = True
                do = partial(self._app.run_action, f"app.{action.action}")
                yield Entry(f"{action.title}  {action.key}", action.help, do)
        yield Entry("theme of Textual's", "Choose any theme", self._app.action_change_theme)

    def _screens(self) -> Iterator[Entry]:
        for number, tab in tabs_of(self._app.session).items():
            yield Entry(f"screen {tab.title}  {number}", "Go there", partial(self._app.go_to_screen, tab.id))

    def _nodes(self) -> Iterator[Entry]:
        for name in sorted(self._app.session.picture().observed.nodes, key=naturally):
            yield Entry(f"node {name}", "Choose it", partial(self._app.choose, f"node:{name}"))

    def _deeds(self) -> Iterator[Entry]:
        for deed in deeds_for(self._app.session.facts):
            name = deed.verb.replace("_", " ")
            yield Entry(f"break: {name}", deed.title, partial(self._app.action_break_menu, deed.verb))

    def _of_ours(self) -> Iterator[Entry]:
        for script in self._scripts:
            yield Entry(f"script {script.name}", script.title, partial(self._app.action_pick_script, script.name))
