"""Stories of groups whose machines are gone are not those of killed processes told again: probes have to time out."""

from __future__ import annotations

import pytest
from tests.chaos.shipped import GROUPS

from shaketable.harness.runs.run import Options, run_simulated
from shaketable.harness.scripting.scripts import Script
from shaketable.node.events import LinkDown, ProbeFailed
from shaketable.node.why import Why

SILENT = [script for script in GROUPS if "silent" in script.name and "by-seniority" not in script.name]


@pytest.mark.parametrize("script", SILENT, ids=lambda script: script.name)
def test_no_connection_breaks_and_probes_are_not_answered(script: Script) -> None:
    records = run_simulated(script, Options("sim", preset="fast")).records
    assert not [record for record in records if isinstance(record.event, LinkDown)]
    assert {record.event.why for record in records if isinstance(record.event, ProbeFailed)} == {Why.NO_ANSWER}
