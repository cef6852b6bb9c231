"""The short ways of a simulated node are only short: with care it has the same history."""

from __future__ import annotations

import pytest
from tests.lengths import mostly_by_night, one_in
from tests.where import story

from shaketable.chaos.cluster.crashes import kill_the_master
from shaketable.chaos.storms.storm import storm
from shaketable.harness.history.history import History
from shaketable.harness.runs.run import Options, run_simulated
from shaketable.harness.scripting.scripts import Script, load_scripts
from shaketable.harness.worlds.sim import world
from shaketable.harness.worlds.sim.node import Owner, SimNode
from shaketable.node.messages import Address

STORIES = (
    kill_the_master,
    storm,
    *load_scripts([story("claims"), story("group_datagrams"), story("group_splits")]),
)
"""with filters, with datagrams, with links that are hung up"""


class Careful(SimNode):
    """It would hold at an event that never comes: each of its steps waits for its end."""

    def __init__(self, owner: Owner, name: str, address: Address, life: int) -> None:
        super().__init__(owner, name, address, life)
        self.arm_hold(0, "Nothing", None, 1, ())


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("what", mostly_by_night(3, one_in(5, [pytest.param(each, id=each.name) for each in STORIES])))
def test_with_care_a_history_is_the_same(what: Script, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    quick = run_simulated(what, Options("sim", seed=seed))
    monkeypatch.setattr(world, "SimNode", Careful)
    assert History(run_simulated(what, Options("sim", seed=seed)).records).hash == History(quick.records).hash
