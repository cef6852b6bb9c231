"""The same seed gives the same history byte for byte: twice in one process, and under any PYTHONHASHSEED."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest
from tests.chaos.played import EACH, SCRIPTS, played
from tests.harness.scripting.staging import play
from tests.lengths import mostly_by_night, one_in
from tests.where import ROOT

from shaketable.harness.history.history import History
from shaketable.harness.runs.run import Finished, Options, run_simulated
from shaketable.harness.scripting.cluster import Cluster
from shaketable.node.core.env import SECOND
from shaketable.node.events import Event, ViewInstalled

SAYS = """
import sys
from tests.harness.worlds.sim.test_sim_determinism import hash_of, once_more
for name in sys.stdin:
    print(hash_of(once_more(name.strip())), flush=True)
"""


def hash_of(finished: Finished) -> str:
    return History(finished.records).hash


def once_more(name: str) -> Finished:
    """Whatever was played before."""
    return run_simulated(SCRIPTS[name], Options(seed=0, preset="default"))


@pytest.fixture(scope="session")
def elsewhere() -> Iterator[Callable[[str], str]]:
    """What another process, where strings have other hashes than here, says to the name of a script."""
    path = os.pathsep.join([str(ROOT), str(ROOT / ".dev")])
    other = "77" if os.environ.get("PYTHONHASHSEED") == "1" else "1"  # not given, it is drawn anew for each process
    environment = {**os.environ, "PYTHONHASHSEED": other, "PYTHONPATH": path}
    with subprocess.Popen(
        [sys.executable, "-c", SAYS],
        env=environment, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stdin is not None
        assert process.stdout is not None
        asked, answers = process.stdin, process.stdout

        def ask(name: str) -> str:
            print(name, file=asked, flush=True)
            return answers.readline().strip()

        yield ask


@pytest.mark.parametrize("name", mostly_by_night(3, one_in(16, EACH[::3])))
def test_the_same_seed_gives_the_same_history(name: str, elsewhere: Callable[[str], str]) -> None:
    """Where other scripts were played before, strings have other hashes, and so has the set of them that anything
    iterates."""
    assert elsewhere(name) == hash_of(played(name, 0, "default"))


@pytest.mark.parametrize("name", one_in(2, EACH[23::24]))
def test_a_second_run_in_this_process_is_the_same_and_one_with_another_seed_is_not(name: str) -> None:
    first = hash_of(played(name, 0, "default"))
    assert hash_of(once_more(name)) == first
    assert hash_of(played(name, 1, "default")) != first


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
