"""The page of our stories on another system, as it is made of reports."""

import re
from pathlib import Path

import pytest
from tests import story_table
from tests.story_table import PAGE, entries, told, unexplained
from tests.where import anchor

from shaketable.harness.runs.fitting import why_not
from shaketable.harness.runs.run import Options
from shaketable.harness.scripting.targets import scripts_of_ours

VERDICTS = [
    ("kill-the-master", "passed"),
    ("graceful-leave", "failed"),
    ("graceful-leave", "passed"),
    ("cut-and-heal", "passed"),
]
CHECKS = [{"name": "view order", "status": "held"}, {"name": "table order", "status": "not told"}]
REPORT = {
    "runs": [
        {"script": name, "file": "chaos/cluster/some.py", "outcome": outcome, "checks": CHECKS}
        for name, outcome in VERDICTS
    ]
}


def test_a_story_that_was_red_once_stands_with_its_entry() -> None:
    lines = list(told([REPORT], {"a link is cut one way": ["one-way-cut"]}))
    assert lines[0] == "3 stories were played in 4 runs. 2 passed each time, 1 was red at least once."
    assert lines[2] == "Not told in any of them: table order."
    heading = entries()["graceful-leave"]
    link = f"[{heading}](../found.md#{anchor(heading)})"
    assert f"| graceful-leave | `cluster/some.py` | failed 1 of 2, passed 1 of 2 | {link} |" in lines
    assert "| kill-the-master | `cluster/some.py` | passed |  |" in lines
    assert lines[-1] == "- 1: a link is cut one way: one-way-cut"


def test_a_red_story_without_an_entry_is_named() -> None:
    assert unexplained([REPORT]) == []
    assert unexplained([{"runs": [{"script": "nobody-knows-why", "outcome": "failed"}]}]) == ["nobody-knows-why"]


def test_reports_of_two_versions_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = []
    for version in ("5.3.8", "5.7.0"):
        path = tmp_path / f"{version}.json"
        path.write_text(f'{{"runs": [{{"system": {{"name": "hazelcast", "version": "{version}"}}}}]}}')
        paths.append(str(path))
    assert story_table.main(paths) == 2
    assert "one system and one version" in capsys.readouterr().err


def test_each_story_on_the_page_that_did_not_pass_has_its_entry() -> None:
    rows = [line.split("|") for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    stories = {row[1].strip(): row[3].strip() for row in rows[1:]}
    assert len(stories) > 150
    red = {name for name, result in stories.items() if not re.fullmatch(r"passed(?: (\d+) of \1)?", result)}
    assert len(red) > 20
    assert red <= entries().keys()


@pytest.mark.long
def test_the_page_has_the_stories_that_can_be_played() -> None:
    options = Options("real", system="hazelcast")
    playable = [script.name for script in scripts_of_ours() if why_not(script, options) is None]
    rows = re.findall(r"^\| ([\w-]+) \| `", PAGE.read_text(), re.MULTILINE)
    assert sorted(rows) == sorted(playable)
