"""A member that misses messages of a link tells so, alike in both worlds."""

from __future__ import annotations

from pathlib import Path

import pytest

from shaketable.harness.causes.grounds import Grounds
from shaketable.harness.history.history import History
from shaketable.harness.records import Record
from shaketable.harness.runs.run import Options, run_real, run_simulated
from shaketable.harness.scripting.cluster import Cluster
from shaketable.harness.scripting.scripts import Script, script
from shaketable.node.core.env import MILLISECOND, SECOND
from shaketable.node.events import MessagesLost

SILENT = 1500 * MILLISECOND
"""of a timeout of 3 s"""
N1, N2 = "127.0.0.1:5701", "127.0.0.1:5702"


@script(about=[])
async def a_short_black_hole(cluster: Cluster) -> None:
    """A black hole swallows n1's words to n2 for six heartbeats."""
    await cluster.form("n1", "n2")
    fault = await cluster.blackhole("n1", "n2", one_way=True)
    await cluster.sleep(SILENT)
    await cluster.heal(fault)
    await cluster.sleep(SECOND)


@script(about=[])
async def a_short_cut(cluster: Cluster) -> None:
    """The link from n1 to n2 is down for two heartbeats."""
    await cluster.form("n1", "n2")
    fault = await cluster.cut("n1", "n2", one_way=True)
    await cluster.sleep(600 * MILLISECOND)
    await cluster.heal(fault)
    await cluster.sleep(SECOND)


@script(about=[])
async def a_restart(cluster: Cluster) -> None:
    """Messages to a process that is gone were not for the next one."""
    await cluster.form("n1", "n2")
    fault = await cluster.blackhole("n1", "n2")
    await cluster.sleep(SECOND)
    await cluster.kill("n2")
    await cluster.heal(fault)
    await cluster.restart("n2")
    await cluster.expect(cluster.that.agree("n1", "n2"), within=cluster.bounds.forming)


SIM = Options(world="sim", preset="fast")
REAL = Options(world="real")


def played(story: Script, world: str, folder: Path) -> list[Record[MessagesLost]]:
    finished = run_simulated(story, SIM) if world == "sim" else run_real(story, REAL, folder=folder)
    assert finished.outcome.reason == ""
    return [record for record in finished.records if isinstance(record.event, MessagesLost)]  # type: ignore[misc]


@pytest.mark.parametrize("world", ["sim", "real"])
def test_who_comes_out_of_a_black_hole_misses_what_went_into_it(world: str, tmp_path: Path) -> None:
    (lost,) = played(a_short_black_hole, world, tmp_path)
    assert (lost.node, lost.event.address) == ("n2", N1)
    assert lost.event.count >= 4
    assert lost.event.before >= SILENT - 250 * MILLISECOND


@pytest.mark.parametrize("world", ["sim", "real"])
def test_what_a_link_could_not_take_while_it_was_down_is_missed(world: str, tmp_path: Path) -> None:
    (lost,) = played(a_short_cut, world, tmp_path)
    assert (lost.node, lost.event.address) == ("n2", N1)
    assert lost.event.count >= 1


@pytest.mark.parametrize("world", ["sim", "real"])
def test_a_process_misses_nothing_that_its_forerunner_was_sent(world: str, tmp_path: Path) -> None:
    assert not [lost for lost in played(a_restart, world, tmp_path) if lost.node == "n2"]


def test_why_they_were_lost_is_the_fault_that_swallowed_them() -> None:
    history = History(run_simulated(a_short_black_hole, SIM).records)
    (lost,) = history.of(MessagesLost)
    (ground,) = Grounds(history).of(lost)
    assert ground.record == history.faults[1].asked
