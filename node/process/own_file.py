"""The file of a node's configuration: read when it starts, and again when it is told to."""

from __future__ import annotations

from pathlib import Path

from shaketable.node.config import Settings
from shaketable.node.rest import LARGEST_BODY, Refused, member_list_in


class UnreadableFile(Exception):
    """In one sentence."""


class OwnFile:
    def __init__(self, path: str) -> None:
        self._path = path

    def read(self) -> str:
        """An OSError or a ValueError, if it cannot be read, or is too large to be a configuration."""
        with Path(self._path).open("rb") as file:
            data = file.read(LARGEST_BODY + 1)
        if len(data) > LARGEST_BODY:
            raise ValueError("too large")
        return data.decode()

    def addresses(self, settings: Settings) -> tuple[str, ...]:
        try:
            return member_list_in(self.read(), settings)
        except (OSError, ValueError):
            raise UnreadableFile(f"{self._path}, its configuration, cannot be read") from None
        except Refused as refused:
            raise UnreadableFile(f"{self._path}, its configuration: {refused}") from None
