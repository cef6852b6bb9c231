"""Free loopback ports for the links, the nodes and the link server.

Linux hands out ports from 32768 on to outgoing connections, so a port up there may be gone by the time that a
restarted process binds it again: everything that listens does so below. A port is often chosen well before it is
bound, so none is given out again before many others were, and ports come from blocks that this process has reserved:
two harnesses on one machine do not choose the same ones."""

from __future__ import annotations

import atexit
import random
import socket
import sys
from collections import deque
from itertools import chain

from shaketable.harness.errors import UserError

LOWEST, HIGHEST = 12_000, 32_000
BLOCK = 20
REST = 200
"""so many other ports are given out before the same one is again"""


class _Ports:
    """Gives out the port that was given out longest ago, and takes a new block before one comes back too soon."""

    def __init__(self) -> None:
        self._blocks = list(range(LOWEST, HIGHEST, BLOCK))
        random.shuffle(self._blocks)
        self._reserved: list[socket.socket] = []
        """each of its name says to other harnesses that a block is taken, until this process ends"""
        self._queue: deque[tuple[int, int]] = deque()
        """of this process's ports: when it may be given out again, in ports given out, and the port"""
        self._given = 0

    def take(self, n: int) -> list[int]:
        found: list[int] = []
        rest = max(REST, n)
        while len(found) < n and (self._rested() or self._reserve_block()):
            _, port = self._queue.popleft()
            self._queue.append((self._given + rest, port))
            if is_free(port):
                found.append(port)
                self._given += 1
        if len(found) < n:
            found += self._last_resort(n - len(found), found)
        return found

    def close(self) -> None:
        for mark in self._reserved:
            mark.close()

    def _rested(self) -> bool:
        return bool(self._queue) and self._queue[0][0] <= self._given

    def _last_resort(self, n: int, taken: list[int]) -> list[int]:
        """All blocks are reserved, by whomever: a port that has not rested, or is another's, is better than none."""
        found: list[int] = []
        start = random.randrange(HIGHEST - LOWEST)
        others = (LOWEST + (start + step) % (HIGHEST - LOWEST) for step in range(HIGHEST - LOWEST))
        for port in chain([port for _, port in self._queue], others):
            if len(found) == n:
                return found
            if port not in taken and port not in found and is_free(port):
                found.append(port)
        if len(found) < n:
            raise UserError(f"{n} free loopback ports are needed between {LOWEST} and {HIGHEST}, not so many are left.")
        return found

    def _reserve_block(self) -> bool:
        while self._blocks:
            first = self._blocks.pop()
            if self._reserve(first):
                self._queue.extendleft((0, port) for port in reversed(range(first, first + BLOCK)))
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
atexit.register(_ports.close)


def free_ports(n: int) -> list[int]:
    """`n` ports of 127.0.0.1 that nobody listens on now, and that nobody was given lately, as long as there are any."""
    return _ports.take(n)


def is_free(port: int) -> bool:
    """Without SO_REUSEADDR on purpose: a port where old connections still linger is better left alone."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True
