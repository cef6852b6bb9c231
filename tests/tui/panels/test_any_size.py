"""A panel can be drawn in any size, at any moment: no line is too wide, and nothing is said by colour alone."""

from __future__ import annotations

import pytest
from tests.tui.panels.stories import PANELS, session_of

from shaketable.tui.model.session import Session
from shaketable.tui.text import ROLES, plain, width_of

WIDTHS = (1, 2, 5, 13, 20, 37, 59, 60, 61, 78, 99, 100, 139, 140, 200, 300)
ANY_SIZE = ("cluster", "difference", "events", "heading", "node")
HEIGHTS = (1, 2, 3, 10, 58)
MOMENTS = (0.0, 0.002, 0.806, 3.9, 4.356, 4.357, 7.05, 100.0)
SCRIPTS = (("chaos/claims.py", "two-claims-at-once"), ("tests/tui/panels/scenes.py", "every-state"))


@pytest.mark.parametrize("panel", ANY_SIZE)
@pytest.mark.parametrize(("file", "name"), SCRIPTS, ids=[name for _, name in SCRIPTS])
def test_a_panel_fits(panel: str, file: str, name: str) -> None:
    session = session_of(file, name, 1)
    session.chosen.other = "n2"
    for moment in MOMENTS:
        session.go_to(round(moment * 1_000_000))
        for width in WIDTHS:
            for height in HEIGHTS:
                lines = PANELS[panel](session, width, height)
                assert lines
                assert all(width_of(each) <= width for each in lines), (moment, width, plain(lines))
                assert all(span.role in ROLES for each in lines for span in each)
                if panel in ("events", "heading"):
                    assert len(lines) <= height


def test_where_nothing_has_happened_each_panel_says_so() -> None:
    session = session_of(*SCRIPTS[0], 1)
    empty = Session(session.facts, type(session.store)(complete=True), live=False)
    for panel, draw in PANELS.items():
        lines = draw(empty, 60, 10)
        assert plain(lines).strip(), panel
