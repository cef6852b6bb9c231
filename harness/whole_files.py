"""Files that are there in full or not at all: whatever comes between, what was there before stays."""

from __future__ import annotations

from contextlib import suppress
from io import FileIO
from pathlib import Path

import msgspec


def write_whole(path: Path, data: bytes | str) -> None:
    """A text as UTF-8, as it stands."""
    if isinstance(data, str):
        data = data.encode("utf-8", errors="replace")
    if path.exists() and not path.is_file():
        path.write_bytes(data)  # a terminal, say: nothing is beside it
        return
    path = path.resolve()  # a link stays one: what it leads to is written
    beside = path.with_name(f"{path.name}.new")
    try:
        with FileIO(beside, "wb") as file:
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
