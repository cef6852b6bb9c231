"""A node's port stays its own while it does not listen there."""

import socket
from collections.abc import Iterator

import pytest

from shaketable.harness.worlds.real import ports
from shaketable.harness.worlds.real.kept_ports import KeptPorts


@pytest.fixture
def kept() -> Iterator[KeptPorts]:
    kept = KeptPorts()
    yield kept
    kept.close()


def test_a_kept_port_refuses_connections_and_can_be_listened_at_by_its_node(kept: KeptPorts) -> None:
    port = kept.one_more()
    assert not ports.is_free(port)
    with pytest.raises(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port)):
        pass
    with socket.socket() as node:
        node.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        node.bind(("127.0.0.1", port))
        node.listen()
        socket.create_connection(("127.0.0.1", port)).close()


def test_ports_in_a_row_are_kept_together(kept: KeptPorts) -> None:
    for first in [kept.one_more(in_a_row=3) for _ in range(4)]:
        assert not any(ports.is_free(port) for port in range(first, first + 3))


def test_no_link_is_given_a_node_s_port_when_most_others_linger(
    kept: KeptPorts, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    """After many runs in a row most ports of a block are not free for a minute, and those that are come round soon."""
    # Not the ports of this whole process: all of their blocks would be reserved, and none be left for later tests.
    process_wide, mine = ports._ports, ports._Ports()
    reserved = len(process_wide._reserved)
    monkeypatch.setattr(ports, "_ports", mine)
    request.addfinalizer(mine.close)
    is_free, (first,) = ports.is_free, ports.free_ports(1)
    usable = range(first, first + 40)
    monkeypatch.setattr(ports, "is_free", lambda port: port in usable and is_free(port))
    nodes = [kept.one_more() for _ in range(4)]
    links = [port for _ in range(4) for port in ports.free_ports(12)]
    assert not set(nodes) & set(links)
    assert len(process_wide._reserved) == reserved
