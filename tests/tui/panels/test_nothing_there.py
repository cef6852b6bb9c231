"""No panel is empty without a word on what would be there, and the key that brings it."""

from __future__ import annotations

import pytest
from tests.node.process.process_helpers import in_loop
from tests.tui.panels.stories import PANELS
from tests.tui.showing import Shown, drawn, panel, until

from shaketable.harness.records import HARNESS, NodeNamed, Record
from shaketable.tui.actions import ACTIONS
from shaketable.tui.app import ShaketableApp
from shaketable.tui.dialogs.pick_script import PickScript
from shaketable.tui.model.history.store import Store
from shaketable.tui.model.run_facts import RunFacts
from shaketable.tui.model.session import Session
from shaketable.tui.panels import nothing as of
from shaketable.tui.text import plain, width_of

NEVER_EMPTY = ("heading", "proof", "receipts", "difference")
"""the top line, and what shows the rule, the verdict or its key anyway"""
BY_ITSELF = "the checks judge it while it goes on"
BRINGS = {
    "cluster": "a: one more node",
    "node": "a: one more node",
    "flows": "a: one more node",
    "matrix": "a: one more node",
    "events": "b: break something",
    "note": "b: break something",
    "lanes": "b: break something",
    "steps": "b: break something",
    "ring": "a: one more node",
    "doubts": "b: break something",
    "notifications": "a: one more node",
    "map": "b: work, or put: a client uses the data",
    "queue": "b: work, or put: a client uses the data",
    "guarantees": BY_ITSELF,
}
EMPTY = [name for name in PANELS if name not in NEVER_EMPTY]


def session(script: str = "", *, live: bool = True, speed: float | None = 1.0) -> Session:
    facts = RunFacts(script, "sim", "simulated", 1, "fast")
    return Session(facts, Store(complete=not live), live=live, speed=speed)


def shown(name: str, of_session: Session) -> str:
    return plain(PANELS[name](of_session, 120, 12))


@pytest.mark.parametrize("name", EMPTY)
def test_an_empty_panel_names_the_key_that_fills_it(name: str) -> None:
    assert BRINGS[name] in shown(name, session())
    assert "space: the world stands, and goes on" in shown(name, session(speed=0))
    script = BY_ITSELF if name == "guarantees" else "7: what the script does now"
    assert script in shown(name, session("some-script"))
    assert "o: run a script · O: open a recording" in shown(name, session(live=False))


def test_what_comes_later_in_the_run_is_there_at_its_end() -> None:
    store = Store([Record(5, HARNESS, "", 1, NodeNamed("n1", "127.0.0.1:1"))], complete=True)
    before = Session(RunFacts("", "sim", "simulated", 1, "fast"), store, live=False, following=False)
    assert shown("cluster", before).strip() == "no node yet · end: to the end of the run"


@pytest.mark.parametrize("name", EMPTY)
def test_it_has_room_anywhere(name: str) -> None:
    for width in (1, 20, 37, 60):
        assert all(width_of(each) <= width for each in PANELS[name](session(live=False), width, 12))


def test_what_brings_something_is_an_action_and_its_key_or_the_user_s_own() -> None:
    keys = {action.name: action.keys.split(",") for action in ACTIONS}
    brings = [each for each in vars(of).values() if isinstance(each, of.Brings) and each.action]
    assert brings
    assert all(each.key in keys[each.action] for each in brings)
    own = session()
    own.keys = {"one_more": "f7"}
    assert "f7: one more node" in shown("cluster", own)


@in_loop
async def test_a_click_on_it_does_the_same_as_the_key() -> None:
    app = ShaketableApp(Shown(session(live=False)))
    async with app.run_test(size=(80, 24)) as pilot:
        nodes = panel(pilot, "nodes")
        await until(pilot, lambda: "run a script" in drawn(nodes)[0])
        await pilot.click("#nodes", offset=(drawn(nodes)[0].index("run a script") + 1, 1))
        await until(pilot, lambda: isinstance(pilot.app.screen, PickScript))
