"""How far a campaign is, on stderr: one line, drawn anew on a terminal; elsewhere a line now and then."""

from __future__ import annotations

import shutil
import sys
import threading
import time
from collections.abc import Callable
from typing import Final, TextIO

BAR: Final = 24
SHORTEST: Final = 4
"""of bars: where there is less room beside the words there is none"""
AS_LINES: Final = 15.0
"""seconds between two lines where there is no terminal"""


def told(done: int, total: int | None, not_passed: int, rate: float, what: str = "runs") -> str:
    """In one line: runs done, the share that has not passed, runs a second, time left. Nobody may know how many there
    will be."""
    share = f" ({100 * not_passed / done:.1f} %)" if done and not_passed else ""
    of = "" if total is None else f"/{total}"
    said = [f"{done}{of} {what}", f"{not_passed} not passed{share}"]
    said += [f"{rate:.1f} {what}/s"] if rate > 0 else []
    if total is not None and done < total:
        said.append(f"{span((total - done) / rate) if rate > 0 else '?'} left")
    return ", ".join(said)


def bar(done: int, total: int, width: int = BAR) -> str:
    full = width * done // total if total else width
    return "█" * full + "░" * (width - full)


def span(seconds: float) -> str:
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02} min"


class Line:
    """One line on stderr, of which a terminal shows the last state, and a reader of a file what is `written`."""

    def __init__(self, to: TextIO | None = None) -> None:
        self._to = to if to is not None else sys.stderr
        self.is_drawn = self._to is not None and self._to.isatty()
        self._last = ""

    @property
    def width(self) -> int:
        return shutil.get_terminal_size().columns - 1

    def draw(self, line: str) -> None:
        line = line[: self.width]
        if line != self._last:
            self._put(f"\r{line}\x1b[K")
            self._last = line

    def write(self, line: str) -> None:
        self._put(f"{line}\n")

    def end(self) -> None:
        """A terminal's line stays as it was last."""
        if self._last:
            self._put("\n")
        self._last = ""

    def _put(self, text: str) -> None:
        if self._to is not None:
            self._to.write(text)
            self._to.flush()


class Progress:
    """`already` were done before this process began: they say nothing of its pace."""

    def __init__(
        self,
        total: int,
        already: int = 0,
        *,
        what: str = "runs",
        to: TextIO | None = None,
        clock: Callable[[], float] = time.monotonic,
        until: float | None = None,
    ) -> None:
        """`until`: by this clock; not the total ends it, but this."""
        self._total = total
        self._until = until
        self._already = already
        self._what = what
        self._line = Line(to)
        self._clock = clock
        self._began = clock()
        self._due = self._began
        self._unsaid = ""

    def show(self, done: int, not_passed: int) -> None:
        """`done` with those of before."""
        now = self._clock()
        passed = now - self._began
        rate = (done - self._already) / passed if passed > 0 else 0.0
        if self._until is None:
            line = told(done, self._total, not_passed, rate, self._what)
        else:
            left = max(0.0, self._until - now)
            line = f"{told(done, None, not_passed, rate, self._what)}, {span(left)} left"
        if self._line.is_drawn:
            of = (done, self._total) if self._until is None else (round(passed), round(passed + left))
            room = min(BAR, self._line.width - len(line) - 1)
            self._line.draw(f"{bar(*of, room)} {line}" if room >= SHORTEST else line)
        elif done > self._already and now < self._due:
            self._unsaid = line
        elif done > self._already:
            self._due = now + AS_LINES
            self._unsaid = ""
            self._line.write(line)

    def end(self) -> None:
        """Where there is no terminal, the last line says how far it came."""
        if self._unsaid:
            self._line.write(self._unsaid)
        self._unsaid = ""
        self._line.end()


class Steps:
    """How far something is whose parts cannot be counted before: at which step, and for how long already."""

    def __init__(
        self, what: str, *, to: TextIO | None = None, clock: Callable[[], float] = time.monotonic, every: float = 1.0
    ) -> None:
        self._what = what
        self._line = Line(to)
        self._clock = clock
        self._every = every
        self._began = clock()
        self._step = ""
        self._over = threading.Event()
        self._ticks = threading.Thread(target=self._tick, daemon=True)

    def begins(self, step: str) -> None:
        before, self._step = self._step, step
        if not self._line.is_drawn and step != before:
            self._line.write(f"{self._what}: {step}")

    def __enter__(self) -> Steps:
        if self._line.is_drawn:
            self.show()
            self._ticks.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        if self._line.is_drawn:
            self._ticks.join()
            self._line.end()

    def _tick(self) -> None:
        while not self._over.wait(self._every):
            self.show()

    def show(self) -> None:
        step = f": {self._step}" if self._step else ""
        self._line.draw(f"{self._what}{step}, {span(self._clock() - self._began)}")
