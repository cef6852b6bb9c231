"""`shaketable run` in virtual time: what it reports, its exit codes, and that its word can be taken."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from tests.harness.command.command_helpers import SOME, again, here, report, shaketable, write
from tests.lengths import LONG
from tests.where import story

from shaketable.harness.runs.directory import read_run

WRONG = """
await cluster.form("n1", "n2", "n3")
await cluster.kill("n3")
await cluster.expect(cluster.that.agree("n1", "n2", "n3"), within=cluster.bounds.crash)
"""
NO_EFFECT = {
    "a pause of a node that was killed": (
        """
        await cluster.kill("n3")
        await cluster.pause("n3")
        """,
        "fault 2 (pause n3) took no effect: n3 is not running",
    ),
    "a hold at an event that never comes": (
        'await cluster.hold("n2", "ClaimStarted")',
        "fault 1 (hold n2) took no effect: n2 never came to ClaimStarted",
    ),
    "a filter that nothing matches": (
        'await cluster.drop("mastershipclaim", sender="n3")',
        "fault 1 (drop mastershipclaim n3) took no effect: no message matched",
    ),
}


def without_effect(folder: Path, name: str) -> Path:
    body = "\n".join(line.strip() for line in NO_EFFECT[name][0].strip().splitlines())
    return write(folder, f'await cluster.form("n1", "n2", "n3")\n{body}\nawait cluster.sleep(SECOND)')


@LONG
def test_one_seed_gives_one_history_whatever_the_hashes_of_python(tmp_path: Path) -> None:
    for number in ("1", "2"):
        ran = shaketable(
            "run", *SOME, "--world", "sim", "--seed", 7, "--report", f"out{number}",
            cwd=tmp_path, env={"PYTHONHASHSEED": number},
        )  # fmt: skip
        assert (ran.code, ran.err) == (0, ""), ran
    one, two = report(tmp_path / "out1"), report(tmp_path / "out2")
    hashes = [(run["script"], run["history_hash"]) for run in one["runs"]]
    assert hashes == [(run["script"], run["history_hash"]) for run in two["runs"]]
    assert one["history_hash"] == two["history_hash"]
    assert len({hash_ for _, hash_ in hashes}) == len(hashes) > 10
    for run in one["runs"]:
        assert read_run(tmp_path / run["directory"]).notes == []
    assert (tmp_path / "out1" / "junit.xml").read_bytes() == (tmp_path / "out2" / "junit.xml").read_bytes()


def test_many_seeds_in_short_are_a_line_a_script(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A seed is named where it has not passed."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path, 'await cluster.form("n1", "n2")\nawait cluster.sleep(SECOND)', name="good")
    write(tmp_path, 'await cluster.form("n1")\nif cluster.seed == 4:\n    raise ValueError("no more")', name="weak")
    ran = here(capsys, "run", "good.py", "weak.py", "--world", "sim", "--seeds", 5, "--quiet", "--twins")
    assert ran.code == 2
    lines = ran.out.splitlines()
    assert [line.split() for line in lines if "passed" in line] == [
        ["✓", "passed", "good", "5", "seeds", "passed"],
        ["✓", "passed", "good-quiet", "5", "seeds", "passed"],
        ["✓", "passed", "weak", "4", "of", "5", "seeds", "passed"],
        ["✓", "passed", "weak-quiet", "5", "seeds", "passed"],
        ["?", "UNKNOWN", "19", "passed,", "1", "unknown", *lines[-1].split()[6:]],
    ]
    assert {seed for line in lines for seed in ("1", "2", "3", "4", "5") if f"seed {seed}" in line} == {"4"}


def test_in_short_there_are_verdicts_alone_and_why_a_run_did_not_pass(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = here(capsys, "run", "form", "--world", "sim", "--quiet")
    assert [line.split()[:3] for line in ran.out.splitlines()] == [["✓", "passed", "form"], ["✓", "PASSED", "1"]]
    fault = ("--set", "legacy_fault=stale overwrite")
    ran = here(capsys, "run", "no-stale-overwrite", "--world", "sim", *fault, "--quiet")
    assert ran.code == 1
    for said in ("claims is broken: ", "n2 finishes its claim with v5 [n2 n3]", "again: shaketable run "):
        assert said in ran.out
    for not_said in ("vacuous", "Rule:", "What happened", "Faults"):
        assert not_said not in ran.out


@LONG
def test_at_80_columns_each_run_that_passed_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    stories = [story(name) for name in ("crashes", "leaves", "scaling", "legacy_migrations", "searching")]
    ran = here(capsys, "run", *stories, "--world", "sim", "--seed", 12)
    assert ran.code == 0
    *runs, nothing, summary = ran.out.splitlines()
    assert all(line.startswith("  ✓ passed  ") for line in runs), ran.out
    # A name that is too long for the line stays whole, and nothing but the seed is told beside it.
    assert all(len(line) <= 80 or line.endswith("  seed 12") for line in runs), ran.out
    assert (nothing, summary.split()[2]) == ("", str(len(runs)))


def test_the_junit_file_counts_what_it_holds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, WRONG, name="wrong")
    write(tmp_path, 'await cluster.form("n1")\nawait cluster.pause("n9")', name="astray")
    write(tmp_path, 'await cluster.form("n1", "n2")', name="right")
    here(capsys, "run", tmp_path, "--world", "sim", "--seeds", 2, "--report", tmp_path / "out")
    root = ElementTree.parse(tmp_path / "out" / "junit.xml").getroot()
    suites = root.findall("testsuite")
    assert (root.tag, len(suites), root.attrib["tests"]) == ("testsuites", 6, str(len(list(root.iter("testcase")))))
    for element in (root, *suites):
        cases = list(element.iter("testcase"))
        for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            assert element.attrib[attribute] == str(sum(case.find(tag) is not None for case in cases))
        assert element.attrib["tests"] == str(len(cases))
    assert {suite.attrib["name"]: [suite.attrib["failures"], suite.attrib["errors"]] for suite in suites} == {
        "astray [sim, seed 1]": ["0", "1"],
        "astray [sim, seed 2]": ["0", "1"],
        "right [sim, seed 1]": ["0", "0"],
        "right [sim, seed 2]": ["0", "0"],
        "wrong [sim, seed 1]": ["1", "0"],
        "wrong [sim, seed 2]": ["1", "0"],
    }
    names = [case.attrib["classname"] + case.attrib["name"] for case in root.iter("testcase")]
    assert len(set(names)) == len(names)


def test_a_wrong_expectation_ends_1_with_the_proof_and_the_command_that_runs_it_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, WRONG, about=["settled", "view agreement"])
    arguments = ("run", "story.py", "--world", "sim", "--seed", 3, "--preset", "fast", "--limit", 50)
    ran = here(capsys, *arguments, "--set", "heartbeat_interval_seconds=0.2", "--report", "out")
    assert (ran.code, ran.err) == (1, "")
    (verdict,) = report(tmp_path / "out")["runs"]
    (reason,) = verdict["reasons"]
    assert reason["about"] == "expectation"
    assert "n1, n2, n3 agree on one list; but n3 is not running (killed)" in reason["text"]
    assert [proof["told"] for proof in reason["proof"]]
    for words in (
        "n1, n2, n3 agree on one list",
        "n3 is not running (killed)",
        "n3 is gone (killed)",
        verdict["again"],
    ):
        assert words in " ".join(ran.out.split())
    second = here(capsys, *again(verdict), "--report", "out2")
    assert second.code == 1
    (repeated,) = report(tmp_path / "out2")["runs"]
    assert (repeated["history_hash"], repeated["again"]) == (verdict["history_hash"], verdict["again"])


def test_a_broken_check_names_its_rule_and_the_events_that_prove_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    body = """
await cluster.form("n1", "n2", "n3")
await cluster.drop("membersupdate", sender="n1", to=["n2"])
await cluster.kill("n3")
await cluster.sleep(3 * cluster.bounds.settle())
"""
    ran = here(capsys, "run", write(tmp_path, body), "--world", "sim", "--report", tmp_path / "out")
    assert (ran.code, ran.err) == (1, "")
    (verdict,) = report(tmp_path / "out")["runs"]
    broken = [check for check in verdict["checks"] if check["status"] == "broken"]
    assert "settled" in [check["name"] for check in broken]
    words = " ".join(ran.out.split())
    for check in broken:
        assert check["rule"] in words
        assert check["violations"]
        for violation in check["violations"]:
            assert violation["sentence"] in words
            assert violation["proof"]
            assert all(proof["told"] in words for proof in violation["proof"])
    assert verdict["again"] in words


@pytest.mark.parametrize("name", NO_EFFECT)
def test_a_fault_that_cannot_take_effect_ends_2_and_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    ran = here(capsys, "run", without_effect(tmp_path, name), "--world", "sim", "--report", tmp_path / "out")
    assert (ran.code, ran.err) == (2, "")
    (verdict,) = report(tmp_path / "out")["runs"]
    assert verdict["outcome"] == "unknown"
    assert [reason["about"] for reason in verdict["reasons"]] == ["fault"]
    assert NO_EFFECT[name][1] in verdict["reasons"][0]["text"]
    assert NO_EFFECT[name][1] in " ".join(ran.out.split())
    for file in ("report.md", "junit.xml"):
        assert "took no effect" in (tmp_path / "out" / file).read_text()


def test_runs_that_pass_leave_no_recording_unless_a_report_is_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert here(capsys, "run", "form", "--world", "sim").code == 0
    assert list(tmp_path.iterdir()) == []
    write(tmp_path, WRONG)
    for _ in range(2):
        assert here(capsys, "run", "story.py", "--world", "sim").code == 1
    # Two sessions within one second share no folder.
    runs = sorted((tmp_path / "runs").glob("*/story-sim-1"))
    assert len(runs) == 2
    for run in runs:
        assert read_run(run).info.exit == "failed"


def test_a_report_folder_is_used_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for seed in (1, 2, 1):
        assert here(capsys, "run", "form", "--world", "sim", "--seed", seed, "--report", tmp_path).code == 0
    assert [run["seed"] for run in report(tmp_path)["runs"]] == [1]
    assert sorted(folder.name for folder in (tmp_path / "runs").iterdir()) == ["form-sim-1", "form-sim-2"]
    info = read_run(tmp_path / "runs" / "form-sim-1").info
    assert (info.exit, info.allowance, info.preset) == ("passed", 50_000, "default")


def test_of_many_runs_each_is_a_line_and_what_has_not_passed_is_told_whole(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, WRONG, name="wrong")
    ran = here(capsys, "run", "form", "wrong.py", "--world", "sim", "--seeds", 3)
    assert ran.code == 1
    lines = ran.out.splitlines()
    assert sum("passed  form" in line for line in lines) == 3
    assert sum(line.startswith("✗ FAILED  wrong") for line in lines) == 3
    assert lines[-1].startswith("✗ FAILED  3 passed, 3 failed · histories ")
