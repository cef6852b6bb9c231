"""A step of a member that does not come to an end: that member falls over, as by any other error of its own.

In virtual time nothing else would end it, and nobody could tell what has happened. The time is what this process has
computed, so it is as long on a busy machine as on an idle one."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

from shaketable.harness.worlds.sim.node import SimNode
from shaketable.node.shaking.shell import Shell

LEAST: Final = 1.0
"""seconds that a step may take; it takes some milliseconds"""
_STEPS: Final = (SimNode._take.__code__, Shell.step.__code__)


class EndlessStepError(Exception):
    """Of a member; it may go round in a circle."""


@contextmanager
def no_endless_steps(now_done: Callable[[], object], longest: float) -> Iterator[None]:
    """`now_done` is another object at each step. A step is ended when it has lasted from one look to the next one."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before: object = None

    def look(number: int, frame: FrameType | None) -> None:
        nonlocal before
        now = now_done()
        if now is before and _in_a_step(frame):
            signal.setitimer(signal.ITIMER_VIRTUAL, LEAST, LEAST)  # the others may go round as well
            raise EndlessStepError(f"a step that has computed for more than {longest:g} s")
        before = now

    handler = signal.signal(signal.SIGVTALRM, look)
    timer = signal.setitimer(signal.ITIMER_VIRTUAL, longest, longest)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, *timer)
        signal.signal(signal.SIGVTALRM, signal.SIG_DFL if handler is None else handler)


def _in_a_step(frame: FrameType | None) -> bool:
    while frame is not None and frame.f_code not in _STEPS:
        frame = frame.f_back
    return frame is not None
