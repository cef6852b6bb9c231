"""A deed that cannot be undone is asked about once, and so is any deed while the screen shows the past."""

from __future__ import annotations

from tests.node.process.process_helpers import in_loop
from tests.tui.acting import acting

from shaketable.tui.dialogs.ask import Ask
from shaketable.tui.dialogs.choice import Choice


@in_loop
async def test_a_kill_and_a_leave_are_asked_about_once_and_can_be_left() -> None:
    async with acting(None, 80, 24) as here:
        here.session.chosen.node = "n2"
        for key, verb in (("K", "kill"), ("L", "leave")):
            for no in ("escape", "n"):
                await here.press(key)
                await here.sees(f"{verb.capitalize()} n2?")
                await here.press(key, no)  # the same key again is no answer
                assert here.hands.done == []
                assert len(here.app.screen_stack) == 1
            await here.press(key)
            await here.click("No (")
            assert here.hands.done == []
        await here.press("K", "y", "L", "enter")
        assert here.hands.done == ['cluster.kill("n2")', 'cluster.leave("n2")']


@in_loop
async def test_what_can_be_undone_is_done_at_once_in_the_present() -> None:
    async with acting() as here:
        here.session.chosen.node = "n2"
        await here.press("p", "a", "u")
        assert here.hands.done == ['cluster.pause("n2")', "cluster.start()"]
        assert here.hands.healed == [1]


@in_loop
async def test_all_that_is_done_while_the_screen_shows_the_past_is_asked_about() -> None:
    async with acting(None, 80, 24) as here:
        here.session.chosen.node, here.session.now = "n2", 98_000_000
        await here.press("left")
        await here.sees("98.000 s")
        for key in ("K", "p", "L", "a", "u", "H"):
            await here.press(key)
            assert isinstance(here.app.screen, Ask), key
            await here.sees("This is done there, now.")
            await here.press("escape")
        assert here.hands.done == []
        assert here.hands.healed == []
        await here.press("p", "enter", "u", "enter")
        assert here.hands.done == ['cluster.pause("n2")']
        assert here.hands.healed == [1]
        await here.press("end", "p")
        assert here.hands.done == ['cluster.pause("n2")'] * 2


@in_loop
async def test_the_top_line_of_each_screen_has_the_faults_and_where_one_is_in_time() -> None:
    async with acting(None, 80, 24) as here:
        here.source.fault(2, "clock")
        here.session.now = 98_000_000
        for number in "1234567":
            await here.press(number)
            await here.until(lambda: "2 faults on" in here.text().split("\n")[0])
        await here.press("left")
        for number in "1234567":
            await here.press(number)
            await here.until(lambda: "s, cluster at 98.000 s, End: back" in here.text().split("\n")[0])
        await here.click("End: back")
        assert here.session.following


@in_loop
async def test_a_letter_goes_to_the_first_deed_that_begins_so_wherever_the_menu_stands() -> None:
    async with acting() as here:
        await here.press("b", "c", "enter", "enter")
        assert here.hands.done == ['cluster.cut("n1", "n2")']
        await here.press("b", "c", "c", "enter", "enter")
        assert here.hands.done[1:] == ['cluster.clock("n1", jump=10 * SECOND, rate_ppm=0)']
        await here.press("b", "c", "enter", "enter")  # it opens at the clock
        assert here.hands.done[2:] == ['cluster.cut("n1", "n2")']


@in_loop
async def test_nodes_that_are_gone_are_not_offered() -> None:
    async with acting() as here:
        here.session.chosen.node = "n4"  # it has crashed
        for letter in ("c", "i", "d", "k"):
            await here.press("b", letter, "enter")
            await here.until(lambda: here.app.screen.query_one("#first", Choice).has_focus)
            assert here.app.screen.query_one("#first", Choice)._words == ["n1", "n2", "n3"]
            await here.press("escape", "escape")
