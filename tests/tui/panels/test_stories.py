"""What the panels of the first screen show, moment by moment: one file of tests/data/tui a subject."""

from pathlib import Path

import pytest
from tests.conftest import AsWritten
from tests.tui.panels.stories import told
from tests.where import DATA

STORIES = sorted((DATA / "tui").glob("*.txt"))


@pytest.mark.parametrize("file", STORIES, ids=[file.stem for file in STORIES])
def test_a_panel_shows_what_is_written(file: Path, as_written: AsWritten) -> None:
    as_written(file, "\n\n".join(told(file.read_text(encoding="utf-8"))) + "\n")


def test_there_are_stories() -> None:
    assert len(STORIES) >= 5
