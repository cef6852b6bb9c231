"""All commands have the same rules: which numbers are seeds, and where an unknown option points to."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import pytest
from tests.harness.command.command_helpers import here

from shaketable.harness.cli import _parser

TAKE_A_SEED = (
    ("run", "form"),
    ("tui",),
    ("shrink", "storm"),
    ("explore", "form"),
    ("campaign", "form"),
    ("museum",),
    ("compare-detectors",),
)


@pytest.mark.parametrize("command", TAKE_A_SEED, ids=lambda command: command[0])
@pytest.mark.parametrize("seed", ["-1", "1.5"])
def test_what_is_no_seed_is_refused_by_each_command(
    command: tuple[str, ...], seed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of a negative one Python draws the same as without its sign: two seeds would be one run."""
    ran = here(capsys, *command, "--seed", seed)
    ran.refused(f"--seed: '{seed}': give a whole number from 0 to ", f"see shaketable {command[0]} --help")
    assert ran.out == ""


def test_what_a_command_does_not_know_points_to_its_own_help(capsys: pytest.CaptureFixture[str]) -> None:
    every = list(commands_of(_parser()))
    assert {"shaketable run", "shaketable explain plan"} < {command.prog for command in every}
    for command in every:
        words = [*command.prog.split()[1:], *needed_by(command), "--no-such-option"]
        here(capsys, *words).refused(f"unrecognized arguments: --no-such-option; see {command.prog} --help")


def commands_of(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """Also those within another."""
    inner = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    if not inner:
        yield parser
    for action in inner:
        for command in action.choices.values():
            yield from commands_of(command)


def needed_by(command: argparse.ArgumentParser) -> Iterator[str]:
    """Without these a command would ask for them first."""
    for action in command._actions:
        if action.required:
            yield from (*action.option_strings[:1], "1")
