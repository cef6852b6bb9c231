"""docs/checks.md is made of the checks themselves, of their rules and what their modules say: it is told once."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from textwrap import wrap

import pytest
from tests.conftest import AsWritten
from tests.where import DOCS, with_part

from shaketable.harness.checks.registry import CHECKS, GROUP_CHECKS
from shaketable.harness.checks.result import Check, IfSeen
from shaketable.harness.records import HARNESS_EVENTS

PAGE = DOCS / "checks.md"


def told(checks: Sequence[Check]) -> Iterator[str]:
    for check in checks:
        module = inspect.getmodule(check.begin)
        assert module is not None
        assert module.__doc__, f"{module.__name__}: open with a docstring, it is what the page says"
        yield f"### {check.name}\n\n> {check.rule}\n\n{module.__doc__.strip()}\n\n{needed(check)}"


def needed(check: Check) -> str:
    """Without what the harness tells: every history has it."""
    needs = [need for need in check.needs if need not in HARNESS_EVENTS]
    always = [need.__name__ for need in needs if not isinstance(need, IfSeen)]
    at_times = [
        f"`{need.kind.__name__}` in a run with {' or '.join(f'`{kind.__name__}`' for kind in need.others)}"
        for need in needs
        if isinstance(need, IfSeen)
    ]
    return "\n".join(
        wrap(f"Needs {', '.join([*(f'`{name}`' for name in always), *at_times])}.", 120, break_long_words=False)
    )


@pytest.mark.parametrize(
    ("family", "checks"), [("cluster", CHECKS), ("group", [each for each in GROUP_CHECKS if each not in CHECKS])]
)
def test_the_page_has_each_check_in_its_own_words(family: str, checks: Sequence[Check], as_written: AsWritten) -> None:
    as_written(PAGE, with_part(PAGE, family, "\n\n".join(told(checks))))
