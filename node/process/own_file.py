"""The file of a node's configuration: read when it starts, and again when it is told to."""

from __future__ import annotations

import os
import stat

from shaketable.node.config import Settings
from shaketable.node.rest import LARGEST_BODY, Refused, member_list_in, text_of


class UnreadableFile(Exception):
    """In one sentence."""


class OwnFile:
    def __init__(self, path: str) -> None:
        self._path = path

    def read(self) -> str:
        """An OSError or a ValueError, if it cannot be read, is none, or is too large to be a configuration."""
        with open(self._path, "rb", opener=_at_once) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise ValueError("no file")
            return text_of(file.read(LARGEST_BODY + 1))

    def addresses(self, settings: Settings) -> tuple[str, ...]:
        try:
            return member_list_in(self.read(), settings)
        except (OSError, ValueError):
            raise UnreadableFile(f"{self._path}, its configuration, cannot be read") from None
        except Refused as refused:
            raise UnreadableFile(f"{self._path}, its configuration: {refused}") from None


def _at_once(path: str, flags: int) -> int:
    """A pipe in its place would be waited for, and a node that waits hears no heartbeats."""
    return os.open(path, flags | os.O_NONBLOCK)
