"""`shaketable compare-detectors --at-most`: a whole search, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final
from xml.etree import ElementTree

import psutil
import pytest
from tests.conftest import AsWritten
from tests.harness.command.command_helpers import Harness, Ran, here
from tests.harness.detectors.choosing.questions import question
from tests.harness.explain.explain_helpers import as_answered
from tests.lengths import LONG
from tests.where import DOCS

from shaketable.harness.detectors.choosing.candidates import ladders
from shaketable.harness.detectors.choosing.playing import played
from shaketable.harness.detectors.choosing.search import Search
from shaketable.harness.pipeline.choosing.command import WORKER, play_all
from shaketable.harness.pipeline.choosing.running import by_processes
from shaketable.harness.pipeline.workers import Workers

CHOOSE: Final = "compare-detectors"
SETTINGS: Final = {
    "gms_heartbeat_period_seconds": "1",
    "gms_probe_timeout_seconds": "1",
    "gms_max_missed": "5",
    "swim_suspicion_periods": "4",
    "swim_ping_timeout_seconds": "1",
    "lifeguard_longest_suspicion": "1",
}
SMALL: Final = (
    *("--members", "5", "--cores", "2"),
    *(word for name, value in SETTINGS.items() for word in ("--set", f"{name}={value}")),
)
"""Of each policy one candidate, or one for each threshold."""
ASLEEP: Final = ("--under", "loss-2+pauses-1s")


def answered(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[Ran, list[dict[str, Any]]]:
    ran = here(capsys, CHOOSE, *SMALL, *arguments, "--json")
    return ran, [json.loads(line) for line in ran.out.splitlines()]


def test_a_question_is_answered(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Five sleeps a day: fifteen without a false removal are enough, and a run has a hundred."""
    ran, told = answered(capsys, *ASLEEP, "--at-most", "1/day", "--report", tmp_path)
    assert (ran.code, ran.err) == (0, "")
    kept = {each["policy"]: each for each in told if each["outcome"] == "keeps"}
    assert [*kept] == ["all", "likely", "ring", "inferred", "swim", "lifeguard", "deadline", "phi-accrual"]
    for each in kept.values():
        assert each["settings"].items() >= SETTINGS.items()
        assert (each["members"], each["condition"], each["in_a"]) == (5, "loss-2+pauses-1s", "day")
        assert 0 < each["false_removals_at_most"] <= 1
        assert each["sleeps_watched"] >= 15
        assert each["crashes"] == 24
        assert 4 < each["median"] <= each["nine_of_ten"] < 15
    assert kept["ring"]["messages_a_member_and_second"] < kept["deadline"]["messages_a_member_and_second"] / 2
    assert kept["ring"]["silences_watched"] > 0 == kept["deadline"]["silences_watched"]
    assert sorted(file.name for file in tmp_path.iterdir()) == ["answer.jsonl", "answer.txt", "front.svg"]
    assert (tmp_path / "answer.jsonl").read_text() == ran.out
    text = (tmp_path / "answer.txt").read_text()
    assert max(map(len, text.splitlines())) <= 80
    assert "    --set gms_max_missed=5\n" in text or "    --set heartbeat_timeout_seconds=5\n" in text
    ElementTree.fromstring((tmp_path / "front.svg").read_text())


def test_where_nothing_keeps_it_the_exit_code_is_1(capsys: pytest.CaptureFixture[str]) -> None:
    """Five missed heartbeats take five seconds at least."""
    ran, told = answered(capsys, *ASLEEP, "--at-most", "1/day", "--within", "1s")
    assert (ran.code, ran.err) == (1, "")
    assert {each["outcome"] for each in told} == {"too slow"}


def test_where_every_policy_sends_more_than_is_allowed_the_exit_code_is_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """There are no such settings, as where none is quick enough: nothing has to be played for that."""
    asked = (*SMALL, "--at-most", "1/hour", "--messages", "0.0001", "--report", tmp_path)
    ran = here(capsys, CHOOSE, *asked)
    assert (ran.code, ran.err) == (1, "")
    assert "Not tried, since a member would send more than 0.0001 messages a second: all," in ran.out
    assert "No settings that were tried were shown to keep that." in ran.out
    assert (tmp_path / "answer.jsonl").read_text() == ""
    assert "nothing was measured" in (tmp_path / "front.svg").read_text()
    in_json = here(capsys, CHOOSE, *asked, "--json")
    assert (in_json.code, in_json.out, in_json.err) == (1, "", "")


@LONG
def test_the_page_shows_what_is_found(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, as_written: AsWritten
) -> None:
    page = DOCS / "choose-a-detector.md"
    as_written(page, as_answered(page.read_text(), capsys, monkeypatch))


