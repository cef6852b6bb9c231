"""Ports: none is given out twice before many others were, and none that somebody listens on."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator

import pytest

from shaketable.harness.worlds.real.ports import BLOCK, REST, _Ports, free_ports


@pytest.fixture
def make() -> Iterator[Callable[[], _Ports]]:
    made: list[_Ports] = []

    def one_more() -> _Ports:
        made.append(_Ports())
        return made[-1]

    yield one_more
    for ports in made:
        ports.close()


def test_a_port_rests_before_it_is_given_out_again(make: Callable[[], _Ports]) -> None:
    ports = make()
    given = [port for _ in range(10 * REST // 40) for port in ports.take(40)]
    last: dict[int, int] = {}
    for number, port in enumerate(given):
        assert number - last.get(port, -REST) >= REST
        last[port] = number
    assert len(set(given)) < len(given), "they do come back, so that one process does not take all"


def test_a_large_run_gets_all_it_asks_for_at_once(make: Callable[[], _Ports]) -> None:
    found = make().take(2450)
    assert len(set(found)) == 2450


def test_a_port_where_somebody_listens_is_passed_over() -> None:
    (port,) = free_ports(1)
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", port))
        listener.listen()
        assert port not in free_ports(REST + 2 * BLOCK)


def test_where_all_blocks_are_taken_there_are_ports_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_Ports, "_reserve_block", lambda self: False)
    found = _Ports().take(50)
    assert len(set(found)) == 50


def test_two_harnesses_on_one_machine_choose_different_ports(make: Callable[[], _Ports]) -> None:
    one, other = make(), make()  # a mark is a socket's name, so two of them in one process will do as well
    assert one._reserve_block(), "is the machine full of harnesses?"
    assert other._reserve_block()
    assert not set(one.take(BLOCK)) & set(other.take(BLOCK))
