"""docs/stories.md is made of the first sentences of the folders and files of chaos/."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.chaos.shipped import ALL
from tests.conftest import AsWritten
from tests.where import CHAOS, DOCS, with_part

PAGE = DOCS / "stories.md"


def first_words(file: Path) -> str:
    told = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8")))
    assert told, f"{file}: open with a line of docstring, it is on the page of the stories"
    return " ".join(told.partition("\n\n")[0].split())


def listed() -> Iterator[str]:
    stories = Counter(Path(each.file) for each in ALL)
    for folder in sorted({file.parent for file in stories}):
        yield f"## {folder.relative_to(CHAOS.parent)}/\n\n{first_words(folder / '__init__.py')}\n"
        yield from ("| file | stories | what they tell |", "|---|---|---|")
        yield from (
            f"| `{file.name}` | {count} | {first_words(file)} |"
            for file, count in sorted(stories.items())
            if file.parent == folder
        )
        yield ""


def test_the_page_has_each_file_of_stories(as_written: AsWritten) -> None:
    as_written(PAGE, with_part(PAGE, "stories", "\n".join(listed()).rstrip()))
