"""Ports of one run are all different, and a node's own stays its own while it does not listen there."""

import socket
from collections.abc import Iterator

import pytest

from shaketable.harness.real.port_book import PortBook
from shaketable.harness.real.ports import is_free


@pytest.fixture
def book() -> Iterator[PortBook]:
    book = PortBook()
    yield book
    book.close()


def test_no_port_is_given_out_twice(book: PortBook) -> None:
    ports = [port for _ in range(50) for port in (*book.take(20), book.keep())]
    assert len(set(ports)) == 50 * 21


def test_a_kept_port_refuses_connections_is_not_free_and_can_be_listened_at_by_its_owner(book: PortBook) -> None:
    port = book.keep()
    assert not is_free(port)
    with pytest.raises(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port)):
        pass
    with socket.socket() as owner:
        owner.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        owner.bind(("127.0.0.1", port))
        owner.listen()
        with socket.create_connection(("127.0.0.1", port)):
            pass
