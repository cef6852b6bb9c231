"""docs/cluster-service-rules.md names what there is: the code, the stories and the chaos scripts of each rule."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from shaketable.harness.scripts import load_scripts

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "cluster-service-rules.md"
STORIES = {path.stem for path in (ROOT / "tests" / "data" / "core").glob("*.txt")}
SCRIPTS = {script.name for script in load_scripts([ROOT / "chaos"])}


def rules() -> list[list[str]]:
    """The rows of all tables: the rule, and in what follows the names of code, stories and scripts."""
    rows = [line.strip("|").split("|") for line in PAGE.read_text(encoding="utf-8").splitlines() if line[:1] == "|"]
    return [[cell.strip() for cell in row] for row in rows if row[0].strip() not in ("rule", "---")]


def named(column: int) -> set[str]:
    return {name for row in rules() for name in re.findall(r"`([^`]+)`", row[column])}


def defined() -> set[str]:
    """Every class and function of the core, and every method with its class."""
    found = set()
    for path in (ROOT / "node").rglob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef):
                found.add(node.name)
            if isinstance(node, ast.ClassDef):
                found |= {f"{node.name}.{part.name}" for part in node.body if isinstance(part, ast.FunctionDef)}
    return found


def test_each_rule_has_code_and_a_story() -> None:
    assert len(rules()) > 40
    assert [row[0] for row in rules() if len(row) != 4 or "`" not in row[1] or "`" not in row[2]] == []


def test_the_names_on_the_page_are_names_of_what_there_is() -> None:
    assert named(1) - defined() == set()
    assert named(2) - STORIES == set()
    assert named(3) - SCRIPTS == set()


def test_every_story_is_on_the_page() -> None:
    """A story that no rule leads to is not found by who looks for the rule."""
    assert STORIES - named(2) == set()
