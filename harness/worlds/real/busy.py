"""A busy process: CPU load for a run, and nothing else. It dies with its harness, as a node does."""

from __future__ import annotations

import signal

from shaketable.node.process.tied import die_with


def burn(parent: int) -> None:
    """Never returns."""
    # Ctrl-C reaches every process of the terminal; when the load ends is for the harness to say.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
    die_with(parent)
    while True:
        pass
