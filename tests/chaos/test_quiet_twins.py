"""The quiet twin of every chaos script shows no suspicion, and the check that says so can turn red."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import pytest
from _pytest.mark import ParameterSet
from tests.chaos.played import PARAMETERS, SCRIPTS, played
from tests.chaos.shipped import GROUPS
from tests.lengths import LONG, mostly_by_night, one_in

from shaketable.harness.runs.judging import judged
from shaketable.harness.runs.run import Options, run_simulated
from shaketable.harness.runs.twin import quiet_twin
from shaketable.harness.scripting.scripts import Script
from shaketable.node.cluster.member import ClusterMember
from shaketable.node.config import PRESETS
from shaketable.node.messages import Heartbeat, Message

LONG_RUNS = ("mastership-fight", "a-hundred-dead-remembered-addresses")
OTHERS: Final = [name for name in PARAMETERS if SCRIPTS[name] not in GROUPS]
FEW_GROUPS = one_in(4, GROUPS[::8])
"""their twins differ by the policies, and by who forms the group"""


class HearsNobody(ClusterMember):
    """A bug: heartbeats come in and are forgotten, so silence is seen where there is none."""

    def receive(self, message: Message) -> None:
        if not isinstance(message, Heartbeat):
            super().receive(message)


def each_with_a_preset() -> Iterator[ParameterSet]:
    """One script in six, and as long tests all others; with one of the presets, in turn."""
    for place, name in enumerate(OTHERS):
        is_short = place % 6 == 5 and name not in LONG_RUNS
        marks = [*PARAMETERS[name].marks, *([] if is_short else [LONG])]
        yield pytest.param(name, list(PRESETS)[place // 6 % 2], id=name, marks=marks)


@pytest.mark.parametrize(("name", "preset"), mostly_by_night(4, each_with_a_preset()))
def test_nobody_is_suspected_where_nothing_is_broken(name: str, preset: str) -> None:
    loud = played(name, 0, preset)
    verdict = judged(run_simulated(quiet_twin(loud), loud.options), story=False)
    assert verdict.outcome == "passed", (preset, verdict.reasons)
    assert {result.name: result.status for result in verdict.checks}["detection"] == "held", preset


@pytest.mark.parametrize("script", FEW_GROUPS, ids=lambda script: script.name)
def test_nobody_is_suspected_in_a_group_where_nothing_is_broken(script: Script) -> None:
    options = Options("sim", seed=11)
    verdict = judged(run_simulated(quiet_twin(run_simulated(script, options)), options))
    assert verdict.outcome == "passed", verdict.reasons
    assert {result.name: result.status for result in verdict.checks}["group detection"] == "held"


def test_a_false_suspicion_turns_the_twin_red() -> None:
    loud = played("pause-a-node", 0, "default")
    verdict = judged(run_simulated(quiet_twin(loud), loud.options, make_member=HearsNobody))
    assert verdict.outcome == "failed"
    assert {result.name: result.status for result in verdict.checks}["detection"] == "broken"
