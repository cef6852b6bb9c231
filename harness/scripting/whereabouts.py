"""Where in a script something happened: the file and line that its author knows, never one of ours.

A place is the last two parts of the path and the line ("cluster/crashes.py:14"): the same wherever the script
lies, so that it may stand in a history."""

from __future__ import annotations

import os
import sysconfig
from functools import cache
from pathlib import Path, PurePath
from types import AsyncGeneratorType, CoroutineType, FrameType
from typing import Any, Final

MODULE_OF_SCRIPTS: Final = "shaketable_scripts"
"""the package, by name alone, that modules of scripts are loaded into"""
ITS_THREAD: Final = "a thread of a script"

_OURS = str(Path(__file__).parents[1])
_PACKAGE = str(Path(__file__).parents[2])
_OURS_ALL = tuple(f"{_PACKAGE}{os.sep}{part}{os.sep}" for part in ("harness", "node", "tui"))
_RUN_SCRIPTS = tuple(f"{_OURS}{os.sep}{part}{os.sep}" for part in ("scripting", "conditions"))
_LIBRARIES = tuple(sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib"))


@cache
def of_a_script(filename: str) -> bool:
    """Not the harness, not Python's own, not an installed library (but for our own scripts, if we are installed)."""
    if filename.startswith(("<", _OURS)):
        return False
    return filename.startswith(_PACKAGE) or not filename.startswith(_LIBRARIES)


def called_by(frame: FrameType | None) -> str:
    """The file of ours that called the code of a user's own which runs in this frame, by itself or in a library that it
    uses. "" where nothing of that kind runs, or something of ours does; `ITS_THREAD` in a thread of a script."""
    own, scripts_own = False, False
    while frame is not None:
        name = frame.f_code.co_filename
        if name.startswith(_OURS_ALL):
            return name if own else ""
        own = own or of_a_script(name)
        scripts_own = scripts_own or frame.f_globals.get("__name__", "").startswith(f"{MODULE_OF_SCRIPTS}.")
        frame = frame.f_back
    return ITS_THREAD if scripts_own else ""


def in_own_code(frame: FrameType | None) -> bool:
    """Whether a script's own code runs: not a member's or a check's, and nothing of ours, which must not be torn."""
    return called_by(frame).startswith(_RUN_SCRIPTS)


def place(filename: str, line: int) -> str:
    return f"{'/'.join(PurePath(filename).parts[-2:])}:{line}"


def where_in(waiting: Any) -> str | None:
    """The innermost line of the script on the way to what this coroutine awaits."""
    found = None
    while waiting is not None:
        match waiting:
            case CoroutineType(cr_frame=frame, cr_await=awaited):
                pass
            case AsyncGeneratorType(ag_frame=frame, ag_await=awaited):
                pass
            case _:
                break
        if frame is not None and of_a_script(frame.f_code.co_filename):
            found = place(frame.f_code.co_filename, frame.f_lineno)
        waiting = awaited
    return found


def where_raised(error: BaseException) -> str | None:
    """The innermost line of the script that this error came through."""
    found, traceback = None, error.__traceback__
    while traceback is not None:
        filename = traceback.tb_frame.f_code.co_filename
        if of_a_script(filename):
            found = place(filename, traceback.tb_lineno)
        traceback = traceback.tb_next
    return found


def last_frame(error: BaseException) -> FrameType | None:
    """In which it was raised, if that is the script's own: not in something that it called."""
    traceback = error.__traceback__
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    if traceback is None or not of_a_script(traceback.tb_frame.f_code.co_filename):
        return None
    return traceback.tb_frame


def raised_by_script(error: BaseException) -> bool:
    """By a line of the script itself."""
    return last_frame(error) is not None
