"""`shaketable run` in two processes: the one that was started, which guards, and its child, which runs the scripts.
`check-node` as well, for the programs that it starts.

A script is code, and may end its process in ways that nothing in there can catch; the kernel may, where there is no
memory left. The guard loads no script. It knows whether the child has said its exit code, gives 2 where it has not,
and ends whatever is left. In between it only hands signals on. The child is in a session of its own, so a signal
reaches it once, by the guard, whether a terminal or a process sends it; the terminal itself serves it as before."""

from __future__ import annotations

import os
import shutil
import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from shaketable.harness.worlds.real.meeting_point import room_for_sockets
from shaketable.node.process.tied import die_with, prctl

UNKNOWN: Final = 2
MOST_INTERRUPTS: Final = 3
"""the child ends on the spot at the third; if it cannot even do that, the guard ends it"""
A_HANG: Final = 60.0
"""seconds that the child's interpreter may take to end after all is done"""
_PR_SET_CHILD_SUBREAPER: Final = 36
_INTERRUPTS: Final = (signal.SIGINT, signal.SIGTERM)
_IF_NOT_IGNORED: Final = (signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2, signal.SIGTSTP)


def guarded(command: Callable[[], int]) -> int:
    """The command's exit code, in the child. The guard does not return: it has nothing to tidy up."""
    handed_on = (*_INTERRUPTS, *(n for n in _IF_NOT_IGNORED if signal.getsignal(n) != signal.SIG_IGN))
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (*handed_on, signal.SIGCHLD))
    prctl(_PR_SET_CHILD_SUBREAPER, 1)  # what loses its parent becomes a child of the guard
    heard, told = os.pipe()
    guard, child = os.getpid(), os.fork()
    if child:
        os.close(told)
        os._exit(_guard(child, heard, (*handed_on, signal.SIGCHLD)))
    os.close(heard)
    os.setsid()
    die_with(guard)
    signal.pthread_sigmask(signal.SIG_SETMASK, before)
    try:
        code = command()
    except SystemExit as end:  # of --help
        code = end.code if isinstance(end.code, int) else UNKNOWN
    try:
        os.write(told, bytes([code]))
    except OSError:  # a script has closed it
        os._exit(UNKNOWN)
    _end(code)
    return code


def _end(code: int) -> None:
    """All is said and done: no thread and no last deed of a script keeps the process for long."""
    if any(not thread.daemon for thread in threading.enumerate() if thread is not threading.main_thread()):
        os._exit(code)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, A_HANG)


def _guard(child: int, heard: int, signals: tuple[signal.Signals, ...]) -> int:
    interrupts, status = 0, None
    while status is None:
        number = signal.sigwait(signals)
        if number == signal.SIGCHLD:
            status = _reaped(child)
        elif number == signal.SIGTSTP:
            _stop_with(child)
        else:
            interrupts += number in _INTERRUPTS
            os.kill(child, number if interrupts <= MOST_INTERRUPTS else signal.SIGKILL)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)
    _end_the_rest()
    for folder in Path(room_for_sockets()).glob(f"sht-{child}-*"):
        shutil.rmtree(folder, ignore_errors=True)
    os.set_blocking(heard, False)
    with suppress(BlockingIOError):
        if said := os.read(heard, 1):
            return said[0]
    if interrupts < MOST_INTERRUPTS:  # else the user knows
        with suppress(OSError):
            os.write(2, f"shaketable: the run ended without a verdict: {_how(status)}\n".encode())
    return UNKNOWN


def _reaped(child: int) -> int | None:
    """The status of the child, if it has ended; and others that have are let go."""
    with suppress(ChildProcessError):
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid in (0, child):
                return status if pid else None
    return None


def _stop_with(child: int) -> None:
    """Ctrl-Z, until the shell goes on with it."""
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGSTOP)
        os.kill(os.getpid(), signal.SIGSTOP)
        os.killpg(child, signal.SIGCONT)


def _end_the_rest() -> None:
    with suppress(ChildProcessError):
        while True:
            if os.waitpid(-1, os.WNOHANG)[0]:
                continue
            import psutil  # seldom needed

            for left in psutil.Process().children():
                with suppress(psutil.Error):
                    left.kill()
            os.waitpid(-1, 0)


def _how(status: int) -> str:
    if not os.WIFSIGNALED(status):
        return f"something in it ended its process, with exit code {os.waitstatus_to_exitcode(status)}"
    number = os.WTERMSIG(status)
    perhaps = "; perhaps there was not enough memory" if number == signal.SIGKILL else ""
    return f"its process was ended by {signal.Signals(number).name}{perhaps}"
