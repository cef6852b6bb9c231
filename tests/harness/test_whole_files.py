"""A file is written in full, or what was there before stays."""

from __future__ import annotations

import errno
from io import FileIO
from pathlib import Path

import pytest

from shaketable.harness import whole_files
from shaketable.harness.whole_files import write_whole


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


def test_a_link_stays_one_and_what_it_leads_to_is_written(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    file, link = tmp_path / "kept" / "report.md", tmp_path / "latest.md"
    link.symlink_to(file)
    for text in ("before", "since"):  # there is nothing yet, and there is
        write_whole(link, text)
        assert link.is_symlink()
        assert file.read_text() == text


def test_what_is_no_file_is_written_to_as_it_is() -> None:
    write_whole(Path("/dev/null"), "gone")
    assert not Path("/dev/null").is_file()
