"""Our node as a program of its own that speaks the contract: python -m shaketable.node.process.by_contract

It can do all that our nodes can: nothing is missing in the contract."""

from __future__ import annotations

import asyncio
import os
import signal
import sys

from shaketable.node.process import control
from shaketable.node.process.contract import DESCRIPTOR, Lines
from shaketable.node.process.line import Line
from shaketable.node.process.main import Process, harness_lost


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    descriptor = os.environ.get(DESCRIPTOR, "")
    if not descriptor.isdigit():
        sys.exit(f"{DESCRIPTOR} does not name the socket to the harness: shaketable starts this program")
    line = Line(int(descriptor), harness_lost, Lines())
    asyncio.run(Process(line, control.Ready(b"", "", os.getpid())).run())


if __name__ == "__main__":
    main()
