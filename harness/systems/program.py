"""A member that is a program of its own: a new process becomes it. Its line to the harness is its standard input and
output, or a socket beside them. Its standard error is its log.

It dies with the harness, and is the very process that is killed, paused and measured."""

from __future__ import annotations

import os
import signal
import socket
from typing import Final

import msgspec

from shaketable.node.process import control
from shaketable.node.process.main import HARNESS_LOST, Birth
from shaketable.node.process.tied import die_with

OWN_LINE: Final = 3


class Program(msgspec.Struct, frozen=True):
    birth: Birth
    command: tuple[str, ...]
    environment: dict[str, str] = {}
    """over that of the harness"""
    own_line: bool = False
    """the line is the socket `OWN_LINE`; then its standard output is its log, too"""
    folder: str = ""
    """where it starts; "": where the harness did"""


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
    if program.own_line:
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(2, 1)
        os.dup2(line.fileno(), OWN_LINE)
        os.set_inheritable(OWN_LINE, True)
    else:
        for standard in (0, 1):
            os.dup2(line.fileno(), standard)
    try:
        os.chdir(program.folder or ".")
        os.execvpe(program.command[0], program.command, {**os.environ, **program.environment})
    except OSError as error:
        os.write(2, f"{program.command[0]} cannot be started: {error.strerror}\n".encode())
        os._exit(127)
