"""Breaking things by hand: every deed of the menu by keyboard and by mouse, taken off where it lasts; and why not."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.lengths import mostly_by_night, one_in
from tests.node.process.process_helpers import in_loop
from tests.tui.acting import NONE_IS_GONE, Acting, Living, acting
from tests.tui.showing import drawn
from textual.events import Key
from textual.widgets import Input

from shaketable.harness.records import FaultEnded
from shaketable.node.config import CLUSTER, GMS
from shaketable.tui.dialogs.break_menu import BreakMenu
from shaketable.tui.model.hands.calls import DEEDS, Deed
from shaketable.tui.panels.deeds import GROUPS
from shaketable.tui.text import target_of
from shaketable.tui.widgets.panel import Panel

EXPECTED = {
    "cut": 'cluster.cut("n1", "n2")',
    "blackhole": 'cluster.blackhole("n1", "n2")',
    "slow": 'cluster.slow("n1", "n2", 200 * MILLISECOND, jitter=0)',
    "thin": 'cluster.thin("n1", "n2", 10000)',
    "flap": 'cluster.flap("n1", "n2", down=500 * MILLISECOND, up=500 * MILLISECOND)',
    "reset": 'cluster.reset("n1", "n2")',
    "slice": 'cluster.slice("n1", "n2")',
    "lose_datagrams": 'cluster.lose_datagrams("n1", "n2", percent=30)',
    "delay_datagrams": 'cluster.delay_datagrams("n1", "n2", 500 * MILLISECOND, percent=100)',
    "repeat_datagrams": 'cluster.repeat_datagrams("n1", "n2", percent=100, later=10 * MILLISECOND)',
    "isolate": 'cluster.isolate("n1", how="cut")',
    "pause": 'cluster.pause("n1")',
    "resume": 'cluster.resume("n3")',
    "kill": 'cluster.kill("n1")',
    "restart": 'cluster.restart("n4")',
    "leave": 'cluster.leave("n1")',
    "clock": 'cluster.clock("n1", jump=10 * SECOND, rate_ppm=0)',
    "drop": 'cluster.drop("membersupdate", sender="n1")',
    "hold_back": 'cluster.hold_back("membersupdate", sender="n1")',
    "delay": 'cluster.delay("membersupdate", 500 * MILLISECOND, sender="n1")',
    "hold": 'cluster.hold("n1", "ViewInstalled", nth=1)',
    "split": 'cluster.split(["n1"], ["n2", "n3"], how="cut")',
    "load": "cluster.load(4)",
    "heal_link": 'cluster.heal_link("n1", "n2")',
    "start": "cluster.start()",
    "work": 'cluster.work("n1", map="data", clients=1, keys=10, size=0, writes_percent=50, pause=50 * MILLISECOND)',
    "stop_work": 'cluster.stop_work("n1")',
    "put": 'cluster.put("n1", "k1", "v1", map="data")',
    "get": 'cluster.get("n1", "k1", map="data")',
    "remove": 'cluster.remove("n1", "k1", map="data")',
    "read_back": 'cluster.read_back("n1", map="data")',
    "take_stock": "cluster.take_stock()",
    "member_list": 'cluster.member_list("n1")',
    "set_member_list": 'cluster.set_member_list("n1", ["n1", "n2", "n3", "n4"])',
    "update_config": 'cluster.update_config("n1", ["n1", "n2", "n3", "n4"])',
    "write_config_file": 'cluster.write_config_file("n1", ["n1", "n2", "n3", "n4"])',
    "reload_config": 'cluster.reload_config("n1")',
    "talk": 'cluster.talk("n1", every=100 * MILLISECOND)',
    "start_group": 'cluster.start_group("n1", ["n4"])',
    "stop_group": 'cluster.stop_group("n1")',
    "hint": 'cluster.hint("n1", "n4")',
    "heal_all": "cluster.heal_all()",
    "note": 'cluster.note("here")',
}
"""with the values that the form offers, and the nodes that it chooses"""


async def undone(here: Acting, number: int, by_mouse: bool) -> None:
    """The fault is on; it is the last one, so `undo` ends it."""
    here.source.fault(number, "fault")
    if by_mouse:
        await here.click_key("undo")
    else:
        await here.press("u")
    assert here.hands.healed[-1] == number
    here.source.tell(FaultEnded(number, "it ended"))


def in_order(family: str) -> list[Deed]:
    """As they stand in the menu."""
    return [deed for of, _ in GROUPS for deed in DEEDS if deed.of == of and deed.family in ("", family)]


IN_ORDER = in_order(CLUSTER)
OF_A_GROUP = {"family": "gms", "gms_udp": "both"}
ASKED = {"rest_enabled": True}
PARTS = [IN_ORDER[start : start + 8] for start in range(0, len(IN_ORDER), 8)]
PARTS_BY_NAME = [pytest.param(part, id=part[0].verb) for part in PARTS]


async def click_deed(here: Acting, verb: str) -> None:
    """In the menu; scrolled to, as the wheel would."""
    panel = here.app.screen.query_one("#deeds", Panel)
    await here.until(lambda: bool(panel._lines))
    targets = [target_of(spans) for spans in panel._lines]
    number = targets.index(f"deed:{verb}")

    def in_sight() -> bool:
        panel.scroll_to(y=max(0, number - 3), animate=False)  # does nothing before the panel knows its height
        return verb.replace("_", " ") in "".join(drawn(panel))

    await here.until(in_sight)
    await here.pilot.click("#deeds", offset=(5, number - int(panel.scroll_offset.y)))
    await here.until(lambda: panel.here() == f"deed:{verb}")


def test_what_is_expected_of_each_deed_is_said_here() -> None:
    assert list(EXPECTED) == [deed.verb for deed in DEEDS]


@pytest.mark.parametrize("deeds", mostly_by_night(2, one_in(4, PARTS_BY_NAME)))
@in_loop
async def test_every_deed_is_done_and_undone_by_keyboard(deeds: list[Deed]) -> None:
    async with acting(Living(settings=ASKED), 80, 24) as here:
        for number, deed in enumerate(deeds):
            # It opens where it was left.
            await here.press("b", *["down"] * (1 if number else IN_ORDER.index(deed)), "enter")
            if isinstance(here.app.screen, BreakMenu):
                await here.press("enter")
            assert here.hands.done[number:] == [EXPECTED[deed.verb]], here.text()
            if deed.lasts:
                await undone(here, 100 + number, by_mouse=False)


@pytest.mark.parametrize("deeds", mostly_by_night(2, one_in(4, PARTS_BY_NAME)))
@in_loop
async def test_every_deed_is_done_and_undone_by_mouse(deeds: list[Deed]) -> None:
    async with acting(Living(settings=ASKED), 100, 40) as here:
        for number, deed in enumerate(deeds):
            await here.click_key("break")
            await click_deed(here, deed.verb)
            await here.click("Do it")
            assert here.hands.done[number:] == [EXPECTED[deed.verb]], here.text()
            if deed.lasts:
                await undone(here, 100 + number, by_mouse=True)


@in_loop
async def test_what_only_a_group_has_is_done_by_keyboard_and_by_mouse() -> None:
    theirs = [deed for deed in in_order(GMS) if deed.family == GMS]
    async with acting(Living(settings=OF_A_GROUP), 100, 40) as here:
        before = 0
        for deed in theirs:  # it opens where it was left
            at = in_order(GMS).index(deed)
            await here.press("b", *["down"] * (at - before), "enter", "enter")
            before = at
        assert here.hands.done == [EXPECTED[deed.verb] for deed in theirs], here.text()
        await here.click_key("break")
        await click_deed(here, "repeat_datagrams")
        await here.click("Do it")
        assert here.hands.done[len(theirs) :] == [EXPECTED["repeat_datagrams"]], here.text()
        await undone(here, 100, by_mouse=False)


@in_loop
async def test_a_group_has_no_data_and_sends_datagrams_only_where_its_settings_say_so() -> None:
    async with acting(Living(settings={"family": "gms", "gms_udp": "none"}), 100, 40) as here:
        await here.press("b")
        panel = here.app.screen.query_one("#deeds", Panel)
        await here.until(lambda: bool(panel._lines))
        shown = "\n".join(drawn(panel))
        assert "lose datagrams" in shown
        assert "gms_udp is none" in shown
        assert "read back" not in "\n".join("".join(span.text for span in spans) for spans in panel._lines)
        await click_deed(here, "drop")
        await here.sees('await cluster.drop("healthmessage", sender="n1")')


@in_loop
async def test_the_menu_takes_letters_marks_its_field_and_loses_no_key_after_enter() -> None:
    async with acting() as here:
        await here.press("b", "k")
        await here.sees('await cluster.kill("n1")')
        await here.press("p")
        await here.sees('await cluster.pause("n1")')
        await here.press("p")  # the next one that begins so
        await here.sees('await cluster.put("n1", "k1", "v1", map="data")')
        await here.press("s")
        await here.sees("await cluster.slow(")
        assert "▸ from" not in here.text()
        for key in ("enter", "2"):  # the one at once after the other
            here.app.post_message(Key(key, key if len(key) == 1 else None))
        await here.sees("[n2]")
        await here.sees("▸ from")
        await here.press("down")
        await here.sees("▸ to")
        assert "▸ from" not in here.text()


@in_loop
async def test_what_is_wrong_with_a_value_is_said_beside_it_and_nothing_is_done() -> None:
    async with acting(None, 80, 24) as here:
        await here.press("b", "down", "down", "enter", "down", "down", "down", "down")
        await here.type("999")
        await here.sees("✗ no more than")
        await here.sees("✗ jitter: no more than the latency")
        await here.press("enter")
        assert here.hands.done == []
        await here.press("up", "backspace")
        await here.sees("✗ for example")
        await here.type("1000")
        await here.sees("jitter=999 *")
        await here.press("enter")
        assert here.hands.done == ['cluster.slow("n1", "n2", SECOND, jitter=999 * MILLISECOND)']


@in_loop
async def test_the_groups_of_a_split_are_typed_or_clicked_and_looked_at() -> None:
    async with acting(Living(story=NONE_IS_GONE), 80, 24) as here:
        await here.press("b", "s", "s", "s", "s", "s")
        await here.sees("all links between groups")
        await here.press("enter")
        for typed, said in (
            ("n1 n9 | n2", "✗ groups: there is no node n9"),
            ("n1", "✗ groups: give two groups or more"),
            ("n1 | | n2", "✗ groups: give two groups or more"),
            ("n1 n2 | n2", "✗ groups: n2 is there twice"),
            (" ", "✗ groups: for example n1 | n2"),
        ):
            here.app.screen.query_one("#value0", Input).value = typed
            await here.sees(said)
            await here.press("enter")
            assert here.hands.done == []
        here.app.screen.query_one("#value0", Input).value = "n3,n1|n2 | n4"
        await here.sees('await cluster.split(["n3", "n1"], ["n2"],')
        await here.click_in("#words0", "›")
        await here.click_in("#words0", "n1 | n2 n3 n4")
        await here.click_in("#words1", "blackhole")
        await here.click("Do it")
        assert here.hands.done == ['cluster.split(["n1"], ["n2", "n3", "n4"], how="blackhole")']


@in_loop
async def test_words_are_clicked_as_well_as_typed() -> None:
    async with acting(None, 80, 24) as here:
        await here.press("b", "d")
        await here.click_in("#words0", "›")
        await here.press("enter")
        await here.click_in("#words0", "‹")
        here.app.screen.query_one("#value0", Input).value = "heartb"
        await here.click_in("#words0", "heartbeat")
        await here.sees('await cluster.drop("heartbeat", sender="n1")')
        await here.click_in("#words0", "›")  # one that is meant: all others are offered again


@in_loop
async def test_a_unit_has_room_beside_its_field() -> None:
    async with acting(None, 80, 24) as here:
        await here.press("b", "c", "c")
        await here.until(lambda: any(row.rstrip(" │").endswith(" millionths") for row in here.text().split("\n")))


@in_loop
async def test_what_cannot_be_done_now_is_there_with_the_reason_and_is_not_done() -> None:
    source = Living(story="n1 installs v1 [n1]")
    async with acting(source) as here:
        await here.press("b")
        await here.sees("✗ there is no link")
        await here.press("enter", "enter", "enter")
        await here.press("escape", "r", "r", "r")
        await here.sees("✗ no node has ended")
        await here.press("enter", "enter")
        assert here.hands.done == []
        await here.press("escape", "escape")
        assert not isinstance(here.app.screen, BreakMenu)


@in_loop
async def test_the_keys_of_a_node_hit_the_chosen_one() -> None:
    async with acting() as here:
        await here.press("K")
        assert here.said[-1] == "choose the node first, by ↑ ↓ or a click: kill is done to the chosen one"
        here.session.chosen.node = "n2"
        await here.press("K", "enter", "p", "L", "y", "r")
        assert here.said[-1] == "n2 cannot be started again: it still runs; kill it, or let it leave, first"
        here.session.chosen.node = "n3"
        await here.press("p")
        here.session.chosen.node = "n4"
        await here.press("K")
        assert here.said[-1] == "n4 cannot be killed: it has ended; r starts it again"
        await here.press("r", "a")
        assert here.hands.done == [
            'cluster.kill("n2")', 'cluster.pause("n2")', 'cluster.leave("n2")', 'cluster.resume("n3")',
            'cluster.restart("n4")', "cluster.start()",
        ]  # fmt: skip


@in_loop
async def test_the_footer_says_whom_a_key_would_hit_and_a_click_there_does_it() -> None:
    async with acting(None, 80, 24) as here:
        here.session.chosen.node = "n3"
        here.app.draw()
        await here.click_key("resume n3")
        await here.click_key("kill n3")
        await here.click("Yes")
        assert here.hands.done == ['cluster.resume("n3")', 'cluster.kill("n3")']
        here.session.chosen.node = "n4"
        here.app.draw()
        await here.click_key("restart n4")
        assert "kill" not in here.text().split("\n")[-1]


@in_loop
async def test_the_receipt_is_told_or_the_trouble() -> None:
    async with acting() as here:
        here.hands.trouble = "n2 is not a node of this run"
        here.session.chosen.node = "n2"
        await here.press("K", "enter")
        assert here.said[-1] == 'cluster.kill("n2"): n2 is not a node of this run'


@in_loop
async def test_what_came_of_a_deed_stands_above_the_keys_and_covers_no_event(monkeypatch: pytest.MonkeyPatch) -> None:
    async with acting() as here:
        here.session.chosen.node = "n2"
        body = here.app.query_one("#body").region.height
        await here.press("K", "enter")
        await here.until(lambda: '✓ cluster.kill("n2"): done' in here.text().split("\n")[-2])
        assert here.app.query_one("#body").region.height == body - 1
        await here.press("a")
        await here.until(lambda: "✓ cluster.start(): done" in here.text().split("\n")[-2])
        assert not here.app._notifications
        notices: list[str] = []
        monkeypatch.setattr(here.app, "notify", lambda message, **how: notices.append(message))
        here.hands.trouble = "it is gone"
        await here.press("K", "enter")
        await here.until(lambda: notices == ['cluster.kill("n2"): it is gone'])


HAND_KEYS = ("b", "u", "U", "H", "a", "K", "p", "r", "L")


@in_loop
async def test_nothing_is_done_to_a_run_that_is_over_or_that_a_script_drives() -> None:
    source = Living()
    source.over()
    async with acting(source) as here:
        for key in HAND_KEYS:
            await here.press(key)
            assert here.said == ["this run is over: it can be looked at, and nothing can be done to it any more"], key
            assert len(here.app.screen_stack) == 1, key
            here.app.heard.clear()
        source.session.live = True
        source.session.facts = Living(script="cut-and-heal").session.facts
        for key in HAND_KEYS:
            await here.press(key)
            assert len(here.said) == 1, key
            assert here.said[0].startswith("cut-and-heal runs: done by hand now, it would spoil"), key
            assert len(here.app.screen_stack) == 1, key
            here.app.heard.clear()


@in_loop
async def test_what_was_done_is_saved_under_a_free_name_and_nothing_is_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "chaos_by_hand.py").write_text("mine")
    async with acting() as here:
        here.source.by_hand(1, "cluster.kill('n2')")
        await here.press("s", "enter")
        assert (tmp_path / "chaos_by_hand_2.py").read_text() == "saved"
        assert here.said == ["saved: shaketable run chaos_by_hand_2.py --world sim --preset fast --seed 7"]
        here.source.over()
        await here.press("s")
        await here.sees("chaos_by_hand_3.py")
        await here.type("chaos_by_hand.py")
        await here.sees("✗ chaos_by_hand.py is there already: give another name")
        await here.press("enter")
        await here.sees("✗ chaos_by_hand.py is there already: give another name")
        await here.press("x", "enter")
        await here.sees("✗ chaos_by_hand.pyx: a chaos script ends in .py")
        assert (tmp_path / "chaos_by_hand.py").read_text() == "mine"
        await here.press("escape")
        assert len(here.app.screen_stack) == 1
