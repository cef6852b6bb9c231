"""Each command that a page names can be typed: its options, settings, scripts and files are there."""

from __future__ import annotations

import argparse
import re
import shlex
from collections.abc import Iterator
from functools import cache
from typing import Final

import pytest
from tests.chaos.shipped import ALL
from tests.shown import PAGES, blocks, commands, text_of
from tests.test_tidy import IN_THE_REPOSITORY, none_of
from tests.where import ROOT

from shaketable.harness.checks.registry import CHECK_NAMES
from shaketable.harness.cli import _parser
from shaketable.harness.console.values import values_of
from shaketable.harness.errors import UserError
from shaketable.harness.pipeline.measuring.measures import BY_NAME
from shaketable.node.config import PRESETS, SettingError, read_settings

NUMBER: Final = re.compile(r"""\$\(\(.*?\)\)|"\$\{.*?\}"|(?<=\s)[NK](?=\s|$)""")
"""in the place of a number"""
READERS_OWN: Final = ("stories/", "mine.py")
"""scripts that the reader has"""
FEW_WORDS: Final = "the following arguments are required"


@cache
def names_of_ours() -> frozenset[str]:
    return frozenset(script.name for script in ALL)


def is_script(target: str, page: str) -> bool:
    path, _, name = target.partition("::")
    shown = {block.file for block in blocks(page)}
    made = path in re.findall(r"Saved: (\S+\.py)", page)
    there = path in names_of_ours() or ((ROOT / path).exists() and path.startswith("chaos/"))
    return (there and name in {"", *names_of_ours()}) or made or path in shown or path.startswith(READERS_OWN)


def wrong_in(command: str, page: str) -> Iterator[str]:
    words = shlex.split(NUMBER.sub("1", command))
    try:
        options = _parser().parse_args(words)
    except UserError as error:
        if not (len(words) == 1 and FEW_WORDS in str(error)):  # a sentence about the command
            yield str(error)
        return
    yield from _unknown(options, page)


def _unknown(options: argparse.Namespace, page: str) -> Iterator[str]:
    try:
        read_settings(
            getattr(options, "preset", None) or next(iter(PRESETS)), values_of(getattr(options, "values", ()))
        )
    except (SettingError, UserError) as error:
        yield str(error)
    given = vars(options)
    named = [*given.get("paths", ()), *given.get("scripts", ())]
    named += [given["script"]] if given.get("script") else []
    yield from (f"there is no script {each}" for each in named if not is_script(each, page))
    yield from (f"there is no measure {each}" for each in given.get("measure", ()) if each not in BY_NAME)
    if given.get("check") not in {None, *CHECK_NAMES}:
        yield f"there is no check {given['check']}"


@pytest.mark.parametrize("page", PAGES)
def test_each_command_of_a_page_can_be_typed(page: str) -> None:
    text = text_of(page)
    none_of([f"{page}: shaketable {each}: {why}" for each in commands(text) for why in wrong_in(each, text)])


def test_the_pages_name_commands() -> None:
    assert sum(len(commands(text_of(page))) for page in PAGES) > 100


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("jump", "jump"),
        ("run chaos/ --sim", "--sim"),
        ("run chaos/gone.py", "there is no script chaos/gone.py"),
        ("run chaos/demo.py::gone", "there is no script"),
        ("run gone", "there is no script gone"),
        ("tui --script gone", "there is no script gone"),
        ("campaign gone/", "there is no script gone/"),
        ("run storm --set gone=1", "gone"),
        ("run storm --set 'legacy_fault=gone'", "gone"),
        ("run storm --preset gone", "gone"),
        ("shrink nemesis --seed 1 --check gone", "there is no check gone"),
        ("measure store --measure gone", "there is no measure gone"),
        ("shrink nemesis", FEW_WORDS),
    ],
)
def test_what_cannot_be_typed_is_told(command: str, why: str) -> None:
    (said,) = wrong_in(command, "")
    assert why in said


@IN_THE_REPOSITORY
def test_make_and_pytest_know_what_is_asked_of_them(pytestconfig: pytest.Config) -> None:
    text = "\n".join(text_of(page) for page in PAGES)
    targets = set(re.findall(r"(?:^    (?:\$ )?|`)make ([a-z][a-z-]*)", text, re.MULTILINE))
    known = set(re.findall(r"^([a-z-]+):.*##", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert targets, "no page names a target"
    assert targets <= known
    parts = set(re.findall(r"make bench ARGS=(\w+)", text))
    known_parts = (ROOT / "tests/bench/__main__.py").read_text(encoding="utf-8")
    assert parts
    assert [part for part in parts if f'"{part}": ' not in known_parts] == []
    options = set(re.findall(r"--shaketable-(\w+)", text))
    assert options
    for name in options:
        pytestconfig.getoption(f"shaketable_{name}")
