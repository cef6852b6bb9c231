"""Recorded runs for the tests of the model: shipped stories in virtual time, one of them with a planted bug."""

from __future__ import annotations

from pathlib import Path

import pytest

from shaketable.chaos.cluster.claims import a_chain_of_four_claims
from shaketable.chaos.migration.figure_5_under_load import figure_5_under_load_decided_cut
from shaketable.chaos.storms.data_storm import data_storm
from shaketable.harness.runs.judging import judged
from shaketable.harness.runs.recorder import Recorder
from shaketable.harness.runs.run import Finished, Options, run_simulated
from shaketable.harness.scripting.scripts import Script

STORIES = (data_storm, a_chain_of_four_claims, figure_5_under_load_decided_cut)


@pytest.fixture(scope="session", params=STORIES, ids=lambda story: story.name)
def finished(request: pytest.FixtureRequest) -> Finished:
    story: Script = request.param
    return run_simulated(story, Options("sim", seed=3, preset="fast"))


@pytest.fixture(scope="session")
def storm() -> Finished:
    return run_simulated(data_storm, Options("sim", seed=3, preset="fast"))


@pytest.fixture(scope="session")
def recorded(storm: Finished, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run that has passed; copy it before you spoil it."""
    return written(storm, tmp_path_factory.mktemp("storm") / "run")


def written(run: Finished, folder: Path) -> Path:
    recorder = Recorder(folder, run.script, run.options)
    recorder.take_all(run.records)
    recorder.finish(judged(run))
    return folder
