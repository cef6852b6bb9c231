"""A member that is a program of its own: a new process becomes it, with its line to the harness as standard input and
output. Its standard error is its log.

It dies with the harness, and is the very process that is killed, paused and measured."""

from __future__ import annotations

import os
import signal
import socket

import msgspec

from shaketable.node.process import control
from shaketable.node.process.main import HARNESS_LOST, Birth
from shaketable.node.process.tied import die_with


class Program(msgspec.Struct, frozen=True):
    birth: Birth
    command: tuple[str, ...]
    environment: dict[str, str] = {}
    """over that of the harness"""


def become(program: bytes) -> None:
    """Never returns."""
    become_this(msgspec.msgpack.decode(program, type=Program))


def become_this(program: Program) -> None:
    birth = program.birth
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # what becomes of it is for the harness to say
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
    die_with(birth.parent)
    log = os.open(birth.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600)
    os.dup2(log, 2)
    try:
        line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        line.connect(birth.control)
        line.sendall(control.encode_record(control.Ready(birth.token, birth.node, os.getpid())))
    except OSError:
        os._exit(HARNESS_LOST)
    for standard in (0, 1):
        os.dup2(line.fileno(), standard)
    try:
        os.execvpe(program.command[0], program.command, {**os.environ, **program.environment})
    except OSError as error:
        os.write(2, f"{program.command[0]} cannot be started: {error.strerror}\n".encode())
        os._exit(127)
