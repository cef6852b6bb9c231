"""A panel can be drawn in any size, at any moment: no line is too wide, and nothing is said by colour alone."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from tests.tui.panels.stories import PANELS, session_of

from shaketable.harness.history.words.cluster import tell
from shaketable.node.events import ClaimStarted, HeartbeatsCounted
from shaketable.tui.model.session import Session
from shaketable.tui.text import ROLES, Span, plain, width_of

WIDTHS = (1, 2, 5, 13, 20, 37, 59, 60, 61, 78, 99, 100, 139, 140, 200, 300)
ANY_SIZE = ("cluster", "difference", "events", "flows", "heading", "map", "matrix", "node", "queue")
HEIGHTS = (1, 2, 3, 10, 58)
MOMENTS = (0.0, 0.002, 0.806, 3.9, 4.356, 4.357, 7.05, 100.0)
SCRIPTS = (("chaos/cluster/claims.py", "two-claims-at-once"), ("tests/tui/panels/scenes.py", "every-state"))
OF_A_GROUP = ("ring", "doubts", "notifications")
OF_LINKS_AND_DATA = ("every-fault", "many-partitions")


def drawn(panel: str, session: Session, width: int, height: int) -> Sequence[tuple[Span, ...]]:
    """It is no wider, and has none but our roles."""
    lines = PANELS[panel](session, width, height)
    assert lines
    assert all(width_of(each) <= width for each in lines), (session.cursor, width, plain(lines))
    assert all(span.role in ROLES for each in lines for span in each)
    return lines


@pytest.mark.parametrize("panel", ANY_SIZE)
@pytest.mark.parametrize(("file", "name"), SCRIPTS, ids=[name for _, name in SCRIPTS])
def test_a_panel_fits(panel: str, file: str, name: str) -> None:
    session = session_of(file, name, 1)
    session.chosen.other = "n2"
    for moment in MOMENTS:
        session.go_to(round(moment * 1_000_000))
        for width in WIDTHS:
            for height in HEIGHTS:
                lines = drawn(panel, session, width, height)
                if panel in ("events", "heading"):
                    assert len(lines) <= height


@pytest.mark.parametrize("panel", ["flows", "map", "matrix", "queue"])
@pytest.mark.parametrize("name", OF_LINKS_AND_DATA)
def test_links_and_partitions_fit(panel: str, name: str) -> None:
    session = session_of("tests/tui/panels/links_and_data.py", name, 1)
    session.chosen.node, session.chosen.other, session.chosen.partition = "n1", "n2", 17
    session.chosen.links = {("n1", "n3"): True, ("n2", "n1"): True}
    for moment in (0.885, 1.5, 3.0, 5.5):
        session.go_to(round(moment * 1_000_000))
        for width in WIDTHS:
            drawn(panel, session, width, 10)


@pytest.mark.parametrize("panel", OF_A_GROUP)
def test_the_screen_of_a_group_fits(panel: str) -> None:
    session = session_of("chaos/groups/group_members.py", "group-neighbours-fall-silent-ring", 1)
    for moment in (0.0, 0.85, 3.4, 4.0, 20.0):
        session.go_to(round(moment * 1_000_000))
        for width in WIDTHS:
            for height in HEIGHTS:
                drawn(panel, session, width, height)


def test_where_nothing_has_happened_each_panel_says_so() -> None:
    session = session_of(*SCRIPTS[0], 1)
    empty = Session(session.facts, type(session.store)(complete=True), live=False)
    for panel, draw in PANELS.items():
        lines = draw(empty, 60, 10)
        assert plain(lines).strip(), panel


def test_what_has_not_changed_is_not_made_again() -> None:
    """The panel that draws looks first whether a line is the very same: 50 nodes and 10,000 events a second."""
    session = session_of(*SCRIPTS[0], 1)
    session.move(next(p for p in range(len(session.store)) if type(session.store[p].event) is ClaimStarted))
    before = {panel: PANELS[panel](session, 200, 60) for panel in ("cluster", "events")}
    session.step(1)
    rows = PANELS["cluster"](session, 200, 60)
    changed = [plain([now]) for now, then in zip(rows[1:], before["cluster"][1:], strict=True) if now is not then]
    assert len(changed) == 1
    assert "◇ claiming" in changed[0]
    here = session.cursor - 1
    old = {id(each): True for each in before["events"]}
    new = [plain([each]) for each in PANELS["events"](session, 200, 60) if id(each) not in old]
    # The one to which the cursor has come, the one that it left, and those that come into sight at the lower end.
    assert tell(session.store[here], session.store.names).split(" ", 1)[1] in "".join(new)
    assert len(new) <= 3


def test_what_is_told_each_period_makes_no_row_of_the_notifications_anew() -> None:
    session = session_of("chaos/groups/group_members.py", "group-neighbours-fall-silent-ring", 1)
    store = session.store
    counts = [place for place in range(len(store)) if type(store[place].event) is HeartbeatsCounted]
    assert len(counts) > 10
    for place in counts:
        session.move(place)
        before = PANELS["notifications"](session, 120, 20)
        session.step(1)
        now = PANELS["notifications"](session, 120, 20)
        assert len(now) == len(before)
        assert all(a is b for a, b in zip(now, before, strict=True))
