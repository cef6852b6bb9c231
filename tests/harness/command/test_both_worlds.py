"""The same script in both worlds: the demo as it is promised, and one story, whoever plays it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.harness.command.command_helpers import again, report, shaketable, write
from tests.where import CHAOS, story

from shaketable.harness.history.history import History
from shaketable.harness.records import Record
from shaketable.harness.runs.run import Options, run_real, run_simulated
from shaketable.harness.scripting.scripts import Script, load_scripts
from shaketable.node.events import Suspected, SuspicionEnded, ViewInstalled

Lines = list[tuple[str, ...]]
Story = dict[str, tuple[Lines, Lines]]


def test_the_demo_passes_on_real_processes_behind_the_real_toxiproxy(tmp_path: Path) -> None:
    ran = shaketable("run", CHAOS / "demo.py", "--world", "real", "--report", "out", cwd=tmp_path)
    assert (ran.code, ran.err) == (0, ""), ran
    verdicts = report(tmp_path / "out")["runs"]
    assert [verdict["script"] for verdict in verdicts] == ["demo", "demo-figure-5"]
    assert "n1 decides that [n2] leave v4" in ran.out
    for verdict in verdicts:
        assert verdict["fabric"].startswith("toxiproxy 2.")
        assert f"links: {verdict['fabric']}" in ran.out
        named = {check["name"]: check for check in verdict["checks"] if check["name"] in verdict["about"]}
        assert set(named) == set(verdict["about"])
        assert len(named) >= 6
        for check in named.values():
            assert check["status"] == "held"
            assert any(int(number) for number in re.findall(r"\d+", check["looked_at"]))
            assert f"{check['name']} *" in ran.out
        assert [fault["took"] is not None for fault in verdict["faults"]] == [True, True]
        for file in ("report.md", "junit.xml"):
            assert verdict["fabric"] in (tmp_path / "out" / file).read_text()


WRONG = """
await cluster.form("n1", "n2")
await cluster.kill("n2")
await cluster.pause("n1")
await cluster.expect(cluster.that.agree("n1", "n2"), within=0)
"""
NO_EFFECT = """
await cluster.form("n1", "n2")
await cluster.hold("n2", "ClaimStarted")
await cluster.drop("mastershipclaim", sender="n2")
await cluster.kill("n2")
await cluster.pause("n2")
"""


def test_a_wrong_expectation_and_faults_without_effect_on_real_processes(tmp_path: Path) -> None:
    """In one session: the command that a report gives brings the same verdict once more."""
    files = [write(tmp_path, WRONG, name="wrong"), write(tmp_path, NO_EFFECT, name="no_effect")]
    ran = shaketable("run", *files, "--seed", 5, "--report", "out", cwd=tmp_path)
    assert (ran.code, ran.err) == (1, "")
    wrong, no_effect = report(tmp_path / "out")["runs"]
    told = " ".join(ran.out.split())
    assert [wrong["outcome"], no_effect["outcome"]] == ["failed", "unknown"]
    (reason,) = [r for r in wrong["reasons"] if r["outcome"] == "failed"]
    assert "n1, n2 agree on one list; but n2 is not running (killed)" in reason["text"]
    assert all(proof["told"] in told for proof in reason["proof"])
    for words in ("n2 never came to ClaimStarted", "no message matched", "fault 4 (pause n2) took no effect"):
        assert words in told
    second = shaketable(*again(wrong), "--report", "out2", cwd=tmp_path)
    assert second.code == 1
    (repeated,) = report(tmp_path / "out2")["runs"]
    assert [r["text"] for r in repeated["reasons"]] == [r["text"] for r in wrong["reasons"]]
    assert repeated["again"] == wrong["again"]


@pytest.fixture(scope="module")
def crashes() -> dict[str, Script]:
    return {script.name: script for script in load_scripts([story("crashes")])}


@pytest.mark.parametrize("name", ["kill-the-master", "graceful-leave"])
def test_an_ordered_script_has_one_story_in_both_worlds(name: str, crashes: dict[str, Script], tmp_path: Path) -> None:
    simulated = run_simulated(crashes[name], Options(preset="fast"))
    real = run_real(crashes[name], Options(world="real"), folder=tmp_path)
    assert [simulated.outcome.kind, real.outcome.kind] == ["done", "done"]
    assert story_of(real.records) == story_of(simulated.records)


def story_of(records: Sequence[Record]) -> Story:
    """What each node installed, in its order, and whom it suspected."""
    history = History(records)
    told: Story = {node.node: ([], []) for node in history.processes.values()}
    for record in history.records:
        views, suspicions = told.get(record.node, ([], []))
        match record.event:
            case ViewInstalled(version=version, members=members):
                views.append((f"v{version}", *map(history.names.member, members)))
            case Suspected(peer=peer):
                suspicions.append(("suspects", history.names.member(peer)))
            case SuspicionEnded(peer=peer):
                suspicions.append(("trusts", history.names.member(peer)))
    return {node: (views, sorted(suspicions)) for node, (views, suspicions) in told.items()}
