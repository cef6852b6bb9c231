"""A file is written in full, or what was there before stays."""

from __future__ import annotations

import errno
import os
import stat
from io import FileIO
from pathlib import Path

import pytest

from shaketable.harness import whole_files
from shaketable.harness.whole_files import make_private, write_shared, write_whole


class FullAfterOne(FileIO):
    """Of a disk that has room for one byte more."""

    def write(self, data: object) -> int:
        if self.tell():
            raise OSError(errno.ENOSPC, "No space left on device")
        return super().write(bytes(data)[:1])  # type: ignore[call-overload]


def test_it_takes_the_place_of_what_was_there(tmp_path: Path) -> None:
    file = tmp_path / "report.md"
    write_whole(file, "before")
    write_whole(file, "since: \ud800 ü\n")
    assert file.read_bytes() == "since: ? ü\n".encode()
    assert list(tmp_path.iterdir()) == [file]


def test_on_a_full_disk_what_was_there_stays_and_nothing_lies_beside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "report.md"
    write_whole(file, b"before")
    monkeypatch.setattr(whole_files, "FileIO", FullAfterOne)
    with pytest.raises(OSError, match="No space left"):
        write_whole(file, b"since")
    assert file.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [file]


def test_who_is_interrupted_leaves_nothing_beside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(file: FileIO, data: bytes) -> None:
        raise KeyboardInterrupt

    file = tmp_path / "report.md"
    write_whole(file, "before")
    monkeypatch.setattr(whole_files, "write_all", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_whole(file, "since")
    assert file.read_text() == "before"
    assert list(tmp_path.iterdir()) == [file]


def test_nothing_is_written_through_a_link(tmp_path: Path) -> None:
    """Whether it leads to a file, to nothing, or to a pipe that somebody else reads."""
    (tmp_path / "file").write_text("precious")
    os.mkfifo(tmp_path / "pipe")
    for name in ("file", "nothing", "pipe"):
        link = tmp_path / f"report-{name}.md"
        link.symlink_to(tmp_path / name)
        with pytest.raises(OSError, match="it is a symbolic link, and nothing is written through one"):
            write_whole(link, "since")
        assert link.is_symlink()
    assert (tmp_path / "file").read_text() == "precious"
    assert not (tmp_path / "nothing").exists()


def test_a_link_beside_it_is_not_written_through(tmp_path: Path) -> None:
    """The name of the file that takes the other's place can be guessed."""
    (tmp_path / "file").write_text("precious")
    (tmp_path / "report.md.new").symlink_to(tmp_path / "file")
    write_whole(tmp_path / "report.md", "since")
    assert (tmp_path / "file").read_text() == "precious"
    assert (tmp_path / "report.md").read_text() == "since"
    assert not (tmp_path / "report.md").is_symlink()


def test_what_a_process_that_was_killed_has_left_beside_is_no_hindrance(tmp_path: Path) -> None:
    (tmp_path / "report.md.new").write_text("half")
    write_whole(tmp_path / "report.md", "since")
    assert [path.name for path in tmp_path.iterdir()] == ["report.md"]


@pytest.mark.parametrize("umask", [0o022, 0o000])
def test_what_is_written_is_its_owner_s_alone(umask: int, tmp_path: Path) -> None:
    before = os.umask(umask)
    try:
        make_private(tmp_path / "out")
        write_whole(tmp_path / "out" / "report.md", "since")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "out" / "report.md").stat().st_mode) == 0o600


@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o644), (0o027, 0o640), (0o077, 0o600)])
def test_what_is_for_others_too_is_as_open_as_the_umask_lets_it_be(umask: int, mode: int, tmp_path: Path) -> None:
    file = tmp_path / "answer.txt"
    before = os.umask(umask)
    try:
        write_shared(file, "before")
        write_shared(file, "since")
    finally:
        os.umask(before)
    assert file.read_text() == "since"
    assert stat.S_IMODE(file.stat().st_mode) == mode
    assert list(tmp_path.iterdir()) == [file]


def test_what_is_for_others_too_is_not_written_through_a_link_either(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("precious")
    (tmp_path / "answer.txt").symlink_to(tmp_path / "file")
    with pytest.raises(OSError, match="it is a symbolic link, and nothing is written through one"):
        write_shared(tmp_path / "answer.txt", "since")
    assert (tmp_path / "file").read_text() == "precious"


def test_a_link_in_the_place_of_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "out").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="it is a symbolic link"):
        make_private(tmp_path / "out")


def test_what_is_no_file_is_written_to_as_it_is() -> None:
    write_whole(Path("/dev/null"), "gone")
    assert not Path("/dev/null").is_file()
