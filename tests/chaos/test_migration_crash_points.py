"""Each crash point of a migration can be held at, in virtual time; the test in real processes is in real/."""

from __future__ import annotations

from tests.harness.scripting.data_script import POINTS, every_crash_point

from shaketable.harness.runs.run import Options, run_simulated
from shaketable.node.events import Held


def test_every_crash_point_of_a_migration_is_come_to() -> None:
    finished = run_simulated(every_crash_point, Options(seed=3))
    assert finished.outcome.kind == "done", finished.outcome.reason
    held = [record.event.event for record in finished.records if isinstance(record.event, Held)]
    assert held == ["PartitionsPlanned", *(event for _, event, _, _ in POINTS.values())]
