"""`shaketable compare-detectors --under` with several processes: what comes of it is the same, byte for byte."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any, Final

import psutil
import pytest
from tests.harness.command.command_helpers import Harness, here

from shaketable.harness.detectors.command import compare_detectors
from shaketable.harness.detectors.members import NotWhole
from shaketable.harness.detectors.plays import Play, Show
from shaketable.harness.detectors.quality.course import Trace
from shaketable.harness.detectors.quality.playing import Chosen, ToMeasure, packed, played, unpacked
from shaketable.harness.detectors.quality.trial import Trial
from shaketable.harness.pipeline.choosing import measuring
from shaketable.harness.pipeline.choosing.measuring import WORKER
from shaketable.harness.pipeline.choosing.running import by_processes
from shaketable.harness.pipeline.workers import Workers
from shaketable.node.config import GMS, RING

COMPARE: Final = "compare-detectors"


@pytest.mark.parametrize(
    ("more", "sizes"),
    [
        (("--under", "loss-30,lagging-some", "--members", "5"), [5] * 16),
        (("--under", "none", "--members", "5,6", "--messages", "1"), [5] * 8 + [6] * 8),
    ],
)
def test_two_processes_make_what_one_makes(
    more: tuple[str, ...], sizes: Sequence[int], tmp_path: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    def made(name: str, *cores: str) -> list[Any]:
        folder = tmp_path / name
        ran = here(capsys, COMPARE, *more, "--seeds", "2", *cores, "--json", "--report", folder)
        return [ran, *((file.name, file.read_bytes()) for file in sorted(folder.iterdir()))]

    by_two = made("two", "--cores", "2")
    in_this_process(monkeypatch)
    assert by_two == made("here")
    assert (by_two[0].code, by_two[0].err) == (0, "")
    told = [json.loads(line) for line in by_two[0].out.splitlines()]
    assert [each["members"] for each in told] == sizes
    assert {each["runs"] for each in told} == {2}


def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        measuring, "compare", lambda options: compare_detectors(options, lambda: nullcontext(one_after_the_other))
    )


def one_after_the_other(tasks: Sequence[bytes], show: Show) -> list[bytes]:
    return [played(task) for task in tasks]


def test_a_process_that_is_killed_changes_nothing() -> None:
    tasks = [packed(ToMeasure(Chosen("default", {}), "ring", None, 5, "loss-10", seed)) for seed in range(1, 5)]
    workers = Workers(2, WORKER)
    try:
        psutil.Process(workers.first_process()).kill()
        play: Play = by_processes(workers)
        found = play(tasks, lambda done, of: None)
    finally:
        workers.stop()
    assert found == [played(task) for task in tasks]
    assert len({run.sent for each in found if (run := unpacked(each).run) is not None}) > 1, "seeds differ"


def test_ctrl_c_ends_it_with_one_sentence_and_nothing_is_left(tmp_path: Path) -> None:
    running = Harness(tmp_path, "--members", "100", "--under", "pauses", "--cores", "2", command=COMPARE)
    try:
        running.ends_by_ctrl_c_with(WORKER)
    finally:
        running.close()


def test_members_that_come_to_no_list_are_told_with_the_policy_and_the_seed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    once = Trial.run

    def run(trial: Trial) -> Trace:
        settings = trial.members.world.settings
        if settings.gms_detection == RING and settings.family == GMS and trial.members.world.seed == 2:
            raise NotWhole("the members came to no common list")
        return once(trial)

    monkeypatch.setattr(Trial, "run", run)
    in_this_process(monkeypatch)
    ran = here(capsys, COMPARE, "--under", "none", "--members", "5", "--seeds", "2")
    ran.refused("ring, 5 members, none, seed 2: the members came to no common list; give it gentler settings")
    assert ran.out == ""


MISTAKES: Final[dict[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "no cores": (("--under", "loss-30", "--cores", "0"), ("--cores 0: give at least 1",)),
    "cores for nothing": (("--cores", "2"), ("--cores goes with --at-most or --under",)),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_gets_its_sentence(mistake: str, capsys: pytest.CaptureFixture[str]) -> None:
    arguments, words = MISTAKES[mistake]
    here(capsys, COMPARE, *arguments).refused(*words)
