"""Every planted fault has an exhibit, and is caught by the check that names its rule; the canary in every run."""

from __future__ import annotations

import json
import shlex
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest
from tests.chaos.shipped import ALL as SCRIPTS
from tests.harness.command.command_helpers import here

from shaketable.harness.console.screen import Screen
from shaketable.harness.errors import UserError
from shaketable.harness.nemesis.plan import to_json
from shaketable.harness.pipeline.museum import museum_command
from shaketable.harness.pipeline.museum.exhibits import CANARY, INCIDENTS, Exhibit, legacy_exhibits, own_exhibits
from shaketable.harness.pipeline.museum.looking import EVERY, FIRST, Try
from shaketable.harness.pipeline.museum.museum import Random, Shown, looking_for, nearest, show
from shaketable.harness.pipeline.museum.museum_text import tell
from shaketable.harness.pipeline.stores.drawing import plays_a_plan
from shaketable.harness.runs.judging import judged
from shaketable.harness.runs.run import run_simulated
from shaketable.node.config.choices import GROUP_FAULTS, LEGACY_FAULTS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

EXHIBITS = legacy_exhibits(SCRIPTS)
BY_NAME = {exhibit.name: exhibit for exhibit in EXHIBITS}
SEEDS = 1
NEMESIS = [script for script in SCRIPTS if plays_a_plan(script.name)]

OWN = '''
from shaketable.harness.scripting.scripts import script
from shaketable.node.messages import MembersUpdate
from shaketable.node.cluster.member import ClusterMember


@script(about=["view integrity"])
async def three_form(cluster):
    """Three nodes form a cluster."""
    await cluster.form("n1", "n2", "n3")


class Sound(ClusterMember):
    """It does nothing wrong at all."""


EXHIBITS = [("view order", three_form, Sound)]
'''


def test_the_canary_is_caught(capsys: pytest.CaptureFixture[str]) -> None:
    ran = here(capsys, "museum", "--canary")
    assert ran.code == 0, ran.out
    assert ran.out.startswith(f"✓ {CANARY}: view order\n")
    assert "PASSED  1 of 1 exhibit caught" in ran.out


def test_its_report_is_written_though_nobody_reads_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def has_read_enough(*args: object) -> None:
        raise BrokenPipeError

    monkeypatch.setattr(museum_command, "tell", has_read_enough)
    assert here(capsys, "museum", "--canary", "--report", str(tmp_path / "museum.json")).code == 2
    assert json.loads((tmp_path / "museum.json").read_text())["caught"] is True


def test_every_fault_is_an_exhibit_and_says_where_it_comes_from() -> None:
    assert set(BY_NAME) == {*LEGACY_FAULTS, *GROUP_FAULTS} == set(INCIDENTS)
    assert not [exhibit.name for exhibit in EXHIBITS if not exhibit.rule]


def test_one_that_no_check_names_is_not_counted_as_caught_by_a_check(capsys: pytest.CaptureFixture[str]) -> None:
    named = BY_NAME[CANARY]
    nameless = msgspec.structs.replace(named, name="nameless", rule="")
    shown = [show(each, 1) for each in (named, nameless)]
    tell(shown, Screen())
    told = capsys.readouterr().out
    assert [each.caught for each in shown] == [True, True]
    assert "\n✓ nameless: no check, its story alone\n" in told
    assert "\nPASSED  1 of 2 exhibits caught by the check that names its rule, 1 by its story alone\n" in told


@pytest.mark.parametrize("exhibit", EXHIBITS, ids=lambda exhibit: exhibit.script)
def test_each_is_caught_in_its_own_story_and_nothing_without_it(exhibit: Exhibit) -> None:
    shown = show(exhibit, SEEDS)
    assert shown.caught, shown
    assert shown.story.after == shown.story.seen_after == 1


@pytest.mark.parametrize("search", [False, True])
def test_under_random_plans_it_is_played_until_it_is_caught(search: bool) -> None:
    exhibit = BY_NAME["missed removal"]
    shown = show(exhibit, 1, Random(NEMESIS[:1], 3, search))
    assert shown.random is not None
    assert 1 <= shown.random.runs <= 3
    assert shown.random.caught == (shown.random.after is not None)
    if shown.random.after is not None:
        assert shown.random.runs == shown.random.after


def tries_of(by_chance: Random, number: int) -> list[Try]:
    """Each is played before the next one is asked for."""
    exhibit, tries = BY_NAME["unordered updates"], list[Try]()
    (story,) = [script for script in SCRIPTS if script.name == exhibit.script]
    looking = looking_for(exhibit, story, by_chance)
    for each in islice(looking.tries, number):
        tries.append(each)
        looking.saw(each, run_simulated(each.script, each.options))
    return tries


def test_plain_seeds_are_played_one_after_the_other_under_all_plans_that_are_near() -> None:
    tries = tries_of(Random(NEMESIS, 6, search=False, first=5), 6)
    assert [each.options.seed for each in tries] == [5, 5, 5, 6, 6, 6]
    assert len({each.script.name for each in tries}) == 3
    assert not any(each.plan for each in tries)


