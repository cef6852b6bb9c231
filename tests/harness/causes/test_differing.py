"""Two runs differ where one of them has an event of note that the other never has, whatever their delays."""

from __future__ import annotations

import pytest

from shaketable.chaos.cluster.crashes import kill_the_master
from shaketable.chaos.demo import demo_figure_5
from shaketable.chaos.legacy.legacy_faults import no_stale_overwrite
from shaketable.harness.causes.differing import first_difference
from shaketable.harness.history.history import History
from shaketable.harness.runs.run import Options, run_simulated
from shaketable.harness.scripting.scripts import Script
from shaketable.node import events as e


def simulated(script: Script, seed: int = 1, **values: str) -> History:
    return History(run_simulated(script, Options("sim", seed=seed, values=values)).records)


@pytest.mark.parametrize("script", [kill_the_master, demo_figure_5], ids=lambda script: script.name)
def test_seeds_that_differ_in_their_delays_alone_do_not_differ(script: Script) -> None:
    assert first_difference(simulated(script, 1), simulated(script, 2)) is None


@pytest.mark.parametrize("wrong_first", [False, True])
def test_a_wrong_decision_is_found_whichever_run_is_named_first(wrong_first: bool) -> None:
    right, wrong = simulated(no_stale_overwrite), simulated(no_stale_overwrite, legacy_fault="stale overwrite")
    runs = (wrong, right) if wrong_first else (right, wrong)
    found = first_difference(*runs)
    assert found is not None
    assert found.in_first is wrong_first
    assert isinstance(found.record.event, e.ClaimFinished)
    assert found.alike > 20


def test_one_that_says_the_same_more_often_differs() -> None:
    whole = simulated(kill_the_master)
    claims = [record for record in whole.records if isinstance(record.event, e.ClaimFinished)]
    twice = History([*whole.records, claims[0]._replace(time=claims[0].time + 1, sequence=10**6)])
    found = first_difference(whole, twice)
    assert found is not None
    assert (found.in_first, found.record.sequence) == (False, 10**6)
