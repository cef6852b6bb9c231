"""The widget that draws panels: what is drawn again, what scrolls, and what a click or a key chooses."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from tests.node.process.process_helpers import in_loop
from tests.tui.panels.stories import by_hand
from tests.tui.showing import drawn, until
from textual.app import App, ComposeResult
from textual.pilot import Pilot

from shaketable.tui.text import Line, Span, line
from shaketable.tui.theme import DARK, LIGHT, THEMES
from shaketable.tui.widgets.panel import Panel

SESSION = by_hand("n1 installs v1 [n1]")


class One(App[int]):
    """A panel alone, ten columns and a few rows in its frame."""

    CSS = "Panel { width: 13; height: 6; }"

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[Line] = [line(Span("head", "dim")), *(self.row(number) for number in range(9))]
        self.chosen: list[tuple[str, bool]] = []
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = DARK

    @staticmethod
    def row(number: int, word: str = "row") -> Line:
        return line(Span(f"✓ {word} ", "good"), Span(f"→{number}", "name", f"node:n{number}"))

    def compose(self) -> ComposeResult:
        yield Panel(lambda *_: list(self.lines), "Rows", fixed=1)

    @property
    def panel(self) -> Panel:
        return self.query_one(Panel)

    def action_choose(self, target: str) -> None:
        self.chosen.append((target, False))

    def on_panel_chosen(self, message: Panel.Chosen) -> None:
        self.chosen.append((message.target, message.again))


@asynccontextmanager
async def running() -> AsyncIterator[tuple[One, Pilot[int]]]:
    app = One()
    async with app.run_test(size=(40, 12)) as pilot:
        app.panel.show(SESSION)
        await pilot.pause()
        yield app, pilot


@in_loop
async def test_only_lines_that_have_changed_are_drawn_again() -> None:
    async with running() as (app, pilot):
        before = [app.panel.render_line(y) for y in range(4)]
        app.lines[2] = app.row(1, "new")
        app.panel.show(SESSION)
        await until(pilot, lambda: drawn(app.panel)[2] == "✓ new →1")
        after = [app.panel.render_line(y) for y in range(4)]
        assert [now is then for now, then in zip(after, before, strict=True)] == [True, True, False, True]


@in_loop
async def test_more_lines_or_fewer_are_all_drawn() -> None:
    async with running() as (app, pilot):
        del app.lines[3:]
        app.panel.show(SESSION)
        await until(pilot, lambda: drawn(app.panel) == ["head", "✓ row →0", "✓ row →1", ""])


@pytest.mark.parametrize("left", [3, 4, 5, 7])
@in_loop
async def test_lines_that_have_become_fewer_are_in_sight(left: int) -> None:
    async with running() as (app, pilot):
        await pilot.press(*["down"] * 9)
        await until(pilot, lambda: drawn(app.panel)[-1] == "✓ row →8")
        del app.lines[left:]
        app.panel.show(SESSION)
        last = f"✓ row →{left - 2}"
        await until(pilot, lambda: [row for row in drawn(app.panel) if row][-1] == last)
        assert drawn(app.panel)[1] == f"✓ row →{max(0, left - 4)}"


@in_loop
async def test_another_theme_draws_all_in_other_colours() -> None:
    async with running() as (app, pilot):
        before = app.panel.render_line(1)
        app.theme = LIGHT
        await pilot.pause()
        app.panel.restyle()
        after = app.panel.render_line(1)
        assert after.text == before.text
        assert [segment.style for segment in after] != [segment.style for segment in before]


@in_loop
async def test_keys_go_from_row_to_row_and_the_head_stays_in_sight() -> None:
    async with running() as (app, pilot):
        await pilot.press("down", "down", "down", "down", "up")
        assert app.chosen == [(f"node:n{number}", False) for number in (0, 1, 2, 3, 2)]
        await pilot.press("pagedown", "pagedown", "pagedown", "pagedown")
        assert app.chosen[-1] == ("node:n8", False)
        await until(pilot, lambda: drawn(app.panel) == ["head", "✓ row →6", "✓ row →7", "✓ row →8"])
        await pilot.press("enter")
        await until(pilot, lambda: app.chosen[-1] == ("node:n8", True))


@in_loop
async def test_a_click_chooses_what_is_drawn_there() -> None:
    async with running() as (app, pilot):
        await pilot.press(*["down"] * 9)
        await until(pilot, lambda: drawn(app.panel)[1] == "✓ row →6")
        app.chosen.clear()
        await pilot.click(Panel, offset=(7, 2))  # its frame is one wide; the arrow is the seventh cell
        await pilot.click(Panel, offset=(6, 3))  # a span without a target
        await pilot.click(Panel, offset=(7, 1))  # the head
        await until(pilot, lambda: bool(app.chosen))
        assert app.chosen == [("node:n6", False)]


@in_loop
async def test_what_a_node_says_is_no_order_to_the_terminal() -> None:
    async with running() as (app, pilot):
        app.lines[1] = line(Span("n\x1b[2J\x9b\n"))
        app.panel.show(SESSION)
        await until(pilot, lambda: drawn(app.panel)[1] == "n␛[2J\ufffd␊")
