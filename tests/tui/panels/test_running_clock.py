"""The clock of the top line."""

from shaketable.harness.records import HARNESS, NodeNamed, Record
from shaketable.node.core.env import SECOND
from shaketable.tui.model.history.store import Store
from shaketable.tui.model.run_facts import RunFacts
from shaketable.tui.model.session import Session
from shaketable.tui.panels.heading import heading
from shaketable.tui.text import plain

FACTS = RunFacts(script="", world="real", fabric="", seed=1, preset="fast", settings={})


def test_it_goes_on_where_nothing_happens_as_long_as_the_end_is_followed() -> None:
    store = Store([Record(2 * SECOND, HARNESS, "", 0, NodeNamed("n1", "127.0.0.1:5701"))])
    session = Session(FACTS, store, live=True, following=True, now=5 * SECOND)
    session.move(1)
    session.following = True
    assert "5.000 s" in shown(session)
    session.following = False
    assert "2.000 s" in shown(session)
    session.live = False
    assert "2.000 s" in shown(session)


def shown(session: Session) -> str:
    return plain(heading(session, 120, 1))
