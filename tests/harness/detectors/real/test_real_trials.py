"""The trial of real processes, played by simulated ones: what it does, and what is measured of it."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Final

import pytest

from shaketable.harness.detectors.promises import promise
from shaketable.harness.detectors.quality.conditions import CONDITIONS
from shaketable.harness.detectors.quality.course import BETWEEN, CRASHES
from shaketable.harness.detectors.quality.named import known
from shaketable.harness.detectors.quality.of_a_run import DOUBTED, NEVER, REMOVED, OfRun
from shaketable.harness.detectors.real.contenders import contenders, trial_of
from shaketable.harness.detectors.real.playing import figures_of, why_unknown
from shaketable.harness.detectors.real.trial import RealTrial
from shaketable.harness.detectors.variants import Variant
from shaketable.harness.detectors.workload import GONE
from shaketable.harness.faults.link_kinds import SLOW
from shaketable.harness.faults.links import LinkState
from shaketable.harness.faults.node_kinds import PAUSE
from shaketable.harness.faults.table import LinkFault
from shaketable.harness.records import (
    OURS,
    FaultAsked,
    FaultEnded,
    FaultTook,
    FaultWithoutEffect,
    HarnessLate,
    Missed,
    NodeEnded,
    Record,
    ScriptOutcome,
    UnderTest,
)
from shaketable.harness.runs.run import Finished, run_simulated
from shaketable.harness.scripting.cluster import Cluster
from shaketable.harness.systems.contract.levels import as_a_set
from shaketable.node.core.env import SECOND
from shaketable.node.events import StoodStill

NAMES: Final = [f"n{number}" for number in range(1, 6)]
OF_OURS: Final = ("swim", "ring", "deadline")
FOUND: Final = contenders("shaketable", None, {}, OF_OURS)
WINDOW: Final = FOUND.times.window
REALLY: Final = [name for name, condition in CONDITIONS.items() if condition.really is not None]


class Played:
    def __init__(self, policy: str, condition: str, seed: int = 1) -> None:
        contender = next(each for each in FOUND.all if each.name == policy)
        trials: list[RealTrial] = []

        async def body(cluster: Cluster) -> None:
            trials.append(RealTrial(cluster, NAMES, FOUND.times, seed, condition, known(condition)))
            await trials[0].run()

        self.finished: Finished = run_simulated(trial_of(body), replace(contender.options, world="sim", seed=seed))
        self.trial = trials[0]

    @property
    def figures(self) -> OfRun:
        return figures_of(self.finished, self.trial, OURS)

    def with_records(self, *more: Record) -> Finished:
        records = sorted([*self.finished.records, *more], key=lambda record: record[:4])
        return replace(self.finished, records=records, allowance=2 * SECOND)


@pytest.mark.parametrize("policy", OF_OURS)
def test_each_crash_is_told_by_all_and_none_is_wrong_when_all_is_quiet(policy: str) -> None:
    played = Played(policy, "none")
    assert why_unknown(played.finished) == ""
    run = played.figures
    variant = Variant(policy, played.finished.settings)
    promised = promise(variant, len(NAMES), GONE).announced.most + played.finished.allowance
    assert max(run.levels[REMOVED].detections) <= promised
    for level in (run.levels[DOUBTED], run.levels[REMOVED]):
        assert (len(level.detections), level.mistakes, level.accuracy) == (CRASHES, 0, 1)
        assert all(0 < first <= last < NEVER for first, last in zip(level.first, level.detections, strict=True))
    assert (run.sent, run.members, run.repaired) == (None, 5, 0)
    ends = [record for record in played.finished.records if isinstance(record.event, NodeEnded)]
    assert len(ends) == CRASHES
    least, _ = BETWEEN
    assert all(after.time - before.time >= least * WINDOW for before, after in pairwise(ends))


def test_all_systems_lose_the_same_members_at_the_same_times_of_their_trial() -> None:
    """Times count from the return of the member before."""
    drawn = []
    for policy in OF_OURS:
        trial = Played(policy, "none").trial
        gone = [trial.trace.gone[uuid] for uuid in trial.trace.looked_until]
        drawn.append(gone[0] - trial.trace.begin)
    assert len(set(drawn)) == 1


@pytest.mark.parametrize("condition", REALLY)
def test_each_condition_does_what_it_says_and_leaves_a_run_that_counts(condition: str) -> None:
    played = Played("ring", condition)
    assert why_unknown(played.finished) == ""
    asked = [record.event for record in played.finished.records if isinstance(record.event, FaultAsked)]
    sleeps = sum(PAUSE.verb in fault.kinds for fault in asked)
    links = sum(bool(fault.links) for fault in asked)
    ends = sum(isinstance(record.event, NodeEnded) for record in played.finished.records)
    assert (sleeps > CRASHES) == (condition == "pauses")
    assert (links > 0) == (condition in ("jitter", "lagging", "lagging-some", "one-way"))
    assert (ends > CRASHES + played.figures.repaired) == (condition == "churn")
    assert played.figures.some_are_ill == condition.startswith("lagging")


def test_a_set_of_members_is_measured_as_a_list_is() -> None:
    played = Played("deadline", "pauses")
    by_lists = played.figures
    told = [each for record in played.finished.records if (each := as_a_set(record)) is not None]
    sets = replace(played.finished, records=told)
    by_sets = figures_of(sets, played.trial, OURS)
    assert by_lists.levels[REMOVED].mistakes > 0
    assert by_sets.levels[REMOVED] == by_lists.levels[REMOVED]


def test_a_level_that_is_not_told_has_no_figures() -> None:
    played = Played("swim", "none")
    theirs = UnderTest(name="theirs", tells=("Started", "Joined", "ViewInstalled"))
    run = figures_of(played.finished, played.trial, theirs)
    assert [*run.levels] == [REMOVED]


def test_a_fault_on_links_that_is_ended_before_it_has_begun_is_ended() -> None:
    async def body(cluster: Cluster) -> None:
        trial = RealTrial(cluster, NAMES, FOUND.times, 1, "none", known("none"))
        await cluster.form(*NAMES)
        trial.end([trial.begin(LinkFault(SLOW, (("n1", "n2"),), LinkState(latency=SECOND)))])
        await trial.pass_time(SECOND)

    finished = run_simulated(trial_of(body), replace(FOUND.all[0].options, world="sim"))
    events = [type(record.event) for record in finished.records]
    assert why_unknown(finished) == ""
    assert [events.count(kind) for kind in (FaultAsked, FaultTook, FaultEnded)] == [1, 1, 1]


class OfNobody(LinkFault):
    """No world has an act for it."""


def test_what_goes_wrong_beside_the_trial_ends_it() -> None:
    async def body(cluster: Cluster) -> None:
        trial = RealTrial(cluster, NAMES, FOUND.times, 1, "none", known("none"))
        await cluster.form(*NAMES)
        trial.begin(OfNobody(SLOW, (("n1", "n2"),), LinkState(latency=SECOND)))
        await trial.pass_time(SECOND)
        raise AssertionError("it went on")

    finished = run_simulated(trial_of(body), replace(FOUND.all[0].options, world="sim"))
    assert finished.outcome.kind == ScriptOutcome.UNKNOWN
    assert "it has no act for OfNobody" in finished.outcome.reason


# What makes a run unknown


def test_a_fault_without_evidence_a_busy_machine_and_a_late_harness_make_a_run_unknown() -> None:
    played = Played("ring", "none")
    number, asked = next(
        (record.event.fault, record) for record in played.finished.records if isinstance(record.event, FaultAsked)
    )
    missed = FaultWithoutEffect(number, "nothing showed it", Missed.UNSEEN)
    assert "nothing showed it" in why_unknown(played.with_records(asked._replace(sequence=10**6, event=missed)))
    of_a_node = next(record for record in played.finished.records if record.node == "n1")
    stood = of_a_node._replace(time=20 * SECOND, sequence=10**6, event=StoodStill(2 * SECOND))
    assert "the machine was too busy" in why_unknown(played.with_records(stood))
    late = asked._replace(time=20 * SECOND, sequence=10**6, event=HarnessLate(3 * SECOND))
    assert "the machine was too busy" in why_unknown(played.with_records(late))
    assert why_unknown(played.with_records(late._replace(event=HarnessLate(SECOND)))) == ""
