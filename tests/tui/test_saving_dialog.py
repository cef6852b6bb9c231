"""The dialog that saves what was done by hand: whatever is typed there, the run goes on."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.node.process.process_helpers import in_loop
from tests.tui.acting import Living, acting
from textual.widgets import Input

from shaketable.tui.dialogs.save import SaveScript

REFUSED = {
    "": "give it a name",
    "/": "/ is a folder: add the name of a file",
    ".": ". is a folder",
    "..": ".. is a folder",
    "~": "~ is a folder",
    "~/": "~/ is a folder",
    "x/": "x/ is a folder",
    "mine/..": "mine/.. is a folder",
    "sub": "sub is a folder",
    "~nobody-of-that-name": "~nobody-of-that-name: there is no user of that name",
    "a" * 300: "it cannot be written there: file name too long",
    "nul\0": "a name has letters, digits, blanks and signs, and nothing else",
    "mine": "mine.py is there already: give another name",
}


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("name", REFUSED, ids=lambda name: name[:20])
@in_loop
async def test_a_name_that_cannot_be_is_refused_with_a_sentence(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text("mine")
    (tmp_path / "sub").mkdir()
    async with acting(None, 140, 30) as here:
        await here.press("s")
        here.app.screen.query_one(Input).value = name
        if name:
            await here.sees(f"✗ {REFUSED[name]}")  # while it is typed
        await here.press("enter")
        await here.sees(f"✗ {REFUSED[name]}")
        assert isinstance(here.app.screen, SaveScript)
    assert names_in(tmp_path) == ["mine.py", "sub"]


@in_loop
async def test_where_the_present_folder_was_removed_another_one_will_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    async with acting() as here:
        here.source.by_hand(1, "cluster.kill('n2')")
        await here.press("s")
        await here.sees("the present folder is gone")
        here.app.screen.query_one(Input).value = str(tmp_path / "mine")
        await here.press("enter")
    assert (tmp_path / "mine.py").read_text() == "saved"


@in_loop
async def test_it_is_saved_by_mouse_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    async with acting(None, 140, 30) as here:
        here.source.by_hand(1, "cluster.kill('n2')")
        await here.press("s")
        await here.click("Save it")
    assert (tmp_path / "chaos_by_hand.py").read_text() == "saved"


@in_loop
async def test_where_nothing_was_done_there_is_nothing_to_save(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    source = Living()
    source.over()
    async with acting(source) as here:
        await here.press("s", "enter")
        await here.sees("✗ nothing was done by hand: there is nothing to save")
    assert names_in(tmp_path) == []
