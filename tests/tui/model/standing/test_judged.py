"""A rule that has not been judged yet is another thing than one that had nothing to look at."""

from __future__ import annotations

import pytest
from tests.tui.panels.stories import crowd, shown

from shaketable.harness.checks.result import HELD, VACUOUS, CheckResult
from shaketable.tui.model.standing.guarantees import NOT_JUDGED, NOTHING_SEEN, guarantees

CHECKS = (CheckResult("view order", "", HELD, "", 4), CheckResult("settled", "", VACUOUS, "", 0))


@pytest.mark.parametrize("checks", [(), CHECKS])
def test_a_check_that_has_looked_at_no_event_has_judged_nothing(checks: tuple[CheckResult, ...]) -> None:
    session = crowd(3)
    session.store.complete, session.live, session.checks = False, True, checks
    assert {each.state for each in guarantees(session)} == {NOT_JUDGED}
    assert "… not judged yet" in shown(session, "heading", 200, 1)
    assert "nothing seen" not in shown(session, "heading", 200, 1)
    assert "not judged yet" in shown(session, "guarantees", 100, 30).split("\n")[0]


def test_one_that_has_looked_says_that_it_saw_nothing() -> None:
    session = crowd(3)
    session.store.complete, session.live, session.checks, session.checked = False, True, CHECKS, 5
    assert [each.state for each in guarantees(session)][1] == NOTHING_SEEN
    assert "✓ 1 held  ✗ 0 broken  ○ 1 nothing seen" in shown(session, "heading", 200, 1)
