"""How each node stands, at one place of a history and then at another."""

from __future__ import annotations

from tests.tui.panels.stories import by_hand, session_of

from shaketable.tui.model.standing.standing import standings, standings_of
from shaketable.tui.natural import naturally


def test_names_are_in_their_natural_order() -> None:
    assert sorted(["n10", "n2", "b", "n1", "a7b", "2"], key=naturally) == ["2", "a7b", "b", "n1", "n2", "n10"]


def test_what_is_remembered_of_a_place_is_not_what_its_picture_became() -> None:
    session = session_of("chaos/cluster/claims.py", "two-claims-at-once", 3)
    session.go_to(4_300_000)
    before = [(each.name, each.state, each.role, each.node.version) for each in standings_of(session)]
    place = session.cursor
    session.beliefs.at(len(session.store))  # somebody else looks at the end, and nobody asks how the nodes stand there
    session.move(place)
    again = standings_of(session)
    assert [(each.name, each.state, each.role, each.node.version) for each in again] == before
    assert list(again) == standings(session.picture().observed)


def test_the_same_members_in_another_order_differ() -> None:
    session = by_hand("n1 installs v2 [n1 n2 n3]\nn2 installs v2 by n1 [n1 n2 n3]\nn3 installs v2 by n1 [n1 n3 n2]")
    assert [each.differs for each in standings_of(session)] == [(), (), ("another order",)]


def test_a_master_that_is_gone_or_follows_another_is_none() -> None:
    text = "n1 installs v2 [n1 n2 n3]\nn2 installs v2 by n1 [n1 n2 n3]\nn3 installs v2 by n1 [n1 n2 n3]\n"
    session = by_hand(f"{text}n2 follows n3\nn1 is killed")
    assert [each.differs for each in standings_of(session)] == [(), ("n3 is no master",), ("n1 is gone",)]
