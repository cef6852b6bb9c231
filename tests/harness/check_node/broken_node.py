"""Our own node by contract, with one thing wrong. The fault is the first argument."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping

import msgspec

from shaketable.node.process import contract, control
from shaketable.node.process.line import Line
from shaketable.node.process.main import Process, harness_lost

FAULT = sys.argv[1]
LINE = int(os.environ[contract.DESCRIPTOR])
MANY = 20_000
"""bytes"""
BEGAN = time.monotonic_ns() // 1000


class Lines(contract.Lines):
    def encode(self, forms: Iterable[control.Said]) -> bytes:
        return b"".join(self._line(super(Lines, self).encode([form]), form) for form in forms)

    def _line(self, line: bytes, form: control.Said) -> bytes:
        match FAULT, form:
            case "speaks another version", control.Ready():
                return b'{"type":"ready","contract":2}\n'
            case "is not ready", control.Ready():
                return b'{"type":"running"}\n'
            case "says garbage", control.Running():
                return line + b"\xff\xfe hello\n"
            case "says something more", control.Running():
                return b'{"type":"running","colour":"red"}\n'
            case "says a long line", control.Running():
                return line + b'"' + b"x" * (100 << 20) + b'"\n'
            case "floods", control.Reported(sequence=1, time=told, incarnation=uuid):
                return line + b"".join(_told(told, uuid, number) for number in range(2, 30_000))
            case "says many lines", control.Running():
                return line + b'{"type":"done","order":99999}\n' * 300_000
            case "leaves a child with its line", control.Running():
                subprocess.Popen(["sleep", "1000"], pass_fds=(LINE,), start_new_session=True)
            case "says nothing", _:
                return b""
            case "skips a number", control.Reported(sequence=sequence) if sequence > 1:
                return line.replace(b'"sequence":%d' % sequence, b'"sequence":%d' % (sequence + 1))
            case "repeats a number", control.Reported(sequence=sequence) if sequence > 1:
                return line.replace(b'"sequence":%d' % sequence, b'"sequence":%d' % (sequence - 1))
            case "tells a set", control.Reported():
                return _as_a_set(line)
            case "goes back in time", control.Reported(sequence=2, time=told):
                return line.replace(b'"time":%d' % told, b'"time":%d' % (told - 10_000))
            case "tells the time from its start", control.Reported(time=told):
                return line.replace(b'"time":%d' % told, b'"time":%d' % (told - BEGAN))
            case "has the wall clock", control.Reported(time=told):
                return line.replace(b'"time":%d' % told, b'"time":%d' % (time.time_ns() // 1000))
        return line

    def feed(self, data: bytes) -> list[control.Order | control.NotUnderstood]:
        orders = super().feed(data)
        for order in orders:
            if FAULT == "dies of an unknown order" and isinstance(order, control.NotUnderstood):
                os._exit(3)
        return [self._heard(order) for order in orders if not self._unheard(order)]

    def _unheard(self, order: control.Order | control.NotUnderstood) -> bool:
        return FAULT == "ignores orders" and isinstance(order, control.TakeSnapshot)

    def _heard(self, order: control.Order | control.NotUnderstood) -> control.Order | control.NotUnderstood:
        if FAULT == "advertises its socket" and isinstance(order, control.Run):
            me = f"{control.LOOPBACK}:{order.port}"
            join = tuple(me if each == order.address else each for each in order.addresses)
            return msgspec.structs.replace(order, address=me, addresses=join)
        if FAULT == "keeps its identity" and isinstance(order, control.Run):
            return msgspec.structs.replace(order, seed=order.address)
        if FAULT == "ignores dial" and isinstance(order, control.AddLinks):
            return msgspec.structs.replace(order, links={})
        if FAULT == "listens elsewhere" and isinstance(order, control.Run):
            return msgspec.structs.replace(order, port=order.port - 1)
        return order


def _told(time: int, uuid: str, number: int) -> bytes:
    said = {"type": "reported", "time": time, "incarnation": uuid, "sequence": number}
    return msgspec.json.encode({**said, "event": {"kind": "LinkUp", "address": "127.0.0.1:5709"}}) + b"\n"


def _as_a_set(line: bytes) -> bytes:
    said = msgspec.json.decode(line)
    if said["event"]["kind"] == "ViewInstalled":
        said["event"] = {"kind": "MembersSeen", "members": said["event"]["members"]}
    return msgspec.json.encode(said) + b"\n"


class Waiting(Line):
    """Stands still until what it says is read."""

    def _write(self, data: bytes | bytearray) -> int:
        self._socket.setblocking(True)
        self._socket.sendall(data)
        self._socket.setblocking(False)
        return len(data)


class Deaf(Line):
    """Reads no more once many orders come at once, and goes on as a member."""

    def _read(self) -> None:
        if not self._has_many():
            super()._read()
        elif self._loop is not None:
            self._loop.remove_reader(self._socket.fileno())

    def _has_many(self) -> bool:
        return len(self._socket.recv(1 << 16, socket.MSG_PEEK | socket.MSG_DONTWAIT)) > MANY


def lost() -> None:
    if FAULT != "outlives the harness":
        harness_lost()
    signal.pause()


LINES: Mapping[str, Callable[..., Line]] = {"waits for its line": Waiting, "stops reading": Deaf}


def main() -> None:
    made: Callable[..., Line] = LINES.get(FAULT, Line)
    line = made(LINE, lost, Lines())
    asyncio.run(Process(line, control.Ready(b"", "", os.getpid())).run())


if __name__ == "__main__":
    main()
