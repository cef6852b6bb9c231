"""The quiet twin of every chaos script shows no suspicion, and the check that says so can turn red."""

from __future__ import annotations

import pytest
from tests.harness.shipped import GROUPS, SHIPPED

from shaketable.harness.judging import judged
from shaketable.harness.run import Options, run_simulated
from shaketable.harness.scripts import Script
from shaketable.harness.twin import quiet_twin
from shaketable.node.member import ClusterMember
from shaketable.node.messages import Heartbeat, Message

SCRIPTS = [script for script in SHIPPED if script not in GROUPS]
FEW_GROUPS = GROUPS[::8]
"""their twins differ by the policies, and by who forms the group"""


class HearsNobody(ClusterMember):
    """A bug: heartbeats come in and are forgotten, so silence is seen where there is none."""

    def receive(self, message: Message) -> None:
        if not isinstance(message, Heartbeat):
            super().receive(message)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
@pytest.mark.parametrize("preset", ["default", "fast"])
def test_nobody_is_suspected_where_nothing_is_broken(script: Script, preset: str) -> None:
    options = Options("sim", seed=11, preset=preset)
    twin = quiet_twin(run_simulated(script, options))
    verdict = judged(run_simulated(twin, options))
    assert verdict.outcome == "passed", verdict.reasons
    assert {result.name: result.status for result in verdict.checks}["detection"] == "held"


@pytest.mark.parametrize("script", FEW_GROUPS, ids=lambda script: script.name)
def test_nobody_is_suspected_in_a_group_where_nothing_is_broken(script: Script) -> None:
    options = Options("sim", seed=11)
    verdict = judged(run_simulated(quiet_twin(run_simulated(script, options)), options))
    assert verdict.outcome == "passed", verdict.reasons
    assert {result.name: result.status for result in verdict.checks}["group detection"] == "held"


def test_a_false_suspicion_turns_the_twin_red() -> None:
    (script,) = (script for script in SCRIPTS if script.name == "pause-a-node")
    options = Options("sim", seed=11)
    twin = quiet_twin(run_simulated(script, options))
    verdict = judged(run_simulated(twin, options, make_member=HearsNobody))
    assert verdict.outcome == "failed"
    assert {result.name: result.status for result in verdict.checks}["detection"] == "broken"
