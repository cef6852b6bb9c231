"""The pages of rules, docs/*-rules.md, name what there is: the code, the stories and the chaos scripts of each rule."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from tests.chaos.shipped import ALL
from tests.rules.held import PAGES, names, rules
from tests.where import ROOT

STORIES = {path.stem for folder in ("core", "gms") for path in (ROOT / "tests" / "data" / folder).glob("*.txt")}
TESTS = {path.stem for path in (ROOT / "tests").rglob("test_*.py")}
SCRIPTS = {script.name for script in ALL}


def named(page: Path, column: int) -> set[str]:
    return {name for row in rules(page) for name in names(row[column])}


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


@pytest.mark.parametrize("page", PAGES, ids=[page.stem for page in PAGES])
def test_each_rule_has_code_and_a_story(page: Path) -> None:
    assert len(rules(page)) > 30
    assert [row[0] for row in rules(page) if len(row) != 4 or "`" not in row[1] or "`" not in row[2]] == []


@pytest.mark.parametrize("page", PAGES, ids=[page.stem for page in PAGES])
def test_the_names_on_the_page_are_names_of_what_there_is(page: Path) -> None:
    assert named(page, 1) - defined() == set()
    assert named(page, 2) - STORIES - TESTS == set()
    assert named(page, 3) - SCRIPTS == set()


def test_every_story_is_on_a_page() -> None:
    """A story that no rule leads to is not found by who looks for the rule."""
    cluster = "cluster-service-rules.md", "partial-disconnection-rules.md", "partition-rules.md", "split-brain-rules.md"
    assert sorted(page.name for page in PAGES) == sorted([*cluster, "group-rules.md"])
    assert STORIES - {name for page in PAGES for name in named(page, 2)} == set()
