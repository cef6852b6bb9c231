"""What Shoal's code gets wrong: each fault breaks the rule that its story is about; without it nothing is broken."""

from __future__ import annotations

import pytest
from tests.chaos.red_and_green import is_red_as_said
from tests.lengths import seeds

from shaketable.chaos.legacy import group_legacy
from shaketable.harness.runs.judging import judged
from shaketable.harness.runs.run import Options, run_simulated
from shaketable.harness.scripting.scripts import Script
from shaketable.node.config import PRESETS
from shaketable.node.legacy.groups import GROUP_MEMBERS

STORIES = [each for each in vars(group_legacy).values() if isinstance(each, Script)]
BROKEN = [script for script in STORIES if script.expects_violation]
each_broken = pytest.mark.parametrize("script", BROKEN, ids=lambda script: script.name)


@each_broken
@pytest.mark.parametrize("preset", PRESETS)
@seeds(1, 4, first=1)
def test_it_is_red_with_the_fault(script: Script, preset: str, seeds: range) -> None:
    for seed in seeds:
        is_red_as_said(run_simulated(script, Options("sim", seed=seed, preset=preset)))


@each_broken
@pytest.mark.parametrize("preset", PRESETS)
@seeds(1, 4, first=1)
def test_without_it_the_same_steps_break_nothing(script: Script, preset: str, seeds: range) -> None:
    for seed in seeds:
        finished = run_simulated(script, Options("sim", seed=seed, preset=preset, values={"legacy_fault": "none"}))
        assert finished.outcome.kind == "done"
        status = {check.name: check.status for check in judged(finished).checks}
        assert "broken" not in status.values()
        assert status[script.expects_violation or ""] == "held"


def test_every_fault_has_its_story() -> None:
    told = [Options("sim").settings(script).legacy_fault for script in STORIES]
    assert sorted(told) == sorted(name for name in GROUP_MEMBERS if name != "none")
