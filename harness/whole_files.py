"""Files that are there in full or not at all: whatever comes between, what was there before stays.

A file is its owner's alone to read, unless it is for others too. Nothing is written through a symbolic link: another
user who may put one into the folder must not choose which file we overwrite."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from contextlib import suppress
from io import FileIO
from pathlib import Path
from typing import Final

import msgspec

A_LINK: Final = "it is a symbolic link, and nothing is written through one"


def write_whole(path: Path, data: bytes | str) -> None:
    """A text as UTF-8, as it stands."""
    _write(path, data, private)


def write_shared(path: Path, data: bytes | str) -> None:
    """For figures, which others may read too: the umask decides who may, as with any file."""
    _write(path, data, _shared)


def _write(path: Path, data: bytes | str, opener: Callable[[str, int], int]) -> None:
    if isinstance(data, str):
        data = data.encode("utf-8", errors="replace")
    if _of_the_system(path):
        path.write_bytes(data)  # a terminal, say: nothing is beside it
        return
    refuse_link(path)
    beside = path.with_name(f"{path.name}.new")
    try:
        with suppress(FileNotFoundError):
            beside.unlink()  # of a process that was killed
        with FileIO(beside, "xb", opener=opener) as file:
            write_all(file, data)
        beside.replace(path)
    except BaseException:  # Ctrl-C too
        with suppress(OSError):
            beside.unlink()
        raise


def write_json(path: Path, value: msgspec.Struct, *, indent: int = 2) -> None:
    """For people too."""
    write_whole(path, msgspec.json.format(msgspec.json.encode(value), indent=indent) + b"\n")


def write_all(file: FileIO, data: bytes) -> None:
    """A raw file may take less than it is given."""
    while data:
        data = data[file.write(data) or 0 :]


def private(path: str, flags: int) -> int:
    """For `open`: a file that its owner alone may read, and no link."""
    return _opened(path, flags, 0o600)


def _shared(path: str, flags: int) -> int:
    return _opened(path, flags, 0o666)


def _opened(path: str, flags: int, mode: int) -> int:
    try:
        return os.open(path, flags | os.O_NOFOLLOW, mode)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise OSError(errno.ELOOP, A_LINK, path) from None
        raise


def make_private(folder: Path) -> None:
    """A folder that its owner alone may look into, unless it is there already. A link in its place is refused."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    refuse_link(folder)


def refuse_link(path: Path) -> None:
    if path.is_symlink():
        raise OSError(errno.ELOOP, A_LINK, str(path))


def _of_the_system(path: Path) -> bool:
    """What is no file and can be written: /dev/stdout leads to the terminal. Only the system makes links there."""
    if path.is_symlink() and path.parent not in (Path("/dev"), Path("/proc/self/fd")):
        return False
    return path.exists() and not path.is_file()
