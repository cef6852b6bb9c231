"""A chain leads from what is seen back to what was done, in both worlds, and never to what came later."""

from __future__ import annotations

from pathlib import Path

import pytest

from shaketable.chaos.cluster.crashes import kill_the_master
from shaketable.chaos.demo import demo_figure_5
from shaketable.chaos.legacy.legacy_faults import legacy_unordered_updates
from shaketable.chaos.storms.storm import storm
from shaketable.harness.causes.chain import Chain, chain, chain_text, chains_of, listed
from shaketable.harness.causes.grounds import Grounds
from shaketable.harness.history.history import History
from shaketable.harness.records import FaultAsked, NodeEnded, Record, StepBegan
from shaketable.harness.runs.judging import judged
from shaketable.harness.runs.run import Options, run_real, run_simulated
from shaketable.harness.scripting.scripts import Script
from shaketable.node import events as e


def simulated(script: Script, seed: int = 1) -> History:
    return History(run_simulated(script, Options("sim", seed=seed)).records)


def last(history: History, kind: type[e.Event]) -> Record:
    return history.of(kind)[-1]


def told(history: History, event: Record) -> list[str]:
    return list(chain_text(chain(Grounds(history), event), history.names))


def test_a_removal_of_figure_5_goes_back_to_both_cuts() -> None:
    history = simulated(demo_figure_5)
    found = chain(Grounds(history), last(history, e.MemberRemoved))
    kinds = [sorted({type(ground.record.event).__name__ for ground in level}) for level in found.levels]
    assert kinds == [["DisconnectionResolved"], ["SuspicionsReported"], ["Suspected"], ["LinkDown"], ["FaultAsked"]]
    assert [ground.record.event.fault for ground in found.levels[-1]] == [1, 2]  # type: ignore[attr-defined]
    assert len(found.levels[1]) == 3, "of n2, n3 and n4"


def test_a_claim_goes_back_to_the_end_of_the_master() -> None:
    history = simulated(kill_the_master)
    lines = told(history, last(history, e.ClaimFinished))
    assert "kill n1" in lines[-1]
    assert [line for line in lines if "then n3 sent ClaimAccepted" in line or "sent ClaimAccepted" in line]


def test_an_unheard_of_update_goes_back_to_the_message_that_was_late() -> None:
    finished = run_simulated(legacy_unordered_updates, Options("sim"))
    history, verdict = History(finished.records), judged(finished)
    broken = next(check for check in verdict.checks if check.violations)
    chains = list(chains_of(Grounds(history), broken.violations[0]))
    assert chains
    assert any(isinstance(record.event, e.ViewPublished) for each in chains for record in each.records)


def test_chains_are_the_same_from_real_processes(tmp_path: Path) -> None:
    finished = run_real(kill_the_master, Options("real", preset="fast"), folder=tmp_path)
    history = History(finished.records)
    found = chain(Grounds(history), last(history, e.ClaimFinished))
    assert {e.ClaimAnswered, e.ClaimConsented, e.ClaimAsked, e.Suspected} <= {type(r.event) for r in found.records}
    assert any(isinstance(r.event, FaultAsked | NodeEnded) for r in found.records)
    with_cause = [record for record in history.records if record.cause is not None]
    assert {record.cause.kind for record in with_cause if record.cause} >= {"timer", "MastershipClaim"}


@pytest.mark.parametrize("seed", range(1, 6))
def test_nothing_in_a_chain_stands_there_twice_and_each_chain_has_a_beginning(seed: int) -> None:
    history = simulated(storm, seed)
    grounds = Grounds(history)
    for record in history.records:
        found = chain(grounds, record)
        assert len({id(each) for each in found.records}) == len(found.records)
        assert_in_time(found)


def assert_in_time(found: Chain) -> None:
    """In virtual time no clock is off."""
    for level in found.levels:
        assert all(ground.record.time <= found.event.time for ground in level)


def test_what_was_done_to_the_cluster_is_where_a_chain_begins() -> None:
    history = simulated(storm)
    grounds = Grounds(history)
    asked = history.of(FaultAsked)[0]
    (level,) = chain(grounds, asked).levels or [()]
    assert all(isinstance(ground.record.event, StepBegan) for ground in level)


def test_names_are_listed_as_people_do() -> None:
    assert [listed(names) for names in (["n1"], ["n1", "n2"], ["n1", "n2", "n3"])] == [
        "n1", "n1 and n2", "n1, n2 and n3"
    ]  # fmt: skip
