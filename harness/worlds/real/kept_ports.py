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

    def one_more(self, in_a_row: int = 1) -> int:
        """The first of them."""
        for _ in range(TRIES):
            ports = free_ports(in_a_row)
            if ports == list(range(ports[0], ports[0] + in_a_row)) and self._keep(ports):
                return ports[0]
        raise UserError(f"no loopback port could be kept for a node in {TRIES} tries: something else takes them all.")

    def _keep(self, ports: list[int]) -> bool:
        """All of them or none."""
        keepers = [socket.socket(socket.AF_INET, socket.SOCK_STREAM) for _ in ports]
        try:
            for keeper, port in zip(keepers, ports, strict=True):
                keeper.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                keeper.bind(("127.0.0.1", port))
        except OSError:
            for keeper in keepers:
                keeper.close()  # somebody else was faster
            return False
        self._keepers += keepers
        return True

    def close(self) -> None:
        for keeper in self._keepers:
            keeper.close()
        self._keepers.clear()
