"""Every crash in a long queue passes in virtual time, with both presets, and has come at the point that it is about."""

from __future__ import annotations

import pytest
from tests.chaos.shipped import SLOW
from tests.lengths import one_in

from shaketable.harness.history.crash_points import (
    COMMIT_SENT,
    COPIED,
    DESTINATION,
    DESTINATION_COMMITTED,
    FIRST_CHUNK,
    MASTER,
    MASTER_COMMITTED,
    OLD_BACKUP,
    OWNER,
)
from shaketable.harness.runs.judging import judged
from shaketable.harness.runs.run import Options, run_simulated
from shaketable.node.config import PRESETS

BACKUP = "MOVE of backup 1"
POINTS = {
    (MASTER, COPIED, BACKUP),
    (MASTER, DESTINATION_COMMITTED, BACKUP),
    (MASTER, MASTER_COMMITTED, BACKUP),
    (MASTER, COPIED, "MOVE of the owner"),
    (MASTER, DESTINATION_COMMITTED, "MOVE of the owner"),
    (MASTER, MASTER_COMMITTED, "MOVE of the owner"),
    (OWNER, FIRST_CHUNK, BACKUP),
    (OLD_BACKUP, DESTINATION_COMMITTED, BACKUP),
    (DESTINATION, COMMIT_SENT, BACKUP),
}


@pytest.mark.parametrize("preset", one_in(2, PRESETS))
def test_nobody_crashes_in_a_long_queue_with_any_harm(preset: str) -> None:
    verdicts = [judged(run_simulated(script, Options(seed=3, preset=preset))) for script in SLOW]
    assert {verdict.script: verdict.reasons for verdict in verdicts if verdict.outcome != "passed"} == {}
    visited = [point for verdict in verdicts for point in verdict.crash_points]
    assert {(part, point.phase, point.migration) for point in visited for part in point.parts} == POINTS
    assert len(visited) == len(SLOW)
