"""docs/whats-here.md: its tables of folders are made of the first lines of the packages, so that none is left out."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest
from tests.conftest import AsWritten
from tests.where import DOCS, ROOT, with_part

TOUR = DOCS / "whats-here.md"


def table(top: str) -> Iterator[str]:
    yield from ("| folder | what is in it |", "|---|---|")
    for package in sorted(file.parent for file in (ROOT / top).rglob("__init__.py")):
        told = ast.get_docstring(ast.parse((package / "__init__.py").read_text(encoding="utf-8")))
        assert told, f"{package}/__init__.py: open with a line of docstring, it is in the tour of the tree"
        yield f"| `{package.relative_to(ROOT)}/` | {' '.join(told.split(chr(10) * 2)[0].split())} |"


@pytest.mark.parametrize("top", ["node", "harness", "tui", "chaos"])
def test_the_tour_names_every_folder(top: str, as_written: AsWritten) -> None:
    as_written(TOUR, with_part(TOUR, top, "\n".join(table(top))))
