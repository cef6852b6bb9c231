"""How soon the screens show a recorded run of 1,000,000 events, and how soon they stand anywhere in it.

Each figure is of the model alone, in this process: Python, Textual and the first paint come on top when it is opened.
By CPU time, which on an idle machine is the wall's: there is one thread, and it waits for nothing."""

from __future__ import annotations

import gc
import random
import resource
import statistics
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import process_time
from typing import Final

import msgspec
from tests.bench.figure import Figure
from tests.bench.long_run import record

from shaketable.harness.runs.directory import VERDICT
from shaketable.harness.runs.run import collect_garbage_rarely
from shaketable.tui.source import Recorded

EVENTS: Final = 1_000_000
JUMPS: Final = 50
STEPS: Final = 300
OPEN_AIM: Final = 3.0
JUMP_AIM: Final = 200.0
SLICE_AIM: Final = 50.0
"""milliseconds"""


def figures() -> Iterator[Figure]:
    collect_garbage_rarely()
    with tempfile.TemporaryDirectory(prefix="shaketable-bench-") as folder:
        directory = Path(folder) / "run"
        record(directory, EVENTS)
        yield from figures_of(directory)


def figures_of(directory: Path) -> Iterator[Figure]:
    """Of a run that has failed, with its violation at the very end: the worst place to open it at."""
    verdict = (directory / VERDICT).read_bytes()
    opened = _open(directory)[0]
    gc.collect()
    what = "a recording of 1,000,000 events is opened"
    yield Figure(f"{what} at a violation at its very end", opened, "s", at_most=OPEN_AIM)
    passed = {**msgspec.json.decode(verdict), "checks": [], "outcome": "passed"}
    (directory / VERDICT).write_bytes(msgspec.json.encode(passed))
    opened, whole, slices, source = _open(directory)
    (directory / VERDICT).write_bytes(verdict)
    yield Figure(f"{what} at its beginning", opened, "s", at_most=OPEN_AIM, spread=f"all of it known: {whole:.2g} s")
    spread = f"median {1000 * statistics.median(slices):.3g}"
    yield Figure("meanwhile a key waits for", 1000 * max(slices), "ms", at_most=SLICE_AIM, spread=spread)
    session = source.session
    chance, took = random.Random(1), []
    for _ in range(JUMPS):
        place = chance.randint(0, len(session.store))
        began = process_time()
        session.move(place)
        assert session.picture().count == place
        took.append(1000 * (process_time() - began))
    spread = f"median {statistics.median(took):.3g}"
    yield Figure(f"the slowest of {JUMPS} jumps to anywhere in it", max(took), "ms", at_most=JUMP_AIM, spread=spread)
    session.move(len(session.store) // 2)
    session.picture()
    took.clear()
    for _ in range(STEPS):
        began = process_time()
        session.step(-1)
        session.picture()
        took.append(1000 * (process_time() - began))
    yield Figure(f"the slowest of {STEPS} steps back, one event each", max(took), "ms", at_most=JUMP_AIM)
    size = sum(path.stat().st_size for path in (directory / "events").iterdir())
    rss = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    spread = f"the recording: {size / 2**20:.0f}"
    yield Figure("memory of the process that has shown all this (RSS)", rss / 2**20, "MiB", spread=spread)


def _open(directory: Path) -> tuple[float, float, list[float], Recorded]:
    """Seconds until the screen stands where it is to stand, and until all is known; and of each slice of work."""
    began = process_time()
    source = Recorded(directory)
    session, opened, slices = source.session, 0.0, [process_time() - began]
    more = True
    while more:
        at = process_time()
        more = source.read_on()
        if not opened and len(session.store) and session.target is None:
            session.picture()
            opened = process_time() - began
        slices.append(process_time() - at)
    return opened, process_time() - began, slices, source
