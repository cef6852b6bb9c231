"""What the kernel counts for the TCP sockets of this machine: which there are, and how many bytes went each way.

It tells any user, over a netlink socket (sock_diag). Linux only."""

from __future__ import annotations

import os
import platform
import socket
from collections.abc import Container, Mapping
from struct import Struct
from typing import Final, NamedTuple

from shaketable.harness.errors import reason_of
from shaketable.harness.systems.system import NEEDS_LINUX

Port = tuple[str, int]
"""of a loopback address"""

_SOCK_DIAG: Final = 4
_BY_FAMILY: Final = 20
_DUMP: Final = 0x301
_DONE, _ERROR = 3, 2
_INFO: Final = 2
"""the attribute that holds the counts"""
_ESTABLISHED, _LISTENS = 1, 10
_HEADER: Final = Struct("=IHHII")
_CODE: Final = Struct("=i")
_ASK: Final = Struct("=BBBBI48x")
_ENDS: Final = Struct("!HH4s12x4s")
_ENDS_AT: Final = 4
_ATTRIBUTES_AT: Final = 72
_ATTRIBUTE: Final = Struct("=HH")
_COUNTS: Final = Struct("=QQ")
_COUNTS_AT: Final = 120
"""tcpi_bytes_acked and tcpi_bytes_received, since Linux 4.1"""


class Counts(NamedTuple):
    """Of one connection, at its end here."""

    sent: int
    """and acknowledged"""
    received: int


class Sockets(NamedTuple):
    listen: frozenset[Port]
    connections: Mapping[tuple[Port, Port], Counts]
    """by their end here, and their other end"""


def why_not_counted() -> str:
    """Why it is not told here, and what mends that; "": it is."""
    if platform.system() != "Linux":
        return NEEDS_LINUX
    try:
        sockets(())
    except OSError as error:
        mend = "run it where no sandbox or container forbids AF_NETLINK sockets"
        return f"the kernel does not tell what it counts for connections (netlink: {reason_of(error)}): {mend}"
    return ""


def sockets(ports: Container[int]) -> Sockets:
    """Those whose end here has one of these port numbers."""
    listen: set[Port] = set()
    connections: dict[tuple[Port, Port], Counts] = {}
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, _SOCK_DIAG) as kernel:
        states = 1 << _ESTABLISHED | 1 << _LISTENS
        ask = _ASK.pack(socket.AF_INET, socket.IPPROTO_TCP, 1 << (_INFO - 1), 0, states)
        kernel.send(_HEADER.pack(_HEADER.size + len(ask), _BY_FAMILY, _DUMP, 1, 0) + ask)
        while True:
            told = kernel.recv(1 << 18)
            at = 0
            while at < len(told):
                length, kind, *_ = _HEADER.unpack_from(told, at)
                if kind == _DONE:
                    return Sockets(frozenset(listen), connections)
                if kind == _ERROR:
                    (code,) = _CODE.unpack_from(told, at + _HEADER.size)
                    raise OSError(-code, os.strerror(-code))
                _read(told[at + _HEADER.size : at + length], ports, listen, connections)
                at += (length + 3) & ~3


def _read(entry: bytes, ports: Container[int], listen: set[Port], connections: dict[tuple[Port, Port], Counts]) -> None:
    here_port, there_port, here, there = _ENDS.unpack_from(entry, _ENDS_AT)
    if here_port not in ports:
        return
    mine = socket.inet_ntoa(here), here_port
    if entry[1] == _LISTENS:
        listen.add(mine)
        return
    at = _ATTRIBUTES_AT
    while at < len(entry):
        length, kind = _ATTRIBUTE.unpack_from(entry, at)
        if kind == _INFO and length >= _ATTRIBUTE.size + _COUNTS_AT + _COUNTS.size:
            counts = Counts(*_COUNTS.unpack_from(entry, at + _ATTRIBUTE.size + _COUNTS_AT))
            connections[mine, (socket.inet_ntoa(there), there_port)] = counts
        at += max(4, (length + 3) & ~3)
