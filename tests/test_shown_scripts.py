"""The Python that README.md and the pages of docs/ show runs as it stands there, in virtual time, and passes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest
from tests.shown import PAGES, blocks, text_of

from shaketable.harness.runs.judging import judged
from shaketable.harness.runs.run import Options, run_simulated
from shaketable.harness.scripting.scripts import load_scripts

pytest_plugins = ["pytester"]

IMPORTS: Final = "from shaketable import SECOND, Cluster, script\n"
SCRIPT, TEST, CLASS, STEPS, NAMES = "a script", "a test", "a class", "steps", "names"
OWN: Final = "a check or a member of one's own"
KINDS: Final = {
    "README.md": [SCRIPT],
    "docs/merge-policies.md": [CLASS],
    "docs/own-check.md": [OWN],
    "docs/own-member.md": [OWN],
    "docs/own-project.md": [SCRIPT],
    "docs/partition-services.md": [CLASS],
    "docs/shrinking.md": [STEPS, SCRIPT],
    "docs/systems.md": [NAMES],
    "docs/writing-scripts.md": [SCRIPT, SCRIPT, TEST],
}
"""The transcripts of their pages use the classes and what is one's own, and save the steps: test_transcripts.py plays
them."""
CASES: Final = [
    pytest.param(block.text, id=f"{Path(page).stem}-{number}")
    for page, kinds in KINDS.items()
    for number, (block, kind) in enumerate(zip(blocks(text_of(page)), kinds, strict=False), 1)
    if kind == SCRIPT
]


def kind_of(block: str) -> str:
    own = r"= Check\(|\(ClusterMember\)"
    first = (
        (own, OWN),
        (r"^@script", SCRIPT),
        (r"^async def test_", TEST),
        (r"^class ", CLASS),
        (r"\A ", STEPS),
        (r"\Afrom [^\n]+\n(from [^\n]+\n?)*\Z", NAMES),
    )
    return next((kind for pattern, kind in first if re.search(pattern, block, re.MULTILINE)), block)


def test_each_block_of_python_is_played_by_some_test() -> None:
    found = {page: [kind_of(block.text) for block in blocks(text_of(page))] for page in PAGES}
    assert {page: kinds for page, kinds in found.items() if kinds} == KINDS


def test_the_names_that_are_shown_are_where_they_are_said_to_be() -> None:
    (names,) = (block.text for page in PAGES for block in blocks(text_of(page)) if kind_of(block.text) == NAMES)
    exec(names, {})


@pytest.mark.parametrize("block", CASES)
def test_what_is_shown_runs_and_passes(block: str, tmp_path: Path) -> None:
    file = tmp_path / "shown.py"
    file.write_text(IMPORTS + block, encoding="utf-8")
    (script,) = load_scripts([file])
    for seed in range(3):
        verdict = judged(run_simulated(script, Options(seed=seed)))
        assert (verdict.outcome, verdict.reasons) == ("passed", ()), script.name


def test_the_test_that_is_shown_passes(pytester: pytest.Pytester) -> None:
    (shown,) = (block.text for page in PAGES for block in blocks(text_of(page)) if kind_of(block.text) == TEST)
    pytester.makepyfile(shown)
    pytester.runpytest_subprocess("-p", "no:cacheprovider").assert_outcomes(passed=1)


@pytest.mark.parametrize("page", [page for page, kinds in KINDS.items() if CLASS in kinds])
def test_a_class_that_is_shown_is_named_in_a_command_with_output(page: str) -> None:
    (block,) = blocks(text_of(page))
    (name,) = re.findall(r"^class (\w+)", block.text, re.MULTILINE)
    assert re.search(rf"^    \$ .*={block.file.removesuffix('.py')}:{name}$", text_of(page), re.MULTILINE)
