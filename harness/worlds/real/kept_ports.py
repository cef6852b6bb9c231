"""The ports of the nodes, kept for them while they do not listen there.

A node may be started long after its port was chosen, and be gone for a while before a restart. Meanwhile its port is
bound and not listened at: connections are refused, as they should be, and nobody takes it for a free one; libzmq may
still listen there, as both sides say SO_REUSEADDR."""

import socket
from typing import Final

from shaketable.harness.errors import UserError
from shaketable.harness.worlds.real.ports import free_ports

TRIES: Final = 20


class KeptPorts:
    def __init__(self) -> None:
        self._keepers: list[socket.socket] = []

    def one_more(self) -> int:
        for _ in range(TRIES):
            (port,) = free_ports(1)
            keeper = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
            keeper.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                keeper.bind(("127.0.0.1", port))
            except OSError:
                keeper.close()  # somebody else was faster
                continue
            self._keepers.append(keeper)
            return port
        raise UserError(f"no loopback port could be kept for a node in {TRIES} tries: something else takes them all.")

    def close(self) -> None:
        for keeper in self._keepers:
            keeper.close()
        self._keepers.clear()
