"""The app: the screens over one session, and the frame's tick. The folder doing/ has what keys and clicks do."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, ClassVar, Final

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container
from textual.events import Resize
from textual.message import Message
from textual.screen import Screen
from textual.widgets import ContentSwitcher
from textual.worker import WorkerFailed

from shaketable.tui.actions import ACTIONS, keys_now, rebound
from shaketable.tui.dialogs.dialog import too_late
from shaketable.tui.dialogs.prompt import Prompt
from shaketable.tui.dialogs.too_small import LEAST_HEIGHT, LEAST_WIDTH, TooSmall
from shaketable.tui.doing.whole import DoingAll
from shaketable.tui.kept import Keeper
from shaketable.tui.model.session import Session
from shaketable.tui.model.standing.possible import no_hand, no_speed
from shaketable.tui.panels.bars import keys_line, tabs, titles_now
from shaketable.tui.panels.heading import heading
from shaketable.tui.preferences import Preferences
from shaketable.tui.screens import TABS, tabs_of
from shaketable.tui.source import Source
from shaketable.tui.text import Line, Span, fitted, line
from shaketable.tui.theme import DARK, THEMES
from shaketable.tui.widgets.panel import Panel

if TYPE_CHECKING:
    from textual.command import Provider

BARS: Final = ("#heading", "#tabs", "#came_of_it", "#keys")
FRAMES: Final = 10
"""a second, at most: only what has changed is drawn"""
A_FRAME_SEARCHES: Final = 0.03
"""seconds, where somebody looks for what a filter leaves"""


def _everything() -> type[Provider]:
    from shaketable.tui.palette import Everything

    return Everything


class _Lowest(Screen[None]):
    """The screen below all others."""

    async def _on_message(self, message: Message) -> None:
        if not too_late(self, message):
            await super()._on_message(message)


class ShaketableApp(DoingAll):
    CSS_PATH = Path(__file__).with_name("app.tcss")
    TITLE = "shaketable"
    AUTO_FOCUS = "#body Panel"
    ALLOW_SELECT = False  # a press on a notice that is just going is an exception of Textual's; c and C copy
    COMMANDS = {_everything}  # noqa: RUF012
    BINDINGS: ClassVar[list[BindingType]] = [action.binding() for action in ACTIONS]
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide"), (160, "-vast")]  # noqa: RUF012
    VERTICAL_BREAKPOINTS = [(0, "-low"), (50, "-tall")]  # noqa: RUF012

    def __init__(
        self,
        source: Source,
        keeper: Keeper | None = None,
        preferences: Preferences | None = None,
        *,
        tour: bool = False,
    ) -> None:
        """`tour`: the first screen is explained."""
        super().__init__()
        self._tour = tour
        self.keeper, preferences = keeper or Keeper(), preferences or Preferences()
        self.actions = rebound(preferences.keys)
        self.set_keymap(dict(preferences.keys))
        self.keys = {action.name: action.key for action in self.actions if action.name in preferences.keys}
        self.take(source)
        self.broken_by: Exception | None = None
        """what nobody foresaw, and has ended it"""
        self._stale = True
        for theme in THEMES:
            self.register_theme(theme)
        wanted = preferences.theme or self.keeper.kept.theme
        # Before there is any widget: to style all of them twice takes time.
        self.theme = wanted if wanted in self.available_themes else DARK

    def compose(self) -> ComposeResult:
        yield Panel(heading, id="heading")
        yield Panel(lambda session, *_: [tabs(_titles(session), self._switcher().current or "")], id="tabs")
        with ContentSwitcher(initial=TABS[0][1].id, id="body"):
            for _, tab in TABS:
                yield Container(*tab.panels(), id=tab.id)
        yield Prompt()
        yield Panel(lambda _, width, __: [fitted(line(Span(f" {self.last_said}")), width)], id="came_of_it")
        yield Panel(self._keys, id="keys")

    async def on_mount(self) -> None:
        self.theme_changed_signal.subscribe(self, lambda _: self._new_theme())
        # Suspended by ^z, and back by fg: the terminal has shown something else meanwhile.
        self.app_resume_signal.subscribe(self, lambda _: self.refresh(layout=True))
        for bar in BARS:
            self.query_one(bar).can_focus = False
        self.set_interval(1 / FRAMES, self._frame)
        if self._tour:
            self.keeper.keep(toured=True)
            self.action_tour()
        await self.source.open(self.say)

    def _handle_exception(self, error: Exception) -> None:
        """It ends the app, and the command says what it was."""
        cause = error.error if isinstance(error, WorkerFailed) else error
        self.broken_by = self.broken_by or (cause if isinstance(cause, Exception) else error)
        super()._handle_exception(error)

    def _print_error_renderables(self) -> None:
        """A traceback of a hundred lines, with the values of our variables, helps nobody who uses the app."""
        self._exit_renderables.clear()

    # Drawing

    def draw(self) -> None:
        if not self._stale:
            self._stale = True
            self.call_later(self._draw)  # a key is not to wait for the next frame

    def _frame(self) -> None:
        if not self.is_running:
            return  # it is on its way out
        self.search_on(perf_counter() + A_FRAME_SEARCHES)
        if self.source.pump() | self.session.play_on(self.wall()):
            self._stale = True
        self._draw()

    def _draw(self) -> None:
        if self._stale and self.is_running:
            self._stale = False
            self.query_one("#came_of_it").set_class(bool(self.last_said), "-some")
            for panel in self._visible():
                panel.show(self.session)

    def _visible(self) -> list[Panel]:
        present = self._switcher().visible_content
        bars = [self.query_one(bar, Panel) for bar in BARS]
        return bars + (list(present.query(Panel)) if present is not None else [])

    def _switcher(self) -> ContentSwitcher:
        return self.query_one("#body", ContentSwitcher)

    def _keys(self, session: Session, width: int, height: int) -> Sequence[Line]:
        hands = self.source.hands is not None
        hand, speed = not no_hand(session, hands), not no_speed(session, hands)
        return [keys_line(list(keys_now(self.actions, titles_now(session, hands), hand, speed)), width)]

    def _new_theme(self) -> None:
        self.keeper.keep(theme=self.theme)
        for screen in self.screen_stack:
            for panel in screen.query(Panel):
                panel.restyle()

    def get_default_screen(self) -> Screen[None]:
        return _Lowest(id="_default")

    def on_resize(self, event: Resize) -> None:
        small = event.size.width < LEAST_WIDTH or event.size.height < LEAST_HEIGHT
        if small and not isinstance(self.screen, TooSmall):
            self.push_screen(TooSmall())
        elif not small and isinstance(self.screen, TooSmall):
            self.screen.dismiss()
        self.draw()

    # Textual's own palettes, of ours and of themes, are made safe

    def action_command_palette(self) -> None:
        from shaketable.tui.palette import Palette

        if not isinstance(self.screen, Palette):
            self.push_screen(Palette())

    def search_themes(self) -> None:
        from textual.theme import ThemeProvider

        from shaketable.tui.palette import Palette

        self.push_screen(Palette([ThemeProvider], placeholder="Search for themes…"))

    @property
    def prompt(self) -> Prompt:
        return self.query_one(Prompt)

    @property
    def present_screen(self) -> str:
        return self._switcher().current or ""

    def go_to_screen(self, name: str) -> None:
        """Its first panel gets the keys."""
        self._switcher().current = name
        self.query(f"#{name} Panel").first(Panel).focus()
        self.draw()

    def action_screen(self, number: int) -> None:
        self.go_to_screen(tabs_of(self.session)[number].id)


def _titles(session: Session) -> dict[int, tuple[str, str]]:
    return {number: (tab.id, tab.title) for number, tab in tabs_of(session).items()}
