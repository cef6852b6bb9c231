"""docs/whats-here.md: its tables of folders are made of the first lines of the packages, so that none is left out; and
it names each other folder."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.conftest import AsWritten
from tests.test_tidy import PACKAGES, files, mirrors, none_of
from tests.where import DOCS, ROOT, with_part

TOUR = DOCS / "whats-here.md"


def table(top: str) -> Iterator[str]:
    yield from ("| folder | what is in it |", "|---|---|")
    for package in sorted(file.parent for file in (ROOT / top).rglob("__init__.py")):
        told = ast.get_docstring(ast.parse((package / "__init__.py").read_text(encoding="utf-8")))
        assert told, f"{package}/__init__.py: open with a line of docstring, it is in the tour of the tree"
        yield f"| `{package.relative_to(ROOT)}/` | {' '.join(told.split(chr(10) * 2)[0].split())} |"


@pytest.mark.parametrize("top", PACKAGES)
def test_the_tour_names_every_folder(top: str, as_written: AsWritten) -> None:
    as_written(TOUR, with_part(TOUR, top, "\n".join(table(top))))


def not_named(folders: set[str], page: str) -> list[str]:
    """By its whole path or, where its parent is spoken of, by its last name. Tests that mirror the tree go without."""
    return [
        f"docs/whats-here.md: say what {folder}/ is for"
        for folder in sorted(folders)
        if not {f"`{folder}/`", f"`{Path(folder).name}/`"} & set(re.findall(r"`[^`\n]+`", page))
    ]


def test_the_tour_names_the_folders_beside_the_packages() -> None:
    here = {str(Path(name).parent) for name in files()} - {"."}
    beside = {folder for folder in here if not folder.startswith(PACKAGES) and not mirrors(folder)}
    none_of(not_named(beside, TOUR.read_text(encoding="utf-8")))


def test_a_folder_without_a_line_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = TOUR.read_text(encoding="utf-8")
    assert not_named({".ci", "tests/data/core"}, page) == []
    assert not_named({"docs/pictures"}, page) == ["docs/whats-here.md: say what docs/pictures/ is for"]
    for folder in ("", "new"):
        (tmp_path / "node" / folder).mkdir(exist_ok=True)
        (tmp_path / "node" / folder / "__init__.py").write_text('"""What is new."""', encoding="utf-8")
    monkeypatch.setattr("tests.test_tour.ROOT", tmp_path)
    assert "| `node/new/` | What is new. |" in table("node")
    assert with_part(TOUR, "node", "\n".join(table("node"))) != page
