"""Each row of the pages of rules is held: with its rule taken out, each of its scripts is red."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet
from tests.chaos.shipped import ALL
from tests.lengths import mostly_by_night, one_in
from tests.mutants.judge import How, Try, sights
from tests.rules.held import PAGES, Change, Entry, entries, members, names, rules

SCRIPTS = {script.name: script for script in ALL}
EACH_PAGE = pytest.mark.parametrize("page", PAGES, ids=[page.stem for page in PAGES])
RED = How.CHECK, How.EXPECTATION


def shown(page: Path) -> dict[str, list[str]]:
    """The rules that have scripts, and these."""
    return {row[0]: names(row[3]) for row in rules(page) if names(row[3])}


def of(entry: Entry, page: Path) -> list[str]:
    return list(entry.scripts) or shown(page)[entry.rule]


def each_script() -> Iterator[ParameterSet]:
    """Of each page every third one is played in the short tests."""
    for page in PAGES:
        played = [
            pytest.param(entry, script, id=f"{page.stem}-{script}-{entry.rule[:40]}")
            for entry in entries(page)
            for script in (of(entry, page) if not entry.why_not else ())
        ]
        yield from mostly_by_night(2, one_in(3, played))


@EACH_PAGE
def test_each_row_with_scripts_is_held(page: Path) -> None:
    """For each of its scripts; and no other row is."""
    there = [(rule, script) for rule, scripts in shown(page).items() for script in scripts]
    held = [(entry.rule, script) for entry in entries(page) for script in of(entry, page)]
    assert set(held) == set(there)


@EACH_PAGE
def test_the_changes_are_of_the_present_core(page: Path) -> None:
    for entry in entries(page):
        assert bool(entry.mutants()) == bool(entry.changes), entry.rule
        assert not entry.member or entry.member in members(), entry.rule


def test_a_change_stands_once_in_its_file() -> None:
    change = Change("a file", ["if True:", "    go()"], ["pass"])
    assert change.put_into("def f():\n    if True:\n        go()\n") == "def f():\n    pass\n"
    for source in ("if True:\n    stay()\n", "if True:\n    go()\nif True:\n    go()\n"):
        with pytest.raises(AssertionError, match=r"this stands there [02] times"):
            change.put_into(source)


@pytest.mark.parametrize(("entry", "script"), list(each_script()))
def test_with_the_rule_taken_out_the_script_is_red(entry: Entry, script: str) -> None:
    runs = [Try(script, seed, "default") for seed in entry.seeds]
    for sight in sights(entry.mutants(), runs, SCRIPTS, entry.make()):
        assert sight.how in RED, sight
