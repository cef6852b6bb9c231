"""Close enough, the timeline shows which message led from which lane to which; from afar it shows none."""

from __future__ import annotations

import pytest
from tests.tui.panels.stories import session_of

from shaketable.node import events as e
from shaketable.tui.model.session import Session
from shaketable.tui.panels.lanes import lanes
from shaketable.tui.panels.timescale import zoomed
from shaketable.tui.text import plain


@pytest.fixture
def claim() -> Session:
    session = session_of("chaos/cluster/crashes.py", "kill-the-master", 1)
    session.work(float("inf"))
    at = next(place for place, record in enumerate(session.store) if isinstance(record.event, e.ClaimFinished))
    session.move(at + 1)
    return session


def closest(session: Session) -> None:
    while (span := zoomed(session, True)) is not None:
        session.chosen.span = span


def test_a_claim_goes_down_to_those_that_are_asked_and_their_answers_come_back(claim: Session) -> None:
    closest(claim)
    text = plain(lanes(claim, 120, 30))
    rows = [line for line in text.splitlines() if line.lstrip("▸ ").startswith(("n2", "n3", "n4"))]
    n2, n3, n4 = rows
    assert "╶" in n2, "the claim leaves n2"
    assert "▼" in n3
    assert "▼" in n4
    asked = n4.index("▼")
    assert n3[asked] == "│", "what goes to n4 passes n3"
    assert "╶" in n3[n3.index("▼") :] or "╌" in n3[n3.index("▼") :], "and n3 answers"


def test_an_arrow_leads_to_the_event_that_its_message_led_to(claim: Session) -> None:
    closest(claim)
    spans = [span for line in lanes(claim, 120, 30) for span in line if "▼" in span.text and span.role == "moving"]
    events = {type(claim.store[int(span.target.removeprefix("event:"))].event) for span in spans}
    assert events == {e.ClaimConsented}


def moved_to(session: Session, kind: type[e.Event]) -> Session:
    session.work(float("inf"))
    at = next(place for place, record in enumerate(session.store) if isinstance(record.event, kind))
    session.move(at + 1)
    return session


def lanes_of(session: Session) -> dict[str, str]:
    rows = plain(lanes(session, 120, 30)).splitlines()
    return {row.lstrip("▸ ").split(" ")[0]: row for row in rows if row.lstrip("▸ ").startswith("n")}


def test_an_arrow_of_a_message_that_its_sender_dropped_ends_on_its_way() -> None:
    session = moved_to(session_of("chaos/migration/searching.py", "the-question-goes-astray", 1), e.FilterMatched)
    closest(session)
    text = plain(lanes(session, 120, 30))
    (mark,) = [span for line in lanes(session, 120, 30) for span in line if span.text == "×" and span.target]
    assert isinstance(session.store[int(mark.target.removeprefix("event:"))].event, e.FilterMatched)
    assert "╶" in lanes_of(session)["n2"], text
    assert "×" not in lanes_of(session)["n4"], "it never came there"


def test_a_lane_marks_from_afar_where_messages_were_missed() -> None:
    session = moved_to(session_of("chaos/storms/storm.py", "storm", 1), e.MessagesLost)
    assert "×" in lanes_of(session)["n6"]
    assert "× lost messages" in plain(lanes(session, 120, 30))


def test_from_afar_there_are_none(claim: Session) -> None:
    claim.chosen.span = None
    text = plain(lanes(claim, 120, 30))
    assert "╶" not in text
