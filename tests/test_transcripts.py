"""A command prints what the pages show of it. With `--rewrite` it is written into them."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from shutil import copytree, move, rmtree
from typing import Final

import pytest
from tests.conftest import AsWritten
from tests.harness.command.command_helpers import here, shaketable
from tests.lengths import LONG
from tests.shown import PAGES, as_shown, blocks, text_of, transcripts, with_output, write_files
from tests.where import ROOT

Capsys = pytest.CaptureFixture[str]

WIDTH: Final = "110"
HELD_BY: Final = {
    "docs/choose-a-detector.md": "tests/harness/pipeline/choosing/test_choose.py",
    "docs/compare-detectors.md": "tests/harness/detectors/test_compare_detectors.py",
    "docs/detector-quality.md": "tests/harness/detectors/quality/test_detector_conditions.py",
    "docs/explain-clique.md": "tests/harness/explain/test_explain_clique.py",
    "docs/explain-plan.md": "tests/harness/explain/test_explain_plan.py",
    "docs/own-project.md": "tests/harness/command/test_new.py",
    "docs/rest.md": "tests/harness/worlds/real/test_rest.py",
    "docs/tutorial-own-node.md": "tests/test_tutorial_own_node.py",
}
"""These pages have a test of their own."""
MEASURED: Final = "docs/performance.md"
"""Its figures are those of one machine."""
CAMPAIGN: Final = "shaketable campaign --runs 100 --out out/"
BEFORE: Final = {"docs/pipeline-measures.md": (("out", "one"), "shaketable campaign --runs 100 --out other")}
"""Taken for granted by a page: that campaign, below these names, and a command."""
SPARK: Final = {"docs/campaigns.md", "docs/pipeline.md", "docs/pipeline-measures.md"}
SLOW: Final = {"docs/explore.md", "docs/partition-services.md"}
SHOWING: Final = {page: list(transcripts(text_of(page))) for page in PAGES}
RUN_HERE: Final = [
    pytest.param(page, marks=[pytest.mark.spark("alone")] if page in SPARK else [LONG] if page in SLOW else [])
    for page, shown in SHOWING.items()
    if shown and page not in (*HELD_BY, MEASURED)
]


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Capsys], tuple[Path, list[str]]]:
    """Where it is, and what it printed. It is played once for all pages, and where none asks for it never."""
    played: list[tuple[Path, list[str]]] = []

    def once(capsys: Capsys) -> tuple[Path, list[str]]:
        if not played:
            told = told_by(CAMPAIGN, Path.cwd(), capsys)
            played.append((Path(move("out", tmp_path_factory.mktemp("campaign"))), told))
        return played[0]

    return once


def told_by(command: str, folder: Path, capsys: Capsys) -> list[str]:
    """What a command prints; as a process of its own where it takes something from its environment."""
    values, words = {}, shlex.split(command)
    while "=" in words[0]:
        name, _, values[name] = words.pop(0).partition("=")
    assert words.pop(0) == "shaketable", command
    ran = shaketable(*words, cwd=folder, env={"COLUMNS": WIDTH, **values}) if values else here(capsys, *words)
    assert ran.code in (0, 1), ran
    return ran.out.replace(f"{ROOT}/.dev/shaketable/", "").replace(f"{ROOT}/", "").rstrip().splitlines()


@pytest.mark.parametrize("page", RUN_HERE)
def test_the_output_is_what_the_page_shows(
    page: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Capsys,
    as_written: AsWritten,
    campaign: Callable[[Capsys], tuple[Path, list[str]]],
    request: pytest.FixtureRequest,
) -> None:
    folder: Path = tmp_path
    if page in SPARK:
        request.getfixturevalue("spark")
        folder = request.getfixturevalue("spark_folder")
    for left in folder.iterdir():
        rmtree(left)
    text = text_of(page)
    write_files(text, folder)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", WIDTH)
    if page in BEFORE:
        names, command = BEFORE[page]
        for name in names:
            copytree(campaign(capsys)[0], folder / name)
        told_by(command, folder, capsys)

    def told(command: str) -> list[str]:
        return campaign(capsys)[1] if command == CAMPAIGN else told_by(command, folder, capsys)

    as_written(ROOT / page, with_output(text, [(each, told(each.command)) for each in SHOWING[page]]))


def test_a_page_with_a_test_of_its_own_shows_something_and_is_named_there() -> None:
    for page, test in HELD_BY.items():
        assert SHOWING[page], page
        assert Path(page).name in (ROOT / test).read_text(encoding="utf-8")


def test_the_shrunk_script_that_is_shown_is_the_one_that_is_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capsys
) -> None:
    monkeypatch.chdir(tmp_path)
    (shown,) = SHOWING["docs/shrinking.md"]
    told_by(shown.command, tmp_path, capsys)
    (saved,) = tmp_path.rglob("*.py")
    steps = next(block.text for block in blocks(text_of("docs/shrinking.md")) if block.text.startswith(" "))
    assert steps in saved.read_text(encoding="utf-8")


# How a page is read


PAGE = """\
Some text.

    shaketable tui        beside it

    $ shaketable run a.py \\
          --seed 2
    one
      two

    three

With this in `a.py`:

```python
pass
```
"""


def test_a_page_is_read() -> None:
    (shown,) = transcripts(PAGE)
    assert (shown.command, shown.shown) == ("shaketable run a.py --seed 2", ("one", "  two", "", "three"))
    (block,) = blocks(PAGE)
    assert (block.text, block.file) == ("pass\n", "a.py")
    assert with_output(PAGE, [(shown, ["four", "", "five"])]) == PAGE.replace(
        "one\n      two\n\n    three", "four\n\n    five"
    )


@pytest.mark.parametrize(
    ("shown", "told", "made"),
    [
        ("a", "b", "b"),
        ("a c", "a b c", "a b c"),
        ("a ... c", "a b b d", "a ... d"),
        ("... c", "a b d", "... d"),
        ("... b2 ...", "a b1 c", "... b1 ..."),
        ("a ... cc1 ... e", "a b b cc2 d e", "a ... cc2 ... e"),
        ("a ... b", "c", "c ..."),
    ],
)
def test_the_output_is_cut_where_the_page_cuts_it(shown: str, told: str, made: str) -> None:
    assert as_shown(shown.split(), told.split()) == made.split()


def test_only_the_clock_may_differ() -> None:
    assert as_shown(["after 72 runs in 1.3 s."], ["after 72 runs in 0.4 s."]) == ["after 72 runs in 1.3 s."]
    assert as_shown(["after 72 runs in 1.3 s."], ["after 71 runs in 0.4 s."]) == ["after 71 runs in 0.4 s."]
