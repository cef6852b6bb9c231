"""Plans that were red once, as `shaketable shrink` left them: of a bug that is mended, or of a check that cried wolf.

Each is played by the seed that ends its name."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.where import DATA

from shaketable.harness.nemesis.plan import from_json
from shaketable.harness.nemesis.playing import left_out_in, play
from shaketable.harness.runs.judging import judged
from shaketable.harness.runs.run import Options, run_simulated
from shaketable.harness.scripting.cluster import Cluster
from shaketable.harness.scripting.scripts import script

PLANS = sorted((DATA / "plans").glob("*.json"))


@pytest.mark.parametrize("file", PLANS, ids=lambda file: file.stem)
def test_it_is_green_now(file: Path) -> None:
    plan = from_json(file.read_bytes())

    @script(about=["settled"], settings=plan.settings)
    async def once_red(cluster: Cluster) -> None:
        await play(cluster, plan)

    finished = run_simulated(once_red, Options(seed=int(file.stem.rpartition("_")[2])))
    assert judged(finished).outcome == "passed", judged(finished).reasons
    assert not left_out_in(finished.records)


def test_there_are_some() -> None:
    assert PLANS
