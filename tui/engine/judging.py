"""The checks of a run that still goes on, in a process of their own at low priority: screens and world do not wait.

    python -m shaketable.tui.engine.judging

It is told by which settings, hears the events, and answers each time that it is asked."""

from __future__ import annotations

import os
import sys
from typing import BinaryIO, Final

import msgspec

from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.checks.registry import run_checks
from shaketable.harness.history import codec
from shaketable.harness.history.history import History
from shaketable.harness.records import Record
from shaketable.node.config import read_settings
from shaketable.tui.engine.protocol import ASK, EVENTS, Checked, Judge, Splitter, framed, judge

NICER: Final = 10
AT_ONCE: Final = 1 << 16


def serve(heard: BinaryIO, told: BinaryIO) -> None:
    """Until nobody asks any more."""
    splitter, records = Splitter(), list[Record]()
    waiting: list[bytes] = []
    by: Judge | None = None
    now = 0
    while data := os.read(heard.fileno(), AT_ONCE):
        asked = False
        for kind, content in splitter.feed(data):
            if kind == EVENTS:
                waiting.append(content)
            elif kind == ASK:
                asked, now = True, int(content)
            else:
                by = judge.decode(content)
        if asked and by is not None:
            for lines in waiting:
                records += map(codec.from_line, lines.splitlines())
            waiting.clear()
            told.write(framed(_judged(records, by, now)))
            told.flush()


def _judged(records: list[Record], by: Judge, now: int) -> Checked:
    """Only what is old enough: of the last moments not all nodes may have told yet."""
    complete = [record for record in records if record.time <= now - by.lag]
    settings = read_settings("default", by.settings)
    return Checked(len(complete), run_checks(History(complete), Bounds(settings, by.allowance)))


def main() -> None:
    os.nice(NICER)
    try:
        serve(sys.stdin.buffer, sys.stdout.buffer)
    except (OSError, msgspec.MsgspecError, KeyboardInterrupt):
        sys.exit(1)


if __name__ == "__main__":
    main()
