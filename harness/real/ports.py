"""Free loopback ports for the links, the nodes and the link server.

Linux hands out ports from 32768 on to outgoing connections, so a port up there may be gone by the time that a
restarted process binds it again: everything that listens does so below."""

import random
import socket

from shaketable.harness.errors import UserError

LOWEST, HIGHEST = 20_000, 32_000


def free_ports(n: int) -> list[int]:
    """`n` ports of 127.0.0.1 that nobody listens on now, counted up from a random place so that two harnesses
    which start at the same moment rarely choose the same ones."""
    span = HIGHEST - LOWEST
    start = random.randrange(span)
    found: list[int] = []
    for step in range(span):
        if len(found) == n:
            return found
        port = LOWEST + (start + step) % span
        if is_free(port):
            found.append(port)
    raise UserError(f"{n} free loopback ports are needed between {LOWEST} and {HIGHEST}, only {len(found)} are left.")


def is_free(port: int) -> bool:
    """Without SO_REUSEADDR on purpose: a port where old connections still linger is better left alone."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True
