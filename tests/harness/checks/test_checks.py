"""Every check on the stories of tests/data/checks: what it must let pass, what it must catch, what it cannot judge.

A file is named after its check. Below the `----` of a case stand the status, what the check looked at, and, each on a
line of its own, the sentences of its violations and notes."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from tests import where
from tests.notation.notation import Case, cases, history_of

from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.checks.registry import CHECK_NAMES, CHECKS, run_checks
from shaketable.harness.checks.result import CheckResult
from shaketable.harness.history.history import History
from shaketable.harness.records import NodeConfigured, Record, RunBegan
from shaketable.harness.runs.run import Options, run_simulated
from shaketable.harness.scripting.cluster import Cluster
from shaketable.harness.scripting.scripts import script
from shaketable.node.config import DEFAULT
from shaketable.node.core.env import SECOND

DATA = where.DATA / "checks"
FILES = {name: DATA / f"{name.replace(' ', '_')}.txt" for name in CHECK_NAMES}
CASES = [
    pytest.param(name, case, id=f"{name}: {case.title}")
    for name, path in FILES.items()
    for case in cases(path.read_text(encoding="utf-8"))
]


OF_CLUSTERS = [check.name for check in CHECKS]


def bounds_of(records: Sequence[Record], name: str) -> Bounds:
    """By the settings of the story; those of a group where only groups have such a check."""
    began = records[0].event
    assert isinstance(began, RunBegan)
    return Bounds(DEFAULT.with_values(began.settings | ({} if name in OF_CLUSTERS else {"family": "gms"})))


def shown(result: CheckResult) -> str:
    lines = [f"{result.status}: {result.looked_at}"]
    lines += [violation.sentence for violation in result.violations]
    lines += [f"note: {note}" for note in result.notes]
    return "\n".join(lines)


@pytest.mark.parametrize(("name", "case"), CASES)
def test_a_check_says_what_the_case_expects(name: str, case: Case) -> None:
    """With proof for each violation, and whichever records arrive first."""
    records = history_of(case.story)
    bounds = bounds_of(records, name)
    (result,) = run_checks(History(records), bounds, [name])
    assert shown(result) == case.expected
    assert bool(result.violations) == (result.status == "broken")
    for violation in result.violations:
        assert 1 <= len(violation.proof) <= 6
        assert len(set(violation.proof)) == len(violation.proof)
    assert run_checks(History(reversed(records)), bounds, [name]) == (result,), "in the opposite order of arrival"


@pytest.mark.parametrize("name", CHECK_NAMES)
def test_the_data_of_each_check_shows_what_it_holds_breaks_and_cannot_see(name: str) -> None:
    said = [case.expected.split(":")[0] for case in cases(FILES[name].read_text(encoding="utf-8"))]
    assert {"held", "broken", "vacuous"} <= set(said)


@script(about=["detection"])
async def one_is_impatient(cluster: Cluster) -> None:
    """n3 bears a silence a third as long as the others do, n4 has the other detector."""
    third = cluster.settings.heartbeat_timeout // 3
    await cluster.form("n1", "n2")
    await cluster.join("n3", settings={"heartbeat_timeout_seconds": third / SECOND})
    await cluster.join("n4", settings={"failure_detector": "phi-accrual"})
    for name in ("n2", "n3", "n4"):
        await cluster.blackhole("n1", name, one_way=True)
    await cluster.sleep(2 * cluster.bounds.silence)


def test_nodes_with_settings_of_their_own_are_judged_by_them() -> None:
    run = run_simulated(one_is_impatient, Options("sim"))
    told = [record for record in run.records if isinstance(record.event, NodeConfigured)]
    bounds = Bounds(run.settings, run.allowance)
    (result,) = run_checks(History(run.records), bounds, ["detection"])
    assert result.status == "held", result.violations
    assert result.notes == ("n4: how soon silence is suspected is not judged (phi-accrual)",)
    (without,) = run_checks(History(record for record in run.records if record not in told), bounds, ["detection"])
    assert without.status == "broken"
