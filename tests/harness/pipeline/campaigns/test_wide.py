"""A thousand cores and a million runs: what the one driver has to do for them, measured in time of its processor."""

from __future__ import annotations

import time
from collections import deque
from typing import Final

import msgspec
import pytest
from tests.chaos.shipped import ALL
from tests.harness.pipeline.campaigns.campaigns import cases_of
from tests.lengths import NIGHT

from shaketable.harness.pipeline.campaigns.cases import Case, cells_of
from shaketable.harness.pipeline.campaigns.portions import Cutter, Portion
from shaketable.harness.pipeline.campaigns.results import Results
from shaketable.harness.pipeline.campaigns.spreading import play, sent
from shaketable.harness.pipeline.campaigns.steering import OfScript, Reached
from shaketable.harness.pipeline.campaigns.summaries import Summary
from shaketable.harness.pipeline.campaigns.variants import ALL as VARIANTS
from shaketable.harness.pipeline.campaigns.variants import in_turn
from shaketable.harness.pipeline.campaigns.waves import LAG, Asked, Planner

pytestmark = pytest.mark.spark  # what makes the cases knows its packages

RUNS: Final = 1_000_000
CORES: Final = 1_000
A_RUN: Final = 13_000
"""micros, about"""
MICRO: Final = 1e-6


def reached_by(cases: list[Case]) -> Reached:
    """A mark that is rare in some scripts."""
    told = Reached()
    for case in cases:
        own = told.by_script.setdefault(case.script, OfScript())
        own.runs += 1
        if case.seed % 7 == 0:
            own.marks["rare"] = own.marks.get("rare", 0) + 1
            told.in_all["rare"] = told.in_all.get("rare", 0) + 1
    return told


@NIGHT
def test_a_million_runs_are_planned_cut_and_sent_to_a_thousand_cores_in_seconds() -> None:
    scripts = [script for script in ALL if not script.expects_violation]
    planner = Planner(Asked(cells_of(scripts, in_turn(scripts, VARIANTS)), RUNS, 1, 5))
    cutter = Cutter(planner, RUNS, lambda: CORES)
    wave, under_way = Reached(), deque[Portion]()
    number = portions = size = most = 0
    took, began = 0.0, time.process_time()
    while True:
        while len(under_way) < 3 and (portion := cutter.next()) is not None:
            under_way.append(portion)
            size += sum(map(len, sent(portion.tasks)))
        if not under_way:
            break
        at_once = sum(len(each.tasks) for each in under_way)
        most = max(most, at_once)
        portion = under_way.popleft()
        assert portion.first == number
        number, portions = number + portion.runs, portions + 1
        cutter.learn(portion.runs, portion.runs * A_RUN)
        pause = time.process_time()
        wave.merge(reached_by([case for task in portion.tasks for case in task]))  # what others do, with rows
        took -= time.process_time() - pause
        if portion.ends_a_wave:
            planner.over(wave)
            wave = Reached()
    took += time.process_time() - began
    assert number == RUNS
    assert most >= LAG * CORES, "each core has a task, and one that waits"
    assert took < 60
    assert size / RUNS < 1_000


def test_earlier_waves_are_summed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    merged: list[Reached] = []
    monkeypatch.setattr(Reached, "merge", lambda self, other: merged.append(other))
    planner = Planner(Asked(cells_of(ALL[:3], in_turn(ALL[:3], VARIANTS)), 10_000, 1, 5))
    waves = []
    for _ in range(31):
        planner.next()
        waves.append(Reached())
        planner.over(waves[-1])
    assert merged == waves[: 31 - LAG]
    assert all(one is other for one, other in zip(merged, waves, strict=False))


def test_what_the_driver_reads_of_a_run_takes_microseconds() -> None:
    names = ("kill-the-master", "storm", "issue-18661", "a-backup-misses-writes", "group-watchdog-tells", "form")
    task = msgspec.msgpack.encode(play(cases_of(*names, runs=30), 500).told)
    decoder, results, wave = msgspec.msgpack.Decoder(Summary), Results(), Reached()
    began = time.process_time()
    for _ in range(1_000):
        told = decoder.decode(task)
        results.merge(told)
        wave.merge(told.reached)
    a_run = (time.process_time() - began) / results.runs
    assert results.runs == 30_000
    assert a_run < 100 * MICRO
    assert len(task) / 30 < 2_000, "bytes"
