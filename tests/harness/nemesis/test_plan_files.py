"""A plan in a file is played in the place of the one that a script draws, and the run can be had again."""

from __future__ import annotations

import shlex
from pathlib import Path

import msgspec
import pytest
from tests.harness.command.command_helpers import here
from tests.harness.nemesis.climates import STORIES

from shaketable.harness.nemesis.drawn import drawn_by
from shaketable.harness.nemesis.failing import plan_in, script_of
from shaketable.harness.nemesis.mutating import mutated
from shaketable.harness.nemesis.plan import Plan, to_json
from shaketable.harness.nemesis.plan_files import place, plan_at, write_plans
from shaketable.harness.runs.judging import judged, subject_of
from shaketable.harness.runs.run import Options, run_simulated
from shaketable.harness.scripting.targets import script_named

SCRIPTS = ["nemesis", "nemesis-that-merges", "nemesis-with-data", "nemesis-of-a-group-all-to-all-by-order"]


def a_plan(name: str = "nemesis", seed: int = 3) -> Plan:
    plan = drawn_by(script_named(name), Options("sim", seed=seed))
    assert plan is not None
    return plan


@pytest.mark.parametrize("name", SCRIPTS)
def test_the_plan_of_a_seed_is_known_without_playing_it(name: str) -> None:
    script, options = script_named(name), Options("sim", seed=4)
    assert drawn_by(script, options) == plan_in(run_simulated(script, options).records) is not None


@pytest.mark.parametrize("name", ["storm", "kill-the-master"])
def test_a_script_that_plays_no_plan_has_none(name: str) -> None:
    assert drawn_by(script_named(name), Options("sim")) is None


def test_a_plan_that_is_played_for_another_one_gives_the_run_that_drew_it() -> None:
    script, options = script_named("nemesis"), Options("sim", seed=3)
    own, given = (run_simulated(each, options).records for each in (script, script_of(a_plan(), script)))
    assert own == given


@pytest.mark.parametrize("lines", [False, True])
def test_a_changed_plan_is_played_and_its_command_plays_the_same_run(
    lines: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, settings = STORIES["parts"]
    plan, file = mutated(a_plan(), [], settings, "1"), tmp_path / "plans.jsonl"
    kept = [a_plan(), plan] if lines else [plan]
    write_plans(file, map(to_json, kept), instead="")
    options = Options("sim", seed=9, plan=place(file, 1) if lines else str(file))
    script = script_of(plan_at(options.plan), script_named("nemesis"))
    verdict = judged(run_simulated(script, options))
    assert f"--plan {options.plan}" in subject_of(script, options).target
    ran = here(capsys, *shlex.split(verdict.again)[1:], "--report", str(tmp_path / "out"))
    assert ran.code == 0, ran.err
    report = msgspec.json.decode((tmp_path / "out" / "report.json").read_bytes())
    (run,) = report["runs"]
    assert (run["history_hash"], run["again"]) == (verdict.history_hash, verdict.again)
    assert run["history_hash"] != judged(run_simulated(script_named("nemesis"), Options("sim", seed=9))).history_hash


@pytest.mark.parametrize(
    ("target", "file", "said"),
    [
        ("nemesis", "none.json", "none.json cannot be read: no such file or directory"),
        ("nemesis", "text.json", "this is no fault plan"),
        ("nemesis", "plans.jsonl:3", "plans.jsonl has 2 lines"),
        ("nemesis", "plans.jsonl:0", "plans.jsonl has 2 lines"),
        ("storm", "plans.jsonl:1", "storm plays no fault plan of its own"),
        (SCRIPTS[-1], "plans.jsonl:2", "that is a plan of the family cluster, and this one is gms"),
    ],
)
def test_what_is_no_plan_for_the_script_is_refused_in_words(
    target: str, file: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "text.json").write_text("no plan")
    write_plans(tmp_path / "plans.jsonl", map(to_json, [a_plan(), a_plan(seed=5)]), instead="")
    here(capsys, "run", target, "--world", "sim", "--plan", str(tmp_path / file)).refused(said)


def test_what_is_usual_is_not_written() -> None:
    """So that the histories of runs of before are what they were."""
    assert "awake" not in to_json(a_plan())
    assert '"awake":2' in to_json(msgspec.structs.replace(a_plan(), awake=2))
