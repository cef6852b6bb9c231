"""What the screens remember from one session to the next: the theme, what was saved, and that the tour was seen.

Nothing depends on it: a file that cannot be read or written is as good as none."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import msgspec

from shaketable.harness.folders import STATE, our_folder
from shaketable.harness.whole_files import make_private, write_json

FILE: Final = "screens.json"
MOST_SAVED: Final = 100
MOST_BYTES: Final = 1 << 20


class Kept(msgspec.Struct, frozen=True):
    theme: str = ""
    toured: bool = False
    saved: tuple[str, ...] = ()
    """scripts and pictures, by their full paths, the newest last"""


class Keeper:
    def __init__(self, file: Path | None = None) -> None:
        """Without a file it is forgotten with the app."""
        self._file = file
        self.kept = self._read() or Kept()

    def keep(self, **changes: Any) -> None:
        """Things that another session has kept meanwhile stay."""
        self.kept = msgspec.structs.replace(self._read() or self.kept, **changes)
        if self._file is not None:
            with suppress(OSError):
                make_private(self._file.parent)
                write_json(self._file, self.kept)

    def keep_saved(self, path: Path) -> None:
        path = path.resolve()
        self.keep(saved=(*(each for each in self.saved() if each != str(path)), str(path))[-MOST_SAVED:])

    def saved(self) -> tuple[str, ...]:
        return (self._read() or self.kept).saved

    def _read(self) -> Kept | None:
        try:
            if self._file is None or not self._file.is_file() or self._file.stat().st_size > MOST_BYTES:
                return None
            return msgspec.json.decode(self._file.read_bytes(), type=Kept)
        except (OSError, ValueError, RecursionError):
            return None


def of_this_user() -> Keeper:
    try:
        return Keeper(our_folder(STATE) / FILE)
    except RuntimeError:  # nobody knows where their home is
        return Keeper()
