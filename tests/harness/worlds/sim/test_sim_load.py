"""CPU load in virtual time: a node runs in its turns only, takes what waited in order, and then is sound again."""

from __future__ import annotations

from itertools import pairwise

import pytest
from tests.harness.scripting.staging import play
from tests.harness.worlds.sim.sim_helpers import Stage

from shaketable.harness.faults.actions import Begin, End, Kill, Receipt, Reset, Restart
from shaketable.harness.faults.link_kinds import CUT
from shaketable.harness.faults.links import LinkState
from shaketable.harness.faults.table import LinkFault, Load, Pause
from shaketable.harness.records import FaultAsked, FaultEnded
from shaketable.harness.scripting.cluster import Cluster
from shaketable.node.core.env import MILLISECOND, SECOND, Micros

LONGEST = 5 * SECOND // 2
"""half a heartbeat interval"""


def tick(stage: Stage, name: str, every: Micros, times: int) -> None:
    env = stage.world.nodes[name].env

    def beat(left: int) -> None:
        stage[name].hears("tick")
        if left > 1:
            env.call_later(every, lambda: beat(left - 1))

    env.call_later(every, lambda: beat(times))


def lateness(stage: Stage, name: str, every: Micros) -> list[Micros]:
    """Of each tick: how much longer than it should it took since the one before."""
    when = stage.when(name)
    return [b - a - every for a, b in pairwise(when)]


@pytest.mark.parametrize("busy", [1, 4])
def test_a_node_waits_for_spells_of_up_to_half_a_heartbeat_interval_and_gets_its_part_of_the_time(busy: int) -> None:
    stage = Stage("a", "b")
    stage.act(Begin(1, Load(busy)))
    tick(stage, "a", MILLISECOND, 1_000_000)
    stage.run(1000 * SECOND)
    late = lateness(stage, "a", MILLISECOND)
    assert 0.8 * LONGEST < max(late) <= LONGEST
    waited = sum(spell for spell in late if spell > 0)
    assert waited / (1000 * SECOND) == pytest.approx(busy / (busy + 1), abs=0.03)


def test_each_node_has_turns_of_its_own_and_the_same_seed_brings_the_same() -> None:
    def ticks(name: str) -> list[Micros]:
        stage = Stage("a", "b")
        stage.act(Begin(1, Load(4)))
        tick(stage, name, 100 * MILLISECOND, 1000)
        stage.run(60 * SECOND)
        return stage.when(name)

    assert ticks("a") == ticks("a")
    assert ticks("a") != ticks("b")


def test_what_waited_runs_in_order_in_the_next_turn() -> None:
    stage = Stage("a", "b")
    stage.act(Begin(1, Load(16)))
    for number in range(40):
        stage.send("a", "b", number)
        stage.run(SECOND)
    stage.run(10 * SECOND)
    assert stage.said("b") == [f"heartbeat {number}" for number in range(40)]


def test_its_end_lets_all_run_at_once() -> None:
    stage = Stage("a", "b")
    stage.act(Begin(1, Load(16)))
    stage.run(20 * SECOND)
    stage.act(End(1))
    for name in ("a", "b"):
        stage[name].heard.clear()
        tick(stage, name, MILLISECOND, 10_000)
    stage.run(20 * SECOND)
    assert set(lateness(stage, "a", MILLISECOND)) == set(lateness(stage, "b", MILLISECOND)) == {0}


def test_of_two_loads_the_end_of_one_leaves_the_other() -> None:
    stage = Stage("a", "b")
    stage.act(Begin(1, Load(4)))
    stage.act(Begin(2, Load(4)))
    stage.run(SECOND)
    stage.act(End(1))
    tick(stage, "a", MILLISECOND, 60_000)
    stage.run(60 * SECOND)
    assert max(lateness(stage, "a", MILLISECOND)) > LONGEST // 2


