"""The same seed gives the same history byte for byte: twice in one process, and under any PYTHONHASHSEED."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.harness.shipped import SHIPPED
from tests.harness.staging import play

from shaketable.harness.cluster import Cluster
from shaketable.harness.recording.history import History
from shaketable.harness.run import Options, run_simulated
from shaketable.harness.scripts import Script
from shaketable.node.env import SECOND
from shaketable.node.events import Event, ViewInstalled

SCRIPTS = SHIPPED

HASHES = """
import sys
from pathlib import Path
from tests.harness.sim.test_sim_determinism import SCRIPTS, hash_of
for script in SCRIPTS:
    print(script.name, hash_of(script, 0))
"""


def hash_of(script: Script, seed: int) -> str:
    return History(run_simulated(script, Options(seed=seed)).records).hash


def hashes_under(hash_seed: str) -> str:
    root = Path(__file__).resolve().parents[3]
    path = os.pathsep.join([str(root), str(root / ".dev")])
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": path}
    ran = subprocess.run(
        [sys.executable, "-c", HASHES], env=environment, cwd=root, capture_output=True, text=True, check=False
    )
    assert not ran.returncode, ran.stderr
    return ran.stdout


def test_no_hash_of_the_language_decides_anything() -> None:
    under_one = hashes_under("1")
    assert under_one.count("\n") == len(SCRIPTS)
    assert under_one == hashes_under("77")


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_a_second_run_in_the_same_process_is_the_same(script: Script) -> None:
    first = hash_of(script, 5)
    assert hash_of(script, 5) == first
    assert hash_of(script, 6) != first


def test_taking_one_fault_away_does_not_change_the_delays_of_other_links() -> None:
    def story(slow: bool) -> list[tuple[int, Event]]:
        async def script(cluster: Cluster) -> None:
            await cluster.form("n1", "n2", "n3", "n4")
            if slow:
                await cluster.slow("n3", "n2", 2000, jitter=1000)
            else:
                await cluster.sleep(2000)
            await cluster.sleep(60 * SECOND)
            await cluster.kill("n4")
            await cluster.sleep(SECOND)

        records = play(script).world.records
        return [(r.time, r.event) for r in records if r.node == "n1" and isinstance(r.event, ViewInstalled)]

    assert story(slow=True) == story(slow=False)
    assert len(story(slow=True)) == 5
