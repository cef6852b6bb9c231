"""A row is searched in whichever list has the keys; the chosen row, and a whole panel, are copied as text."""

from __future__ import annotations

from tests.node.process.process_helpers import in_loop
from tests.tui.acting import Living, acting

from shaketable.tui.dialogs.help import Help

MANY = "\n".join(
    [f"n{number} installs v4 [{' '.join(f'n{each}' for each in range(1, 13))}]" for number in range(1, 13)]
)


@in_loop
async def test_a_link_is_searched_by_its_name_and_left_where_the_user_was() -> None:
    async with acting(Living(story=MANY), 120, 40) as here:
        await here.press("2")
        here.session.chosen.node, here.session.chosen.other = "n3", "n4"
        here.app.draw()
        await here.press("slash")
        await here.type("n2->n1")
        await here.sees("1 row has them")
        assert (here.session.chosen.node, here.session.chosen.other) == ("n2", "n1"), "and not n10, n11, n12"
        await here.press("escape")
        assert (here.session.chosen.node, here.session.chosen.other) == ("n3", "n4")
        assert here.session.following
        await here.press("slash")
        await here.type("n12->")
        await here.sees("11 rows have them")
        await here.press("enter")
        others = [here.session.chosen.other]
        for key in ("n", "n", "N"):
            await here.press(key)
            others.append(here.session.chosen.other)
        assert others == ["n1", "n2", "n3", "n2"]
        await here.press("N", "N")
        assert here.session.chosen.other == "n11", "before the first comes the last"


@in_loop
async def test_a_guarantee_is_searched_and_what_is_nowhere_is_said() -> None:
    async with acting() as here:
        await here.press("5", "slash")
        await here.type("detection")
        await here.until(lambda: here.session.chosen.check == "detection")
        await here.type("zzz")
        await here.sees("no row has them")
        await here.press("enter", "n")
        assert here.said == ["no row has “detectionzzz” any more"]


@in_loop
async def test_on_a_screen_with_events_it_is_a_filter() -> None:
    async with acting() as here:
        await here.press("slash")
        await here.type("installs")
        assert here.session.chosen.filter == "installs"
        await here.press("enter")
        assert here.app.present_screen == "cluster"


@in_loop
async def test_the_words_of_a_filter_are_no_markup() -> None:
    async with acting() as here:
        await here.press("slash")
        await here.type("[b]n1[/i]")
        await here.sees("Events with “[b]n1[/i]”")


@in_loop
async def test_the_chosen_row_and_the_whole_panel_are_copied() -> None:
    async with acting(None, 120, 40) as here:
        await here.press("down", "down", "c")
        name = here.session.chosen.node
        assert name in here.app.clipboard
        assert "\n" not in here.app.clipboard
        await here.press("C")
        assert all(f"n{number}" in here.app.clipboard for number in (1, 2, 3, 4))
        assert here.said[0] == "copied: the row, 1 line"
        assert here.said[1].startswith("copied: the panel, ")
        await here.press("question_mark")
        assert isinstance(here.app.screen, Help)
        await here.press("C")
        assert "From row to row" in here.app.clipboard
        await here.press("c")
        assert here.said[-1] == "the row cannot be copied: nothing is chosen here"