def test_who_starts_under_load_waits_as_well_and_a_link_comes_up_all_the_same() -> None:
    stage = Stage("a", "b")
    stage.act(Kill("b"))
    stage.act(Begin(1, Load(16)))
    stage.act(Restart("b"))
    stage.run(20 * SECOND)
    assert "up a" in stage.said("b")
    assert stage.said("a")[-1] == "up b"
    tick(stage, "b", MILLISECOND, 60_000)
    stage.run(60 * SECOND)
    assert max(lateness(stage, "b", MILLISECOND)) > LONGEST // 2


def test_a_pause_outlasts_the_turns() -> None:
    stage = Stage("a", "b")
    stage.act(Begin(1, Load(1)))
    stage.act(Begin(2, Pause("b")))
    stage.run(20 * SECOND)
    stage.send("a", "b", 1)
    stage.run(20 * SECOND)
    assert stage.said("b") == []
    stage.act(End(2))
    stage.run(20 * SECOND)
    assert stage.said("b") == ["heartbeat 1"]


def test_a_handshake_that_hung_in_a_pause_succeeds_when_it_ends_under_load() -> None:
    stage = Stage("a", "b")
    stage.act(Begin(1, Load(16)))
    stage.act(Begin(2, Pause("b")))
    stage.act(Begin(3, LinkFault(CUT, (("a", "b"),), LinkState(cut=True))))
    stage.run(5 * SECOND)
    stage.act(End(3))
    stage.run(20 * SECOND)
    assert stage.said("a") == ["down b"]
    stage.act(End(2))
    stage.run(20 * SECOND)
    assert stage.said("a") == ["up b"]


def reset_in_a_spell(stage: Stage) -> None:
    """Its sender has noticed nothing yet."""
    stage.act(Begin(1, Load(16)))
    while not stage.world.nodes["a"].waits_for_its_turn:
        stage.run(MILLISECOND)
    stage.said("a")
    stage.act(Reset(2, (("a", "b"),)))
    stage.run(MILLISECOND)
    assert stage.said("a") == []


def test_the_receipt_of_a_reset_waits_for_the_turn_in_which_its_sender_notices() -> None:
    stage = Stage("a", "b")
    reset_in_a_spell(stage)
    while len(stage.receipts) < 3:
        stage.run(MILLISECOND)
    assert isinstance(stage.receipts[-1], Receipt)
    assert stage.said("a") == ["down b", "up b"]


def test_it_does_not_wait_for_a_sender_that_is_paused_or_killed_in_that_spell() -> None:
    for deed in (Begin(3, Pause("a")), Kill("a")):
        stage = Stage("a", "b")
        reset_in_a_spell(stage)
        stage.act(deed)
        stage.run(SECOND)
        assert all(isinstance(receipt, Receipt) for receipt in stage.receipts), stage.receipts
        assert (len(stage.receipts), stage.said("a")) == (4, []), deed


def test_a_node_that_is_killed_while_it_waits_stays_dead() -> None:
    stage = Stage("a", "b")
    stage.act(Begin(1, Load(16)))
    stage.run(20 * SECOND)
    stage.act(Kill("b"))
    stage["b"].heard.clear()
    stage.send("a", "b", 1)
    stage.run(60 * SECOND)
    stage.act(End(1))
    stage.run(SECOND)
    assert stage.said("b") == []


def test_a_load_lies_on_no_node_in_particular_and_can_be_there_before_the_first() -> None:
    async def script(cluster: Cluster) -> None:
        await cluster.load()
        await cluster.form("n1", "n2", "n3")
        await cluster.kill("n3")
        await cluster.heal_all()

    played = play(script)
    assert played.outcome.kind == "done"
    assert played.told(FaultAsked)[0] == FaultAsked(
        1, "load", (), (), "4 busy processes a core", True, False, ("load",)
    )
    assert [e.how for e in played.told(FaultEnded)] == ["the simulated nodes run again"]
