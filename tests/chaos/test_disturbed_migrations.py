"""Each way to disturb a migration that we ship passes in virtual time, with both presets."""

from __future__ import annotations

import pytest
from tests.chaos.shipped import DISTURBED
from tests.lengths import mostly_by_night, one_in

from shaketable.harness.runs.judging import judged
from shaketable.harness.runs.run import Options, run_simulated
from shaketable.node.config import PRESETS


@pytest.mark.parametrize("first", mostly_by_night(3, one_in(4, range(8))))
@pytest.mark.parametrize("preset", PRESETS)
def test_nothing_that_happens_meanwhile_does_any_harm(first: int, preset: str) -> None:
    verdicts = [judged(run_simulated(script, Options(seed=2, preset=preset))) for script in DISTURBED[first::8]]
    assert {verdict.script: verdict.reasons for verdict in verdicts if verdict.outcome != "passed"} == {}
    assert verdicts
