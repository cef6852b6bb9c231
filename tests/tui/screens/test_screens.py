"""Each screen in both themes, at two sizes, as tests/data/tui/screens has it; and the pictures of the manual.

`pytest tests/tui --rewrite` writes them anew; the diff is then the review."""

import json
from pathlib import Path

import pytest
from tests.conftest import AsWritten
from tests.lengths import LONG, mostly_by_night, one_in
from tests.node.process.process_helpers import in_loop
from tests.tui.real.emulator import Emulator
from tests.tui.screens import cast, manual, pictures
from tests.tui.screens.scenes import SCENES, SIZES, Scene, snapshot
from tests.where import DATA, DOCS

FOLDER = DATA / "tui" / "screens"
SHOTS = [(scene, width, height) for scene in SCENES for width, height in scene.sizes]


def is_long(scene: Scene, width: int, height: int) -> bool:
    return scene.long or width > SIZES[0][0]


def file_of(scene: Scene, width: int, height: int) -> Path:
    return FOLDER / f"{scene.name}-{width}x{height}.txt"


@pytest.mark.parametrize(
    ("scene", "width", "height"),
    mostly_by_night(
        2, (pytest.param(*shot, id=file_of(*shot).stem, marks=[LONG] if is_long(*shot) else []) for shot in SHOTS)
    ),
)
@in_loop
async def test_a_screen_looks_as_it_is_written(scene: Scene, width: int, height: int, as_written: AsWritten) -> None:
    as_written(file_of(scene, width, height), await snapshot(scene, width, height))


def test_nothing_is_kept_that_no_test_reads() -> None:
    assert sorted(FOLDER.iterdir()) == sorted(file_of(*shot) for shot in SHOTS)


@pytest.mark.parametrize("scene", one_in(6, [pytest.param(scene, id=scene.name) for scene in pictures.PICTURED]))
@in_loop
async def test_the_pictures_of_the_manual_are_those_of_the_screens(scene: Scene, as_written: AsWritten) -> None:
    as_written(pictures.file_of(scene), await pictures.picture(scene))


def test_the_manual_has_all_keys_and_symbols(as_written: AsWritten) -> None:
    as_written(manual.MANUAL, manual.made_anew(manual.MANUAL.read_text(encoding="utf-8")))


def test_each_picture_is_shown_in_the_manual() -> None:
    page = manual.MANUAL.read_text(encoding="utf-8")
    for scene in pictures.PICTURED:
        assert f"](screens/{scene.name}.svg)" in page
    assert sorted((DOCS / "screens").iterdir()) == sorted([*map(pictures.file_of, pictures.PICTURED), cast.FILE])


@LONG
@in_loop
async def test_the_cast_of_the_docs_is_what_the_screens_show(as_written: AsWritten) -> None:
    as_written(cast.FILE, await cast.cast())


def test_the_cast_is_one_that_asciinema_plays() -> None:
    """Its second format: a header, then times that never fall, each with what is written to the terminal."""
    header, *lines = map(json.loads, cast.FILE.read_text(encoding="utf-8").splitlines())
    assert (header["version"], header["width"], header["height"]) == (2, cast.WIDTH, cast.HEIGHT)
    times = [time for time, kind, text in lines if kind == "o" and isinstance(text, str)]
    assert len(times) == len(lines) > 20
    assert times == sorted(times)
    screen = Emulator(cast.WIDTH, cast.HEIGHT)
    seen = []
    for _, _, text in lines:
        screen.feed(text.encode())
        seen.append(screen.text)
    for words in ("▶ ×0.25", "decided: n1 n3 n4 stay", "─ Why ─", "fault 2: cut", "[4 Timeline]"):
        assert any(words in each for each in seen), words
    assert "[1 Cluster]" in seen[-1]
