"""Ties a child process to ours: the kernel kills the child when we end, however we end, SIGKILL included.

A small Python program asks for that (PR_SET_PDEATHSIG) and then becomes the child. `preexec_fn` could ask as well,
but is not safe in a process with threads. The kernel's promise follows the *thread* that started the child: start
it from a thread that lives as long as the harness does, which is the one that runs the event loop."""

import os
import sys
from collections.abc import Sequence

# Between our fork and the request our end would go unnoticed, hence the look at the parent afterwards.
_TETHER = """
import ctypes, os, signal, sys
prctl = getattr(ctypes.CDLL(None), "prctl", None)
if prctl is not None:
    prctl(1, signal.SIGKILL)
if os.getppid() != int(sys.argv[1]):
    os._exit(1)
os.execv(sys.argv[2], sys.argv[2:])
"""


def tethered(command: Sequence[str]) -> list[str]:
    """The command line that runs `command` (its first word a full path) until it or this process ends."""
    return [sys.executable, "-I", "-S", "-c", _TETHER, str(os.getpid()), *command]
