"""The kernel tells of sockets; where it tells nothing a sentence says so."""

from __future__ import annotations

import errno
import os
import socket
from contextlib import closing
from struct import pack

import pytest

from shaketable.harness.worlds.real.tcp_counts import sockets, why_not_counted


def test_who_listens_and_what_went_through_a_connection() -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        here = server.getsockname()
        with closing(socket.create_connection(here)) as one, closing(server.accept()[0]) as other:
            one.sendall(b"12345")
            assert other.recv(5) == b"12345"
            seen = sockets({here[1]})
    assert seen.listen == {here}
    assert [counts.received for counts in seen.connections.values()] == [5]
    assert why_not_counted() == ""


def test_a_refusal_of_the_kernel_is_told_in_its_words(monkeypatch: pytest.MonkeyPatch) -> None:
    class Refuses:
        def __init__(self, *given: object) -> None: ...

        def __enter__(self) -> Refuses:
            return self

        def __exit__(self, *raised: object) -> None: ...

        def send(self, asked: bytes) -> None: ...

        def recv(self, most: int) -> bytes:
            return pack("=IHHII", 36, 2, 0, 1, 0) + pack("=i16x", -errno.EPERM)

    monkeypatch.setattr(socket, "socket", Refuses)
    with pytest.raises(PermissionError):
        sockets(())
    said = f"the kernel does not tell what it counts for connections (netlink: {os.strerror(errno.EPERM).lower()}): "
    assert why_not_counted().startswith(said)
