"""In the menu of faults a link is chosen, or all links between nodes of two sides: one deed, one fault."""

from __future__ import annotations

from tests.node.process.process_helpers import in_loop
from tests.tui.acting import NONE_IS_GONE, Acting, Living, acting


@in_loop
async def test_a_link_is_chosen_by_arrows_numbers_and_clicks_one_way_or_both() -> None:
    async with acting(Living(story=NONE_IS_GONE)) as here:
        here.session.chosen.node, here.session.chosen.other = "n2", "n3"
        await here.press("b")
        await here.sees('await cluster.cut("n2", "n3")')
        await here.press("enter", "down", "down", "right")
        await here.sees('await cluster.cut("n2", "n3", one_way=True)')
        await here.press("right")
        await here.sees('await cluster.cut("n3", "n2", one_way=True)')
        await here.press("up", "up", "4")
        await here.sees('await cluster.cut("n3", "n4", one_way=True)')
        await here.press("left", "left")  # over n3, which is the other end: they change places
        await here.sees('await cluster.cut("n4", "n2", one_way=True)')
        await here.click_in("#first", "n4")
        await here.click_in("#ways", "both ways")
        await here.sees('await cluster.cut("n4", "n2")')
        await here.press("enter")
        assert here.hands.done == ['cluster.cut("n4", "n2")']


@in_loop
async def test_several_links_are_broken_in_one_deed() -> None:
    async with acting(Living(story=NONE_IS_GONE)) as here:
        await here.press("b", "s", "enter", "down", "asterisk")
        await here.sees('await cluster.slow("n1", ["n2", "n3", "n4"], 200 *')
        await here.press("down", "right", "right")  # all links into n1
        await here.sees("[3 nodes→n1]")
        await here.press("enter")
        await here.press("b", "c", "enter", "space", "right", "space")
        await here.sees('await cluster.cut(["n1", "n2"], ')
        await here.press("down", "asterisk")
        await here.sees('await cluster.cut(["n1", "n2"], ["n3", "n4"])')
        await here.press("enter")
        assert here.hands.done == [
            'cluster.slow(["n2", "n3", "n4"], "n1", 200 * MILLISECOND, jitter=0, one_way=True)',
            'cluster.cut(["n1", "n2"], ["n3", "n4"])',
        ]


async def mark(here: Acting, *links: str) -> None:
    for link in links:
        here.session.chosen.node, _, here.session.chosen.other = link.partition(">")
        await here.press("m")


@in_loop
async def test_links_that_are_no_block_are_marked_and_get_one_deed() -> None:
    async with acting(Living(story=NONE_IS_GONE), 120, 40) as here:
        await here.press("2")
        await mark(here, "n1>n2", "n2>n3", "n4>n1", "n4>n1", "n3>n2")
        assert list(here.session.chosen.links) == [("n1", "n2"), ("n2", "n3"), ("n3", "n2")]
        await here.sees("Links: 3 marked ✓, b breaks these links")
        await here.until(lambda: here.text().count("✓") == 4)
        await here.press("b", "c", "enter")
        await here.sees('await cluster.cut(["n1", "n3"], "n2", one_way=True)')
        await here.press("enter")
        assert here.hands.done == [
            'cluster.cut(["n1", "n3"], "n2", one_way=True)',
            'cluster.cut("n2", "n3", one_way=True)',
        ]
        await here.until(lambda: "marked" not in here.text())


@in_loop
async def test_the_menu_may_still_be_for_another_link_and_other_deeds_do_not_ask_for_them() -> None:
    async with acting(Living(story=NONE_IS_GONE), 120, 40) as here:
        await here.press("2")
        await mark(here, "n3>n4", "n1>n2")
        await here.press("b", "h")
        await here.sees("the 2 marked")
        await here.press("k")
        await here.until(lambda: "the 2 marked" not in here.text())
        await here.press("c", "enter", "down", "down", "left")
        await here.sees('await cluster.cut("n2", "n1", one_way=True)')
        await here.press("up", "up", "1")
        await here.press("escape", "escape")
        assert here.hands.done == []
        await here.press("1", "b", "c")
        await here.until(lambda: "marked" not in here.text())


@in_loop
async def test_of_a_run_that_is_over_no_link_is_marked() -> None:
    source = Living(story=NONE_IS_GONE)
    async with acting(source) as here:
        source.over()
        await here.press("2", "down", "m")
        assert here.session.chosen.links == {}
        assert here.said == ["this run is over: it can be looked at, and nothing can be done to it any more"]
