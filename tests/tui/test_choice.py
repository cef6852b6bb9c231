"""One of a few words: all of them are reached by the mouse, also where there is no room for all."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from tests.lengths import one_in
from tests.node.process.process_helpers import in_loop
from textual.app import App, ComposeResult
from textual.pilot import Pilot

from shaketable.tui.dialogs.choice import Choice

NAMES = [f"n{number}" for number in range(1, 13)]


class OneChoice(App[None]):
    def compose(self) -> ComposeResult:
        yield Choice(id="one")


@asynccontextmanager
async def choosing(width: int, words: list[str], value: str = "") -> AsyncIterator[tuple[Pilot[None], Choice]]:
    app = OneChoice()
    async with app.run_test(size=(width, 5)) as pilot:
        choice = app.query_one(Choice)
        choice.offer(words, value)
        await pilot.pause()
        yield pilot, choice


def shown(choice: Choice) -> str:
    return choice.render().plain.rstrip()


async def click(pilot: Pilot[None], choice: Choice, words: str) -> None:
    await pilot.click(choice, offset=(choice.render().plain.index(words) + len(words) // 2, 0))
    await pilot.pause()


@in_loop
async def test_where_all_have_room_nothing_is_turned() -> None:
    async with choosing(80, NAMES, "n3") as (pilot, choice):
        assert shown(choice).startswith(" n1   n2  [n3]  n4 ")
        await click(pilot, choice, "n12")
        assert choice.value == "n12"


@pytest.mark.parametrize("width", one_in(4, [9, 30, 59, 14]))
@in_loop
async def test_each_is_reached_by_clicks_alone_and_back_again(width: int) -> None:
    async with choosing(width, NAMES) as (pilot, choice):
        assert shown(choice).endswith("›")
        for name in (*NAMES, *reversed(NAMES)):
            way = "›" if int(name[1:]) > int(choice.value[1:]) else "‹"
            for _ in NAMES:
                if name in shown(choice).replace("[", " ").replace("]", " ").split():
                    break
                before = shown(choice)
                await click(pilot, choice, way)
                assert shown(choice) != before
            await click(pilot, choice, name)
            assert choice.value == name
            assert f"[{name}]" in shown(choice)
        assert not shown(choice).startswith("‹")


@in_loop
async def test_who_looks_at_others_is_left_there_while_nothing_changes() -> None:
    async with choosing(20, NAMES, "n1") as (pilot, choice):
        await click(pilot, choice, "›")
        looked_at = shown(choice)
        assert "n1 " not in looked_at
        choice.offer(NAMES, "n1")
        await pilot.pause()
        assert shown(choice) == looked_at
        choice.offer(NAMES, "n2")
        assert "[n2]" in shown(choice)


@in_loop
async def test_what_is_chosen_by_a_key_is_seen() -> None:
    async with choosing(20, NAMES, "n11") as (pilot, choice):
        assert "[n11]" in shown(choice)
        choice.focus()
        await pilot.press("right", "right")  # over the end
        assert "[n1]" in shown(choice)
        await pilot.press("left")
        assert shown(choice).endswith("[n12]")
        await pilot.press("5")
        assert "[n5]" in shown(choice)


@in_loop
async def test_a_word_that_has_no_room_is_cut_off_and_can_be_chosen() -> None:
    words = ["a" * 40, "b" * 40]
    async with choosing(20, words) as (pilot, choice):
        await click(pilot, choice, "›")
        await click(pilot, choice, "bbb")
        assert choice.value == words[1]


def values(choice: Choice) -> tuple[str, ...]:
    return choice.values


@in_loop
async def test_where_several_may_be_meant_space_marks_and_an_asterisk_marks_all() -> None:
    async with choosing(80, NAMES[:4]) as (pilot, choice):
        choice.focus()
        await pilot.press("space")
        assert values(choice) == ("n2",)
        choice.offer(NAMES[:4], "n2", several=True)
        await pilot.press("space", "right", "right", "space")
        assert (values(choice), shown(choice)) == (("n2", "n4"), " n1  ✓n2   n3  ✓n4]")
        await click(pilot, choice, "n2")
        assert values(choice) == ("n4",)
        await pilot.press("asterisk")
        assert values(choice) == tuple(NAMES[:4])
        await pilot.press("asterisk")
        assert values(choice) == ("n2",)
        await click(pilot, choice, "n2")
        await click(pilot, choice, "n3")
        assert values(choice) == ("n2", "n3")
        choice.offer(NAMES[2:4], "n4", several=True)
        assert values(choice) == ("n3",)
        choice.offer(NAMES[2:4], "n4")
        assert values(choice) == ("n4",)
