"""Failed, unknown, passed: every reason there is, on the stories of tests/data/verdicts.txt."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest
from tests.notation.notation import Case, cases, history_of
from tests.where import DATA

from shaketable.harness.records import UnderTest
from shaketable.harness.verdicts.verdict import EXIT_CODES, RunVerdict, ScriptSubject, again, judge, merged, session_of
from shaketable.node.config import DEFAULT
from shaketable.node.core.env import SECOND

CASES = list(cases((DATA / "verdicts.txt").read_text(encoding="utf-8")))


def judged(story: str, name: str = "story") -> RunVerdict:
    about = re.search(r"^about (.*)\n", story, re.MULTILINE)
    expects = re.search(r"^expects ([^,\n]*)(?:, (.*))?\n", story, re.MULTILINE)
    allows = re.search(r"^allows (\d+)s\n", story, re.MULTILINE)
    ends = "no end" not in story
    subject = ScriptSubject(
        name,
        "A story",
        "chaos/story.py",
        tuple(about[1].split(", ")) if about else (),
        expects[1] if expects else None,
        tuple(expects[2].split(", ")) if expects and expects[2] else (),
    )
    text = re.sub(r"^(about|expects|allows) .*\n|^no end$", "", story, flags=re.MULTILINE)
    records = history_of(text, ends=ends)
    if allows is None:
        return judge(records, subject, DEFAULT, 0)
    began = msgspec.structs.replace(records[0].event, world="real")
    return judge([records[0]._replace(event=began), *records[1:]], subject, DEFAULT, int(allows[1]) * SECOND)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.title)
def test_the_verdict_of_a_story(case: Case) -> None:
    verdict = judged(case.story)
    lines = [f"{verdict.outcome} {EXIT_CODES[verdict.outcome]}"]
    lines += [f"{reason.outcome} {reason.about}: {reason.text}" for reason in verdict.reasons]
    assert "\n".join(lines) == case.expected


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.title)
def test_a_verdict_comes_back_from_its_json(case: Case) -> None:
    verdict = judged(case.story)
    assert msgspec.json.decode(msgspec.json.encode(verdict), type=RunVerdict) == verdict


def test_what_is_known_of_the_run_is_in_it() -> None:
    verdict = judged("n1 installs v1 [n1]\n@30s\nfault 1: cut n1->n2\n@40s\nfault 1 ends\nexpected: settled")
    assert (verdict.world, verdict.fabric, verdict.seed, verdict.preset) == ("sim", "simulated", 7, "default")
    assert verdict.counts["installs"] == 1
    assert verdict.counts["faults"] == 1
    (fault,) = verdict.faults
    assert (fault.what, fault.took, fault.how, fault.ended, fault.lasts) == (
        "cut n1->n2",
        30_001_000,
        "seen by its probes",
        40_001_000,
        True,
    )
    (expectation,) = verdict.expectations
    assert (expectation.what, expectation.held) == ("settled", True)
    assert verdict.duration == 40_003_000


@pytest.mark.parametrize(
    ("outcomes", "worst"),
    [
        ([], "unknown"),
        (["passed"], "passed"),
        (["passed", "unknown"], "unknown"),
        (["unknown", "failed", "passed"], "failed"),
    ],
)
def test_the_worst_outcome_wins(outcomes: list[str], worst: str) -> None:
    assert merged(outcomes) == worst


def test_a_session_has_one_outcome_and_one_hash() -> None:
    good, bad = judged("n1 installs v1 [n1]"), judged("n1 installs v1 [n2]")
    both = session_of([good, bad], "0.1")
    assert (both.outcome, both.exit_code) == ("failed", 1)
    assert session_of([], "0.1").exit_code == 2
    assert session_of([good], "0.1").exit_code == 0
    assert session_of([good, bad], "0.2").history_hash == both.history_hash
    assert session_of([bad, good], "0.1").history_hash != both.history_hash


@pytest.mark.parametrize(
    ("subject", "world", "preset", "command"),
    [
        (ScriptSubject("a", "", "chaos/a.py"), "sim", "default", "chaos/a.py::a --world sim --seed 7"),
        (ScriptSubject("a", "", "chaos/a.py"), "real", "fast", "chaos/a.py::a --world real --seed 7"),
        (ScriptSubject("a", "", "chaos/a.py"), "sim", "fast", "chaos/a.py::a --world sim --seed 7 --preset fast"),
        (ScriptSubject("a", "", "my own/a.py"), "sim", "default", "'my own/a.py::a' --world sim --seed 7"),
        (ScriptSubject("a", "", str(Path.cwd() / "a.py")), "sim", "default", "a.py::a --world sim --seed 7"),
        (ScriptSubject("a", "", "", target="a.py --set b=1"), "sim", "default", "a.py --set b=1 --world sim --seed 7"),
    ],
)
def test_the_command_that_runs_it_again(subject: ScriptSubject, world: str, preset: str, command: str) -> None:
    assert again(subject, world, 7, preset) == f"shaketable run {command}"


def test_it_names_a_system_by_its_name_and_a_node_by_its_command() -> None:
    subject = ScriptSubject("a", "", "a.py")
    for system, asked in (
        (UnderTest(name="other", version="5.7"), "--system other:5.7"),
        (UnderTest(name="node:./mine --fast"), "--node './mine --fast'"),
    ):
        assert again(subject, "real", 1, "fast", system) == f"shaketable run a.py::a --world real --seed 1 {asked}"


def test_the_story_tells_steps_faults_and_who_installed_what() -> None:
    verdict = judged(
        """step: form n1, n2
n1 installs v1 [n1]
n1 installs v2 [n1 n2]
n2 installs v2 by n1 [n1 n2]
step: kill n2
fault 1: kill n2
n2 is killed
n1 suspects n2
n1 installs v3 [n1]"""
    )
    assert [moment.told for moment in verdict.story] == [
        "form n1, n2",
        "n1 installs v1 [n1] by n1",
        "n1 n2 install v2 [n1 n2] by n1, within 0.001 s",
        "kill n2",
        "fault 1: kill n2",
        "fault 1 took effect (seen by its probes)",
        "n2 is gone (killed)",
        "n1 suspects n2 (connection lost)",
        "n1 installs v3 [n1] by n1",
        "the script ends: done",
    ]


def test_a_story_can_be_left_out() -> None:
    records = history_of("n1 installs v1 [n1]")
    assert judge(records, ScriptSubject("a", "", ""), DEFAULT, 0, story=False).story == ()


def test_of_many_nodes_one_for_each_list_speaks_against_an_expectation() -> None:
    few = " ".join(f"n{i}" for i in range(1, 6))
    alone = "\n".join(f"n{i} installs v1 [n{i}]" for i in range(6, 26))
    together = "\n".join(f"n{i} installs v5 by n1 [{few}]" for i in range(1, 6))
    story = f"{together}\n{alone}\nexpected in vain: settled"
    (reason,) = [r for r in judged(story).reasons if r.about == "expectation"]
    assert [proof.kind for proof in reason.proof] == ["ViewInstalled"] * 12 + ["Expected"]
    assert [proof.node for proof in reason.proof if "v5" in proof.told] == ["n1"]
