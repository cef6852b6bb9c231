"""Each way to break the contract is noticed, in one sentence that names the rule."""

from __future__ import annotations

import re
import subprocess
import sys
import tracemalloc
from pathlib import Path

import pytest
from tests.where import DOCS

from shaketable.harness.check_node.command import run_check_node
from shaketable.harness.runs.judging import judged
from shaketable.harness.runs.run import Options, run_real
from shaketable.harness.scripting.cluster import Cluster
from shaketable.harness.scripting.scripts import script
from shaketable.harness.verdicts.reasons import UNKNOWN
from shaketable.node.core.env import SECOND

PROGRAM = Path(__file__).with_name("broken_node.py")
PAGE = DOCS / "contract.md"
SOON = {
    "speaks another version": ("n1 speaks version 2 of the contract, and not 1", "the line"),
    "is not ready": ("the first line of n1 is not ready", "the line"),
    "says garbage": ("n1 says what is none of the contract's", "the line"),
    "says something more": (
        "n1 says what is none of the contract's: Object contains unknown field `colour`",
        "the line",
    ),
    "says a long line": ("n1 says a line of more than 1,048,576 bytes", "the line"),
    "floods": ("n1 tells more than 20,000 events in a second", "the line"),
    "says many lines": ("n1 says more than 200,000 lines", "the line"),
    "listens elsewhere": ("n1 says that it runs, and nobody listens at 127.0.0.1:", "rule 2"),
    "advertises its socket": ("n1 starts as 127.0.0.1:", "rule 1"),
    "skips a number": ("event 3 of n1 came where 2 was due", "rule 6"),
    "repeats a number": ("event 1 of n1 came where 2 was due", "rule 6"),
    "has the wall clock": ("n1 tells the time ", "rule 6"),
    "tells the time from its start": ("n1 tells the time ", "rule 6"),
    "goes back in time": ("n1 tells a time that goes back by ", "rule 6"),
    "tells a set": ("n1 tells its members by MembersSeen, and at level 5 they are told by ViewInstalled", "levels"),
    "dies of an unknown order": ("n1 ended by itself, with code ", "orders"),
}
LATE = {
    "says nothing": ("n1 says nothing within 20 s of its start", "the line"),
    "stops reading": ("n2 leaves orders unread in its line", "orders"),
    "ignores dial": ("n1 holds 127.0.0.1:5701, 127.0.0.1:5702 for members, and not ", "levels"),
    "leaves a child with its line": (
        "n1 has ended, and something that it started still holds its line",
        "the line: when",
    ),
    "ignores orders": ("n1 does not answer takesnapshot, order 1", "orders"),
    "keeps its identity": ("n3 was killed and started again, and has the identity ", "rule 5"),
    "waits for its line": ("nobody read the line of n2 for ", "rule 8"),
    "outlives the harness": ("n1 still runs 20 s after its line has ended", "the line: when it ends"),
}


def described(folder: Path, fault: str, more: str = 'transport = "one way"') -> str:
    path = folder / "system.toml"
    path.write_text(
        f'name = "broken"\ncommand = "{sys.executable} {PROGRAM} {fault!r}"\nlevel = 5\n'
        f'addresses = "127.0.0.1:5702"\n{more}\n'
    )
    return str(path)


def test_the_page_promises_each_sentence() -> None:
    rows = re.findall(r"^\| ([\w ]+) \| (.+) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    promised = dict(row for row in rows if row[0] in {*SOON, *LATE})
    assert promised.keys() == {*SOON, *LATE}
    for fault, (sentence, _) in {**SOON, **LATE}.items():
        assert sentence.startswith(promised[fault])


@pytest.mark.parametrize("fault", SOON)
def test_it_is_noticed(fault: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _noticed(tmp_path, fault, *SOON[fault], capsys)


@pytest.mark.long
def test_they_are_noticed_in_the_end(tmp_path: Path) -> None:
    """Each waits for most of its time."""
    commands = list[subprocess.Popen[str]]()
    for number, fault in enumerate(LATE):
        (tmp_path / str(number)).mkdir()
        words = [sys.executable, "-m", "shaketable", "check-node", described(tmp_path / str(number), fault)]
        commands.append(subprocess.Popen(words, stdout=subprocess.PIPE, text=True))
    for command, (said, rule) in zip(commands, LATE.values(), strict=True):
        shown, _ = command.communicate()
        assert command.returncode == 1
        _says(shown, said, rule)


def _noticed(folder: Path, fault: str, said: str, rule: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_check_node(described(folder, fault), None) == 1
    _says(capsys.readouterr().out, said, rule)


def _says(shown: str, said: str, rule: str) -> None:
    line = next(line for line in shown.splitlines() if "✗" in line)
    assert line.startswith(f"  ✗ {said}")
    assert f"    the contract, {rule}" in shown


@pytest.mark.long
def test_a_sound_one_passes_and_one_that_dials_past_its_links_does_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_check_node(described(tmp_path, "none"), None) == 0
    assert (
        "broken keeps the contract at level 2 of 5: masters and suspicions; what it tells at level 5 beyond"
        in capsys.readouterr().out
    )
    past = described(tmp_path, "none", 'transport = "both ways"')
    assert run_check_node(past, None) == 1
    assert "is connected to n" in (shown := capsys.readouterr().out)
    assert "the contract, rule 3" in shown


@script()
async def one_starts(cluster: Cluster) -> None:
    """A node starts, tells what it tells, and is killed for it."""
    await cluster.start("n1")
    await cluster.until(cluster.that.ended("n1"), within=60 * SECOND)


@pytest.mark.long
@pytest.mark.parametrize(
    ("fault", "why"),
    [
        ("says garbage", "what n1 tells is not understood: a line that is none of the contract's"),
        ("says a long line", "what n1 tells is not understood: a line of more than 1,048,576 bytes"),
        ("has the wall clock", "what n1 tells is not understood: it tells the time "),
        ("tells the time from its start", "what n1 tells is not understood: it tells the time "),
        ("goes back in time", "what n1 tells is not understood: it tells a time that goes back by "),
        ("floods", "what n1 tells is not understood: it tells more than 20,000 events in a second"),
        ("says many lines", "what n1 tells is not understood: more than 200,000 lines"),
        ("says nothing", "n1 does not say whether it runs within 3 s"),
    ],
)
def test_a_run_with_it_is_unknown_and_says_why(fault: str, why: str, tmp_path: Path) -> None:
    patience = 3 if fault == "says nothing" else 60
    more = f'transport = "one way"\npatience_seconds = {patience}'
    options = Options("real", system=described(tmp_path, fault, more))
    verdict = judged(run_real(one_starts, options, folder=tmp_path / "run"))
    assert verdict.outcome == UNKNOWN
    assert why in " ".join(reason.text for reason in verdict.reasons)


@pytest.mark.long
def test_of_a_line_that_is_too_long_little_is_kept(tmp_path: Path) -> None:
    """The node says 100 MB without an end of the line."""
    options = Options("real", system=described(tmp_path, "says a long line"))
    tracemalloc.start()
    try:
        run_real(one_starts, options, folder=tmp_path / "run")
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 20 << 20
