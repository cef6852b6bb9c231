"""In the links' panel a fault has a symbol of its own, and says of which nodes or links it is, if of any."""

from __future__ import annotations

import pytest
from tests.notation.notation import history_of
from tests.notation.notation_faults import kinds_of

from shaketable.harness import records as h
from shaketable.harness.records import Record
from shaketable.tui.model.history.store import Store
from shaketable.tui.model.run_facts import RunFacts
from shaketable.tui.model.session import Session
from shaketable.tui.panels.flows import flows
from shaketable.tui.panels.matrix import DONE
from shaketable.tui.text import plain


def shown(verb: str, nodes: tuple[str, ...] = (), detail: str = "") -> str:
    """The line of such a fault, which is on."""
    records = history_of("n1 installs v2 [n1 n2]\nn2 installs v2 by n1 [n1 n2]", ends=False)
    asked, took = h.FaultAsked(1, verb, nodes, (), detail, True, False, kinds_of(verb)), h.FaultTook(1, "seen")
    records += [Record(9_000_000 + number, "", "", 90 + number, event) for number, event in enumerate((asked, took))]
    session = Session(RunFacts("a-story", "sim", "", 1, "fast"), Store(records, complete=True), live=False)
    session.follow()
    lines = plain(flows(session, 100, 30)).splitlines()
    return next(each for each in lines if "fault 1" in each)


def test_a_load_is_of_no_link_and_says_none() -> None:
    assert shown("load", detail="busy 4") == "   % load  busy 4  fault 1"


def test_a_clock_is_told_from_a_node_that_is_held() -> None:
    assert shown("clock", ("n2",), "jump 2 s") == "   ± clock  jump 2 s  fault 1  of n2"
    assert shown("hold", ("n2",)) == "   ■ hold  fault 1  of n2"


@pytest.mark.parametrize("verb", ["clock", "load", "kill", "leave", "restart"])
def test_what_is_done_to_no_link_has_no_symbol_of_what_is_done_to_one(verb: str) -> None:
    assert shown(verb)[3] not in DONE.values()
