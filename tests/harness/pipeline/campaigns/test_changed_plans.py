"""The search of a campaign, without running it: which runs play changed plans, and what the next campaign is given."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import msgspec
import pytest
from tests.harness.command.command_helpers import here
from tests.harness.pipeline.campaigns.campaigns import asked, plain

from shaketable.harness.errors import UserError
from shaketable.harness.nemesis.corpus import Corpus, Found
from shaketable.harness.nemesis.plan import from_json
from shaketable.harness.nemesis.plan_files import plan_at, write_plans
from shaketable.harness.pipeline.campaigns.cases import Case
from shaketable.harness.pipeline.campaigns.changing import SEARCHING
from shaketable.harness.pipeline.campaigns.corpora import FILE, Kept, read_corpus, write_corpus
from shaketable.harness.pipeline.campaigns.simulating import simulated
from shaketable.harness.pipeline.campaigns.steering import Reached
from shaketable.harness.pipeline.campaigns.waves import Asked, Planner

WHAT = asked("nemesis", "nemesis-with-data", "form", runs=200, variants=["as written", "fast"], wave=20)


def told(wave: Sequence[Case]) -> Reached:
    """As if each seventh of the seeds had reached something rare."""
    reached = Reached()
    for case in wave:
        plays = case.script != "form"
        marks = ["usual", *["rare"] * (plays and case.seed % 7 == 0), *["odd"] * (case.seed % 2)]
        found = Found(1000 - case.seed, case.run, case.script, case.variant, case.seed)
        reached.add(case.script, marks, found if plays else None)
    return reached


def waves(what: Asked = WHAT, number: int = 10) -> list[list[Case]]:
    planner, found = Planner(what), []
    for _ in range(number):
        found.append(planner.next())
        planner.over(told(found[-1]))
    return found


def test_after_the_first_round_a_part_of_each_wave_plays_changed_plans() -> None:
    shares = [sum(bool(case.plan) for case in wave) / len(wave) for wave in waves()]
    assert shares[0] == 0
    assert shares[-3:] == [SEARCHING / 100] * 3
    played = [case for wave in waves() for case in wave]
    assert len({case.run for case in played}) == len(played) == WHAT.runs
    assert [case.number for case in played] == list(range(WHAT.runs))
    plans = [case.plan for case in played if case.plan]
    assert len(set(plans)) == len(plans)
    assert all(case.script != "form" for case in played if case.plan)


def test_whoever_plans_it_the_search_is_the_same_and_hangs_on_what_was_reached() -> None:
    assert waves() == waves()
    assert waves(_without(WHAT)) != waves()


def _without(what: Asked) -> Asked:
    return Asked(what.cells, what.runs, what.first_seed, what.sample, what.wave, search=False)


def test_without_the_search_no_plan_is_changed() -> None:
    assert not [case for wave in waves(_without(WHAT)) for case in wave if case.plan]


def test_a_wave_is_searched_by_the_waves_before_the_last_one() -> None:
    one, other = Planner(WHAT), Planner(WHAT)
    for planner in (one, other):
        planner.over(told(planner.next()))
        planner.over(told(planner.next()))
    one.over(told(one.next()))
    other.next()
    assert one.next() == other.next()


def test_the_command_of_such_a_run_plays_it_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    what = Asked(WHAT.cells, WHAT.runs, 1, 5, WHAT.wave, plans=str(tmp_path / "plans"))
    planner = Planner(what)
    planner.made = partial(write_plans, instead="give another --out")
    cases: list[Case] = []
    while not any(case.plan for case in cases):
        cases = planner.next()
        planner.over(told(cases))
    for case in [case for case in cases if case.plan and case.script == "nemesis"][:2]:
        assert plan_at(case.plan_at) == from_json(case.plan)
        row = simulated(case).row
        assert plain(row) == plain(simulated(case).row)
        assert (row.plan, row.again) == (case.plan_at, case.again)
        out = tmp_path / str(case.number)
        ran = here(capsys, *shlex.split(row.again)[1:], "--quiet", "--report", str(out))
        assert ran.code == 0, ran.err
        (run,) = msgspec.json.decode((out / "report.json").read_bytes())["runs"]
        assert run["history_hash"] == row.history_hash


def test_what_few_have_reached_is_kept_and_the_next_campaign_plays_it_first(tmp_path: Path) -> None:
    planner, corpus = Planner(WHAT), Corpus()
    for _ in range(6):
        wave = told(planner.next())
        planner.over(wave)
        corpus.merge(wave.corpus)
    corpus.reached["rare"] = 1
    kept = planner.kept(corpus)
    assert 1 <= len(kept) <= 3
    assert {each.mark for each in kept} == {"rare"}
    write_corpus(tmp_path, kept)
    assert list(read_corpus(tmp_path)) == list(read_corpus(tmp_path / FILE)) == kept
    stranger = msgspec.structs.replace(kept[0], script="gone")
    following = Asked(WHAT.cells, 200, 1, 5, 20, earlier=[stranger, *kept])
    first = Planner(following)
    cases = first.next()
    assert [from_json(case.plan) for case in cases if case.plan] == [each.plan for each in kept]
    assert [(case.script, case.variant) for case in cases if case.plan] == [(e.script, e.variant) for e in kept]
    many = Planner(Asked(WHAT.cells, 200, 1, 5, 20, earlier=[*kept] * 20))
    assert sum(bool(case.plan) for case in many.next()) == 10
    assert len(many.kept(Corpus())) == 20 * len(kept) - 10


@pytest.mark.parametrize(("text", "said"), [(None, "cannot be read: no such file"), ("{}", "is no corpus")])
def test_what_is_no_corpus_is_refused_in_words(text: str | None, said: str, tmp_path: Path) -> None:
    if text is not None:
        (tmp_path / FILE).write_text(text)
    with pytest.raises(UserError, match=said):
        read_corpus(tmp_path)


def test_a_mark_that_many_reach_keeps_no_plan() -> None:
    corpus = Corpus()
    for number in range(100):
        corpus.add(Found(1, f"nemesis/sim/{number}", "nemesis", "", number), ["usual", *["half"] * (number % 2)])
    assert Planner(WHAT).kept(corpus) == list[Kept]()
