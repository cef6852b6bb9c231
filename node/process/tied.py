"""What the kernel is asked about a process: to end it with the one that started it, however that happens, and to give
it a name. Linux alone can do this."""

from __future__ import annotations

import ctypes
import os
import signal
from typing import Final

PARENT_LOST: Final = 3
"""the exit code"""
_PR_SET_PDEATHSIG: Final = 1
_PR_SET_NAME: Final = 15


def prctl(option: int, value: int | bytes) -> None:
    call = getattr(ctypes.CDLL(None), "prctl", None)
    if call is not None:
        call(option, value, 0, 0, 0)


def die_with(parent: int) -> None:
    """The kernel kills this process when the thread that started it ends, even if this one is stopped by then."""
    prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it ended before we asked
        os._exit(PARENT_LOST)


def be_called(name: str) -> None:
    """In ps and top; the kernel takes 15 bytes of it. Where it cannot be said, nothing depends on it."""
    prctl(_PR_SET_NAME, name.encode())
