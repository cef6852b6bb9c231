"""The rules of a group, one file of tests/data/gms a rule."""

from pathlib import Path

import pytest
from tests.conftest import AsWritten
from tests.node.gms.stories import told
from tests.where import DATA

STORIES = sorted((DATA / "gms").glob("*.txt"))


@pytest.mark.parametrize("file", STORIES, ids=[file.stem for file in STORIES])
def test_a_story_of_a_group_goes_as_it_is_written(file: Path, as_written: AsWritten) -> None:
    as_written(file, "\n\n".join(told(file.read_text(encoding="utf-8"))) + "\n")


def test_there_are_stories_of_groups() -> None:
    assert len(STORIES) > 15
