"""The log of one process of a node, for what it says of an end that nobody else explains."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from shaketable.harness.errors import shortened

READ: Final = 4096
"""bytes at its end"""
LINES: Final = 3


class NodeLog:
    """From now on: processes of one node write to the same file, one after the other."""

    def __init__(self, file: Path, begin: int | None = None) -> None:
        """`begin`: from there on, in bytes; without it from its end on."""
        self._file = file
        self._begin = self._size() if begin is None else begin

    def end(self) -> str:
        """Its last lines, in one sentence that also says where it is; "": it has none."""
        last = self.last()
        return f"its log, {self._file.name} in the folder of the run, ends with: {last}" if last else ""

    def last(self) -> str:
        """Its last lines, shortened."""
        lines = [" ".join(line.split()) for line in self._tail().splitlines()]
        return shortened(" / ".join(list(filter(None, lines))[-LINES:]))

    def _size(self) -> int:
        try:
            return self._file.stat().st_size
        except OSError:
            return 0

    def _tail(self) -> str:
        try:
            with self._file.open("rb") as file:
                file.seek(max(self._begin, self._size() - READ))
                return file.read(READ).decode(errors="replace")
        except OSError:
            return ""
