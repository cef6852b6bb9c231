"""`shaketable compare-detectors --system`: what is refused before anything starts, and what the tables say."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import pytest
from rich.console import Console
from tests.harness.command.command_helpers import here

from shaketable.harness.detectors.quality.figures import in_json, quality
from shaketable.harness.detectors.quality.of_a_run import LEVELS, REMOVED, AtLevel, OfRun
from shaketable.harness.detectors.quality.text import rendered
from shaketable.harness.detectors.real import command
from shaketable.harness.detectors.real.contenders import Contenders, contenders, trial_of
from shaketable.harness.detectors.real.playing import Asked
from shaketable.harness.detectors.text import kept
from shaketable.harness.scripting.cluster import Cluster
from shaketable.node.config import GMS
from shaketable.node.core.env import SECOND

COMPARE: Final = "compare-detectors"
OF_OURS: Final = ("swim", "lifeguard", "ring", "deadline")


def described(folder: Path, more: str = "") -> Path:
    file = folder / "system.toml"
    file.write_text(f'name = "theirs"\ncommand = "/nowhere/at/all"\nlevel = 0\n{more}')
    return file


TIMES: Final = "settings = { heartbeat_interval_seconds = 0.5, heartbeat_timeout_seconds = 5 }\n"
MISTAKES: Final[dict[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "no condition": ((), ("a system is measured under the conditions of --under: name some",)),
    "lost heartbeats": (
        ("--under", "none,loss-10"),
        ("--under loss-10: on real processes nobody can lose heartbeats alone", "jitter", "pauses-SECONDSs"),
    ),
    "no CPU": (("--under", "pauses+overload"), ("--under pauses+overload: on real processes",)),
    "no such condition": (("--under", "rain"), ("there is no condition 'rain'",)),
    "no such policy": (
        ("--under", "none", "--policies", "swim,boat"),
        ("--policies swim,boat: there is no policy 'boat'; give some of all, likely, ring",),
    ),
    "one member": (("--under", "none", "--members", "1"), ("--members 1: '1' is no size",)),
    "many members": (
        ("--under", "none", "--members", "5,51"),
        ("--members 51: each is a process here; give at most 50",),
    ),
    "equal cost": (("--under", "none", "--messages", "1"), ("--messages is for simulated members",)),
    "equal bytes": (("--under", "none", "--bytes", "1"), ("--bytes is for simulated members",)),
    "cores": (("--under", "none", "--cores", "1"), ("--cores is for simulated members",)),
    "Spark": (("--under", "none", "--spark-master", "local[1]"), ("--spark-master is for simulated members",)),
    "a search": (
        ("--under", "none", "--at-most", "1/day"),
        ("--at-most searches among all of ours: leave out --system",),
    ),
    "a picture": (("--under", "none", "--out", "x.svg"), ("there is a picture only without --under",)),
    "no seeds": (("--under", "none", "--seeds", "0"), ("--seeds 0: give a whole number from 1",)),
    "no such setting": (("--under", "none", "--set", "colour=red"), ("colour",)),
    "not to be set": (("--under", "none", "--set", "merging=true"), ("--set merging=true: it is not to be set here",)),
    "too hasty": (("--under", "none", "--set", "gms_max_missed=1"), ("at least two intervals",)),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_gets_its_sentence(mistake: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments, words = MISTAKES[mistake]
    here(capsys, COMPARE, "--system", described(tmp_path), *arguments).refused(*words)


def test_a_system_that_there_is_not_gets_its_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    here(capsys, COMPARE, "--under", "none", "--system", "nobody").refused("there is no such system; there are ")
    nowhere = tmp_path / "system.toml"
    here(capsys, COMPARE, "--under", "none", "--system", nowhere).refused("it cannot be read")
    here(capsys, COMPARE, "--under", "none", "--system", "").refused("--system: the name is empty")
    here(capsys, COMPARE, "--under", "none", "--node", "x", "--system", nowhere).refused("not allowed with argument")


def test_policies_are_for_conditions(capsys: pytest.CaptureFixture[str]) -> None:
    here(capsys, COMPARE, "--policies", "ring").refused("--policies ring: they are chosen with --under alone")
    here(capsys, COMPARE, "--under", "none", "--at-most", "1/day", "--policies", "ring").refused("leave out --policies")


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ("build = 'false'\n", "false failed, exit code 1"),
        ("heeds = []\n" + TIMES.replace("5 }", "5, heartbeat_jitter = 1 }"), "settings: "),
        ("settings = { family = 'gms' }\n", "its detector cannot be measured: theirs is a cluster, and no group"),
    ],
)
def test_a_system_that_cannot_be_had_gets_a_sentence(
    more: str, sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    here(capsys, COMPARE, "--system", described(tmp_path, more), "--under", "none").refused(sentence)


# At which settings


def in_seconds(found: Contenders) -> list[tuple[str, float, float]]:
    """The period and the window of each."""
    told = []
    for each in found.all:
        s = each.options.settings(trial_of(nobody))
        times = (
            (s.gms_heartbeat_period, s.detection_window)
            if s.family == GMS
            else (s.heartbeat_interval, s.heartbeat_timeout)
        )
        told.append((each.name, times[0] / SECOND, times[1] / SECOND))
    return told


async def nobody(cluster: Cluster) -> None:
    """A run of none."""


def test_ours_get_the_times_of_the_system(tmp_path: Path) -> None:
    found = contenders(str(described(tmp_path, TIMES)), None, {}, OF_OURS)
    assert in_seconds(found) == [(name, 0.5, 5) for name in ("theirs", *OF_OURS)]
    assert (found.times.period, found.times.window) == (SECOND // 2, 5 * SECOND)


def test_all_get_the_times_that_are_given_and_ours_the_other_settings(tmp_path: Path) -> None:
    given = {"gms_heartbeat_period_seconds": "0.2", "gms_max_missed": "4", "swim_suspicion_periods": "2"}
    found = contenders(str(described(tmp_path, TIMES)), None, given, OF_OURS)
    assert in_seconds(found) == [(name, 0.2, 0.8) for name in ("theirs", *OF_OURS)]
    assert found.all[1].options.settings(trial_of(nobody)).swim_suspicion_periods == 2
    only = contenders(str(described(tmp_path, TIMES)), None, {"gms_max_missed": "4"}, OF_OURS)
    assert in_seconds(only) == [(name, 0.5, 2) for name in ("theirs", *OF_OURS)]


@pytest.mark.parametrize(("given", "period", "window"), [({}, 0.4, 2), ({"gms_max_missed": "3"}, 0.4, 1.2)])
def test_a_group_has_the_times_of_a_group(
    given: Mapping[str, object], period: float, window: float, tmp_path: Path
) -> None:
    settings = "settings = { family = 'gms', gms_heartbeat_period_seconds = 0.4, gms_max_missed = 5 }"
    found = contenders(str(described(tmp_path, f"can = ['group']\n{settings}")), None, given, OF_OURS)
    assert in_seconds(found) == [(name, period, window) for name in ("theirs", *OF_OURS)]


def test_where_the_system_is_ours_there_are_ours_alone() -> None:
    found = contenders("shaketable", None, {}, ("ring", "deadline"))
    assert in_seconds(found) == [("ring", 0.3, 0.9), ("deadline", 0.3, 0.9)]


# What is told


def run_of(detections: list[int], *, told: Sequence[str] = (REMOVED,)) -> OfRun:
    level = AtLevel(detections, detections, 0.0, 1.0, 0, [], [], 60 * SECOND, 0.0)
    return OfRun(5, dict.fromkeys(told, level), some_are_ill=False, lasted=10 * SECOND, sent=None, repaired=0)


def test_what_is_not_told_is_said_so_and_is_no_nought() -> None:
    figures = [quality("theirs", "none", [run_of([SECOND])]), quality("swim", "none", [run_of([SECOND], told=LEVELS)])]

    def tell(console: Console) -> None:
        for part in rendered(figures):
            console.print(part)

    lines = kept(tell).splitlines()
    theirs = [line.split() for line in lines if line.startswith("theirs")]
    assert theirs[0] == ["theirs", "not", "told"]
    assert theirs[1][1:3] == ["1.00", "1.00"]
    assert theirs[2][1:7] == ["not", "told"] * 3
    assert max(map(len, lines)) <= 80
    told = json.loads(in_json(figures[0]))
    assert told["doubted"] is told["messages_a_member_and_second"] is told["bytes_a_member_and_second"] is None
    assert told["removed"]["detection_time"]["median"] == 1


def answering(monkeypatch: pytest.MonkeyPatch, runs: Sequence[OfRun | str]) -> list[Asked]:
    """In the place of real processes."""
    asked: list[Asked] = []

    def play(what: Asked, *more: object) -> OfRun | str:
        asked.append(what)
        return runs[len(asked) - 1]

    monkeypatch.setattr(command, "play", play)
    return asked


BUSY: Final = "the machine was too busy"


def test_a_run_that_is_unknown_is_told_and_counts_in_no_figure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = ("--system", described(tmp_path, TIMES), "--under", "none", "--policies", "ring,swim", "--seed", "7")
    known, other = run_of([SECOND]), run_of([2 * SECOND], told=LEVELS)
    runs: list[OfRun | str] = [known, other, BUSY, BUSY, other, other]
    asked = answering(monkeypatch, runs)
    ran = here(capsys, COMPARE, *arguments, "--report", tmp_path / "out")
    assert ran.code == 0
    assert ran.err == "6 runs of real processes, one after the other: about 19 minutes\n"
    assert [(each.contender.name, each.seed) for each in asked] == [
        *(("theirs", 7), ("ring", 7), ("swim", 7), ("theirs", 8), ("ring", 8), ("swim", 8))
    ]
    for whom, seed in (("theirs", 8), ("swim", 7)):
        assert f"Unknown, and in no figure: {whom}, none, seed {seed}: {BUSY}" in ran.out
    assert "Real processes; a heartbeat or a ping every 0.5 s, and a window of 5 s" in ran.out
    told = [json.loads(line) for line in (tmp_path / "out" / "quality.jsonl").read_text().splitlines()]
    assert [(each["policy"], each.get("runs"), each.get("unknown")) for each in told] == [
        *(("theirs", 1, None), ("ring", 2, None), ("swim", 1, None), ("swim", None, BUSY), ("theirs", None, BUSY))
    ]


def test_where_no_run_counts_nothing_was_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    answering(monkeypatch, [BUSY, run_of([SECOND], told=LEVELS), BUSY, run_of([SECOND], told=LEVELS)])
    arguments = ("--system", described(tmp_path), "--under", "none", "--policies", "swim", "--json")
    ran = here(capsys, COMPARE, *arguments)
    assert (ran.code, len(ran.out.splitlines())) == (2, 3)
    assert f"shaketable: theirs, 5 members, none: nothing was measured: {BUSY}\n" in ran.err


def test_policies_are_chosen_for_simulated_members_too(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("--under", "none", "--members", "5", "--seeds", "1", "--json")
    ran = here(capsys, COMPARE, *arguments, "--policies", "ring, deadline,ring")
    assert [json.loads(line)["policy"] for line in ran.out.splitlines()] == ["ring", "deadline"]
