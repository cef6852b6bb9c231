"""docs/checks.md is made of the checks themselves, of their rules and what their modules say: it is told once."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence

import pytest
from tests.conftest import AsWritten
from tests.where import DOCS, with_part

from shaketable.harness.checks.registry import CHECKS, GROUP_CHECKS
from shaketable.harness.checks.result import Check

PAGE = DOCS / "checks.md"


def told(checks: Sequence[Check]) -> Iterator[str]:
    for check in checks:
        module = inspect.getmodule(check.begin)
        assert module is not None
        assert module.__doc__, f"{module.__name__}: open with a docstring, it is what the page says"
        yield f"### {check.name}\n\n> {check.rule}\n\n{module.__doc__.strip()}"


@pytest.mark.parametrize(
    ("family", "checks"), [("cluster", CHECKS), ("group", [each for each in GROUP_CHECKS if each not in CHECKS])]
)
def test_the_page_has_each_check_in_its_own_words(family: str, checks: Sequence[Check], as_written: AsWritten) -> None:
    as_written(PAGE, with_part(PAGE, family, "\n\n".join(told(checks))))
