"""The rules of the text on cluster service consistency, one file of tests/data/core a rule."""

from pathlib import Path

import pytest
from tests.conftest import AsWritten
from tests.notation.interaction import told
from tests.where import DATA

STORIES = sorted((DATA / "core").glob("*.txt"))


@pytest.mark.parametrize("file", STORIES, ids=[file.stem for file in STORIES])
def test_a_story_goes_as_it_is_written(file: Path, as_written: AsWritten) -> None:
    as_written(file, "\n\n".join(told(file.read_text(encoding="utf-8"))) + "\n")


def test_there_are_stories() -> None:
    assert len(STORIES) > 15
