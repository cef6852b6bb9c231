"""The faults that the text on the cluster service opens with: what the real members do where the old ones failed."""

from __future__ import annotations

from shaketable.chaos.legacy import legacy_faults
from shaketable.harness.runs.run import Options, run_simulated
from shaketable.node.events import ViewIgnored, ViewInstalled


def test_the_real_member_ignores_the_late_list_and_says_so() -> None:
    records = run_simulated(legacy_faults.ordered_updates, Options("sim")).records
    told = [r.event for r in records if r.node == "n3"]
    (newest,) = [i for i, event in enumerate(told) if isinstance(event, ViewInstalled) and event.version == 4]
    late = [event for event in told[newest:] if isinstance(event, ViewIgnored)]
    assert [(event.version, event.reason) for event in late] == [(3, "not newer")]
