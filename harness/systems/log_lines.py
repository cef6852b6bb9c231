"""The lines of a member's own log from which its events were concluded: a file of a run's folder for each node.

A system notes them while it runs. They are no part of the history: no check sees them, and a run without them is whole.
The screens show the line behind an event."""

from __future__ import annotations

from io import FileIO
from pathlib import Path
from typing import Final
from urllib.parse import quote

import msgspec

from shaketable.harness.records import Record
from shaketable.harness.whole_files import private, write_all
from shaketable.node.messages import Uuid

LONGEST: Final = 4_000
"""letters of a line that are kept"""
MOST_READ: Final = 64 * 1024 * 1024
"""bytes of a file that are looked through"""


class LogLines:
    """Writes them, of one node. A disk that is full ends it without a word: the run says so of its history."""

    def __init__(self, folder: Path, node: str) -> None:
        self._path = _path(folder, node)
        self._file: FileIO | None = None
        self._over = False

    def note(self, incarnation: Uuid, sequence: int, line: str) -> None:
        """Of the event that has these."""
        if self._over:
            return
        try:
            if self._file is None:
                self._file = FileIO(self._path, "ab", opener=private)
            write_all(self._file, _key(incarnation, sequence) + msgspec.json.encode(line[:LONGEST]) + b"]\n")
        except OSError:
            self._over = True


def line_behind(folder: Path, record: Record) -> str:
    """In one line; "" where none was noted, or none can be read."""
    key = _key(record.incarnation, record.sequence)
    try:
        with _path(folder, record.node).open("rb") as file:
            while file.tell() < MOST_READ and (line := file.readline(MOST_READ)):
                if line.startswith(key):
                    return " ".join(msgspec.json.decode(line[len(key) : -2], type=str).split())
    except (OSError, msgspec.MsgspecError, UnicodeError):
        pass
    return ""


def _path(folder: Path, node: str) -> Path:
    return folder / f"{quote(node, safe='')}.lines"


def _key(incarnation: Uuid, sequence: int) -> bytes:
    return b"[%s,%d," % (msgspec.json.encode(incarnation), sequence)
