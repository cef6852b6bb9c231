"""A report folder is one session's for as long as it runs: a second one would delete what the first one records.

The system holds the lock, so it goes with the process, however that ends."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from shaketable.harness.errors import UserError, cannot_be_written
from shaketable.harness.whole_files import make_private, private

LOCK: Final = ".lock"


@contextmanager
def alone_in(folder: Path, instead: str = "give another folder with --report") -> Iterator[None]:
    """Makes the folder if need be. The user's own folder may be a link: they name it. `instead`: what the user can do
    where it cannot be written to."""
    lock = folder / LOCK
    try:
        if not folder.is_dir():
            make_private(folder)
        held = _held(lock)
    except BlockingIOError:
        raise UserError(f"{folder} is in use by another run: wait for its end, or give another folder") from None
    except OSError as error:
        raise cannot_be_written(folder, error, instead) from None
    try:
        yield
    finally:
        # Taken away while it is held: another one may have opened it, and then sees that it is no lock any more.
        lock.unlink(missing_ok=True)
        os.close(held)


def _held(lock: Path) -> int:
    while True:
        file = private(str(lock), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _is_there(lock, file):
                return file
        except BaseException:
            os.close(file)
            raise
        os.close(file)


def _is_there(lock: Path, file: int) -> bool:
    try:
        return os.path.samestat(lock.lstat(), os.fstat(file))
    except FileNotFoundError:
        return False
