"""A request that comes late is no fault of the member that gets it."""

from __future__ import annotations

import pytest
from tests.notation.notation import history_of

from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.checks.merging import identities_renewed
from shaketable.harness.checks.registry import run_checks
from shaketable.harness.checks.result import BROKEN, HELD
from shaketable.harness.history.history import History
from shaketable.node.config import DEFAULT
from shaketable.node.events import Merging, ViewInstalled
from shaketable.node.events.base import Cause

STORY = """
n1 installs v3 [n1]
n3 installs v4 [n3 n4]
n5 installs v2 [n5]
n1 goes over to n3
n1' starts
"""


@pytest.mark.parametrize(
    ("taken_in", "since", "status"),
    [
        pytest.param("n5 installs v3 [n5 n1]", -1, HELD, id="asked before it went over"),
        pytest.param("n5 installs v3 [n5 n1]", 0, BROKEN, id="asked after that"),
        pytest.param("n5 installs v3 [n5 n1']\nn5 installs v4 [n5 n1' n1]", -1, BROKEN, id="its next one is known"),
    ],
)
def test_an_identity_that_is_given_up_is_taken_in_only_by_a_request_from_before(
    taken_in: str, since: int, status: str
) -> None:
    records = history_of(STORY + taken_in)
    (over,) = (record for record in records if isinstance(record.event, Merging))
    last = max(place for place, record in enumerate(records) if isinstance(record.event, ViewInstalled))
    cause = Cause("JoinRequest", over.sequence + since, told=False, sender=over.incarnation)
    records[last] = records[last]._replace(cause=cause)
    (result,) = run_checks(History(records), Bounds(DEFAULT), [identities_renewed.NAME])
    assert result.status == status
