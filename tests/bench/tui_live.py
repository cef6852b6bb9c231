"""How the screens bear 10,000 events a second of 50 nodes, how soon a key is answered meanwhile, how soon a recording
is shown from nothing, and what a cluster at rest costs them. In a pseudo-terminal of 160x60, as a user has it.

CPU is that of the screens' own process. All other times are the wall's, which other work on the machine makes worse: a
process that computes for 30 ms while two others want its core takes 90."""

from __future__ import annotations

import os
import random
import re
import sys
import tempfile
import time
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

import psutil
from tests.bench.figure import Figure, median_of
from tests.bench.long_run import record
from tests.tui.real.terminal import Terminal
from tests.where import ROOT

from shaketable.harness.runs.directory import read_run
from shaketable.harness.runs.run import collect_garbage_rarely
from shaketable.node.core.env import SECOND

SIZE: Final = (160, 60)
RATE: Final = 10_000
SECONDS: Final = 10
"""of looking on, and as long again of pressing keys"""
KEYS: Final = 100
SCREENS: Final = {"1": "Cluster", "2": "Links", "3": "Partitions", "4": "Timeline", "6": "Events"}
SMALL: Final = 1_000
"""events"""
STARTS: Final = 5
CPU_AIM, KEY_AIM, START_AIM = 35.0, 100.0, 700.0


def figures() -> Iterator[Figure]:
    collect_garbage_rarely()
    with tempfile.TemporaryDirectory(prefix="shaketable-bench-") as folder:
        long, small = Path(folder) / "long", Path(folder) / "small"
        record(long, RATE * (2 * SECONDS + 2))
        record(small, SMALL)
        yield from _under_load(Path(folder), long)
        yield from _from_nothing(Path(folder), small)
        yield _at_rest(Path(folder))


def _under_load(folder: Path, recording: Path) -> Iterator[Figure]:
    times = [record.time for record in read_run(recording).records]
    with _shown(folder, [sys.executable, "-m", "tests.bench.tui_shown", str(recording), str(RATE)]) as terminal:
        terminal.sees("50/50")
        began, before = time.monotonic(), _shown_so_far(terminal, times)
        cpu, load = _busy(terminal, SECONDS), os.getloadavg()[0]
        shown = (_shown_so_far(terminal, times) - before) / (time.monotonic() - began)
        what = f"{RATE:,} events a second of 50 nodes"
        yield Figure(f"{what}: shown of them", shown, "a second", at_least=0.95 * RATE)
        yield Figure(f"{what}: CPU of the screens", cpu, "% of a core", at_most=CPU_AIM, spread=f"load {load:.1f}")
        took, busy = zip(*_answers(terminal), strict=True)
        spread = f"median {_part(took, 0.5):.0f}, load {os.getloadavg()[0]:.1f}"
        told = f"{what}: a key is seen, 99th percentile"
        yield Figure(told, _part(took, 0.99), "ms", at_most=KEY_AIM, spread=spread)
        spread = f"median {_part(busy, 0.5):.0f}"
        yield Figure(f"{told}: CPU of the screens by then", _part(busy, 0.99), "ms", spread=spread)
        terminal.press("q")
        terminal.ended()


def _shown_so_far(terminal: Terminal, times: Sequence[int]) -> int:
    """By the time in the heading: how many events there are until then."""
    found = re.search(r"([\d.]+) s\b", terminal.screen.rows[0])
    assert found is not None, terminal.screen.text
    return bisect_right(times, round(float(found[1]) * SECOND))


def _part(values: Sequence[float], part: float) -> float:
    return sorted(values)[round(part * (len(values) - 1))]


def _busy(terminal: Terminal, seconds: float) -> float:
    """CPU in percent of a core."""
    process = psutil.Process(terminal.process.pid)
    began, before = time.monotonic(), sum(process.cpu_times()[:2])
    _watch(terminal, lambda: time.monotonic() > began + seconds)
    return 100 * (sum(process.cpu_times()[:2]) - before) / (time.monotonic() - began)


def _answers(terminal: Terminal) -> Iterator[tuple[float, float]]:
    """Milliseconds from a key to what it does on the screen, at any moment of a frame; how long it computed by then."""
    process = psutil.Process(terminal.process.pid)
    chance, key = random.Random(1), "1"
    for _ in range(KEYS):
        until = time.monotonic() + chance.uniform(0, 2 * (SECONDS / KEYS - 0.04))
        _watch(terminal, lambda until=until: time.monotonic() > until)  # type: ignore[misc]
        key = chance.choice([each for each in SCREENS if each != key])
        began, before = time.monotonic(), sum(process.cpu_times()[:2])
        terminal.press(key)
        _watch(terminal, lambda key=key: f"[{key} {SCREENS[key]}]" in terminal.screen.rows[1])  # type: ignore[misc]
        yield 1000 * (time.monotonic() - began), 1000 * (sum(process.cpu_times()[:2]) - before)


def _from_nothing(folder: Path, recording: Path) -> Iterator[Figure]:
    took, cpu = [], []
    for _ in range(STARTS):
        began = time.monotonic()
        command = [sys.executable, "-P", "-m", "shaketable", "replay", str(recording)]
        with _shown(folder, command) as terminal:
            terminal.sees("n50")
            took.append(1000 * (time.monotonic() - began))
            cpu.append(1000 * sum(psutil.Process(terminal.process.pid).cpu_times()[:2]))
            terminal.press("q")
            terminal.ended()
    what = "a small recording, from the command to what it shows"
    yield median_of(f"{what}: CPU", cpu, "ms", at_most=START_AIM)
    yield Figure(f"{what}", sorted(took)[STARTS // 2], "ms", spread=f"load {os.getloadavg()[0]:.1f}")


def _at_rest(folder: Path) -> Figure:
    with _shown(folder, [sys.executable, "-P", "-m", "shaketable", "tui", "--nodes", "5"]) as terminal:
        terminal.sees("5/5")
        terminal.sees("all agree")
        cpu, load = _busy(terminal, SECONDS), os.getloadavg()[0]
        terminal.press("q")
        terminal.ended()
    return Figure("five real nodes at rest: CPU of the screens", cpu, "% of a core", spread=f"load {load:.1f}")


def _watch(terminal: Terminal, until: Callable[[], bool]) -> None:
    ends = time.monotonic() + 60
    while not until():
        assert terminal.read(0.005), terminal.screen.text
        assert time.monotonic() < ends, terminal.screen.text


class _shown(Terminal):  # noqa: N801
    """From the root of the tree, where `tests` is found."""

    def __init__(self, folder: Path, command: list[str]) -> None:
        os.environ["PYTHONPATH"] = str(ROOT)
        super().__init__(folder, command, *SIZE)

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
