"""Stands in for an engine: tells a recorded run at so many events a second, in the engine's own words.

python -m tests.bench.tui_stand_in RECORDING EVENTS_A_SECOND"""

from __future__ import annotations

import os
import sys
import threading
import time
from pathlib import Path
from typing import Final

from shaketable.harness.history import codec
from shaketable.harness.runs.directory import read_run
from shaketable.tui.engine.protocol import EVENTS, Began, Over, Splitter, Stop, frame_of, framed, order_in
from shaketable.tui.model.run_facts import RunFacts

A_BATCH: Final = 0.02
"""seconds"""


def tell(directory: Path, rate: int, told_to_end: threading.Event) -> None:
    run, out = read_run(directory), sys.stdout.buffer
    info = run.info
    facts = RunFacts("", "sim", info.fabric, info.seed, info.preset, info.settings, again="shaketable tui")
    lines = [codec.to_line(record) for record in run.records]
    out.write(framed(Began(facts)))
    size, began = round(rate * A_BATCH), time.monotonic()
    for number, start in enumerate(range(0, len(lines), size)):
        if told_to_end.wait(max(0.0, began + number * A_BATCH - time.monotonic())):
            break
        out.write(frame_of(EVENTS, b"".join(lines[start : start + size])))
        out.flush()
    told_to_end.wait()
    out.write(framed(Over("stopped")))
    out.flush()


def obey(told_to_end: threading.Event) -> None:
    splitter = Splitter()
    while data := os.read(0, 1 << 16):
        if any(isinstance(order_in(content), Stop) for _, content in splitter.feed(data)):
            break
    told_to_end.set()


if __name__ == "__main__":
    end = threading.Event()
    threading.Thread(target=obey, args=(end,), daemon=True).start()
    tell(Path(sys.argv[1]), int(sys.argv[2]), end)
