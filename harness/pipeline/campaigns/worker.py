"""A process that plays tasks of a campaign without Spark. `Processes` starts it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from shaketable.harness.pipeline.campaigns.cases import Case
from shaketable.harness.pipeline.campaigns.spreading import play
from shaketable.harness.pipeline.workers import serve


class Task(msgspec.Struct):
    cases: list[Case]
    room: int


_task: Final = msgspec.msgpack.Decoder(Task)


def task_of(cases: Sequence[Case], room: int) -> bytes:
    return msgspec.msgpack.encode(Task(list(cases), room))


def _do(told: bytes) -> bytes:
    task = _task.decode(told)
    return msgspec.msgpack.encode(play(task.cases, task.room))


if __name__ == "__main__":
    serve(_do)
