"""What a script cannot do to the process that it runs in, though its code could.

It cannot end that process, copy it, put another program in its place, take the signals by which it is interrupted, or
close what it prints to: each is a mistake, told with its line. A folder that it has gone to, another output, and most
of the files that it holds open, are its own matter until its run ends. This is against accidents: a script is its
user's own code, and trusted."""

from __future__ import annotations

import os
import resource
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import wraps
from types import FrameType, ModuleType
from typing import Any, Final

from shaketable.harness.errors import ScriptError
from shaketable.harness.folders import here
from shaketable.harness.scripting.whereabouts import called_by, of_a_script, where_raised

KEPT_FILES: Final = 64
"""that may still be opened when a script has opened as many as there can be: a report and a recording need some"""
SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGALRM)

_ENDS: Final = "would end the harness before its verdict: let the script return, or raise an error"
_COPIES: Final = "would leave a copy of the harness: start other programs with subprocess, or multiprocessing's 'spawn'"
_REPLACES: Final = "would put another program in the place of the harness: start it with subprocess"
_SIGNALS: Final = "would keep the harness from noticing Ctrl-C, or a script that hangs: leave the signals to it"
_CLOSES: Final = "would close what the harness has open: close your own files one by one"
_PRINTS: Final = "would leave the harness nowhere to print: contextlib can redirect your own prints"
_DEPTH: Final = "would leave the harness too little: the limit may be raised, not lowered"
_IN_OS: Final = {
    "_exit": _ENDS, "abort": _ENDS, "fork": _COPIES, "forkpty": _COPIES, "execv": _REPLACES, "execve": _REPLACES,
    "closerange": _CLOSES,
}  # fmt: skip
_HIDES: Final = "would keep you from reading what the harness writes: leave all rights to the owner of a file"
_LEAST_DEPTH: Final = sys.getrecursionlimit()
_laid: list[str] = []
_ONE: Final = threading.Lock()
_taken: _Taken | None = None


@contextmanager
def reined(in_threads: list[BaseException]) -> Iterator[None]:
    """While a script's own code may run; with what its threads raise meanwhile."""
    global _taken
    with _ONE:
        if not _laid:
            _lay()
        if _taken is None:
            _taken = _Taken()
        _taken.by[id(in_threads)] = in_threads
    try:
        yield
    finally:
        with _ONE:
            del _taken.by[id(in_threads)]
            if not _taken.by:
                _taken.give_back()
                _taken = None


class _Taken:
    """The first that is reined takes it, and the last one gives it back: scripts are loaded by several threads."""

    def __init__(self) -> None:
        self.folder, self.files = here(), resource.getrlimit(resource.RLIMIT_NOFILE)
        self.by: dict[int, list[BaseException]] = {}
        self.hook, threading.excepthook = threading.excepthook, self.raised
        self.streams = sys.stdout, sys.stderr
        for stream, name in zip(self.streams, ("stdout", "stderr"), strict=True):
            with suppress(AttributeError, TypeError):  # there is none, or it is of a kind that takes nothing
                vars(stream)["close"] = _instead(stream.close, f"sys.{name}.close", _PRINTS, _is_set)
        soft, hard = self.files
        kept = min(KEPT_FILES, soft // 8) if soft != resource.RLIM_INFINITY else 0
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft - kept, hard))

    def raised(self, by: threading.ExceptHookArgs) -> None:
        """Nobody knows which script has begun that thread."""
        if by.exc_value is None or where_raised(by.exc_value) is None:
            self.hook(by)
        elif by.exc_type is not SystemExit:  # by which a thread ends itself
            for in_threads in list(self.by.values()):
                in_threads.append(by.exc_value)

    def give_back(self) -> None:
        if threading.excepthook == self.raised:
            threading.excepthook = self.hook
        for stream in self.streams:
            with suppress(AttributeError, TypeError):
                vars(stream).pop("close", None)
        if threading.current_thread() is threading.main_thread():  # in another one the screens may have ended meanwhile
            sys.stdout, sys.stderr = self.streams
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, self.files)
        with suppress(OSError):
            os.chdir(self.folder)


def _lay() -> None:
    """Once for a process: what is no script's call goes on as before."""
    os.register_at_fork(after_in_child=_no_copy)
    for name, why in _IN_OS.items():
        _refuse(os, name, why, lambda frame, given: bool(called_by(frame)))
    for name, refused in (
        ("signal", _handles),
        ("setitimer", _is_set),
        ("alarm", _is_set),
        ("pthread_sigmask", _is_set),
    ):
        _refuse(signal, name, _SIGNALS, refused)
    _refuse(os, "umask", _HIDES, lambda frame, given: _is_set(frame, given) and bool(given[0] & 0o700))
    _refuse(sys, "setrecursionlimit", _DEPTH, lambda frame, given: _is_set(frame, given) and given < (_LEAST_DEPTH,))


def _no_copy() -> None:
    """In the child of a fork that went another way: not of subprocess, which has more to do there."""
    frame = sys._getframe(1)
    if of_a_script(frame.f_code.co_filename) and called_by(frame):
        os._exit(1)


def _refuse(module: ModuleType, name: str, why: str, refused: Callable[[FrameType, tuple[Any, ...]], bool]) -> None:
    setattr(module, name, _instead(getattr(module, name), f"{module.__name__}.{name}", why, refused))
    _laid.append(name)


def _instead(
    real: Callable[..., Any], called: str, why: str, refused: Callable[[FrameType, tuple[Any, ...]], bool]
) -> Callable[..., Any]:
    @wraps(real)
    def instead(*given: Any, **named: Any) -> Any:
        if refused(sys._getframe(1), given):
            raise ScriptError(f"{called} {why}")
        return real(*given, **named)

    return instead


def _handles(frame: FrameType, given: tuple[Any, ...]) -> bool:
    """A handler of a signal of which the harness has no need is the script's own matter."""
    return _is_set(frame, given) and (not given or given[0] in SIGNALS)


def _is_set(frame: FrameType, given: tuple[Any, ...]) -> bool:
    """By the script itself: a debugger and libraries may handle signals for a while."""
    return of_a_script(frame.f_code.co_filename) and bool(called_by(frame))
