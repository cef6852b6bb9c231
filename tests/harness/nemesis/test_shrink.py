"""`shaketable shrink`: a failing seed becomes a script that fails again; a user's mistakes are one sentence each."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.lengths import LONG

from shaketable.harness.cli import main
from shaketable.harness.nemesis.plan import from_json
from shaketable.harness.runs.judging import judged
from shaketable.harness.runs.run import Options, run_simulated
from shaketable.harness.scripting.scripts import load_scripts

SET = ["--set", "legacy_fault=missed removal"]
STORY = '''
from shaketable.harness.scripting.cluster import Cluster
from shaketable.harness.nemesis.plan import Deed, Plan
from shaketable.harness.nemesis.playing import play
from shaketable.harness.scripting.scripts import script
from shaketable.node.core.env import SECOND

NOISE = [
    Deed(7 * n * SECOND, verb, (f"n{1 + n % 4}",), (f"n{1 + (n + 1) % 4}",), 9 * SECOND, options)
    for n, (verb, options) in enumerate(
        [("slow", {"latency": 40_000}), ("drop", {"kind": "heartbeat", "count": 2}), ("thin", {"rate": 40_000})] * 5
    )
]
THEN = 110 * SECOND
DEEDS = [Deed(THEN, "isolate", ("n2",), (), 3 * SECOND, {"how": "blackhole"}), Deed(THEN, "kill", ("n3",), (), SECOND)]


@script(about=["view agreement"], settings={"merging": False})
async def noisy(cluster: Cluster) -> None:
    """Much noise, and two deeds that matter."""
    nodes = ("n1", "n2", "n3", "n4")
    deeds = (*NOISE, *DEEDS)
    await play(cluster, Plan(family="cluster", nodes=nodes, deeds=deeds, storm=2 * THEN, ending="each part settles"))
'''


def test_a_failure_that_needs_no_unusual_order_is_told_in_the_usual_one(
    story: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "small"
    assert main(["shrink", story, "--seed", "3", *SET, "--set", "schedule=ranked", "--out", str(out)]) == 0
    assert "  schedule: usual\n" in capsys.readouterr().out
    (script,) = load_scripts([out / "noisy_missed_removal_3.py"])
    assert Options("sim").settings(script).schedule == "usual"


@pytest.fixture
def story(tmp_path: Path) -> str:
    file = tmp_path / "noisy.py"
    file.write_text(STORY)
    return str(file)


def test_a_seed_that_fails_becomes_a_small_script_that_fails_again_and_its_plan(
    story: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "small"
    assert main(["shrink", story, "--seed", "3", *SET, "--out", str(out)]) == 0
    told = " ".join(capsys.readouterr().out.split())
    file = out / "noisy_missed_removal_3.py"
    again = f"shaketable run {file} --world sim --seed 3"
    assert "17 deeds, 4 nodes, 220 s" in told
    assert "It fails again: " in told
    assert f"again: {again}" in told
    (script,) = load_scripts([file])
    text = " ".join(file.read_text().split())
    for said in ("view agreement: n1 installs", "Theory, M2 (View Agreement)", "drawn by seed 3 of noisy", again):
        assert said in text
    verdict = judged(run_simulated(script, Options(seed=3)))
    assert verdict.outcome == "failed"
    assert "view agreement" in {check.name for check in verdict.checks if check.status == "broken"}
    healthy = judged(run_simulated(script, Options(seed=3, values={"legacy_fault": "none"})))
    assert healthy.outcome == "passed", healthy.reasons
    plan = from_json(file.with_suffix(".json").read_bytes())
    assert (len(plan.deeds), len(plan.nodes)) == (2, 3)
    assert plan.settings == {"merging": False, "legacy_fault": "missed removal"}

    assert main(["shrink", story, "--seed", "3", *SET, "--out", str(out)]) == 2
    assert "there is a file" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nemesis", "--seed", "1"], "nemesis with seed 1 is passed, not failed; take a seed that failed"),
        (["storm", "--seed", "1"], "plays no fault plan: it is a small story of its own"),
        (["nemesis"], "required: --seed"),
        (["nobody", "--seed", "1"], "there is no nobody here"),
        (["chaos/storms/nemesis.py", "--seed", "1"], "holds 7 scripts"),
        (["nemesis", "--seed", "1", "--set", "legacy_fault=nonsense"], "legacy_fault"),
    ],
)
def test_what_cannot_be_shrunk_is_told_in_a_sentence(
    arguments: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["shrink", *arguments, "--out", str(tmp_path / "small")]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
    assert not (tmp_path / "small").exists()


def test_the_check_and_the_folder_have_to_be_there(
    story: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["shrink", story, "--seed", "3", *SET, "--check", "view order", "--out", str(tmp_path)]) == 2
    assert "that is not what fails with seed 3, but view agreement" in capsys.readouterr().err
    assert main(["shrink", story, "--seed", "3", *SET, "--out", f"{story}/small"]) == 2
    assert "cannot be written" in capsys.readouterr().err


LATE_LISTS = '''
from shaketable.harness.scripting.cluster import Cluster
from shaketable.harness.nemesis.plan import Deed, Plan
from shaketable.harness.nemesis.playing import play
from shaketable.harness.scripting.scripts import script
from shaketable.node.core.env import SECOND

DEEDS = (
    Deed(0, "slow", ("n1",), ("n3",), 9 * SECOND, {"latency": 40_000}),
    Deed(3 * SECOND, "hold_back", ("n1",), (), 40 * SECOND, {"kind": "membersupdate", "count": 3}),
    Deed(4 * SECOND, "join", ("n4",)),
    Deed(5 * SECOND, "join", ("n5",)),
)


@script(about=["view order"], settings={"merging": False, "legacy_fault": "unordered updates"})
async def late_lists(cluster: Cluster) -> None:
    """Two join, and what the master says of it is late."""
    nodes = ("n1", "n2", "n3")
    await play(cluster, Plan(family="cluster", nodes=nodes, deeds=DEEDS, storm=60 * SECOND, ending="each part settles"))
'''


@LONG
def test_where_a_named_hold_decides_it_the_script_fails_on_real_processes_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whenever the nodes have joined, and the lists have been caught: the script waits for that, not for a time."""
    file = tmp_path / "late_lists.py"
    file.write_text(LATE_LISTS)
    assert main(["shrink", str(file), "--seed", "1", "--out", str(tmp_path / "small")]) == 0
    (small,) = (tmp_path / "small").glob("*.py")
    text = small.read_text()
    for waits in (
        "cluster.that.caught(hold_back)",
        'cluster.that.follows("n4", "n1")',
        'cluster.that.follows("n5", "n1")',
    ):
        assert f"    await cluster.until({waits}, within=cluster.bounds.settle())\n" in text
    assert "perhaps" not in text
    monkeypatch.chdir(tmp_path)
    assert main(["run", str(small), "--world", "real", "--report", "out"]) == 1
    (run,) = json.loads(Path("out/report.json").read_bytes())["runs"]
    assert {each["name"] for each in run["checks"] if each["status"] == "broken"} >= {"view order"}
