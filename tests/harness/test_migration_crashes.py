"""Every cell of the matrix of crashes during a migration passes in virtual time, with both presets."""

from __future__ import annotations

import pytest
from tests.harness.shipped import MATRIX

from shaketable.harness.judging import judged
from shaketable.harness.run import Options, run_simulated
from shaketable.harness.scripts import Script
from shaketable.harness.verdict import RunVerdict
from shaketable.node.config import PRESETS


def verdict_of(script: Script, preset: str) -> RunVerdict:
    return judged(run_simulated(script, Options(seed=1, preset=preset)))


@pytest.mark.parametrize("number", range(8))
@pytest.mark.parametrize("preset", PRESETS)
def test_nobody_crashes_at_any_point_with_any_harm(number: int, preset: str) -> None:
    wrong = {
        script.name: verdict.reasons
        for script in MATRIX[number::8]
        if (verdict := verdict_of(script, preset)).outcome != "passed"
    }
    assert wrong == {}
