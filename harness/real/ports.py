"""Free loopback ports for the links, the nodes and the link server.

Linux hands out ports from 32768 on to outgoing connections, so a port up there may be gone by the time that a
restarted process binds it again: everything that listens does so below. A port is often chosen well before it is
bound, so none is given out twice, and ports come from blocks that this process has reserved: two harnesses on one
machine do not choose the same ones."""

from __future__ import annotations

import random
import socket
import sys

from shaketable.harness.errors import UserError

LOWEST, HIGHEST = 20_000, 32_000
BLOCK = 200


class _Ports:
    """Counts through the ports of its blocks, and starts over when all have had their turn."""

    def __init__(self) -> None:
        self._blocks = list(range(LOWEST, HIGHEST, BLOCK))
        random.shuffle(self._blocks)
        self._reserved: list[socket.socket] = []
        """each of its name says to other harnesses that a block is taken, until this process ends"""
        self._mine: list[int] = []
        self._next = 0

    def take(self, n: int) -> list[int]:
        found: list[int] = []
        # Between two turns of a port as many others are given out as a large run needs: nobody waits for it any more.
        while len(self._mine) < 4 * n and self._reserve_block():
            pass
        for _ in range(len(self._mine)):
            if len(found) == n:
                break
            port = self._mine[self._next]
            self._next = (self._next + 1) % len(self._mine)
            if is_free(port):
                found.append(port)
        while len(found) < n and self._reserve_block():
            fresh = self._mine[-BLOCK:]
            found += [port for port in fresh if is_free(port)][: n - len(found)]
            self._next = (self._mine.index(found[-1]) + 1) % len(self._mine) if found else self._next
        if len(found) < n:
            raise UserError(f"{n} free loopback ports are needed between {LOWEST} and {HIGHEST}, not so many are left.")
        return found

    def _reserve_block(self) -> bool:
        while self._blocks:
            first = self._blocks.pop()
            if self._reserve(first):
                self._mine += range(first, first + BLOCK)
                return True
        return False

    def _reserve(self, first: int) -> bool:
        if sys.platform != "linux":
            return True
        mark = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            mark.bind(f"\0shaketable-ports-{first}")  # a name in no file system: it goes when this process goes
        except OSError:
            mark.close()
            return False
        self._reserved.append(mark)
        return True


_ports = _Ports()


def free_ports(n: int) -> list[int]:
    """`n` ports of 127.0.0.1 that nobody listens on now, and that nobody was given before, as long as there are any."""
    return _ports.take(n)


def is_free(port: int) -> bool:
    """Without SO_REUSEADDR on purpose: a port where old connections still linger is better left alone."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True
