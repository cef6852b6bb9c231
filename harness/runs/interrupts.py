"""What ends a run from outside: Ctrl-C and SIGTERM, and the alarm for a script that never awaits.

A signal is noted at once and obeyed where that is safe: a script's own code is stopped where it is, everything else
goes on to a point from which it can end in good order, with no process left and with a recording that can be read."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

from shaketable.harness.errors import ScriptError
from shaketable.harness.scripting.reins import reined
from shaketable.harness.scripting.whereabouts import in_own_code

STUCK: Final = 20.0
"""wall seconds that a script's own code may run between two steps"""
LAST_STRAW: Final = 3
"""so many signals end the harness on the spot; the kernel then ends its processes"""
INTERRUPTED: Final = "it was interrupted"
_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)
SOONEST: Final = 5e-6
"""seconds to the next alarm for a script that catches whatever is raised"""
LATER: Final = 1.06
"""as much longer the alarm after it takes: on a fast machine as on a slow one, one of them meets each line"""
MOMENTS: Final = 100
"""then the soonest one comes again"""
SELDOM: Final = 0.05
"""seconds, where an alarm came before the last one was through"""
MOST_STOPS: Final = 100_000


@contextmanager
def sigterm_as_ctrl_c() -> Iterator[None]:
    """SIGTERM ends what is done here as Ctrl-C does. In another thread than the main one it means what it meant."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before or signal.SIG_DFL)


class Interrupts:
    """One for a whole session. Until it is `noted`, signals mean what they meant before."""

    def __init__(self) -> None:
        self._count = 0
        self._tell: Callable[[], None] | None = None

    @property
    def came(self) -> bool:
        return self._count > 0

    @contextmanager
    def noted(self) -> Iterator[None]:
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.signal(number, self._note) for number in _SIGNALS}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, signal.SIG_DFL if handler is None else handler)

    @contextmanager
    def told_to(self, tell: Callable[[], None]) -> Iterator[None]:
        """While this lasts `tell` is called in the handler of a signal, and a script's own code is stopped."""
        self._tell = tell
        try:
            if self.came:
                tell()
            yield
        finally:
            self._tell = None

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._count += 1
        if self._count >= LAST_STRAW:
            os.write(2, b"shaketable: interrupted once more, and gone at once\n")
            os._exit(2)
        if self._tell is not None:
            self._tell()
            if in_own_code(frame):
                raise ScriptError(INTERRUPTED)


@contextmanager
def watching_for_a_hang(in_threads: list[BaseException], stuck: float = STUCK) -> Iterator[None]:
    """A script that never awaits anything cannot be ended at a step: an alarm ends it where it is. With what its
    threads raise."""
    if threading.current_thread() is not threading.main_thread():
        with reined(in_threads):
            yield
        return
    looks_inside, looking = 0, False

    def look(number: int, frame: FrameType | None) -> None:
        nonlocal looks_inside, looking
        if looking:  # the next alarm has come before this one was through
            return
        looking = True
        try:
            inside = in_own_code(frame)
            if looks_inside > 2 and not inside:
                signal.setitimer(signal.ITIMER_REAL, stuck, stuck)
            looks_inside = looks_inside + 1 if inside else 0
            if looks_inside > MOST_STOPS:
                os.write(2, b"shaketable: the script runs on and cannot be stopped, so the harness ends with it\n")
                os._exit(2)
            if looks_inside > 2:
                # It has caught the error and goes on. Many more come, until one meets it where it catches nothing.
                signal.setitimer(signal.ITIMER_REAL, SOONEST * LATER ** (looks_inside % MOMENTS), SELDOM)
            if looks_inside > 1:
                # A script's own code takes microseconds: found there twice in a row, it has been there all the time.
                raise ScriptError(f"it ran for {stuck:g} s without awaiting anything")
        finally:
            looking = False

    handler = signal.signal(signal.SIGALRM, look)
    timer = signal.setitimer(signal.ITIMER_REAL, stuck, stuck)
    try:
        with reined(in_threads):
            yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, *timer)
        signal.signal(signal.SIGALRM, signal.SIG_DFL if handler is None else handler)