@LONG
def test_a_member_that_sleeps_for_a_minute_is_removed_by_all(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("--under", "pauses-60s", "--at-most", "1/day")
    ran, told = answered(capsys, *asked)
    assert (ran.code, ran.err) == (1, "")
    assert {each["outcome"] for each in told} == {"breaks"}
    assert all(each["false_removals_seen"] == each["runs"] for each in told), "each run ends with the first one"
    in_words = here(capsys, CHOOSE, *SMALL, *asked)
    assert (in_words.code, in_words.err) == (1, "")
    assert "No settings that were tried were shown to keep that." in in_words.out


def test_what_comes_of_it_hangs_on_no_process() -> None:
    """That many processes play it, or this one alone, or that one of them is killed meanwhile."""
    asked = question("1/day", "pauses-1s", 5)

    def found(play: Any) -> list[Any]:
        made = [each for each in ladders(asked, "default", SETTINGS) if each.policy == "ring"]
        search = Search(asked, "default", made)
        play_all(search, play, lambda done, of: None)
        return [(each.outcome, each.most, each.seen, each.crashes) for each in search.all_tried()]

    workers = Workers(2, WORKER)
    try:
        psutil.Process(workers.first_process()).kill()
        by_others = found(by_processes(workers))
    finally:
        workers.stop()
    assert by_others == found(lambda tasks, show: [played(task) for task in tasks])
    assert by_others[0][0] == "keeps"


def test_ctrl_c_ends_it_with_one_sentence_and_nothing_is_left(tmp_path: Path) -> None:
    running = Harness(tmp_path, "--members", "50", "--under", "pauses-3s", "--at-most", "1/year", command=CHOOSE)
    try:
        running.ends_by_ctrl_c_with(WORKER)
    finally:
        running.close()


WELL: Final = ("--at-most", "1/month")
MISTAKES: Final[dict[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "no number": (("--at-most", "few"), ("--at-most few: give a number above 0 and a time, as in 1/month",)),
    "never": (("--at-most", "0/month"), ("--at-most 0/month: give a number above 0 and a time",)),
    "less than never": ((*WELL[:1], "-1/month"), ("--at-most -1/month: give a number above 0 and a time",)),
    "less than no time": (
        (*WELL, "--under", "pauses-3s", "--pauses-every", "-1d"),
        ("--pauses-every -1d: give a time such as 20s",),
    ),
    "no such time": (("--at-most", "1/fortnight"), ("times are hour, day, week, month, year",)),
    "no condition": ((*WELL, "--under", "rain"), ("--under rain: there is no condition 'rain'",)),
    "two conditions": ((*WELL, "--under", "loss-2,pauses-3s"), ("all of them at once are loss-2+pauses-3s",)),
    "churn": ((*WELL, "--under", "loss-1+churn"), ("--under loss-1+churn: churn ends members on purpose",)),
    "two sizes": ((*WELL, "--members", "5,10"), ("--members 5,10: give one size with --at-most",)),
    "one size and a comma": ((*WELL, "--members", "5,"), ("--members 5,: give one size with --at-most",)),
    "too few": ((*WELL, "--members", "4"), ("'4' is no size",)),
    "no time": ((*WELL, "--within", "soon"), ("--within soon: give a time such as 20s",)),
    "no time at all": ((*WELL, "--within", "0s"), ("--within 0s: give a time such as 20s",)),
    "nobody sleeps": ((*WELL, "--pauses-every", "1h"), ("--pauses-every 1h: nobody sleeps",)),
    "sleeps by times of their own": (
        (*WELL, "--under", "loss-2+pauses", "--pauses-every", "1d"),
        ("--pauses-every 1d: the sleeps of pauses come by times of their own", "such as pauses-3s"),
    ),
    "mostly asleep": (
        (*WELL, "--under", "pauses-3s", "--pauses-every", "5s"),
        ("--pauses-every 5s: a member would sleep half of its time",),
    ),
    "no hours": ((*WELL, "--hours", "0"), ("--hours 0: give a number above 0",)),
    "no number of hours": ((*WELL, "--hours", "nan"), ("--hours nan: give a number above 0",)),
    "no messages": ((*WELL, "--messages", "-1"), ("--messages -1: give a number above 0",)),
    "seeds": ((*WELL, "--seeds", "3"), ("--seeds 3: the search takes as many as it needs",)),
    "a picture elsewhere": (
        (*WELL, "--out", "x.svg"),
        ("the picture of a search is front.svg in the folder of --report",),
    ),
    "no name of a folder": ((*WELL, "--report", ""), ("--report '': give a folder",)),
    "no cores": ((*WELL, "--cores", "0"), ("--cores 0: give at least 1",)),
    "no such setting": ((*WELL, "--set", "patience=3"), ("there is no such setting",)),
    "a time without a question": (("--within", "20s"), ("--within goes with --at-most alone",)),
    "Spark without a question": (("--spark-master", "local[2]"), ("--spark-master goes with --at-most or --under",)),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_gets_its_sentence(mistake: str, capsys: pytest.CaptureFixture[str]) -> None:
    arguments, words = MISTAKES[mistake]
    here(capsys, CHOOSE, *arguments).refused(*words)


def test_a_folder_that_cannot_be_written_is_refused_before_anything_is_played(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    here(capsys, CHOOSE, *WELL, "--report", tmp_path / "file").refused("give another folder with --report")
