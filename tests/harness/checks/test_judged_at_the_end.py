"""A rule that is judged at the end of a run is broken there, and not at the last event that made it so."""

from __future__ import annotations

import pytest
from tests import where
from tests.notation.notation import Case, cases, history_of

from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.checks.membership import settled
from shaketable.harness.checks.partitions import balanced
from shaketable.harness.checks.registry import run_checks
from shaketable.harness.checks.result import BROKEN
from shaketable.harness.history.history import History
from shaketable.node.config import DEFAULT

DATA = where.DATA / "checks"


def broken(name: str) -> list[Case]:
    told = cases((DATA / f"{name}.txt").read_text(encoding="utf-8"))
    return [case for case in told if case.expected.startswith(BROKEN)]


@pytest.mark.parametrize(
    ("name", "case"),
    [pytest.param(name, case, id=case.title) for name in (settled.NAME, balanced.NAME) for case in broken(name)],
)
@pytest.mark.parametrize(
    ("last", "kind"), [("the script ends\n+1s\nn1 fails", "ScriptEnded"), ("expected: x", "Expected")]
)
def test_its_proof_ends_where_the_run_does(name: str, case: Case, last: str, kind: str) -> None:
    history = History(history_of(f"{case.story}\n@2000s\n{last}", ends=False))
    (result,) = run_checks(history, Bounds(DEFAULT), [name])
    assert result.status == BROKEN
    for violation in result.violations:
        end = violation.proof[-1]
        assert (end.time, end.kind) == (history.end, kind)
        assert len(violation.proof) > 1, "what made it so is told as before"