def test_the_search_plays_no_seed_twice_and_goes_on_from_what_drawn_plans_have_reached() -> None:
    by_chance = Random(NEMESIS, 20, first=5)
    tries = tries_of(by_chance, 18)
    assert [each.options.seed for each in tries] == list(range(5, 23))
    drawn = 3 * FIRST
    assert not any(each.plan for each in tries[:drawn])
    changed = [each.plan for each in tries if each.plan is not None]
    assert [each.plan is None for each in tries[drawn:]] == ([True] + [False] * (EVERY - 1)) * 3
    assert len({to_json(plan) for plan in changed}) == len(changed)
    assert [each.plan for each in tries_of(by_chance, 12)] == [each.plan for each in tries[:12]]


def test_a_plan_that_the_search_has_made_is_kept_for_the_command_that_plays_it_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    exhibit = BY_NAME["own tables"]
    each = next(each for each in tries_of(Random(NEMESIS, 12, where=str(tmp_path / "plans")), 12) if each.plan)
    shown = show(exhibit, 1)
    assert each.plan is not None
    way = msgspec.structs.replace(shown.story, plan=to_json(each.plan), plan_at=each.options.plan)
    museum_command._keep_plans([msgspec.structs.replace(shown, random=way)])
    again = judged(run_simulated(each.script, each.options)).again
    ran = here(capsys, *shlex.split(again)[1:], "--quiet")
    assert again.endswith(f"--world sim --seed {each.options.seed}")
    assert f"--plan {tmp_path}/plans/{BY_NAME['unordered updates'].script}-{each.options.seed}.json" in again
    assert ran.code in (0, 1), ran.err


def test_the_random_plans_of_a_fault_are_those_that_are_like_its_story() -> None:
    stories = {script.name: script for script in SCRIPTS}
    first = {
        fault: nearest(stories[BY_NAME[fault].script], NEMESIS)[0].name
        for fault in ("missed removal", "own tables", "only configured", "silent followers", "two tie-breaks")
    }
    assert first == {
        "missed removal": "nemesis",
        "own tables": "nemesis-with-data",
        "only configured": "nemesis-that-merges",
        "silent followers": "nemesis-that-merges-and-forgets",
        "two tie-breaks": "nemesis-of-a-group-all-to-all-by-seniority",
    }


def test_what_somebody_has_planted_is_shown_too(tmp_path: Path) -> None:
    file = tmp_path / "own.py"
    file.write_text(OWN)
    (exhibit,) = own_exhibits(str(file))
    assert (exhibit.name, exhibit.rule) == ("Sound", "view order")
    shown = show(exhibit, 1)
    assert (shown.caught, shown.sound, shown.story.caught) == (False, True, 0)


@pytest.mark.parametrize(
    ("text", "refusal"),
    [
        ("", "has no list EXHIBITS"),
        ("EXHIBITS = [1]", "has no list EXHIBITS"),
        ("1 / 0", "ZeroDivisionError: division by zero: it cannot be loaded"),
        (OWN.replace('"view order", three', '"view oder", three'), "there is no check 'view oder'"),
    ],
)
def test_a_file_without_exhibits_is_refused_in_words(tmp_path: Path, text: str, refusal: str) -> None:
    file = tmp_path / "own.py"
    file.write_text(text)
    with pytest.raises(UserError, match=refusal):
        own_exhibits(str(file))


def test_a_fault_that_is_not_there_is_told_with_those_that_are(capsys: pytest.CaptureFixture[str]) -> None:
    ran = here(capsys, "museum", "stale tables")
    assert (ran.code, ran.out) == (2, "")
    assert "there is no fault 'stale tables'; there are " in ran.err


def test_it_lists_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    ran = here(capsys, "museum", "--list", "stale table", "no all-clear")
    assert ran.code == 0
    assert ran.out.count("rule: ") == 2
    assert "of the family of github.com/hazelcast/hazelcast issues 5444" in ran.out


@pytest.mark.spark
def test_on_spark_it_comes_to_the_same(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(museum_command, "spark_session", lambda *args, **kwargs: spark)
    report = tmp_path / "museum.json"
    names = ["stale overwrite", "no all-clear"]
    ran = here(capsys, "museum", *names, "--seeds", "1", "--random", "1", "--report", str(report))
    assert ran.code == 0, ran.err
    written = json.loads(report.read_text())
    shown = msgspec.convert(written["shown"], list[Shown])
    assert [each.exhibit.name for each in shown] == ["no all-clear", "stale overwrite"]
    assert written["caught"] is True
    for each in shown:
        by_hand = show(each.exhibit, 1)
        assert msgspec.structs.replace(each.story, seconds=0.0) == msgspec.structs.replace(by_hand.story, seconds=0.0)
        assert each.random is not None
        assert each.random.runs == 1
