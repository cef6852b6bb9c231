"""How late a machine may be, by the settings of a run; what follows from it is in tests/data/verdicts.txt."""

from __future__ import annotations

from shaketable.harness.verdicts.busy import patience
from shaketable.node.config import FAST, GMS
from shaketable.node.core.env import MILLISECOND, SECOND


def test_the_shortest_wait_for_an_answer_counts_by_family() -> None:
    assert patience(FAST) == FAST.backup_timeout == 500 * MILLISECOND
    group = FAST.with_values({"family": GMS})
    assert patience(group) == group.gms_verify_timeout == 300 * MILLISECOND
    assert patience(FAST.with_values({"heartbeat_timeout_seconds": 0.6})) == 300 * MILLISECOND
    assert patience(FAST.with_values({"join_patience_seconds": 0.1})) == SECOND // 10
