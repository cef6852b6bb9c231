"""The screens' memory is one file; a file that cannot be read or written is as good as none."""

from __future__ import annotations

from pathlib import Path

import pytest

from shaketable.harness.folders import STATE, our_folder
from shaketable.tui.kept import Keeper, of_this_user


def test_it_is_remembered_beside_what_another_session_has_kept(tmp_path: Path) -> None:
    file = tmp_path / "new" / "screens.json"
    one, other = Keeper(file), Keeper(file)
    one.keep(theme="dark")
    other.keep_saved(tmp_path / "a.svg")
    again = Keeper(file)
    assert (again.kept.theme, again.saved()) == ("dark", (str(tmp_path / "a.svg"),))
    assert one.saved() == again.saved()
    assert file.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("data", [b"", b"{", b"\xff", b'{"theme": 3}', b"[" * 100_000])
def test_a_file_that_is_none_is_as_good_as_none(tmp_path: Path, data: bytes) -> None:
    file = tmp_path / "screens.json"
    file.write_bytes(data)
    keeper = Keeper(file)
    assert keeper.kept == Keeper().kept
    keeper.keep(theme="light")
    assert Keeper(file).kept.theme == "light"


def test_where_nothing_can_be_written_it_goes_on(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    keeper = Keeper(tmp_path / "file" / "screens.json")
    keeper.keep(theme="light")
    assert keeper.kept.theme == "light"


def test_only_so_many_are_remembered(tmp_path: Path) -> None:
    keeper = Keeper(tmp_path / "screens.json")
    for number in range(110):
        keeper.keep_saved(tmp_path / f"{number}.svg")
    keeper.keep_saved(tmp_path / "50.svg")
    saved = [Path(each).name for each in keeper.saved()]
    assert len(saved) == 100
    assert saved[-2:] == ["109.svg", "50.svg"]


def test_it_is_in_the_folder_that_the_environment_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    of_this_user().keep(theme="light")
    assert (tmp_path / "shaketable" / "screens.json").exists()
    monkeypatch.setenv("XDG_STATE_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert our_folder(STATE) == tmp_path / ".local" / "state" / "shaketable"
