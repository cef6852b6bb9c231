"""A process that plays tasks without Spark: they come on its stdin, and what came of each goes to its stdout.

`Processes` starts it. It ends with its stdin."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import IO, Final

import msgspec

from shaketable.harness.pipeline.campaigns.cases import Case
from shaketable.harness.pipeline.campaigns.spreading import play
from shaketable.harness.runs.run import collect_garbage_rarely

_SIZE: Final = 8
"""bytes, in which it is said how many follow"""


class Task(msgspec.Struct):
    cases: list[Case]
    room: int


_task: Final = msgspec.msgpack.Decoder(Task)


def send(to: IO[bytes], piece: bytes) -> None:
    to.write(len(piece).to_bytes(_SIZE, "big") + piece)
    to.flush()


def received(of: IO[bytes]) -> bytes | None:
    """None: there is no more, or it broke off."""
    head = of.read(_SIZE)
    size = int.from_bytes(head, "big")
    piece = of.read(size) if len(head) == _SIZE else b""
    return piece if len(head) == _SIZE and len(piece) == size else None


def task_of(cases: Sequence[Case], room: int) -> bytes:
    return msgspec.msgpack.encode(Task(list(cases), room))


def main() -> None:
    collect_garbage_rarely()
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a script prints is no answer
    while (told := received(sys.stdin.buffer)) is not None:
        task = _task.decode(told)
        send(answers, msgspec.msgpack.encode(play(task.cases, task.room)))


if __name__ == "__main__":
    main()
