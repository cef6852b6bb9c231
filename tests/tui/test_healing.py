"""Faults that are on are taken off by hand: the last one, any of them, all; by keys, from their list, by a click."""

from __future__ import annotations

from tests.node.process.process_helpers import in_loop
from tests.tui.acting import acting

from shaketable.harness.records import FaultAsked, FaultEnded, FaultTook
from shaketable.tui.widgets.panel import Panel


@in_loop
async def test_undo_heals_the_last_fault_again_and_again() -> None:
    async with acting() as here:
        here.source.fault(2, "cut")
        await here.press("u")
        here.source.tell(FaultEnded(2, "healed"))
        await here.press("u")
        here.source.tell(FaultEnded(1, "healed"))
        await here.press("u", "U", "H")
        assert here.hands.healed == [2, 1]
        assert here.said[-2:] == ["no fault is on", "no fault is on"]


@in_loop
async def test_any_fault_is_healed_from_the_list_of_those_that_are_on() -> None:
    async with acting() as here:
        here.source.fault(2, "cut")
        here.source.fault(3, "slow")
        await here.press("U")
        await here.sees("▸ #3")
        await here.press("up", "enter")
        assert here.hands.healed == [2]
        await here.press("U")
        await here.click_in("#on", "#1", times=2)
        assert here.hands.healed == [2, 1]
        await here.press("U", "escape")
        assert here.hands.healed == [2, 1]


@in_loop
async def test_a_running_flap_is_one_of_them_and_its_present_cut_is_none() -> None:
    async with acting() as here:
        here.source.tell(FaultAsked(190, "flap", (), (), "n1->n2: 500 ms cut, 500 ms whole", True, False, ("flap",)))
        of, kinds = "of fault 190", ("flap", "cut")
        here.source.tell(FaultAsked(191, "flap by cut", (), ("n1->n2",), of, True, True, kinds, part_of=190))
        here.source.tell(FaultTook(191, "its sender has it down"))
        here.source.tell(FaultTook(190, "its first cut took effect"))
        await here.press("U")
        await here.sees("▸ #190 flap n1->n2: 500 ms cut, 500 ms whole  since")
        await here.sees("all of them  2 faults")
        await here.press("escape", "u")
        here.app.heal(191)
        assert here.hands.healed == [190, 190]


@in_loop
async def test_two_clicks_on_a_fault_heal_it_and_on_a_link_open_the_menu_for_it() -> None:
    async with acting(None, 120, 40) as here:
        panel = here.app.query_one("#nodes", Panel)
        here.app.post_message(Panel.Chosen("fault:1", panel))
        here.app.post_message(Panel.Chosen("fault:1", panel, again=True))
        await here.until(lambda: here.hands.healed == [1])
        here.app.post_message(Panel.Chosen("link:n3->n2", panel, again=True))
        await here.sees('await cluster.cut("n3", "n2")')


@in_loop
async def test_heal_all_asks_once_where_there_is_more_than_one_fault() -> None:
    async with acting() as here:
        await here.press("H")
        assert here.hands.healed == [1]
        here.source.fault(2, "cut")
        await here.press("H")
        await here.sees("▸ all of them")
        assert here.hands.done == []
        await here.press("enter")
        assert here.hands.done == ["cluster.heal_all()"]
