"""Ports: none is given out twice before many others were, and none that somebody listens on."""

from __future__ import annotations

import socket

from shaketable.harness.real.ports import BLOCK, REST, _Ports, free_ports


def test_a_port_rests_before_it_is_given_out_again() -> None:
    ports = _Ports()
    given = [port for _ in range(3 * REST // 40) for port in ports.take(40)]
    last: dict[int, int] = {}
    for number, port in enumerate(given):
        assert number - last.get(port, -REST) >= REST
        last[port] = number
    assert len(set(given)) < len(given), "they do come back, so that one process does not take all"


def test_a_large_run_gets_all_it_asks_for_at_once() -> None:
    found = _Ports().take(2450)
    assert len(set(found)) == 2450


def test_a_port_where_somebody_listens_is_passed_over() -> None:
    (port,) = free_ports(1)
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", port))
        listener.listen()
        assert port not in free_ports(REST + 2 * BLOCK)


def test_two_harnesses_on_one_machine_choose_different_ports() -> None:
    one, other = _Ports(), _Ports()  # a mark is a socket's name, so two of them in one process will do as well
    assert not set(one.take(BLOCK)) & set(other.take(BLOCK))
