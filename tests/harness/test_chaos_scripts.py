"""Every chaos script that we ship comes to its end in virtual time, on many seeds and with both presets."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.harness.staging import play

import shaketable.chaos
from shaketable.harness.checks import CHECK_NAMES
from shaketable.harness.records import FaultWithoutEffect
from shaketable.harness.run import Options
from shaketable.harness.scripts import Script, load_scripts
from shaketable.node.config import PRESETS

SCRIPTS = load_scripts([Path(path) for path in shaketable.chaos.__path__][:1])
SEEDS = range(20)


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_it_is_done_and_every_fault_took_effect(script: Script, preset: str) -> None:
    settings = Options(preset=preset).settings(script)
    for seed in SEEDS:
        played = play(script.body, seed=seed, settings=settings)
        assert (seed, played.outcome.kind, played.outcome.reason) == (seed, "done", "")
        assert not played.world.failures
        assert not played.told(FaultWithoutEffect)


def test_it_is_about_checks_that_there_are() -> None:
    assert not {name for script in SCRIPTS for name in script.about}.difference(CHECK_NAMES)


def test_the_demonstration_is_among_them() -> None:
    assert {"demo", "form", "kill-the-master", "pause-a-node"} <= {script.name for script in SCRIPTS}
